"""What a soak has seen, as a page of Markdown, and whether it held."""

import collections
import os
import pathlib
import re
import resource
import statistics
import subprocess

import harness
import traffic
from process_stats import growth

GROWTH_MAX_BYTES = 4 << 20
# Idle connections come eight at a time; gRPC's threads come and go.
FILES_GROWTH_MAX = 16
THREADS_GROWTH_MAX = 4
OVERLOADED_SHARE_MAX = 0.05
ROWS = 12
# Causes of failures, as docs/api.md has them, that no client here asks for.
UNASKED = {"deadline", "unhealthy", "inference"}
NAMES = {"ivy": "ivy", "survivor": "the replica that stays"}


def write(soak):
    """The page, and whether all held."""
    verdicts = [*counts(soak), *flatness(soak)]
    held = not soak.faults and all(ok for ok, _ in verdicts)
    lines = [f"# A soak of {duration(soak.samples[-1]['s'])}: {'held' if held else 'NOT held'}", "",
             *origin(soak), "", *held_table(soak, verdicts), "", *requests_table(soak), "",
             *usage_table(soak), ""]
    return "\n".join(lines), held


def duration(seconds):
    return f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds:.0f} s"


def origin(soak):
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return [f"- from {soak.begin:%Y-%m-%d %H:%M} UTC, Parterre at {soak.commit}",
            f"- {cpu[1] if cpu else 'unknown processor'}, {os.cpu_count()} cores",
            "- `parterre ivy` before three `parterre tulip` on loopback, a BERT of two layers and "
            "96 components in float32; program: `tests/e2e/soak.py`"]


def counts(soak):
    """(whether it held, what was seen) of all that is counted."""
    tally, replicas = soak.tally, soak.replicas
    outcomes = collections.Counter()
    for (_, outcome), count in tally.counts.items():
        outcomes[outcome] += count
    answered, overloaded, left = (outcomes[name] for name in ("answered", "overloaded", "left"))
    share = overloaded / max(answered + overloaded, 1)
    route = f'route="{traffic.ROUTE}"'
    causes = soak.metrics.by_label("parterre_requests_failure_total", "cause", route)
    succeeded = soak.metrics.total("parterre_requests_success_total", route)
    succeeded = int(succeeded) - soak.recorded
    retries = int(soak.metrics.total("parterre_replica_retries_total"))
    reasons = soak.metrics.by_label("parterre_replica_failures_total", "reason")
    return [
        (answered > 0, f"{answered:,} requests of {tally.items:,} items answered, each right and "
                       "in order"),
        (outcomes["refused"] > 0, f"{outcomes['refused']:,} malformed or oversized ones refused as "
                                  "they should be"),
        (share <= OVERLOADED_SHARE_MAX, f"{overloaded:,} put off by 429 with Retry-After, "
                                        f"{share:.1%} of those well formed"),
        (left > 0, f"{left:,} left by their clients, before or after they had sent all"),
        (0 <= succeeded - answered <= left,
         f"{succeeded:,} answered by ivy's own count: those, and of the ones left "
         f"{succeeded - answered:,}"),
        (not UNASKED & set(causes), f"errors by ivy's own count: {listing(causes)}"),
        (replicas.killed > 0,
         f"{replicas.killed} times a replica killed (SIGKILL), {replicas.drained} times drained "
         "(SIGTERM), started again on its port and taken back"),
        (retries <= sum(reasons.values()),
         f"chunks that failed at a replica: {listing(reasons)}; sent once more: {retries:,}, each once at "
         "most"),
    ]


def commit():
    """Of the tree, before anybody changes it."""
    run = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=harness.ROOT, text=True,
                         capture_output=True)
    return run.stdout.strip() or "an unknown commit"


def listing(counts_by_name):
    return ", ".join(f"{name} {count:,}" for name, count in counts_by_name.items()) or "none"


def flatness(soak):
    """The same of memory, files and threads: the last quarter of the time beside the second."""
    for name in ("ivy", "survivor"):
        usages = [sample[name] for sample in soak.samples]
        for what, values, limit, form in (
                ("resident memory", [u.rss_bytes for u in usages], GROWTH_MAX_BYTES, mib),
                ("open files", [u.files for u in usages], FILES_GROWTH_MAX, str),
                ("threads", [u.threads for u in usages], THREADS_GROWTH_MAX, str)):
            grown = growth(values)
            yield grown <= limit, (
                f"{NAMES[name]}: {what} {'+' if grown > 0 else ''}{form(grown)} from the second "
                f"quarter of the time to the last (medians; at most +{form(limit)})")


def mib(count):
    return f"{count / 2**20:.1f} MiB"


def held_table(soak, verdicts):
    yield "| held | what |"
    yield "| --- | --- |"
    for fault in soak.faults:
        yield f"| **no** | {fault} |"
    for held, text in verdicts:
        yield f"| {'yes' if held else '**no**'} | {text} |"


def requests_table(soak):
    yield "Latencies are a client's, from its request to the last byte of the answer."
    yield ""
    yield "| request | answered | p50 ms | p90 | p99 | longest | other ends |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    kinds = {kind for kind, _ in soak.tally.counts}
    for kind in sorted(kinds):
        latencies = sorted(soak.tally.latencies_s[kind])
        others = {outcome: count for (found, outcome), count in soak.tally.counts.items()
                  if found == kind and outcome != "answered"}
        quantiles = [f"{1000 * latencies[int(share * (len(latencies) - 1))]:.1f}"
                     if latencies else "" for share in (0.5, 0.9, 0.99, 1)]
        yield f"| {kind} | {len(latencies):,} | {' | '.join(quantiles)} | {listing(others)} |"


def usage_table(soak):
    """Medians of equal parts of the time."""
    last = soak.samples[-1]
    clients_cpu_s = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    yield (f"Of one core, ivy took {last['ivy'].cpu_s / last['s']:.1%}, the replica that stays "
           f"{last['survivor'].cpu_s / last['s']:.1%}, clients {clients_cpu_s / last['s']:.1%}. "
           "Resident memory: medians of each part of the time; of the others the largest.")
    yield ""
    yield ("| until | ivy MiB | files | threads | replica that stays MiB | files | threads "
           "| others MiB |")
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for part in range(ROWS):
        begin, end = (last["s"] * edge / ROWS for edge in (part, part + 1))
        samples = [sample for sample in soak.samples if begin <= sample["s"] < end]
        if not samples:
            continue
        cells = [duration(end)]
        for name in ("ivy", "survivor"):
            usages = [sample[name] for sample in samples]
            cells.append(f"{statistics.median(u.rss_bytes for u in usages) / 2**20:.1f}")
            cells += [f"{statistics.median(values):.0f}" for values in
                      ([u.files for u in usages], [u.threads for u in usages])]
        cells.append(f"{max(sample['others'] for sample in samples) / 2**20:.1f}")
        yield "| " + " | ".join(cells) + " |"
