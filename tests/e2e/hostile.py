#!/usr/bin/env python3
"""All attacks at once on one server, while well-behaved clients get their right answers.

Ends with status 0 if all of it held: no wrong answer, no crash, and afterwards no connection, file or
thread left, memory within a bound, and counters that add up. Writes a report in Markdown.
"""

import argparse
import datetime
import os
import pathlib
import resource
import sys
import threading
import time

import attacks
import harness
import herds
import https_test
import soak_report
import traffic
from process_stats import Usage, growth

# glibc's allocator returns what is free, so that what is left is held.
GIVES_BACK = {"MALLOC_TRIM_THRESHOLD_": "131072", "MALLOC_MMAP_THRESHOLD_": "131072"}
# What may be: a JSON parser of up to 14 MiB for each thread, and what lay between connections.
KEPT_MAX_BYTES = 48 << 20
KEPT_MAX_BYTES_OF_A_CONNECTION = 8 << 10
# From the second quarter of a long run to its last.
GROWTH_MAX_BYTES = 8 << 20
LONG_S = 120
ROUTE = f'route="{traffic.ROUTE}"'
KINDS = (attacks.MalformedHttp, attacks.ChunkGames, attacks.Pipelining, attacks.HalfClosed,
         attacks.Resets, attacks.HeaderBombs, attacks.JsonBombs, herds.IdleConnections,
         herds.SlowHeads, herds.SlowBodies, herds.SlowReaders)


# Closing one side, and reading nothing, are of the connection below.
KINDS_OF_HTTPS = (*(kind for kind in KINDS if kind not in (attacks.HalfClosed, herds.SlowReaders)),
                  attacks.BrokenHandshakes)


class Tally:
    """What attackers and clients have seen. Any thread."""

    def __init__(self):
        self.over = threading.Event()
        self.counts = {}        # Of a kind, by status; None: no answer.
        self.latencies_s = []   # Of the well-behaved.
        self.faults = []
        self._lock = threading.Lock()

    def count(self, kind, status):
        with self._lock:
            of_kind = self.counts.setdefault(kind, {})
            of_kind[status] = of_kind.get(status, 0) + 1

    def fail(self, who, fault):
        with self._lock:
            self.faults.append(f"{who}: {fault!r}")
        self.over.set()


class WellBehaved(attacks.Attack):
    """None: a client that asks on one connection, or on a new one each time."""

    def __init__(self, *args, kept=False):
        super().__init__(*args)
        self.connection = self.server.connect() if kept else None

    def turn(self):
        request = self.request()
        connection = self.connection or self.server.connect()
        begin = time.monotonic()
        answer = harness.ask(connection, request.method, request.path, request.body)
        self.tally.latencies_s.append(time.monotonic() - begin)
        self.tally.count(self.name, answer.status)
        if traffic.judge(request, answer) != "answered":
            raise traffic.Fault(f"put off: {answer.status}")
        if connection is not self.connection:
            connection.close()

    def end(self):
        if self.connection:
            self.connection.close()


