// RUN: mm01-opt %s -split-input-file -verify-diagnostics

// Two collectives after one token: ranks could start them in either order.
mm01.mesh @world <tp = 2>
mm01.process_group @TP over @world axes ["tp"]
func.func @token_used_twice(%x: tensor<8xf32>) {
  // expected-error @below {{a value of type '!mm01.token<@TP>' is used exactly once, found 2 uses}}
  %t = mm01.token_start : !mm01.token<@TP>
  %p0, %t0 = mm01.all_reduce sum %x into %x after %t : tensor<8xf32> into tensor<8xf32>, !mm01.token<@TP>
  %p1, %t1 = mm01.all_reduce max %x into %x after %t : tensor<8xf32> into tensor<8xf32>, !mm01.token<@TP>
  return
}

// -----

func.func @argument_used_twice(%t: !mm01.token<@TP>) -> !mm01.token<@TP> {
  // expected-error @below {{a value of type '!mm01.token<@TP>' is used exactly once, found 2 uses}}
  mm01.token_end %t : !mm01.token<@TP>
  return %t : !mm01.token<@TP>
}

// -----

mm01.mesh @world <tp = 2>
mm01.process_group @TP over @world axes ["tp"]
func.func @token_dropped() {
  // expected-error @below {{a value of type '!mm01.token<@TP>' is used exactly once, found 0 uses}}
  %t = mm01.token_start : !mm01.token<@TP>
  return
}

// -----

// A result that nobody waits for: its buffer could be reused under the transfer.
mm01.mesh @world <tp = 2>
mm01.process_group @TP over @world axes ["tp"]
func.func @never_waited(%x: tensor<8xf32>, %t: !mm01.token<@TP>) -> !mm01.token<@TP> {
  // expected-error @below {{a value of type '!mm01.pending<tensor<8xf32>>' is used exactly once, found 0 uses}}
  %p, %t0 = mm01.all_reduce sum %x into %x after %t : tensor<8xf32> into tensor<8xf32>, !mm01.token<@TP>
  return %t0 : !mm01.token<@TP>
}

// -----

func.func @waited_twice(%p: !mm01.pending<tensor<8xf32>>) {
  // expected-error @below {{is used exactly once, found 2 uses}}
  %a = mm01.wait %p : !mm01.pending<tensor<8xf32>>
  %b = mm01.wait %p : !mm01.pending<tensor<8xf32>>
  return
}

// -----

// Ranks may take different branches.
mm01.mesh @world <tp = 2>
mm01.process_group @TP over @world axes ["tp"]
func.func @token_in_branch(%x: tensor<8xf32>, %c: i1, %t: !mm01.token<@TP>) {
  scf.if %c {
    // expected-error @below {{is used in the block that makes it, found a use in another}}
    %p, %t0 = mm01.all_reduce sum %x into %x after %t : tensor<8xf32> into tensor<8xf32>, !mm01.token<@TP>
    %y = mm01.wait %p : !mm01.pending<tensor<8xf32>>
    mm01.token_end %t0 : !mm01.token<@TP>
  }
  return
}

// -----

// The chain stays in its group.
mm01.mesh @world <tp = 2, cp = 4>
mm01.process_group @TP over @world axes ["tp"]
mm01.process_group @CP over @world axes ["cp"]
func.func @other_group(%x: tensor<8xf32>, %t: !mm01.token<@TP>) -> !mm01.token<@CP> {
  // expected-error @below {{failed to verify that all of {after, token} have same type}}
  %p, %t0 = "mm01.all_reduce"(%x, %x, %t) <{reduction = #mm01<reduction sum>}>
    : (tensor<8xf32>, tensor<8xf32>, !mm01.token<@TP>) -> (!mm01.pending<tensor<8xf32>>, !mm01.token<@CP>)
  %y = mm01.wait %p : !mm01.pending<tensor<8xf32>>
  return %t0 : !mm01.token<@CP>
}

// -----

func.func @no_group(%x: tensor<8xf32>, %t: !mm01.token<@TP>) -> !mm01.token<@TP> {
  // expected-error @below {{no mm01.process_group is named @TP}}
  %p, %t0 = mm01.all_reduce sum %x into %x after %t : tensor<8xf32> into tensor<8xf32>, !mm01.token<@TP>
  %y = mm01.wait %p : !mm01.pending<tensor<8xf32>>
  return %t0 : !mm01.token<@TP>
}

// -----

// expected-error @below {{invalid kind of attribute specified}}
// expected-error @below {{failed to parse Mm01_TokenType parameter 'group'}}
func.func private @token_of_string(!mm01.token<"TP">)

// -----

// expected-error @below {{invalid kind of type specified}}
// expected-error @below {{failed to parse Mm01_PendingType parameter 'tensor'}}
func.func private @pending_scalar(!mm01.pending<f32>)
