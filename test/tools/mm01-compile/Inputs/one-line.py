"""usage: one-line.py EXIT-CODE COMMAND...

Runs a command that must fail: with this exit code, nothing on standard output and exactly one line on standard error,
which is printed.
"""

import subprocess
import sys

expected = int(sys.argv[1])
done = subprocess.run(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
print(done.stderr, end="")
if done.returncode != expected:
    sys.exit(f"exit code {done.returncode}, expected {expected}")
if done.stdout:
    sys.exit(f"standard output holds {done.stdout!r}, expected nothing")
if done.stderr.count("\n") != 1 or not done.stderr.endswith("\n"):
    sys.exit(f"standard error holds {done.stderr!r}, expected one line")
