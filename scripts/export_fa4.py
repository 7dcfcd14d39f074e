#!/usr/bin/env python3
"""Exports FlashAttention 4's attention for Hopper as object files; needs neither a GPU nor torch.

usage: export_fa4.py PACKAGES OUT

PACKAGES holds what pip put there from plugins/fa4/requirements.txt. OUT gets for each kernel an
object and its header, and what plugins/fa4/fa4_plugin.cc includes: fa4_exports.h, the headers of
all, and fa4_kernels.inc, a row of its table for each. scripts/build_fa4.sh calls this.
"""

import dataclasses
import importlib.machinery
import importlib.util
import os
import pathlib
import site
import sys
import time
import types

# The compiler asks the GPU unless it is told.
TARGET = {"CUTE_DSL_ARCH": "sm_90a", "FLASH_ATTENTION_ARCH": "sm_90a",
          "FLASH_ATTENTION_NUM_SMS": "132", "TVM_FFI_DISABLE_TORCH_C_DLPACK": "1"}
# Imported by the packages and not used for exporting.
ABSENT = ("torch", "triton", "torch_c_dlpack_ext")


@dataclasses.dataclass(frozen=True)
class Kernel:
    """What a kernel is compiled for, as Fa4Kind in src/rose/kernels/fa4_plugin.h has it."""

    head_dim: int
    queries_per_key: int
    causal: bool
    rows: int  # Queries of a block.
    tile: str  # Enumerator of Fa4Tile.
    keys: int = 128  # Of a step of a block.

    @property
    def name(self):
        mask = "causal" if self.causal else "full"
        return f"fa4_d{self.head_dim}_{mask}_rows{self.rows}"

    def table_row(self):
        entry = f"_mlir_{self.name}_cuda"
        return (f"{{{self.head_dim}, {self.queries_per_key}, {int(self.causal)}, "
                f"Fa4Tile::{self.tile}, Load<{entry}_init, {entry}_load_to_device>, "
                f"Call<cute_dsl_{self.name}_wrapper>::Run}},\n")


KERNELS = [
    Kernel(64, 1, causal=False, rows=192, tile="kStock"),
    Kernel(64, 1, causal=False, rows=64, tile="kRows64"),
    Kernel(128, 2, causal=True, rows=128, tile="kStock"),
    Kernel(128, 2, causal=True, rows=64, tile="kRows64"),
    Kernel(128, 2, causal=False, rows=128, tile="kStock"),
    Kernel(128, 2, causal=False, rows=64, tile="kRows64"),
]


class AnythingType(type):
    """A class of which every attribute, and every union with another, is itself."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return cls

    def __or__(cls, other):
        return cls

    __ror__ = __or__


class Anything(metaclass=AnythingType):
    """Stands for whatever an absent package would have: a base class, a decorator, a type."""

    def __init__(self, *_, **__):
        pass

    def __call__(self, *arguments, **_):
        return arguments[0] if arguments else self

    def __class_getitem__(cls, _):
        return cls


class AbsentModule(types.ModuleType):
    __path__ = []
    __version__ = "2.11.0"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything


class AbsentPackages:
    """Finds every module of the absent packages, so that importing them works."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] not in ABSENT:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return AbsentModule(spec.name)

    def exec_module(self, module):
        pass


def skip_init(package):
    """Makes modules of a package importable without its __init__, which imports far too much."""
    top, _, rest = package.partition(".")
    folder = importlib.util.find_spec(top).submodule_search_locations[0]
    module = types.ModuleType(package)
    module.__path__ = [os.path.join(folder, rest)]
    sys.modules[package] = module


def prepare_imports(packages):
    os.environ.update(TARGET)
    site.addsitedir(str(packages))
    sys.meta_path.insert(0, AbsentPackages())
    skip_init("quack")
    skip_init("flash_attn.cute")


def export(kernel, out):
    import cuda.bindings.driver as cuda
    import cutlass
    from cutlass import cute
    from flash_attn.cute.flash_fwd_sm90 import FlashAttentionForwardSm90
    from flash_attn.cute.utils import AuxData

    forward = FlashAttentionForwardSm90(
        cutlass.BFloat16, kernel.head_dim, kernel.head_dim, kernel.queries_per_key,
        is_causal=kernel.causal, is_local=False, pack_gqa=kernel.queries_per_key > 1,
        tile_m=kernel.rows, tile_n=kernel.keys, num_stages=2, num_threads=384, Q_in_regs=False,
        intra_wg_overlap=True, mma_pv_is_rs=True, mask_mod=None, score_mod=None,
        has_aux_tensors=False)

    # The names of the arguments become those of the exported types.
    @cute.jit
    def attention(q: cute.Tensor, k: cute.Tensor, v: cute.Tensor, o: cute.Tensor, cu: cute.Tensor,
                  scale: cutlass.Float32, stream: cuda.CUstream):
        forward(q, k, v, o, None, scale, cu, cu, aux_data=AuxData(), stream=stream)

    tokens, cumulative = cute.sym_int(), cute.sym_int()

    def rows():
        # Heads are dynamic although the model's are known: a fixed count aborts the compiler.
        return cute.runtime.make_fake_tensor(
            cutlass.BFloat16, (tokens, cute.sym_int(), kernel.head_dim),
            stride=(cute.sym_int64(divisibility=8), kernel.head_dim, 1), assumed_align=16)

    cu_seqlens = cute.runtime.make_fake_tensor(cutlass.Int32, (cumulative,), stride=(1,),
                                               assumed_align=4)
    compiled = cute.compile(attention, rows(), rows(), rows(), rows(), cu_seqlens,
                            cutlass.Float32(1), cute.runtime.make_fake_stream(),
                            options="--gpu-arch sm_90a")
    compiled.export_to_c(file_path=str(out), file_name=kernel.name, function_prefix=kernel.name)


def main(packages, out):
    prepare_imports(packages)
    out.mkdir(parents=True, exist_ok=True)
    for kernel in KERNELS:
        start = time.monotonic()
        export(kernel, out)
        print(f"{kernel.name}: {time.monotonic() - start:.1f} s", flush=True)
    includes = [f'#include "{kernel.name}.h"\n' for kernel in KERNELS]
    (out / "fa4_exports.h").write_text("#pragma once\n\n" + "".join(includes))
    (out / "fa4_kernels.inc").write_text("".join(kernel.table_row() for kernel in KERNELS))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
