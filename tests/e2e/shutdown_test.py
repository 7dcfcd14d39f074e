"""SIGTERM: health turns 503, what was accepted is finished, the program ends with status 0."""

import json
import signal
import threading
import time
import unittest

import harness


class ShutdownTest(unittest.TestCase):
    def test_idle_with_kept_alive_connections(self):
        for stop in (signal.SIGTERM, signal.SIGINT):
            server = harness.Server()
            idle = server.connect()
            harness.ask(idle, "GET", "/health")
            server.program.process.send_signal(stop)
            self.assertEqual(server.program.wait(), 0)
            idle.close()

    def test_accepted_requests_are_finished(self):
        server = harness.Server()
        body = json.dumps({"input": [[5] * 100] * 1000}).encode()
        answers = []

        def client():
            answers.append(server.post("/v1/embeddings", body))

        clients = [threading.Thread(target=client) for _ in range(4)]
        for thread in clients:
            thread.start()
        self.wait_until_busy(server)
        status = server.program.terminate()
        for thread in clients:
            thread.join()
        self.assertEqual(status, 0, server.program.error_lines())
        self.assertEqual([answer.status for answer in answers], [200] * 4)
        for answer in answers:
            self.assertEqual(len(answer.json()["data"]), 1000)

    def wait_until_busy(self, server):
        """Until the four clients' requests are in the server."""
        give_up = time.monotonic() + harness.PATIENCE_S
        while self.in_flight(server) < 4:
            self.assertLess(time.monotonic(), give_up, "the requests never arrived")

    def in_flight(self, server):
        for line in server.get("/metrics").body.decode().splitlines():
            if line.startswith("ivy_requests_in_flight") and "embeddings" in line:
                return float(line.rsplit(" ", 1)[1])
        return 0

    def test_health_turns_before_it_stops_accepting(self):
        server = harness.Server(harness.BERT_MEAN, "--drain-ms", 3000)
        server.program.process.send_signal(signal.SIGTERM)
        give_up = time.monotonic() + harness.PATIENCE_S
        while (answer := server.get("/health")).status == 200:
            self.assertLess(time.monotonic(), give_up)
        self.assertEqual(answer.status, 503)
        self.assertEqual(len(server.embed(["accepted while it drains"])), 1)
        self.assertEqual(server.program.wait(), 0)


if __name__ == "__main__":
    harness.main()
