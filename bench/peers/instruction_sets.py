"""The instruction sets that Parterre's kernels are written for, by their names for `--isa`."""

import pathlib
from typing import NamedTuple


class Isa(NamedTuple):
    flags: tuple[str, ...]  # Linux's names of what a processor must have.
    dtype: str  # What is computed otherwise than with the set before.
    of_pytorch: dict[str, str]  # The environment that keeps PyTorch and its libraries to it.


def limits(aten: str, onednn: str, mkl: str) -> dict[str, str]:
    return {"ATEN_CPU_CAPABILITY": aten, "ONEDNN_MAX_CPU_ISA": onednn,
            "MKL_ENABLE_INSTRUCTIONS": mkl}


ISAS = {
    "avx2": Isa(("avx2", "fma"), "float32", limits("avx2", "AVX2", "AVX2")),
    "avx512": Isa(("avx512f", "avx512bw", "avx512dq", "avx512vl"), "float32",
                  limits("avx512", "AVX512_CORE", "AVX512")),
    "avx512_bf16": Isa(("avx512_bf16",), "bfloat16",
                       limits("avx512", "AVX512_CORE_BF16", "AVX512")),
    "amx": Isa(("amx_bf16", "amx_tile"), "bfloat16", {}),
}


def of_processor() -> list[str]:
    """Those of this processor, as far as Linux says."""
    found = set(pathlib.Path("/proc/cpuinfo").read_text().split())
    return [name for name, isa in ISAS.items() if found.issuperset(isa.flags)]


def has_bfloat16() -> bool:
    """Whether this processor multiplies bf16 in hardware."""
    return not {"avx512_bf16", "amx"}.isdisjoint(of_processor())
