#!/usr/bin/env python3
"""Mixed traffic on an ivy before three tulips, one of which is killed each minute.

Ends with status 0 if all of it held: each answer right or the error that was asked for, nothing
lost, memory, files and threads flat. Writes what it saw to a report in Markdown.
"""

import argparse
import datetime
import pathlib
import sys
import threading
import time

import harness
import soak_clients
import soak_report
import traffic
from process_stats import Usage

ITEMS_MAX = 4096
TULIP_FLAGS = ("--workers", 1, "--max-batch-tokens", 2048, "--max-queue-tokens", 65536)
IVY_FLAGS = ("--io-threads", 1, "--text-threads", 1, "--max-client-batch-size", ITEMS_MAX,
             "--max-concurrent-requests", 2 * ITEMS_MAX)
KILL_PERIOD_S = 60
DOWN_S = 2
# Of the ways to end a replica each fifth is the orderly one.
DRAIN_EVERY = 5


class Replicas:
    """Three tulips. The first stays, to be looked at; the others, in turn, end and return."""

    def __init__(self, model):
        self.model = model
        self.tulips = [harness.Tulip(model, *TULIP_FLAGS) for _ in range(3)]
        self.killed = 0
        self.drained = 0
        self.faults = []

    @property
    def survivor(self):
        return self.tulips[0]

    def flags(self):
        return [flag for tulip in self.tulips for flag in ("--replica", tulip.address)]

    def end_one(self):
        """Its number, for start_again."""
        number = 1 + (self.killed + self.drained) % 2
        program = self.tulips[number].program
        if (self.killed + self.drained) % DRAIN_EVERY == DRAIN_EVERY - 1:
            self.drained += 1
            status = program.terminate()
            if status != 0:
                self.faults.append(f"a drained tulip ended with {status}: {program.error_lines()}")
        else:
            self.killed += 1
            if program.process.poll() is not None:
                self.faults.append(f"a tulip had ended by itself: {program.error_lines()}")
            program.kill()
        return number

    def start_again(self, number):
        port = self.tulips[number].address.rsplit(":", 1)[1]
        self.tulips[number] = harness.Tulip(self.model, *TULIP_FLAGS, port=port)

    def terminate(self):
        for tulip in self.tulips:
            status = tulip.program.terminate()
            if status != 0:
                self.faults.append(f"a tulip ended with {status}: {tulip.program.error_lines()}")


class Soak:
    def __init__(self, seconds, pace):
        self.seconds = seconds
        self.begin = datetime.datetime.now(datetime.timezone.utc)
        self.commit = soak_report.commit()
        self.replicas = Replicas(harness.BERT_MEAN)
        self.ivy = harness.Ivy(harness.BERT_MEAN, *self.replicas.flags(), *IVY_FLAGS)
        self.await_replicas()
        corpus = traffic.Corpus()
        corpus.record(self.ivy)
        self.recorded = len(corpus.vectors)  # Requests.
        self.tally = soak_clients.Tally()
        self.clients = soak_clients.make(self.ivy, corpus, ITEMS_MAX, pace, self.tally)
        self.samples = []
        self.faults = []

    def run(self):
        started = time.monotonic()
        for client in self.clients:
            client.start()
        restarts = threading.Thread(target=self.restart_replicas, daemon=True)
        restarts.start()
        period_s = min(5, self.seconds / 60)
        while (elapsed_s := time.monotonic() - started) < self.seconds and not self.tally.faults:
            self.sample(elapsed_s)
            time.sleep(period_s)
        self.tally.over.set()
        for client in self.clients:
            client.join(harness.PATIENCE_S)
            if client.is_alive():
                self.faults.append(f"a client of {client.name} still waits for its answer")
        restarts.join(harness.PATIENCE_S)
        self.sample(time.monotonic() - started)
        self.check_rest()
        self.metrics = harness.Metrics(self.ivy)
        if self.ivy.program.terminate() != 0:
            self.faults.append(f"ivy did not end in order: {self.ivy.program.error_lines()[-20:]}")
        self.replicas.terminate()
        self.faults += self.tally.faults + self.replicas.faults

    def sample(self, elapsed_s):
        """How the processes are; those that come and go count as far as they are there."""
        sample = {"s": elapsed_s, "ivy": Usage(self.ivy.program.process.pid),
                  "survivor": Usage(self.replicas.survivor.program.process.pid), "others": 0}
        for tulip in self.replicas.tulips[1:]:
            try:
                sample["others"] = max(sample["others"], Usage(tulip.program.process.pid).rss_bytes)
            except OSError:
                pass
        self.samples.append(sample)

    def restart_replicas(self):
        period_s = min(KILL_PERIOD_S, self.seconds / 4)
        while not self.tally.over.wait(period_s - DOWN_S):
            try:
                self.await_replicas()
                number = self.replicas.end_one()
                self.tally.over.wait(DOWN_S)
                self.replicas.start_again(number)
            except Exception as fault:  # Told at the end, with all else.
                self.faults.append(repr(fault))
                return

    def await_replicas(self):
        """Until Ivy sees all of them."""
        give_up = time.monotonic() + harness.PATIENCE_S
        while harness.Metrics(self.ivy).total("parterre_replica_state", 'state="live"') != 3:
            if time.monotonic() > give_up:
                raise AssertionError("a replica that was started again is not taken back")
            time.sleep(0.1)

    def check_rest(self):
        """With no client left nothing is under way any more, anywhere."""
        gauges = ("parterre_inputs_in_flight", "parterre_replica_outstanding_tokens",
                  "parterre_queue_tokens", "parterre_queue_sequences")
        give_up = time.monotonic() + harness.PATIENCE_S
        while True:
            seen = [harness.Metrics(place) for place in (self.ivy, *self.replicas.tulips)]
            left = {name: sum(m.total(name) for m in seen) for name in gauges}
            # This question has a connection, too.
            left["parterre_connections"] = seen[0].total("parterre_connections") - 1
            if not any(left.values()):
                return
            if time.monotonic() > give_up:
                self.faults.append(f"at rest there is still {left}")
                return
            time.sleep(0.2)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--pace", type=float, default=1, help="times the usual")
    parser.add_argument("--report", type=pathlib.Path, help="Markdown file")
    args = parser.parse_args()

    soak = Soak(args.seconds, args.pace)
    soak.run()
    text, held = soak_report.write(soak)
    print(text)
    if args.report:
        args.report.write_text(text, "utf-8")
    sys.exit(0 if held else 1)


if __name__ == "__main__":
    main()
