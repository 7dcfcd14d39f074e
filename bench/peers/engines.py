"""The engines compared. Each says its product, version, dtype and the instruction set that it is
kept to (None: all that the processor has), embeds ids, times a shape, and is closed in the end."""

import base64
import concurrent.futures
import functools
import json
import multiprocessing
import os
import pathlib
import re
import statistics
import subprocess
import tempfile
import time
import urllib.request
from typing import NamedTuple

import numpy
from instruction_sets import ISAS, has_bfloat16
from machine import CORES

START_LIMIT_S = 60
DISTINCT_INPUTS = 6


class Timed(NamedTuple):
    p50_ms: float  # The median of a round's requests.
    engine_ms: float | None = None  # The mean time in Parterre's engine, of requests of one step.


class Library:
    """A peer that is called inside its process: a request is one call with ids in, vectors out."""

    isa = None

    def close(self):
        """What it holds goes with it."""

    def time(self, shape):
        size = (DISTINCT_INPUTS, shape.batch, shape.tokens)
        inputs = numpy.random.default_rng(1).integers(3000, 30000, size)
        took_ms = []
        for i in range(shape.warmup + shape.requests):
            ids = inputs[i % DISTINCT_INPUTS]
            start = time.perf_counter()
            self.embed(ids)
            took_ms.append((time.perf_counter() - start) * 1e3)
        return Timed(statistics.median(took_ms[shape.warmup :]))


class OnnxRuntime(Library):
    product = "ONNX Runtime"
    dtype = "float32"

    def __init__(self, folder):
        import onnxruntime

        self.version = onnxruntime.__version__
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = CORES
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        self.session = onnxruntime.InferenceSession(
            str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )

    def embed(self, ids):
        feed = {"input_ids": ids, "attention_mask": numpy.ones_like(ids)}
        return self.session.run(None, feed)[0]


class OpenVino(Library):
    product = "OpenVINO"
    HINTS = {"float32": "f32", "bfloat16": "bf16"}

    def __init__(self, folder, dtype):
        import openvino

        self.version = openvino.__version__.split("-")[0]
        self.dtype = dtype
        settings = {
            "INFERENCE_PRECISION_HINT": self.HINTS[dtype],
            "INFERENCE_NUM_THREADS": CORES,
            "PERFORMANCE_HINT": "LATENCY",
        }
        self.compiled = openvino.Core().compile_model(str(folder / "model.onnx"), "CPU", settings)
        self.request = self.compiled.create_infer_request()

    def embed(self, ids):
        feed = {"input_ids": ids, "attention_mask": numpy.ones_like(ids)}
        return self.request.infer(feed)[0]


class TorchBert(Library):
    """BERT as transformers runs it: eager, with PyTorch's own attention."""

    def __init__(self, folder, dtype):
        import torch
        from model import MeanPooled
        from transformers import BertModel

        self.torch = torch
        self.version = torch.__version__.split("+")[0]
        torch.set_num_threads(CORES)
        bert = BertModel.from_pretrained(
            folder, add_pooling_layer=False, dtype=getattr(torch, dtype)
        )
        self.model = MeanPooled(bert).eval()

    def embed(self, ids):
        tensor = self.torch.from_numpy(ids)
        with self.torch.inference_mode():
            return self.model(tensor, self.torch.ones_like(tensor)).float().numpy()


class PyTorch:
    """TorchBert in a process of its own: PyTorch reads which instructions to use when it starts."""

    product = "PyTorch"

    def __init__(self, folder, dtype, isa=None):
        self.dtype = dtype
        self.isa = isa
        environment = ISAS[isa].of_pytorch if isa else {}
        spawned = multiprocessing.get_context("spawn")
        self.process = concurrent.futures.ProcessPoolExecutor(1, spawned)
        self.version = self.process.submit(self.start, folder, dtype, environment).result()

    @staticmethod
    def start(folder, dtype, environment):
        global bert  # Of the process.
        os.environ.update(environment)
        bert = TorchBert(folder, dtype)
        return bert.version

    @staticmethod
    def call(method, argument):
        return getattr(bert, method)(argument)

    def embed(self, ids):
        return self.process.submit(self.call, "embed", ids).result()

    def time(self, shape):
        return self.process.submit(self.call, "time", shape).result()

    def close(self):
        self.process.shutdown()


