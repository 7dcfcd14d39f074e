"""Ivy and Tulip as processes of their own: what they answer, whom they trust, how one leaves."""

import contextlib
import json
import re
import signal
import socket
import threading
import time
import unittest

import certificates
import harness

TEXTS = ["one", "two words", "three words here"]
# What the tests measure is not how fast it starts: no curve of large steps.
SMALL = ("--workers", 1, "--max-batch-tokens", 512)


class IvyTulipTest(unittest.TestCase):
    def same(self, rows, expected):
        for row, one in zip(rows, expected, strict=True):
            self.assertGreater(harness.cosine(row, one), 0.9999)

    def test_answers_are_those_of_serve(self):
        large = [[5 + i] * (1 + i % 60) for i in range(200)]
        with harness.Server(harness.BERT_MEAN, *SMALL) as server:
            small_rows, large_rows = server.embed(TEXTS), server.embed(large)
            info = server.get("/info").json()
        with harness.Tulip(harness.BERT_MEAN, *SMALL) as tulip:
            self.assertEqual(tulip.get("/health").status, 200)
            with harness.Ivy(harness.BERT_MEAN, "--replica", tulip.address) as ivy:
                self.same(ivy.embed(TEXTS), small_rows)
                self.same(ivy.embed(large), large_rows)
                self.assertEqual(ivy.get("/info").json()["fingerprint"], info["fingerprint"])
                unknown = ivy.post("/v1/embeddings", {"input": [[10_000_000]]})
                self.assertEqual(unknown.status, 400)
            # Ivy restarted: another limit, the same Tulip.
            with harness.Ivy(harness.BERT_MEAN, "--replica", tulip.address,
                             "--max-client-batch-size", 2) as ivy:
                self.same(ivy.embed(TEXTS[:2]), small_rows[:2])
                self.assertEqual(ivy.post("/v1/embeddings", {"input": TEXTS}).status, 400)
            self.assertIn(b"parterre_steps_total", tulip.get("/metrics").body)

    def test_several_models(self):
        other = harness.DATA / "models/bert-cls"
        models = ("--model", f"other={other}")
        with harness.Tulip(harness.BERT_MEAN, *models, *SMALL) as tulip:
            with harness.Ivy(harness.BERT_MEAN, *models, "--replica", tulip.address) as ivy:
                self.assertEqual(len(ivy.embed(["a text"], model="bert-mean")[0]), 96)
                self.assertEqual(len(ivy.embed(["a text"], model="other")[0]), 128)
                answer = ivy.post("/v1/embeddings", {"input": "a text", "model": "third"})
                self.assertEqual(answer.status, 404)

    def test_another_model_is_refused_by_name(self):
        other = f"bert-mean={harness.DATA}/models/bert-cls"
        with harness.Tulip(harness.BERT_MEAN, *SMALL) as tulip:
            ivy = harness.Program("ivy", "--model", other, "--replica", tulip.address, "--port", 0)
            line = ivy.wait_for_line("fingerprint")
            self.assertIn(tulip.address, line)
            self.assertEqual(ivy.terminate(), 0)

    def test_a_tulip_without_the_model_says_what_it_serves(self):
        models = ("--model", f"second={harness.BERT_MEAN}")
        with harness.Tulip(harness.BERT_MEAN, *models, *SMALL) as tulip:
            ivy = harness.Program("ivy", "--model", f"third={harness.BERT_MEAN}", "--replica",
                                  tulip.address, "--port", 0)
            line = ivy.wait_for_line(f"replica {tulip.address} is not used")
            self.assertIn("model 'third' is not served here, only 'bert-mean', 'second'", line)
            self.assertEqual(ivy.terminate(), 0)

    def test_ivy_before_its_tulips(self):
        """It listens at once, says that it is not ready, and is as soon as a Tulip is."""
        with socket.create_server(("127.0.0.1", 0)) as taken:
            address = "127.0.0.1:%d" % taken.getsockname()[1]
        ivy = harness.Ivy(harness.BERT_MEAN, "--replica", address, healthy=False)
        with ivy:
            health = ivy.get("/health")
            self.assertEqual(health.status, 503)
            self.assertIn(b"no engine serves it", health.body)
            for inputs in (TEXTS, [[5] * 7] * 100):
                answer = ivy.post("/v1/embeddings", {"input": inputs})
                self.assertEqual(answer.status, 503)
                self.assertIn(b"no replica serves it", answer.body)
            with harness.Tulip(harness.BERT_MEAN, *SMALL, port=address.rsplit(":", 1)[1]):
                ivy.wait_until_healthy()
                self.assertEqual(len(ivy.embed(TEXTS)), len(TEXTS))
            wait_for(lambda: ivy.get("/health").status == 503)

    def test_a_taken_port_is_told_before_weights_are_read(self):
        harness.needs_grpc()
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            for flags in (("--port", port, "--admin-port", 0), ("--port", 0, "--admin-port", port)):
                program = harness.Program("tulip", "--model", harness.BERT_MEAN, *flags)
                self.assertEqual(program.wait(), 2)
                self.assertIn(f"127.0.0.1:{port}", program.error_lines()[-1])
                self.assertNotIn("weights", "".join(program.error_lines()))

    def test_bug28_ten_thousand_items_in_order(self):
        """How even the shares are is job_share_test's to hold: here the replicas share cores."""
        items = [[5 + i % 800] * (1 + i % 13) for i in range(10_000)]
        limits = ("--max-client-batch-size", len(items), "--max-concurrent-requests", len(items))
        with tulips(4) as four, ivy_over(*four, *limits) as ivy:
            wait_for(lambda: live_replicas(ivy) == 4)
            alone = {i: ivy.embed([items[i]], encoding_format="base64")[0]
                     for i in range(0, len(items), 997)}
            before = [tokens_run(tulip) for tulip in four]
            rows = ivy.embed(items, encoding_format="base64")
            shares = [tokens_run(tulip) - ran for tulip, ran in zip(four, before)]
            self.assertEqual({i: rows[i] for i in alone}, alone)
            # What differs has another vector: none stands in the place of another.
            self.assertEqual(len(set(rows)), len(set(map(tuple, items))))
            self.assertEqual(sum(shares), sum(map(len, items)))
            self.assertGreater(sum(share > 0 for share in shares), 1)
            print(f"tokens of each: {shares}")

    def test_bug64_a_client_leaves(self):
        """Ivy ends its call, and the Tulip drops what is not yet in a batch."""
        body = json.dumps({"input": [[5] * 100] * 2000}).encode()
        with tulips(1) as (tulip,), ivy_over(tulip, "--job-window", 64) as ivy:
            with ivy.socket() as sock:
                sock.sendall(b"POST /v1/embeddings HTTP/1.1\r\nHost: x\r\n"
                             b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
                wait_for(lambda: harness.Metrics(tulip).total("parterre_queue_tokens") > 1000)
            dropped = "parterre_dropped_requests_total", 'reason="cancelled"'
            wait_for(lambda: harness.Metrics(tulip).total(*dropped) > 0)
            wait_for(lambda: harness.Metrics(tulip).total("parterre_queue_tokens") == 0)
            self.assertLess(tokens_run(tulip), 2000 * 100)
            failures = "parterre_requests_failure_total", 'cause="cancelled"'
            wait_for(lambda: harness.Metrics(ivy).total(*failures) == 1)
            wait_for(lambda: harness.Metrics(ivy).total("parterre_inputs_in_flight") == 0)
            self.assertEqual(harness.Metrics(ivy).total("parterre_replica_failures_total"), 0)

    def test_a_tulip_leaves_under_load(self):
        """SIGTERM: what it has is answered, what comes goes to the other; nothing is lost."""
        with tulips(2) as (leaves, stays), ivy_over(leaves, stays) as ivy, Load(ivy) as load:
            leaves.program.process.send_signal(signal.SIGTERM)
            self.assertEqual(leaves.program.wait(), 0, leaves.program.error_lines())
            load.await_answers(50)

    def test_a_tulip_dies_under_load(self):
        """kill -9: what it had is asked of another; nothing is lost."""
        with tulips(3) as (dies, *stay), ivy_over(dies, *stay) as ivy, Load(ivy) as load:
            dies.program.kill()
            load.await_answers(50)
            wait_for(lambda: f"{dies.address} is down" in "\n".join(ivy.program.error_lines()))
            self.assertEqual(ivy.get("/health").status, 200)

    def test_a_tulip_hangs_under_load(self):
        """SIGSTOP: what it does not answer in time is asked of another; then it is left alone: after
        some failures or, where it is sent too little for them, since its connection is dead."""
        with tulips(2) as (hangs, stays), \
                ivy_over(hangs, stays, "--chunk-timeout-ms", 300) as ivy, Load(ivy) as load:
            hangs.program.process.send_signal(signal.SIGSTOP)
            try:
                left_alone = re.compile(f"{hangs.address} (gets nothing for a while|is down)")
                wait_for(lambda: any(map(left_alone.search, ivy.program.error_lines())))
                load.await_answers(50)
            finally:
                hangs.program.process.send_signal(signal.SIGCONT)


@contextlib.contextmanager
def tulips(count):
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(harness.Tulip(harness.BERT_MEAN, *SMALL)) for _ in range(count)]


