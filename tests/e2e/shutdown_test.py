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
from ivy_tulip_test import SMALL


class ShutdownTest(unittest.TestCase):
    def test_idle_with_kept_alive_connections(self):
        for stop in (signal.SIGTERM, signal.SIGINT):
            server = harness.Server()
            idle = server.connect()
            harness.ask(idle, "GET", "/health")
            server.program.process.send_signal(stop)
            self.assertEqual(server.program.wait(), 0)
            idle.close()

    def test_bug65_accepted_requests_are_finished(self):
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

    def test_bug65_health_turns_before_it_stops_accepting(self):
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
        config |= {"num_hidden_layers": 96, "intermediate_size": 60_000}  # 4 GB
        (model / "config.json").write_text(json.dumps(config), "utf-8")
        for command, stop in (("serve", signal.SIGTERM), ("tulip", signal.SIGINT)):
            with self.subTest(command=command):
                if command != "serve":
                    harness.needs_grpc()
                program = harness.Program(command, "--model", model, "--weights", "random:1", *SMALL,
                                          "--port", 0, env={"PARTERRE_ADMIN_PORT": "0"})
                program.wait_for_line("reading weights")
                program.process.send_signal(stop)
                self.assertEqual(program.wait(), 0, program.error_lines())
                self.assertIn(f"{stop.name} before there was anything to serve",
                              program.error_lines()[-1])

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
