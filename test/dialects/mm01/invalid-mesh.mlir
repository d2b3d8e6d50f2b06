// RUN: mm01-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{C1: expected at least one axis, each with a name of its own}}
mm01.mesh @mesh_c1 <>

// -----

// expected-error @below {{C1: expected at least one axis, each with a name of its own}}
mm01.mesh @mesh_c1_twice <tp = 2, tp = 4>

// -----

// expected-error @below {{C1: expected at least one axis, each with a name of its own and an extent}}
"mm01.mesh"() <{sym_name = "mesh_c1_extent", axes = ["tp"], extents = array<i64: 2, 4>}> : () -> ()

// -----

// expected-error @below {{C2: extents must be positive and their product less than 2^31}}
mm01.mesh @mesh_c2 <tp = 2, cp = 0>

// -----

// expected-error @below {{C2: extents must be positive and their product less than 2^31}}
mm01.mesh @mesh_c2_wraps <tp = 4294967296, cp = 4294967296>

// -----

mm01.mesh @world <tp = 2, cp = 4>
// expected-error @below {{C3: expected as many ranks as mesh world has, 8, found 16}}
mm01.mesh @mesh_c3 <etp = 2, ep = 8>

// -----

// expected-error @below {{C1: no mm01.mesh is named @world}}
mm01.process_group @process_group_c1 over @world axes ["tp"]

// -----

// expected-error @below {{C1: no mm01.mesh is named @process_group_c1_self}}
mm01.process_group @process_group_c1_self over @process_group_c1_self axes ["tp"]

// -----

mm01.mesh @world <tp = 2, cp = 4>
// expected-error @below {{C2: expected axes of mesh @world, in its order}}
mm01.process_group @process_group_c2 over @world axes ["ep"]

// -----

mm01.mesh @world <tp = 2, cp = 4>
// expected-error @below {{C2: expected axes of mesh @world, in its order}}
mm01.process_group @process_group_c2_order over @world axes ["cp", "tp"]

// -----

mm01.mesh @world <tp = 2, cp = 4>
// expected-error @below {{C2: expected axes of mesh @world, in its order}}
mm01.process_group @process_group_c2_none over @world axes []

// -----

func.func @rank_c1() -> index {
  // expected-error @below {{C1: no mm01.process_group is named @TP}}
  %r = mm01.rank @TP
  return %r : index
}

// -----

func.func @token_start_c1() {
  // expected-error @below {{C1: no mm01.process_group is named @TP}}
  %t = mm01.token_start : !mm01.token<@TP>
  mm01.token_end %t : !mm01.token<@TP>
  return
}

// -----

mm01.mesh @world <tp = 2>
mm01.process_group @TP over @world axes ["tp"]
func.func @token_start_c2() {
  // expected-error @below {{C2: the function has another chain of tokens of @TP}}
  %t = mm01.token_start : !mm01.token<@TP>
  mm01.token_end %t : !mm01.token<@TP>
  %u = mm01.token_start : !mm01.token<@TP>
  mm01.token_end %u : !mm01.token<@TP>
  return
}

// -----

mm01.mesh @world <tp = 2>
mm01.process_group @TP over @world axes ["tp"]
func.func @token_start_c2_argument(%a: !mm01.token<@TP>) -> !mm01.token<@TP> {
  // expected-error @below {{C2: the function has another chain of tokens of @TP}}
  %t = mm01.token_start : !mm01.token<@TP>
  mm01.token_end %t : !mm01.token<@TP>
  return %a : !mm01.token<@TP>
}
