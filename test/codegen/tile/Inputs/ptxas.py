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


def images(module):
    """The PTX of each kernel. In a string attribute \\0A is a byte and \\\\ a backslash."""
    unescape = lambda m: "\\" if m[1] == "\\" else chr(int(m[1], 16))
    texts = re.findall(r'assembly = "((?:[^"\\]|\\.)*)"', module)
    return [re.sub(r"\\([0-9A-F]{2}|\\)", unescape, text).rstrip("\0") for text in texts]


def assemble(image, cubin):
    """Writes machine code to the file `cubin` and returns what ptxas says; raises where the code is not as it must be."""
    places = os.path.join(os.environ.get("CUDA_HOME", ""), "bin") + os.pathsep + os.environ.get("PATH", "")
    with tempfile.NamedTemporaryFile(suffix=".ptx") as ptx:
        ptx.write(image.encode())
        ptx.flush()
        done = subprocess.run(
            [shutil.which("ptxas", path=places), "-v", "-arch=sm_90a", ptx.name, "-o", cubin],
            capture_output=True,
            text=True,
        )
    said = done.stdout + done.stderr
    if done.returncode != 0 or re.search(r"C75\d\d|[1-9]\d* bytes (?:spill|stack)", said):
        raise RuntimeError(said)
    return said


def main():
    found = images(open(sys.argv[1]).read())
    if not found:
        print("no kernel in the module", file=sys.stderr)
        return 1
    for image in found:
        said = assemble(image, os.devnull)
        facts = re.findall(r"\d+ bytes spill \w+|\d+ bytes stack frame|\d+ registers", said)
        print(re.search(r"entry function '(\w+)'", said)[1], *facts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
