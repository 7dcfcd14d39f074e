"""SIGTERM: health turns 503, what was accepted is finished, the program ends with status 0."""

import json
import pathlib
import shutil
import signal
import socket
import tempfile
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
        """Accepted: the server has read the head, and said so with 100 Continue."""
        server = harness.Server()
        body = json.dumps({"input": [[5] * 100] * 500}).encode()
        sockets = [server.socket() for _ in range(4)]
        for sock in sockets:
            sock.sendall(b"POST /v1/embeddings HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
                         b"Content-Length: %d\r\n\r\n" % len(body))
            self.assertTrue(sock.recv(64).startswith(b"HTTP/1.1 100"))
        server.program.process.send_signal(signal.SIGTERM)
        for sock in sockets:
            sock.sendall(body)
        for sock in sockets:
            answer = harness.read_answer(sock)
            self.assertEqual(answer.status, 200)
            self.assertEqual(len(answer.json()["data"]), 500)
            sock.close()
        self.assertEqual(server.program.wait(), 0, server.program.error_lines())

    def test_health_turns_before_it_stops_accepting(self):
        server = harness.Server(harness.BERT_MEAN, "--drain-ms", 3000)
        server.program.process.send_signal(signal.SIGTERM)
        give_up = time.monotonic() + harness.PATIENCE_S
        while (answer := server.get("/health")).status == 200:
            self.assertLess(time.monotonic(), give_up)
        self.assertEqual(answer.status, 503)
        self.assertEqual(len(server.embed(["accepted while it drains"])), 1)
        self.assertEqual(server.program.wait(), 0)

    def test_while_weights_are_made(self):
        """It takes seconds here and minutes elsewhere, and nobody would look up from it."""
        model = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        shutil.copytree(harness.BERT_MEAN, model, dirs_exist_ok=True)
        config = json.loads((model / "config.json").read_text("utf-8"))
        config |= {"hidden_size": 1024, "num_attention_heads": 16, "num_hidden_layers": 24,
                   "intermediate_size": 8192}
        (model / "config.json").write_text(json.dumps(config), "utf-8")
        for stop in (signal.SIGTERM, signal.SIGINT):
            tulip = harness.Program("tulip", "--model", model, "--weights", "random:1", "--workers",
                                    1, "--port", 0, "--admin-port", 0)
            tulip.wait_for_line("metrics and health on")
            tulip.process.send_signal(stop)
            self.assertEqual(tulip.wait(), 0, tulip.error_lines())
            self.assertIn(f"{stop.name} before there was anything to serve",
                          tulip.error_lines()[-1])

    def test_the_service_manager_is_told(self):
        """As systemd wants it of Type=notify."""
        with tempfile.TemporaryDirectory() as folder, \
                socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(f"{folder}/notify")
            manager.settimeout(harness.PATIENCE_S)
            with harness.Server(env={"NOTIFY_SOCKET": f"{folder}/notify"}):
                self.assertEqual(manager.recv(64), b"READY=1")
            self.assertEqual(manager.recv(64), b"STOPPING=1")


if __name__ == "__main__":
    harness.main()
