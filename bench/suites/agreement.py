"""Whether our load generator and a plain client in Python see the same of one server."""

from typing import Any

import measure
import plain_client
import rows
from cells import Cell
from models import Model
from servers import Failure

ROUNDS = 3
TOKENS = 150_000  # Of a client's requests, at most.


def allowed_ms(p50: float) -> float:
    """3 % + 0.2 ms."""
    return 0.03 * p50 + 0.2


def of_cell(bench: measure.Bench, model: Model, target: measure.Target, cell: Cell) -> dict:
    """Medians of each, the least of some rounds in turns: other work on the machine only adds."""
    url = target.flags[target.flags.index("--url") + 1]
    tokens = cell.batch * cell.length
    requests = max(min(model.plan.requests, TOKENS // tokens), 8) * cell.clients
    flags = ["latency", "--batch", str(cell.batch), "--lengths", str(cell.length),
             "--connections", str(cell.clients), "--requests", str(requests)]
    load = plain_client.Load(url, cell.clients, cell.batch, cell.length, requests,
                             model.vocabulary)
    ours, plain = [], []
    for _ in range(ROUNDS):
        report = measure.run_bench(bench, model, flags, target)
        ours.append(rows.results([report], "latency")[cell].p50)
        plain.append(plain_client.measure(load)["p50"])
    difference = min(plain) - min(ours)
    return {"cell": str(cell), "ours": min(ours), "plain": min(plain),
            "allowed": allowed_ms(min(ours)),
            "agrees": abs(difference) <= allowed_ms(min(ours))}


def check(bench: measure.Bench, model: Model) -> tuple[list[dict[str, Any]], list[str]]:
    """Of each of the plan's cells against a server, and what failed."""
    found: list[dict[str, Any]] = []
    try:
        with measure.target(bench, model, "serve") as target:
            for cell in model.plan.agreement:
                print(f"\n== {model.name}, plain client, {cell}", flush=True)
                found.append(of_cell(bench, model, target, cell))
    except (Failure, SystemExit) as failure:
        return found, [f"{model.name}, plain client: {failure}"]
    return found, []