def tokens_run(tulip):
    return int(harness.Metrics(tulip).total("parterre_batch_tokens_sum"))


def live_replicas(ivy):
    return harness.Metrics(ivy).total("parterre_replica_state", 'state="live"')


def ivy_over(*tulips_and_flags):
    flags = []
    for one in tulips_and_flags:
        flags += ["--replica", one.address] if hasattr(one, "address") else [one]
    return harness.Ivy(harness.BERT_MEAN, *flags)


class Load:
    """Clients that ask one thing over and over; at the end each answer must have been right."""

    def __init__(self, ivy):
        self.ivy = ivy
        self.expected = ivy.embed(TEXTS)
        self.answers = 0
        self.faults = []
        self.over = False
        self.clients = [threading.Thread(target=self.run) for _ in range(4)]

    def run(self):
        try:
            while not self.over:
                for row, one in zip(self.ivy.embed(TEXTS), self.expected, strict=True):
                    assert harness.cosine(row, one) > 0.9999, row
                self.answers += 1
        except Exception as fault:  # Told by the test's own thread.
            self.faults.append(fault)

    def await_answers(self, count):
        """So many more."""
        until = self.answers + count
        wait_for(lambda: self.answers >= until or self.faults)

    def __enter__(self):
        for client in self.clients:
            client.start()
        self.await_answers(20)
        return self

    def __exit__(self, *_):
        self.over = True
        for client in self.clients:
            client.join(harness.PATIENCE_S)
        assert not self.faults, self.faults


