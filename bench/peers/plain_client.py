#!/usr/bin/env python3
"""What a plain client in Python sees of a server with /v1/embeddings: what our load generator has
to agree with. Peers' figures of published.json that are ours were measured in the same way.

usage: plain_client.py --url http://HOST:PORT --batch N --length N [--clients N] [--requests N]
                       [--vocabulary IDS] [--model NAME]

Each client is a process with a kept-alive connection that sends its next request as soon as the
last one is answered. Requests (random token ids, base64 asked for) are encoded before the clock
starts; a request's time runs from before its first byte is sent until the answer's last is read.
Prints JSON: p50, p90, p99 and max in ms, and inputs/s. Python's standard library alone.
"""

import argparse
import contextlib
import http.client
import json
import math
import multiprocessing
import random
import socket
import time
import urllib.parse
from typing import Any, NamedTuple

TIMEOUT_S = 300
WARMUP = 12
DISTINCT = 40  # Different requests of a client, and
DISTINCT_INPUTS = 600  # inputs in all of them, at most.


class Load(NamedTuple):
    url: str
    clients: int
    batch: int
    length: int
    requests: int  # Of all clients together.
    vocabulary: int = 30_000
    model: str | None = None


class Connection:
    def __init__(self, url: str):
        place = urllib.parse.urlsplit(url)
        self.connection = http.client.HTTPConnection(place.hostname, place.port, TIMEOUT_S)
        self.connection.connect()
        self.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def close(self) -> None:
        self.connection.close()

    def timed(self, body: bytes, batch: int) -> float:
        """Milliseconds of one request."""
        begun = time.perf_counter()
        self.connection.request("POST", "/v1/embeddings", body,
                                {"Content-Type": "application/json"})
        response = self.connection.getresponse()
        answer = response.read()
        took_ms = (time.perf_counter() - begun) * 1e3
        if response.status != 200:
            raise SystemExit(f"status {response.status}: {answer[:300]!r}")
        if answer.count(b'"embedding"') < batch:  # One for each row, maybe in "object" too.
            raise SystemExit(f"fewer than {batch} rows: {answer[:300]!r}")
        return took_ms


def bodies(load: Load, seed: int) -> list[bytes]:
    generator = random.Random(seed)
    first_id = load.vocabulary // 10  # Special tokens stand below.
    field = {"model": load.model} if load.model else {}

    def body() -> bytes:
        inputs = [[generator.randrange(first_id, load.vocabulary) for _ in range(load.length)]
                  for _ in range(load.batch)]
        return json.dumps({"input": inputs, "encoding_format": "base64", **field}).encode()

    return [body() for _ in range(max(1, min(DISTINCT, DISTINCT_INPUTS // load.batch)))]


def client(load: Load, number: int, start: Any, results: Any) -> None:
    """A process: sends its times, when it began and when it ended."""
    mine = bodies(load, 100 + number)
    try:
        with contextlib.closing(Connection(load.url)) as connection:
            for i in range(WARMUP):
                connection.timed(mine[i % len(mine)], load.batch)
            start.wait()
            begun = time.monotonic()
            times = [connection.timed(mine[i % len(mine)], load.batch)
                     for i in range(load.requests // load.clients)]
    except BaseException:
        start.abort()  # The others would wait for it.
        raise
    results.send((times, begun, time.monotonic()))


def rank(values: list[float], share: float) -> float:
    """The nearest rank of sorted values."""
    return values[max(0, math.ceil(share * len(values)) - 1)]


def measure(load: Load) -> dict[str, float]:
    context = multiprocessing.get_context("fork")
    start = context.Barrier(load.clients)
    ends = [context.Pipe(duplex=False) for _ in range(load.clients)]
    clients = [context.Process(target=client, args=(load, i, start, sender))
               for i, (_, sender) in enumerate(ends)]
    for process in clients:
        process.start()
    for _, sender in ends:
        sender.close()  # The clients' alone now: one that has died ends its pipe.
    try:
        found = [receiver.recv() for receiver, _ in ends]
    except EOFError:
        raise SystemExit("a client failed: see above") from None
    for process in clients:
        process.join()
    times = sorted(ms for mine, _, _ in found for ms in mine)
    wall_s = max(end for _, _, end in found) - min(begun for _, begun, _ in found)
    return {"p50": rank(times, 0.5), "p90": rank(times, 0.9), "p99": rank(times, 0.99),
            "max": times[-1], "inputs_per_s": len(times) * load.batch / wall_s,
            "requests": len(times)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", required=True)
    parser.add_argument("--clients", type=int, default=1)
    parser.add_argument("--batch", type=int, required=True, help="inputs of a request")
    parser.add_argument("--length", type=int, required=True, help="token ids of an input")
    parser.add_argument("--requests", type=int, default=300, help="of all clients together")
    parser.add_argument("--vocabulary", type=int, default=30_000, help="ids are below it")
    parser.add_argument("--model", help='"model" of the requests; default: none')
    print(json.dumps(measure(Load(**vars(parser.parse_args())))))
