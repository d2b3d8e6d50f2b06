// RUN: mm01-opt %s --mm01-verify-tokens --split-input-file --verify-diagnostics

// A chain that goes through a call and a loop is fine.
mm01.mesh @world <tp = 2>
mm01.process_group @TP over @world axes ["tp"]
func.func @layer(%x: tensor<8xf32>, %t0: !mm01.token<@TP>) -> (tensor<8xf32>, !mm01.token<@TP>) {
  %p, %t1 = mm01.all_reduce sum %x into %x after %t0 : tensor<8xf32> into tensor<8xf32>, !mm01.token<@TP>
  %y = mm01.wait %p : !mm01.pending<tensor<8xf32>>
  return %y, %t1 : tensor<8xf32>, !mm01.token<@TP>
}
func.func @step(%x: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t0 = mm01.token_start : !mm01.token<@TP>
  %y, %t1 = scf.for %i = %c0 to %n step %c1 iter_args(%xi = %x, %ti = %t0) -> (tensor<8xf32>, !mm01.token<@TP>) {
    %xn, %tn = func.call @layer(%xi, %ti) : (tensor<8xf32>, !mm01.token<@TP>) -> (tensor<8xf32>, !mm01.token<@TP>)
    scf.yield %xn, %tn : tensor<8xf32>, !mm01.token<@TP>
  }
  mm01.token_end %t1 : !mm01.token<@TP>
  return %y : tensor<8xf32>
}

// -----

// The chain is lost in the function.
// expected-error @below {{a value of type '!mm01.token<@TP>' is used exactly once, found 0 uses}}
func.func @argument_dropped(%t: !mm01.token<@TP>) {
  return
}

// -----

// The chain is lost after the call.
func.func private @layer(!mm01.token<@TP>) -> !mm01.token<@TP>
func.func @call_dropped(%t: !mm01.token<@TP>) {
  // expected-error @below {{a value of type '!mm01.token<@TP>' is used exactly once, found 0 uses}}
  %t1 = call @layer(%t) : (!mm01.token<@TP>) -> !mm01.token<@TP>
  return
}

// -----

// One token for two calls: which comes first?
func.func private @layer(!mm01.token<@TP>) -> !mm01.token<@TP>
// expected-error @below {{a value of type '!mm01.token<@TP>' is used exactly once, found 2 uses}}
func.func @call_twice(%t: !mm01.token<@TP>) -> (!mm01.token<@TP>, !mm01.token<@TP>) {
  %t1 = call @layer(%t) : (!mm01.token<@TP>) -> !mm01.token<@TP>
  %t2 = call @layer(%t) : (!mm01.token<@TP>) -> !mm01.token<@TP>
  return %t1, %t2 : !mm01.token<@TP>, !mm01.token<@TP>
}

// -----

// The same token in every iteration.
func.func private @layer(!mm01.token<@TP>) -> !mm01.token<@TP>
// expected-error @below {{is used in the block that makes it, found a use in another}}
func.func @loop_repeats(%t: !mm01.token<@TP>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %t1 = func.call @layer(%t) : (!mm01.token<@TP>) -> !mm01.token<@TP>
    mm01.token_end %t1 : !mm01.token<@TP>
  }
  return
}

// -----

// expected-error @below {{the function takes two tokens of type '!mm01.token<@TP>', expected one chain a group}}
func.func @two_arguments(%t: !mm01.token<@TP>, %u: !mm01.token<@TP>) -> (!mm01.token<@TP>, !mm01.token<@TP>) {
  return %t, %u : !mm01.token<@TP>, !mm01.token<@TP>
}

// -----

mm01.mesh @world <tp = 2>
mm01.process_group @TP over @world axes ["tp"]
func.func @starts() {
  // expected-note @below {{started here}}
  %t = mm01.token_start : !mm01.token<@TP>
  mm01.token_end %t : !mm01.token<@TP>
  return
}
func.func @calls_a_start() {
  // expected-error @below {{the callee starts the chain of '!mm01.token<@TP>': pass it a token instead}}
  call @starts() : () -> ()
  return
}