def wait_for(condition):
    give_up = time.monotonic() + harness.PATIENCE_S
    while not condition():
        assert time.monotonic() < give_up, "it never came to that"
        time.sleep(0.01)


class TlsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not certificates.Certificates.available():
            harness.skip("no openssl to make certificates with")
        made = certificates.Certificates("servers", "clients")
        cls.addClassCleanup(made.cleanup)
        made.sign("tulip", "servers")
        made.sign("ivy", "clients")
        cls.folder = made.folder
        cls.files = staticmethod(made.files)

    def test_tls_and_mutual_tls(self):
        own = self.files("--tls-cert", "tulip.pem", "--tls-key", "tulip.key")
        ca = self.files("--replica-tls-ca", "servers.pem")
        shown = self.files("--replica-tls-cert", "ivy.pem", "--replica-tls-key", "ivy.key")
        with harness.Tulip(harness.BERT_MEAN, *SMALL, *own) as tulip:
            self.expect_served(tulip, *ca)
            self.expect_not_reached(tulip)
            self.expect_not_reached(tulip, *self.files("--replica-tls-ca", "clients.pem"))
        mutual = self.files("--tls-client-ca", "clients.pem")
        with harness.Tulip(harness.BERT_MEAN, *SMALL, *own, *mutual) as tulip:
            self.expect_served(tulip, *ca, *shown)
            self.expect_not_reached(tulip, *ca)

    def expect_served(self, tulip, *flags):
        with harness.Ivy(harness.BERT_MEAN, "--replica", tulip.address, *flags) as ivy:
            self.assertEqual(len(ivy.embed(TEXTS)), len(TEXTS))

    def expect_not_reached(self, tulip, *flags):
        ivy = harness.Program("ivy", "--model", harness.BERT_MEAN, "--replica", tulip.address,
                              "--port", 0, *flags)
        ivy.wait_for_line(f"replica {tulip.address} is out of reach")
        ivy.kill()

    def test_mistakes_are_named(self):
        for command, flags, named in (
                ("tulip", ("--tls-cert", "nowhere.pem", "--tls-key", "nowhere.key"), "nowhere."),
                ("tulip", ("--tls-cert", self.folder / "tulip.pem"), "needs its key"),
                ("ivy", (), "--replica HOST:PORT or --replicas"),
                ("ivy", ("--replicas", "NAME:1"), "--replicas"),
                ("ivy", ("--replicas", "dns:///NAME:port"), "--replicas: expected dns:///NAME:PORT"),
                ("ivy", ("--replica", "localhost"), "--replica: expected HOST:PORT"),
                ("ivy", ("--replica", "127.0.0.1:1,http://127.0.0.1:1"), 'got "http://127.0.0.1:1"'),
                ("ivy", ("--replica", ""), "--replica: expected a value, got an empty one"),
                ("ivy", ("--replica-tls-ca", ""), "--replica-tls-ca: expected a value"),
                ("tulip", ("--tls-client-ca", ""), "--tls-client-ca: expected a value"),
                ("ivy", ("--replica", "127.0.0.1:1", "--replica-tls-ca", "nowhere.pem"),
                 "nowhere.pem")):
            with self.subTest(command=command, flags=flags):
                program = harness.Program(command, "--model", harness.BERT_MEAN, *flags)
                self.assertEqual(program.wait(), 2, program.error_lines())
                self.assertIn(named, program.error_lines()[-1])


if __name__ == "__main__":
    harness.main()
