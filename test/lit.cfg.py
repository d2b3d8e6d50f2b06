# The lit suite of mm01: FileCheck tests (.mlir) and command-line tests (.test).
#
#   build/bin tools   mm01-opt, mm01-compile, mm01-run, mm01-interpret: call them by name
#   LLVM's tools      FileCheck, not, split-file, mlir-opt: call them by name
#   %golden           test/golden, with the checkpoints and their expected logits
#   %src_root         the source tree
#   %python           the Python that runs lit (standard library only), which finds the modules of test/python
#   %mm01_bin         build/bin
#   features          ptxas: NVIDIA's assembler is found, in $CUDA_HOME or $PATH; avx2, avx512: what this CPU has; root: the tests run as root, who may open any file

import os
import shutil
import sys

import lit.formats

config.name = "mm01"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "inputs"]
config.test_source_root = os.path.dirname(os.path.abspath(__file__))

config.environment["PATH"] = os.path.pathsep.join(
    [
        os.path.join(config.mm01_binary_dir, "bin"),
        config.llvm_tools_dir,
        os.environ.get("PATH", "/usr/bin:/bin"),
    ]
)

cuda_home = os.environ.get("CUDA_HOME", "")
if cuda_home:
    config.environment["CUDA_HOME"] = cuda_home
assemblers = os.path.pathsep.join([os.path.join(cuda_home, "bin"), config.environment["PATH"]])
if shutil.which("ptxas", path=assemblers):
    config.available_features.add("ptxas")

config.environment["PYTHONPATH"] = os.path.join(config.test_source_root, "python")

config.substitutions += [
    ("%golden", os.path.join(config.test_source_root, "golden")),
    ("%src_root", config.mm01_source_dir),
    ("%mm01_bin", os.path.join(config.mm01_binary_dir, "bin")),
    ("%python", '"%s"' % sys.executable),
]


def cpu_flags():
    """The feature names of the first processor; empty where the kernel does not list them."""
    try:
        with open("/proc/cpuinfo") as file:
            for line in file:
                if line.startswith("flags"):
                    return set(line.split())
    except OSError:
        pass
    return set()


flags = cpu_flags()
if "avx2" in flags:
    config.available_features.add("avx2")
if {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd"} <= flags:
    config.available_features.add("avx512")
if os.geteuid() == 0:
    config.available_features.add("root")
