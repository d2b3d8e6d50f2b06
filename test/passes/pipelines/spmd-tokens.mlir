// RUN: mm01-opt %s --mm01-phase-spmd --verify-diagnostics

// The spmd phase knows the order of a group's collectives: a chain that is lost is refused there.
mm01.mesh @world <tp = 2>
mm01.process_group @TP over @world axes ["tp"]
// expected-error @below {{a value of type '!mm01.token<@TP>' is used exactly once, found 0 uses}}
func.func private @dropped(%t: !mm01.token<@TP>) {
  return
}