class Parterre:
    """`parterre serve`, asked over kept-alive HTTP by `parterre bench`: ids in, base64 out."""

    product = "Parterre"

    def __init__(self, folder, dtype, program, isa=None):
        said = subprocess.run(
            [program, "--version"], check=True, capture_output=True, text=True
        ).stdout
        number, commit, dirty = re.search(r"parterre (\S+)\ncommit: (\w{7})\w*(\S*)", said).groups()
        self.version = f"{number} ({commit}{dirty})"
        self.dtype = dtype
        self.isa = isa
        self.program = program
        self.log = tempfile.NamedTemporaryFile("w+", prefix="parterre-", suffix=".log")
        serve = [program, "serve", "--model", folder, "--dtype", dtype, "--port", "0"]
        serve += ["--drain-ms", "0", *(["--isa", isa] if isa else [])]
        self.server = subprocess.Popen(serve, stderr=self.log)
        try:
            self.url = self.wait_for_url()
        except BaseException:
            self.close()
            raise

    def wait_for_url(self):
        give_up = time.monotonic() + START_LIMIT_S
        while time.monotonic() < give_up and self.server.poll() is None:
            log = pathlib.Path(self.log.name).read_text()
            if match := re.search(r"listening on (http://[^\s\"]+)", log):
                return match[1]
            time.sleep(0.05)
        log = pathlib.Path(self.log.name).read_text()
        raise SystemExit(f"parterre serve does not listen:\n{log}")

    def embed(self, ids):
        body = json.dumps({"input": ids.tolist(), "encoding_format": "base64"}).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.url}/v1/embeddings", body, headers)
        with urllib.request.urlopen(request, timeout=START_LIMIT_S) as answer:
            rows = json.load(answer)["data"]
        vectors = [numpy.frombuffer(base64.b64decode(r["embedding"]), "<f4") for r in rows]
        return numpy.stack(vectors)

    def time(self, shape):
        before_s = self.engine_seconds()
        with tempfile.NamedTemporaryFile("r", suffix=".json") as report:
            subprocess.run(
                [self.program, "bench", "latency", "--url", self.url, "--json", report.name]
                + ["--batch", str(shape.batch), "--lengths", str(shape.tokens)]
                + ["--connections", "1", "--warmup", str(shape.warmup)]
                + ["--requests", str(shape.requests)],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            p50_ms = json.load(report)["suites"][0]["rows"][0]["latency_ms"]["p50"]
        if shape.batch > 1:  # Its steps run side by side: their times do not add up.
            return Timed(p50_ms)
        engine_s = self.engine_seconds() - before_s
        return Timed(p50_ms, engine_s * 1e3 / (shape.warmup + shape.requests))

    def engine_seconds(self):
        """Seconds that batches have spent in the engine since the server started."""
        with urllib.request.urlopen(f"{self.url}/metrics", timeout=START_LIMIT_S) as answer:
            text = answer.read().decode()
        sums = re.findall(r"^parterre_compute_duration_seconds_sum\S* (\S+)$", text, re.MULTILINE)
        return sum(float(value) for value in sums)

    def close(self):
        self.server.terminate()
        self.server.wait()


def beside_all(folder, program):
    """Makers of Parterre and of all peers, in each precision that the processor has."""
    dtypes = ["float32", "bfloat16"] if has_bfloat16() else ["float32"]
    return [
        *(functools.partial(Parterre, folder, dtype, program) for dtype in dtypes),
        functools.partial(OnnxRuntime, folder),
        *(functools.partial(OpenVino, folder, dtype) for dtype in dtypes),
        *(functools.partial(PyTorch, folder, dtype) for dtype in dtypes),
    ]


def beside_pytorch(folder, program, isas):
    """Makers of Parterre and PyTorch, each kept to one instruction set after the other."""
    return [
        maker
        for isa in isas
        for maker in (
            functools.partial(Parterre, folder, ISAS[isa].dtype, program, isa),
            functools.partial(PyTorch, folder, ISAS[isa].dtype, isa),
        )
    ]
