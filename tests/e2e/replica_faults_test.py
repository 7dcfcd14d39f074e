"""Replicas that answer garbage, or are none at all, and slow ways to them."""

import http.server
import random
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time
import unittest

import harness
import tampering
from ivy_tulip_test import SMALL, TEXTS, Load, ivy_over, tulips

COLUMNS = 96
ROW = struct.pack(f"<{COLUMNS}f", *[0.1] * COLUMNS)
HALF_ROW = ROW[:len(ROW) // 2]
NAN = struct.pack("<f", float("nan"))


def cut_off(payload):
    raise tampering.Break(payload[:len(payload) // 2])


# What is put in place of the answer for TEXTS, which are three. Every way that a message may be
# malformed is the business of result_message_test.
GARBAGE = {
    "a row too few": lambda _: tampering.embeddings(2, COLUMNS, 2 * ROW),
    "fewer rows than it says": lambda _: tampering.embeddings(3, COLUMNS, 2 * ROW),
    "rows of another width": lambda _: tampering.embeddings(3, COLUMNS // 2, 3 * HALF_ROW),
    "not a number": lambda _: tampering.embeddings(3, COLUMNS, 2 * ROW + NAN + ROW[len(NAN):]),
    "nothing": lambda _: tampering.message(b""),
    "noise for a message": lambda _: tampering.message(random.Random(1).randbytes(200)),
    "cut off": cut_off,
}
FAILURES_TO_EJECT = 3


class GarbageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tulip = cls.enterClassContext(harness.Tulip(harness.BERT_MEAN, *SMALL))

    def beyond(self, change):
        return self.enterContext(
            tampering.Proxy(self.tulip.address, tampering.tamper(change)))

    def test_another_replica_answers(self):
        """Nobody sees the garbage; whoever gives it is counted, and left alone after three."""
        for name, change in GARBAGE.items():
            garbage = self.beyond(change)
            with self.subTest(name), ivy_over(garbage, self.tulip) as ivy:
                expected = self.tulip_rows()
                for _ in range(200):
                    self.assertEqual(ivy.embed(TEXTS), expected)
                    if (counts := counts_of(ivy, garbage))["ejections"]:
                        break
                self.assertEqual(counts["failures"], FAILURES_TO_EJECT)
                self.assertEqual(counts["retries"], FAILURES_TO_EJECT)
                self.assertEqual(counts_of(ivy, self.tulip)["failures"], 0)

    def tulip_rows(self):
        if not hasattr(self, "rows"):
            with ivy_over(self.tulip) as ivy:
                self.rows = ivy.embed(TEXTS)
        return self.rows

    def test_with_no_other_it_is_an_error_that_says_what_is_wrong(self):
        for name, said in (("a row too few", "expected 3 sequences, got 2"),
                           ("not a number", "dense.values: number 192 is nan"),
                           ("cut off", "replica 127.0.0.1:")):
            garbage = self.beyond(GARBAGE[name])
            with self.subTest(name), ivy_over(garbage) as ivy:
                answer = ivy.post("/v1/embeddings", {"input": TEXTS})
                self.assertEqual(answer.status, 503)
                self.assertIn(said, answer.json()["error"]["message"])

    def test_who_is_no_tulip_gets_nothing(self):
        strangers = [Stranger(say) for say in (
            lambda sock: None,
            lambda sock: sock.sendall(random.Random(3).randbytes(4096)),
            lambda sock: (sock.sendall(b"\0\0\0\4\0\0\0\0\0"), sock.sendall(b"\xff" * 4096)),
            lambda sock: sock.recv(1 << 16),
        )]
        handler = http.server.BaseHTTPRequestHandler
        handler.log_message = lambda *_: None
        web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=web.serve_forever, daemon=True).start()
        web.address = f"127.0.0.1:{web.server_port}"
        with ivy_over(*strangers, web, self.tulip) as ivy, Load(ivy) as load:
            load.await_answers(50)
            metrics = harness.Metrics(ivy)
            for stranger in (*strangers, web):
                self.assertEqual(counts_of(ivy, stranger)["requests"], 0)
                self.assertEqual(metrics.total("parterre_replica_state", 'state="down"',
                                               f'replica="{stranger.address}"'), 1)
        web.shutdown()
        web.server_close()


class Stranger:
    """Listens, and says to who comes what it likes; then it closes."""

    def __init__(self, say):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._run, args=(say,), daemon=True).start()

    def _run(self, say):
        while True:
            with self.listener.accept()[0] as sock:
                try:
                    say(sock)
                except OSError:
                    pass


def counts_of(ivy, replica):
    metrics = harness.Metrics(ivy)
    return {what: metrics.total(f"parterre_replica_{what}_total", f'replica="{replica.address}"')
            for what in ("requests", "failures", "retries", "ejections")}


class OverSlowWays(unittest.TestCase):
    """The way is slow, its Tulips are not at fault: no error, and none of them is left alone."""

    def expect_served(self, *replicas):
        large = [[5 + i] * (1 + i % 60) for i in range(400)]
        with ivy_over(*replicas) as ivy:
            alone = [ivy.embed([ids])[0] for ids in large[:8]]
            with Load(ivy) as load:
                rows = ivy.embed(large)
                load.await_answers(20)
            self.assertEqual(rows[:8], alone)
            for replica in replicas:
                counts = counts_of(ivy, replica)
                self.assertGreater(counts["requests"], 0)
                self.assertEqual((counts["failures"], counts["ejections"]), (0, 0))


class SlowNetworkTest(OverSlowWays):
    def test_answers_in_drops(self):
        rng = random.Random(4)

        def drip(pieces):
            for piece in pieces:
                for i in range(0, len(piece), 1400):
                    time.sleep(rng.uniform(0, 0.002))
                    yield piece[i:i + 1400]

        with tulips(2) as both:
            self.expect_served(*(self.enterContext(tampering.Proxy(tulip.address, drip))
                                 for tulip in both))

    def test_a_link_that_delays_and_loses(self):
        """In a network namespace of its own, where that may be made."""
        link = ("ip link set lo mtu 1500 up && "
                "{ tc qdisc add dev lo root netem delay 4ms 2ms loss 1% || "
                # A kernel without netem: a narrow link, which drops what does not fit.
                "tc qdisc add dev lo root tbf rate 40mbit burst 8kb limit 24kb; } 2>&1 || exit 77")
        if not all(map(shutil.which, ("unshare", "ip", "tc"))):
            harness.skip("no unshare, ip or tc to make a slow network with")
        own = subprocess.run(["unshare", "-n", "true"], capture_output=True, text=True)
        if own.returncode != 0:
            harness.skip(f"no network of its own can be made here: {own.stderr.strip()}")
        this = [sys.executable, "-W", "ignore", __file__, "Beyond.behind_the_link"]
        run = subprocess.run(["unshare", "-n", "sh", "-c", f'{link}; exec "$@"', "sh", *this],
                             capture_output=True, text=True, timeout=harness.PATIENCE_S)
        if run.returncode == 77:
            said = (run.stderr + run.stdout).strip().splitlines()[-1:]
            harness.skip(f"no slow network can be made here: {' '.join(said)}")
        self.assertEqual(run.returncode, 0, run.stderr)


class Beyond(OverSlowWays):
    def behind_the_link(self):
        """Not a test by itself: the one above runs it where the link is slow."""
        with tulips(2) as both:
            self.expect_served(*both)


if __name__ == "__main__":
    harness.main()
