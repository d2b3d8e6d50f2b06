"""usage: check_trace.py FILE STEPS

Checks that a trace (mm01-run --trace) of one thread's launches is whole: they follow each other, and each kernel ran a
multiple of STEPS times.
"""

import collections
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    events = [event for event in json.load(file)["traceEvents"] if event["ph"] == "X"]
assert events, "no events"
end = 0.0
for event in events:
    assert event["cat"] == "kernel" and event["args"]["grid"] >= 0, event
    assert event["ts"] >= end - 1e-3, f"{event} begins before {end}"
    end = event["ts"] + event["dur"]
counts = collections.Counter(event["name"] for event in events)
wrong = {name: count for name, count in counts.items() if count % int(sys.argv[2])}
assert not wrong, wrong
