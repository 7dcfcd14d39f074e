#!/usr/bin/env python3
"""Makes tests/data/weights/: small files as torch.save writes them, and what they hold.

usage: golden_torch_files.py

Needs torch 2.15.0. Sound files come with their tensors in expected.json; those in refused.json
must be refused with a message that holds the text beside them.
"""

import json
import math
import pathlib
import pickle
import zipfile

import torch

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "tests/data/weights"

DTYPES = {
    torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16", torch.float64: "F64",
    torch.int64: "I64", torch.int32: "I32", torch.int16: "I16", torch.int8: "I8",
    torch.uint8: "U8", torch.bool: "BOOL",
}


def counted(*shape, dtype=torch.float32):
    """0, 1, 2, … in row-major order."""
    return torch.arange(math.prod(shape)).reshape(shape).to(dtype)


def linear():
    """A module's own state: an OrderedDict with attributes."""
    module = torch.nn.Linear(3, 2)
    with torch.no_grad():
        module.weight.copy_(counted(2, 3))
        module.bias.copy_(torch.tensor([-1.0, 0.5]))
    return module


def sound():
    state = linear().state_dict()
    table = counted(5, 3)
    return {
        "linear.pt": state,
        "nested.pt": {"epoch": 3, "loss": 0.25, "state_dict": state, "notes": ["a", None, True]},
        "types.bin": {f"a.{name}": counted(2, 2, dtype=dtype) for dtype, name in DTYPES.items()},
        "shapes.bin": {"scalar": torch.tensor(7.0), "none": torch.zeros(0, 4),
                       "cube": counted(2, 3, 2), "one": counted(1, 1, 4)},
        "tied.bin": {"table": torch.nn.Parameter(table), "head": torch.nn.Parameter(table)},
        "views.bin": {"all": table, "rows": table[2:4], "transposed": table.t(),
                      "columns": table[:, 1:], "every_other": table[::2],
                      "permuted": counted(2, 3, 4).permute(2, 0, 1)},
        "many.bin": {f"layer.{i}.weight": torch.full((1, 2), float(i)) for i in range(40)},
    }


class Caller:
    """Asks for a call of what no file of tensors calls."""

    def __reduce__(self):
        import os
        return os.system, ("exit 1",)


def rewrite(name, source, method=zipfile.ZIP_STORED, **contents):
    """A copy of a sound file with some entries' contents changed."""
    with zipfile.ZipFile(FOLDER / source) as old, \
            zipfile.ZipFile(FOLDER / name, "w", method) as new:
        for entry in old.namelist():
            short = entry.split("/", 1)[1].replace(".", "_").replace("/", "_")
            new.writestr(zipfile.ZipInfo(entry), contents.get(short, old.read(entry)), method)


def refused():
    """Writes files that must not load; returns what their messages must hold."""
    torch.save(linear().state_dict(), FOLDER / "legacy.pt", _use_new_zipfile_serialization=False)
    torch.save(linear(), FOLDER / "module.pt")
    torch.save(linear().state_dict(), FOLDER / "protocol.pt", pickle_protocol=4)
    torch.save({"x": torch.zeros(1).expand(4)}, FOLDER / "expanded.pt")
    torch.save({"x": torch.zeros(2), "y": 3}, FOLDER / "number.pt")
    torch.save([torch.zeros(2)], FOLDER / "list.pt")
    torch.save({3: torch.zeros(2)}, FOLDER / "key.pt")
    torch.save({"x": torch.zeros(2, dtype=torch.complex64)}, FOLDER / "complex.pt")
    rewrite("compressed.pt", "linear.pt", zipfile.ZIP_DEFLATED)
    rewrite("big_endian.pt", "linear.pt", byteorder=b"big")
    rewrite("call.pt", "linear.pt", data_pkl=pickle.dumps({"x": Caller()}, protocol=2))
    rewrite("short_storage.pt", "linear.pt", data_0=b"\0" * 20)
    with zipfile.ZipFile(FOLDER / "no_pickle.pt", "w") as archive:
        archive.writestr("model/other.txt", "nothing")
    return {
        "legacy.pt": "format of torch before 1.6",
        "module.pt": "torch.nn.modules.linear.Linear",
        "protocol.pt": "expected protocol 2",
        "expanded.pt": "x: shape [4] with strides [0]",
        "number.pt": "y: expected a tensor",
        "list.pt": "expected a dict of tensors",
        "key.pt": "expected tensors by name",
        "complex.pt": "torch.ComplexFloatStorage",
        "compressed.pt": "is compressed",
        "big_endian.pt": "byteorder: expected \"little\"",
        "call.pt": "posix.system",
        "short_storage.pt": "20 bytes are not 6 elements of F32",
        "no_pickle.pt": "no data.pkl",
    }


def write(name, value):
    (FOLDER / name).write_text(json.dumps(value, indent=1) + "\n", "utf-8")


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    expected = {}
    for name, state in sound().items():
        torch.save(state, FOLDER / name)
        tensors = state.get("state_dict", state)
        expected[name] = [
            {"name": key, "dtype": DTYPES[tensor.dtype], "shape": list(tensor.shape),
             "values": tensor.detach().double().flatten().tolist()}
            for key, tensor in tensors.items()]
    # One line a tensor.
    lines = [f' "{name}": [\n  ' + ",\n  ".join(map(json.dumps, tensors)) + "]"
             for name, tensors in expected.items()]
    (FOLDER / "expected.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    write("refused.json", refused())


if __name__ == "__main__":
    main()
