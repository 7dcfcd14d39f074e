"""What public bug reports say of clients that leave, of servers that stop and of what they count,
through the whole program, by the number that docs/bugs.md lists them under."""

import json
import pathlib
import shutil
import signal
import socket
import tempfile
import unittest

import harness
from ivy_tulip_test import SMALL, wait_for
from model_folders_test import change


def request(body, path="/v1/embeddings"):
    body = json.dumps(body).encode()
    return (b"POST %b HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%b"
            % (path.encode(), len(body), body))


class MessagesTest(unittest.TestCase):
    def test_bug61_an_answer_of_eight_megabytes_over_grpc(self):
        """2000 vectors of 1024 components: gRPC's own limit is 4 MiB."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name) / "wide"
            shutil.copytree(harness.BERT_MEAN, folder)
            change(folder / "config.json", lambda config: config.update(
                num_hidden_layers=1, hidden_size=1024, num_attention_heads=16,
                intermediate_size=64))
            change(folder / "1_Pooling/config.json",
                   lambda config: config.update(word_embedding_dimension=1024))
            inputs = [[5 + i % 800] for i in range(2000)]
            random = ("--weights", "random:1", "--dtype", "float32", "--workers", 1)
            with harness.Tulip(folder, *random, "--max-batch-tokens", 4096) as tulip:
                with harness.Ivy(folder, "--replica", tulip.address,
                                 "--chunk-tokens", 4096, "--chunk-timeout-ms", 60000) as ivy:
                    rows = ivy.embed(inputs, encoding_format="base64")
                    self.assertEqual(harness.Metrics(ivy).total("parterre_replica_requests_total"),
                                     1, "one message each way")
                    for i in (0, 999, 1999):
                        self.assertEqual(len(harness.from_base64(rows[i])), 1024)
                        alone, = ivy.embed([inputs[i]], encoding_format="base64")
                        self.assertGreaterEqual(harness.cosine(
                            *map(harness.from_base64, (rows[i], alone))), 0.999999)


class ClientsTest(unittest.TestCase):
    def test_bug64_clients_that_leave_leave_nothing_behind(self):
        """By closing at once, by closing their sending side, by a reset; rows half read."""
        with harness.Server(harness.BERT_MEAN, *SMALL) as server:
            alone = server.embed(["a"])
            work = request({"input": [[5] * 200] * 40})
            for round_ in range(20):
                sockets = [server.socket() for _ in range(20)]
                for i, sock in enumerate(sockets):
                    sock.sendall(work)
                    if i % 4 == 1:
                        sock.shutdown(socket.SHUT_WR)
                    if i % 4 == 2:
                        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                    if i % 4 == 3 and round_ == 0:
                        sock.recv(100)
                for sock in sockets:
                    sock.close()
            wait_for(lambda: harness.Metrics(server).total("parterre_inputs_in_flight") == 0)
            # The one that asks.
            wait_for(lambda: harness.Metrics(server).total("parterre_connections") == 1)
            metrics = harness.Metrics(server)
            self.assertEqual(metrics.total("parterre_queue_tokens"), 0)
            self.assertGreater(metrics.total("parterre_requests_failure_total",
                                             'cause="cancelled"'), 0)
            self.assertEqual(server.embed(["a"]), alone)


class StopTest(unittest.TestCase):
    REQUESTS = 40

    def load(self, server, inputs):
        """Connections with a request each, all of them accepted and some, perhaps, answered."""
        sockets = [server.socket() for _ in range(self.REQUESTS)]
        for sock in sockets:
            sock.sendall(request({"input": inputs}))

        def accepted():
            metrics = harness.Metrics(server)
            return (metrics.total("parterre_inputs_in_flight")
                    + metrics.total("parterre_inputs_total")) == self.REQUESTS * len(inputs)

        wait_for(accepted)
        return sockets

    def statuses(self, sockets):
        """None: closed without an answer."""
        statuses = []
        for sock in sockets:
            answer = harness.read_answer(sock)
            statuses.append(answer and answer.status)
            sock.close()
        return statuses

    def test_bug65_a_second_signal_ends_the_drain_and_loses_nothing(self):
        for first, second in ((signal.SIGTERM, signal.SIGTERM), (signal.SIGINT, signal.SIGTERM)):
            server = harness.Server(harness.BERT_MEAN, *SMALL, "--drain-ms", 3_600_000)
            sockets = self.load(server, [[5] * 200] * 20)
            server.program.process.send_signal(first)
            wait_for(lambda: server.get("/health").status == 503)
            server.program.process.send_signal(second)
            self.assertEqual(self.statuses(sockets), [200] * self.REQUESTS)
            self.assertEqual(server.program.wait(), 0, server.program.error_lines())
            with self.assertRaises(ConnectionRefusedError):
                server.socket()

    def test_bug65_past_its_time_what_waits_is_told(self):
        """No time at all: what has not run is 503 or closed, and the program ends in order."""
        server = harness.Server(harness.BERT_MEAN, *SMALL, "--shutdown-timeout-ms", 0)
        sockets = self.load(server, [[5] * 200] * 150)  # 1.2 million tokens, one worker.
        server.program.process.send_signal(signal.SIGTERM)
        statuses = self.statuses(sockets)
        self.assertLessEqual(set(statuses), {200, 503, None})
        self.assertLess(statuses.count(200), self.REQUESTS)
        self.assertEqual(server.program.wait(), 0, server.program.error_lines())


VECTORS = {
    "/v1/embeddings": {"input": "a"},
    "/embeddings": {"input": ["a", "b"]},
    "/embed": {"inputs": "a"},
    "/embed_sparse": {"inputs": "a"},
    "/embed_all": {"inputs": "a"},
    "/similarity": {"inputs": {"source_sentence": "a", "sentences": ["b"]}},
    "/invocations": {"inputs": "a"},
    "/tokenize": {"inputs": "a"},
    "/decode": {"ids": [5]},
    "/detokenize": {"tokens": [5]},
}
SCORES = {
    "/rerank": {"query": "a", "texts": ["b"]},
    "/v1/rerank": {"query": "a", "documents": ["b"]},
    "/v2/rerank": {"query": "a", "documents": ["b"]},
    "/predict": {"inputs": "a"},
}


class CountersTest(unittest.TestCase):
    NAMES = ("parterre_requests_total", "parterre_requests_success_total",
             "parterre_requests_failure_total", "parterre_request_duration_seconds_count")

    def counts(self, server):
        """Of all routes but the one that tells."""
        metrics = harness.Metrics(server)
        return [metrics.total(name) - metrics.total(name, 'route="/metrics"')
                for name in self.NAMES]

    def test_bug66_a_request_is_counted_once_whatever_its_route(self):
        for model, routes in (("xlm-roberta", VECTORS), ("bert-reranker", SCORES)):
            with harness.Server(harness.DATA / "models" / model, *SMALL) as server:
                for path, body in routes.items():
                    for asked, ok in ((body, True), ({}, False)):
                        with self.subTest(path=path, ok=ok):
                            before = self.counts(server)
                            answer = server.post(path, asked)
                            self.assertEqual(answer.status == 200, ok, answer.body[:200])
                            after = self.counts(server)
                            self.assertEqual([b - a for a, b in zip(before, after)],
                                             [1, int(ok), int(not ok), 1])


if __name__ == "__main__":
    harness.main()
