"""Requests of many kinds whose answers are known beforehand, and what is said of them."""

import dataclasses
import itertools
import json
import math
import random
import typing

import harness

ROUTE = "/v1/embeddings"
# Above all limits that the servers under test are given.
FAR_TOO_LARGE_BYTES = 10**11
# Between vectors of length 1: floats of one sum in another order, and values rounded to bfloat16.
DISTANCE_MAX = 1e-4
DISTANCE_MAX_BFLOAT16 = 0.03


class Fault(Exception):
    """An answer that nobody asked for."""


class Corpus:
    """Inputs with their vectors in base64: texts, some of them too long, and token ids. Those of an
    answer may be `distance_max` away."""

    WORDS = ("garden bed hedge row seed root leaf flower ivy tulip rose path wall gate water light "
             "soil spring autumn bulb stem thorn bud vine lawn").split()

    def __init__(self, size=300, seed=1, distance_max=DISTANCE_MAX):
        self.distance_max = distance_max
        rng = random.Random(seed)
        lengths = [rng.choice((1, 3, 6, 12, 25, 60)) for _ in range(size)]
        self.texts = [" ".join(rng.choices(self.WORDS, k=length)) for length in lengths]
        self.texts += [" ".join(rng.choices(self.WORDS, k=2000)) for _ in range(4)]
        self.ids = [[rng.randrange(5, 800) for _ in range(rng.choice((1, 2, 4, 8, 40)))]
                    for _ in range(size)]
        self.vectors = {}

    def record(self, server):
        """Asks for one vector at a time what will be asked for in all company."""
        for item in self.texts + self.ids:
            row, = server.embed([item], encoding_format="base64")
            self.vectors[json.dumps(item)] = row
        # Else one input's vector would be taken for another's.
        rows = {row: harness.from_base64(row) for row in self.vectors.values()}.values()
        nearest = min(math.dist(a, b) for a, b in itertools.combinations(rows, 2))
        assert nearest > 2 * self.distance_max, nearest

    def draw(self, rng, count):
        """JSON of so many inputs of one kind."""
        items = rng.choice((self.texts, self.ids))
        return [json.dumps(item) for item in rng.choices(items, k=count)]

    def draw_short(self, rng, count):
        """The same, of a few tokens each."""
        short = [json.dumps(item) for item in self.ids if len(item) <= 4]
        return rng.choices(short, k=count)


@dataclasses.dataclass
class Request:
    kind: str
    body: bytes
    method: str = "POST"
    path: str = ROUTE
    headers: dict = dataclasses.field(default_factory=dict)
    vectors: typing.Optional[list] = None  # Of the answer, in order.
    distance_max: float = DISTANCE_MAX     # From these to the answer's.
    statuses: tuple = ()                   # Instead: what it is refused with.

    def head(self):
        """Of a request that is written by hand."""
        return (f"{self.method} {self.path} HTTP/1.1\r\nHost: x\r\n"
                f"Content-Length: {len(self.body)}\r\n\r\n").encode()


def batch(kind, corpus, items):
    body = '{"encoding_format":"base64","input":[' + ",".join(items) + "]}"
    return Request(kind, body.encode(), vectors=[corpus.vectors[item] for item in items],
                   distance_max=corpus.distance_max)


def malformed(rng, items_max):
    """One of the ways to be refused."""
    too_many = json.dumps({"input": [[5]] * (items_max + 1)}).encode()
    bodies = (b"", b"{", b'{"input":', b"[]", b"\xff\xfe", b'{"input": 7}', b'{"input": []}',
              b'{"input": [""]}', b'{"input": [[10000000]]}', b'{"input": ["a", 7]}',
              b'{"input": "a", "encoding_format": "hex"}', too_many)
    cases = [Request("malformed", body, statuses=(400,)) for body in bodies]
    cases.append(Request("malformed", b"", method="GET", statuses=(405,)))
    cases.append(Request("malformed", b"{}", path="/nowhere", statuses=(404,)))
    # Refused from the head alone: the body never comes.
    cases.append(Request("oversized", b"", headers={"Content-Length": str(FAR_TOO_LARGE_BYTES)},
                         statuses=(413,)))
    return rng.choice(cases)


def judge(request, answer):
    """"answered", "refused" as it had to be, or "overloaded"; raises Fault for anything else."""
    if answer.status == 429 and request.vectors is not None:
        if answer.headers["Retry-After"] is None:
            raise Fault("429 without Retry-After")
        return "overloaded"
    if request.statuses:
        if answer.status not in request.statuses:
            raise Fault(f"{request.body[:60]} got {answer.status} in place of {request.statuses}")
        return "refused"
    if answer.status != 200:
        raise Fault(f"{request.kind} got {answer.status}: {answer.body[:300]}")
    rows = answer.json()["data"]
    if len(rows) != len(request.vectors):
        raise Fault(f"{len(rows)} rows in place of {len(request.vectors)}")
    for i, (row, vector) in enumerate(zip(rows, request.vectors)):
        if row["index"] != i or not same(row["embedding"], vector, request.distance_max):
            raise Fault(f"row {i} of {len(rows)} is another's, or wrong")
    return "answered"


def same(vector, recorded, distance_max):
    if vector == recorded:
        return True
    return math.dist(harness.from_base64(vector), harness.from_base64(recorded)) < distance_max
