"""usage: exit_code.py CODE COMMAND…   runs the command; fails unless it exits with exactly this code."""

import subprocess
import sys

code = subprocess.run(sys.argv[2:]).returncode
if code != int(sys.argv[1]):
    sys.exit(f"exit code {code}, expected {sys.argv[1]}")
