"""usage: ptxas.py FILE

Assembles every kernel of a module that upstream's gpu-module-to-binary{format=isa} wrote, and prints what ptxas says of
it in one line. Fails where a kernel spills, uses local memory, or has products that run one after another.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile


def unescape(text):
    """The bytes of a string attribute: \\0A is a byte, \\\\ a backslash."""
    return re.sub(r"\\([0-9A-F]{2}|\\)", lambda m: "\\" if m[1] == "\\" else chr(int(m[1], 16)), text)


def main():
    module = open(sys.argv[1]).read()
    images = re.findall(r'assembly = "((?:[^"\\]|\\.)*)"', module)
    if not images:
        print("no kernel in the module", file=sys.stderr)
        return 1
    places = os.path.join(os.environ.get("CUDA_HOME", ""), "bin") + os.pathsep + os.environ.get("PATH", "")
    assembler = shutil.which("ptxas", path=places)
    failed = False
    for image in images:
        with tempfile.NamedTemporaryFile(suffix=".ptx") as ptx, tempfile.NamedTemporaryFile() as cubin:
            ptx.write(unescape(image).rstrip("\0").encode())
            ptx.flush()
            done = subprocess.run(
                [assembler, "-v", "-arch=sm_90a", ptx.name, "-o", cubin.name], capture_output=True, text=True
            )
        said = done.stdout + done.stderr
        kernel = re.search(r"entry function '(\w+)'", said)
        print(kernel[1] if kernel else "?", *re.findall(r"\d+ bytes spill \w+|\d+ bytes stack frame|\d+ registers", said))
        bad = done.returncode != 0 or re.search(r"C75\d\d|[1-9]\d* bytes (?:spill|stack)", said)
        if bad:
            print(said, file=sys.stderr)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
