"""What is measured: suites, each of some cells, and what a cell's result is."""

from typing import NamedTuple


class Cell(NamedTuple):
    """Clients at once × inputs of a request × tokens of an input."""

    clients: int
    batch: int
    length: int

    def __str__(self) -> str:
        shape = f"{self.batch}×{self.length}"
        return shape if self.clients == 1 else f"{self.clients} × {shape}"


class Result(NamedTuple):
    """Of one cell on one path. Latencies in ms; inputs_per_s of all clients together. Where they
    are known: the share of the time in which the engine was busy, and of the machine's peak."""

    p50: float
    p90: float
    p99: float
    max: float
    inputs_per_s: float
    busy_share: float | None = None
    peak_share: float | None = None


class Plan(NamedTuple):
    """How large a run is. A cell ends with its requests or its seconds, whichever comes first."""

    latency_lengths: list[int]
    scoring_batches: list[int]
    throughput_lengths: list[int]
    throughput_batch: int
    throughput_clients: int
    concurrency: list[int]
    length: int              # Of scoring, concurrency and the open loop.
    requests: int            # Of a client that sends one at a time.
    bulk_requests: int       # Of a cell of the throughput suite.
    bulk_seconds: float
    seconds: float           # Of any other cell.
    warmup: int              # Requests of each client of any other cell.
    open_loads: list[float]  # Arrivals by what the most clients at once came to.
    agreement: list[Cell]    # What a plain client measures too.


SUITES = ["latency", "scoring", "throughput", "concurrency"]
PATHS = {"engine": "the engine in process, token ids in all suites", "serve": "serve, over HTTP",
         "ivy": "ivy, over HTTP, a tulip behind it over gRPC"}

FULL = Plan(
    latency_lengths=[32, 128, 512, 4096], scoring_batches=[5, 25, 50],
    throughput_lengths=[512, 1024, 4096], throughput_batch=100, throughput_clients=4,
    concurrency=[1, 2, 4, 8, 16], length=512, requests=300, bulk_requests=24, bulk_seconds=6,
    seconds=2, warmup=12, open_loads=[0.5, 0.8],
    agreement=[Cell(1, 1, 128), Cell(1, 1, 4096), Cell(1, 5, 512), Cell(4, 1, 512)])
# Of a model that no peer's figures stand beside.
BRIEF = FULL._replace(throughput_lengths=[512, 1024], seconds=1.5, agreement=[])
# A smoke run: every path and every table within seconds on a CPU, with figures that say nothing.
QUICK = Plan(
    latency_lengths=[8, 16], scoring_batches=[2, 3], throughput_lengths=[8, 16],
    throughput_batch=4, throughput_clients=2, concurrency=[1, 2], length=16, requests=8,
    bulk_requests=8, bulk_seconds=0.2, seconds=0.2, warmup=2, open_loads=[0.5],
    agreement=[Cell(1, 1, 16), Cell(2, 1, 16)])
# Shapes that a few cores can do, beside other engines on them.
CPU = Plan(
    latency_lengths=[16, 128, 256], scoring_batches=[5, 16], throughput_lengths=[128],
    throughput_batch=8, throughput_clients=4, concurrency=[1, 2, 4, 8], length=128, requests=100,
    bulk_requests=100, bulk_seconds=5, seconds=3, warmup=1, open_loads=[], agreement=[])
