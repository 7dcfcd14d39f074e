"""The rows of `parterre bench --json` (bench/report.h) as results by cell."""

from typing import Any, Iterable

from cells import Cell, Result

Row = dict[str, Any]


def of_suite(reports: Iterable[dict[str, Any]], suite: str) -> list[Row]:
    """The rows of a suite, of whichever of some reports has it."""
    return [row for report in reports for found in report["suites"] if found["name"] == suite
            for row in found["rows"]]


def cell(row: Row) -> Cell:
    return Cell(row["clients"], row["batch"], row["length"])


def result(row: Row) -> Result:
    latency = row["latency_ms"]
    return Result(latency["p50"], latency["p90"], latency["p99"], latency["max"],
                  row["embeddings_per_s"], row.get("counters", {}).get("busy_share"),
                  row.get("roofline_share"))


def results(reports: Iterable[dict[str, Any]], suite: str) -> dict[Cell, Result]:
    """Of one suite on one path; nothing of one that failed."""
    return {cell(row): result(row) for row in of_suite(reports, suite)}
