#!/usr/bin/env python3
"""Checks who includes whom, and that nothing is compiled conditionally.

usage: check_layers.py [ROOT]    ROOT holds src/, bench/, plugins/ and apps/; default: this checkout

Prints one line for each violation, FILE:LINE: what, and exits 1 if there is any.
"""

import pathlib
import re
import sys

# A folder may include itself, what stands here, and (kernels apart) common.
LAYERS = {
    "common": [],
    "text": [],
    "wire": ["hub"],
    "wire/grpc": ["wire", "hub"],
    "hub": [],
    "hub/download": ["hub"],
    "rose/core": ["hub"],
    "rose/weights": ["rose/core", "hub"],
    "rose/layers": ["rose/core"],
    "rose/loading": ["rose/layers", "rose/core", "rose/weights", "hub"],
    "rose/heads": ["rose/loading", "rose/layers", "rose/core", "rose/weights", "hub"],
    "rose/models": ["rose/heads", "rose/loading", "rose/layers", "rose/core", "rose/weights", "hub"],
    "rose/cpu": ["rose/core"],
    "rose/kernels": [],
    "rose/cuda": ["rose/core", "rose/kernels"],
    "rose/runtime": ["rose", "hub"],
    "tulip": ["wire", "hub", "rose/runtime", "rose/core"],
    "tulip/grpc": ["tulip", "wire", "wire/grpc", "hub"],
    "ivy": ["text", "wire", "hub"],
    "ivy/grpc": ["ivy", "wire", "wire/grpc", "hub"],
    "bench": ["text", "wire", "hub"],
    "bench/kernels": ["rose"],
    "bench/families": ["bench", "rose", "hub"],
    "bench/engine": ["bench", "rose", "hub"],
    "bench/overhead": ["bench", "text", "wire", "hub", "rose", "tulip", "ivy"],
    "bench/simulate": ["ivy", "tulip", "wire", "hub"],
    "plugins": ["rose/kernels"],
    "apps": ["common", "text", "wire", "hub", "rose", "tulip", "ivy", "bench"],
}

# A test in rose may use what its folder is run with, and tests of kernels host libraries.
TEST_LAYERS = ["common", "hub", "rose"]

# Headers of others that stop at the folders named.
FOREIGN = [
    (re.compile(r"cuda_runtime|cuda\.h|cublas|cudnn"),
     ["rose/kernels", "rose/cuda", "rose/runtime/cuda", "bench/kernels"]),
    (re.compile(r"dnnl"), ["bench/kernels"]),
    (re.compile(r"boost/(beast|asio)"), ["ivy", "apps", "bench"]),
    (re.compile(r"curl/"), ["hub/download", "common/otlp"]),
    (re.compile(r"openssl/"), ["hub/download", "wire", "ivy/net"]),
    (re.compile(r"simdjson"), ["ivy", "apps"]),
    (re.compile(r"grpc|google/protobuf|.*\.pb\.h$"), ["wire/grpc", "tulip/grpc", "ivy/grpc"]),
]

# Kernels know CUDA, the standard library, themselves, kernel header libraries, and of ours the words
# in which operations are asked for.
KERNEL_WORDS = [f"rose/core/{word}.h" for word in ("op_params", "tensor", "dtype", "bfloat16")]
KERNEL_HEADERS = re.compile(
    r"cuda|nv/|cooperative_groups|cub/|cute/|cutlass/|flashinfer/|cudnn|std|[a-z0-9_]+$")

# Where the build's kind may be asked for: the debug CHECK, and the table of backends.
CONDITIONALS = ["common/check.h", "rose/runtime/backends.cc"]

# Filled by main: headers that tests alone may include.
TEST_HEADERS = set()

INCLUDE = re.compile(r'\s*#\s*include\s*["<]([^">]+)[">]')
INCLUDE_ANYWHERE = re.compile(INCLUDE.pattern, re.MULTILINE)
CONDITIONAL = re.compile(r"\s*#\s*(if|ifdef|ifndef|elif)\b")


def inside(path, folder):
    return path == folder or path.startswith(folder + "/")


def layer_of(path):
    """The longest layer that holds `path`; None for a folder that LAYERS does not know."""
    return max((layer for layer in LAYERS if inside(path, layer)), key=len, default=None)


def is_test(path):
    return path.endswith(("_test.cc", "_bench.cc")) or path in TEST_HEADERS


def find_test_headers(root):
    """The headers that include gtest, or one that does: what tests share."""
    included = {
        path: INCLUDE_ANYWHERE.findall(file.read_text("utf-8"))
        for file, path in sources(root)
        if file.suffix == ".h"
    }
    found = set()
    while more := {
        path
        for path, headers in included.items()
        if path not in found
        and any(header in found or header.startswith(("gtest/", "gmock/")) for header in headers)
    }:
        found |= more
    return found


def allowed(path, layer):
    folders = [layer, *LAYERS[layer]]
    if layer != "rose/kernels":
        folders.append("common")
    if is_test(path) and inside(layer, "rose"):
        folders += TEST_LAYERS
    return folders


def beside(file, header):
    return "/" not in header and (file.parent / header).is_file()


def include_faults(file, path, layer, header):
    ours = any(header.startswith(folder.split("/")[0] + "/") for folder in LAYERS)
    if layer != "apps" and (header[0] == "." or beside(file, header)):
        yield f'"{header}": paths of ours start at src/'
    words = KERNEL_WORDS if layer == "rose/kernels" else []
    if ours and not any(inside(header, folder) for folder in [*allowed(path, layer), *words]):
        yield f"{layer} may not include {header}"
    if header in TEST_HEADERS and not is_test(path):
        yield f"{header} is for tests alone"
    in_kernel = layer == "rose/kernels" and not is_test(path)
    if in_kernel and not ours and not KERNEL_HEADERS.match(header):
        yield f"rose/kernels may not include {header}"
    for pattern, folders in FOREIGN:
        if pattern.match(header) and not any(inside(path, folder) for folder in folders):
            yield f"{header} may be included in {', '.join(folders)} alone"


def file_faults(file, path):
    layer = layer_of(path)
    if layer is None:
        yield 1, "stands in a folder that check_layers.py does not know"
        return
    for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
        if match := INCLUDE.match(line):
            for fault in include_faults(file, path, layer, match[1]):
                yield number, fault
        elif CONDITIONAL.match(line) and path not in CONDITIONALS:
            yield number, "conditional compilation: choose at run time or in the build instead"


def sources(root):
    """Every source with its path as includes name it: that under src/, elsewhere with the folder."""
    for base in ("src", "bench", "plugins", "apps"):
        start = root / "src" if base == "src" else root
        for file in sorted((root / base).rglob("*")):
            if file.suffix in (".h", ".cc", ".cu", ".cuh"):
                yield file, file.relative_to(start).as_posix()


def main(root):
    TEST_HEADERS.update(find_test_headers(root))
    faults = 0
    for file, path in sources(root):
        for number, fault in file_faults(file, path):
            print(f"{file.relative_to(root)}:{number}: {fault}")
            faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    here = pathlib.Path(__file__).resolve().parent.parent
    sys.exit(main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here))