class Hostile:
    """One run: `idle` connections that do nothing, each for `idle_s`. With `certificates`: HTTPS."""

    def __init__(self, seconds, idle, idle_s, certificates=None):
        allow_files(idle + 1000)
        self.kinds = KINDS_OF_HTTPS if certificates else KINDS
        self.seconds = seconds
        self.idle = idle
        self.begin = datetime.datetime.now(datetime.timezone.utc)
        flags = (
            "--workers", 1, "--io-threads", 1, "--text-threads", 1,
            "--payload-limit", 4_000_000, "--max-connections", idle + 1000,
            "--idle-timeout-ms", int(1000 * idle_s), "--header-timeout-ms", 1500,
            "--body-timeout-ms", 2000, "--write-timeout-ms", 1500, "--log-level", "info")
        self.server = (
            https_test.HttpsServer(certificates, *flags, env=GIVES_BACK) if certificates else
            harness.Server(harness.BERT_MEAN, *flags, env=GIVES_BACK))
        self.corpus = traffic.Corpus(size=60)
        self.corpus.record(self.server)
        self.tally = Tally()
        self.most = 0  # Connections at once.
        self.grown = 0
        self.rss_bytes = []
        self.faults = []

    def run(self):
        self.before = self.usage()
        clients = [WellBehaved(self.server, self.corpus, self.tally, 1, kept=True),
                   WellBehaved(self.server, self.corpus, self.tally, 2)]
        fighters = [kind(self.server, self.corpus, self.tally, seed)
                    for seed, kind in enumerate(self.kinds)]
        for herd in fighters:
            if isinstance(herd, herds.IdleConnections):
                herd.size = self.idle
        for thread in [*clients, *fighters]:
            thread.start()
        give_up = time.monotonic() + self.seconds
        while time.monotonic() < give_up and not self.tally.over.wait(min(1, self.seconds / 10)):
            self.watch()
        self.tally.over.set()
        for thread in [*clients, *fighters]:
            thread.join(harness.PATIENCE_S)
            if thread.is_alive():
                self.faults.append(f"{thread.name} still waits")
        self.check_rest()
        for thread in fighters:
            if isinstance(thread, herds.SlowReaders):
                thread.let_go()
        self.after = self.usage()
        self.check_counts()
        status = self.server.program.terminate()
        if status != 0:
            self.faults.append(f"ended with {status}")
        said = [line for line in self.server.program.error_lines()
                if " error " in line or " critical " in line]
        self.faults += [f"the log says: {line}" for line in said[:5]] + self.tally.faults

    def usage(self):
        return Usage(self.server.program.process.pid)

    def watch(self):
        self.most = max(self.most, int(harness.Metrics(self.server).total("parterre_connections")))
        self.rss_bytes.append(self.usage().rss_bytes)

    def check_rest(self):
        """Nobody is served any more, though slow readers have not let go."""
        gauges = ("parterre_inputs_in_flight", "parterre_queue_tokens", "parterre_queue_sequences")
        give_up = time.monotonic() + harness.PATIENCE_S
        while True:
            metrics = harness.Metrics(self.server)
            left = {name: metrics.total(name) for name in gauges}
            left["connections"] = metrics.total("parterre_connections") - 1  # This question's.
            left["files"] = max(self.usage().files - self.before.files, 0)
            left["threads"] = max(self.usage().threads - self.before.threads, 0)
            if not any(left.values()):
                break
            if time.monotonic() > give_up:
                self.faults.append(f"at rest there is still {left}")
                return
            time.sleep(0.1)
        if harness.memory_tells():
            self.check_memory()

    def check_memory(self):
        kept = self.usage().rss_bytes - self.before.rss_bytes
        if kept > KEPT_MAX_BYTES + self.most * KEPT_MAX_BYTES_OF_A_CONNECTION:
            self.faults.append(f"{kept >> 20} MiB more than before")
        self.grown = growth(self.rss_bytes)
        if self.seconds >= LONG_S and self.grown > GROWTH_MAX_BYTES:
            self.faults.append(f"{self.grown / 2**20:.0f} MiB more from the second quarter to the last")

    def check_counts(self):
        """The server has counted each answer once, and each that was had here."""
        metrics = harness.Metrics(self.server)
        asked, good, bad = (metrics.total(f"parterre_requests{part}_total", ROUTE)
                            for part in ("", "_success", "_failure"))
        if asked != good + bad:
            self.faults.append(f"{asked} requests are not {good} + {bad}")
        had = sum(count for kind in self.tally.counts.values()
                  for status, count in kind.items() if status == 200)
        had += len(self.corpus.vectors)
        if good < had:
            self.faults.append(f"{had} good answers were had, {good} counted")
        if metrics.total("parterre_requests_failure_total", 'cause="inference"'):
            self.faults.append("the engine has failed")

    def report(self):
        """A page of Markdown."""
        held = "held" if not self.faults else "NOT held"
        times = sorted(self.tally.latencies_s) or [0]
        at = {share: 1000 * times[int(share * (len(times) - 1))] for share in (0.5, 0.99, 1)}
        mib = {name: f"{usage.rss_bytes / 2**20:.0f} MiB, {usage.files} files, "
                     f"{usage.threads} threads"
               for name, usage in (("before", self.before), ("after", self.after))}
        lines = [
            f"# Hostile clients for {soak_report.duration(self.seconds)}: {held}", "",
            f"- from {self.begin:%Y-%m-%d %H:%M} UTC, Parterre at {soak_report.commit()}, "
            f"{os.cpu_count()} cores shared by server and attackers",
            "- `parterre serve`, one thread of each kind, a BERT of two layers and 96 components; "
            "program: `tests/e2e/hostile.py`",
            f"- at most {self.most} connections at once, "
            f"{max(self.rss_bytes, default=0) / 2**20:.0f} MiB resident, "
            f"{self.grown / 2**20:+.1f} MiB from the run's second quarter to its last",
            f"- before: {mib['before']}", f"- after: {mib['after']}",
            f"- well-behaved clients: {len(times)} right answers, none wrong or put off; "
            f"p50 {at[0.5]:.0f} ms, p99 {at[0.99]:.0f} ms, longest {at[1]:.0f} ms", "",
            "| attack | connections or requests | of them answered, by status |", "| --- | --- | --- |"]
        for kind, counts in sorted(self.tally.counts.items()):
            statuses = ", ".join(f"{status}: {count}" for status, count in
                                 sorted((s, c) for s, c in counts.items() if s is not None))
            lines.append(f"| {kind} | {sum(counts.values())} | {statuses or 'none'} |")
        lines += ["", *(f"- **fault**: {fault}" for fault in self.faults)]
        return "\n".join(lines).rstrip() + "\n"


def allow_files(count):
    """Sockets of this process; the server sees to its own."""
    soft, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and most < count:
        harness.skip_program(f"no more than {most} open files are allowed")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, count), most))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--idle", type=int, default=10_000, help="connections that do nothing")
    parser.add_argument("--report", type=pathlib.Path, help="Markdown file")
    args = parser.parse_args()

    hostile = Hostile(args.seconds, args.idle, idle_s=30)
    hostile.run()
    text = hostile.report()
    print(text)
    if args.report:
        args.report.write_text(text, "utf-8")
    sys.exit(1 if hostile.faults else 0)


if __name__ == "__main__":
    main()
