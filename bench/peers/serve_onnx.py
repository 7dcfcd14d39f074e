"""An ONNX model behind POST /v1/embeddings, the plain way: FastAPI around a session.

usage: serve_onnx.py --engine onnxruntime|openvino --model FOLDER [--port N] [--dtype DTYPE]

What one writes who wants vectors over HTTP and has a model: a request is padded to its longest
input, run in one call, and answered; requests at the same time are calls at the same time, of
Starlette's thread pool. All cores, all graph optimisations, OpenVINO's latency hint. Token ids or
texts in, base64 or numbers out. FOLDER is made by model.py. Prints "listening on http://…" on the
error stream.
"""

import argparse
import base64
import pathlib
import sys
import threading

import fastapi
import numpy
import pydantic
import tokenizers
import uvicorn
from engines import OnnxRuntime, OpenVino

KEEP_ALIVE_S = 600  # By default 5, less than a client may have to wait for the others of a bench.


class EmbeddingRequest(pydantic.BaseModel):
    input: list[int] | list[list[int]] | str | list[str]
    encoding_format: str = "float"
    model: str = ""


class ThreadsOwn:
    """An OpenVINO request serves one call at a time: each thread has its own of one model."""

    def __init__(self, engine: OpenVino):
        self.compiled = engine.compiled
        self.local = threading.local()

    def run(self, feed):
        if not hasattr(self.local, "request"):
            self.local.request = self.compiled.create_infer_request()
        return self.local.request.infer(feed)[0]


def load(engine: str, folder: pathlib.Path, dtype: str):
    """A function from inputs by name to vectors, for any thread."""
    if engine == "openvino":
        return ThreadsOwn(OpenVino(folder, dtype)).run
    session = OnnxRuntime(folder).session
    return lambda feed: session.run(None, feed)[0]


def padded(sequences: list[list[int]]) -> dict[str, numpy.ndarray]:
    longest = max(map(len, sequences))
    ids = numpy.zeros((len(sequences), longest), numpy.int64)
    mask = numpy.zeros_like(ids)
    for i, sequence in enumerate(sequences):
        ids[i, : len(sequence)] = sequence
        mask[i, : len(sequence)] = 1
    return {"input_ids": ids, "attention_mask": mask}


def make_app(run, tokenizer: tokenizers.Tokenizer, model: str) -> fastapi.FastAPI:
    app = fastapi.FastAPI()

    def ids_of(value) -> list[list[int]]:
        if isinstance(value, str):
            value = [value]
        if isinstance(value[0], str):
            return [encoding.ids for encoding in tokenizer.encode_batch(value)]
        return value if isinstance(value[0], list) else [value]

    @app.get("/health")
    def health():
        return {}

    @app.post("/v1/embeddings")
    def embeddings(request: EmbeddingRequest):
        sequences = ids_of(request.input)
        vectors = run(padded(sequences)).astype("<f4")
        if request.encoding_format == "base64":
            rows = [base64.b64encode(vector.tobytes()).decode() for vector in vectors]
        else:
            rows = vectors.tolist()
        data = [{"object": "embedding", "index": i, "embedding": row}
                for i, row in enumerate(rows)]
        tokens = sum(map(len, sequences))
        return fastapi.responses.JSONResponse(
            {"object": "list", "model": model, "data": data,
             "usage": {"prompt_tokens": tokens, "total_tokens": tokens}})

    return app


def main(options: argparse.Namespace) -> None:
    run = load(options.engine, options.model, options.dtype)
    tokenizer = tokenizers.Tokenizer.from_file(str(options.model / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    app = make_app(run, tokenizer, options.model.name)
    config = uvicorn.Config(app, host="127.0.0.1", port=options.port, log_level="warning",
                            timeout_keep_alive=KEEP_ALIVE_S)
    listener = config.bind_socket()
    print(f"listening on http://127.0.0.1:{listener.getsockname()[1]}", file=sys.stderr, flush=True)
    uvicorn.Server(config).run([listener])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", choices=["onnxruntime", "openvino"], required=True)
    parser.add_argument("--model", type=pathlib.Path, required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--dtype", choices=list(OpenVino.HINTS), default="float32")
    main(parser.parse_args())
