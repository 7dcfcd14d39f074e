"""Clients that break off, dawdle or speak broken HTTP: none of them harms anyone else."""

import json
import socket
import struct
import time
import unittest

import harness

BODY = json.dumps({"input": "a"}).encode()


def post(body=BODY, *extra):
    head = ["POST /v1/embeddings HTTP/1.1", "Host: x", "Content-Type: application/json",
            f"Content-Length: {len(body)}", *extra]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


class RawHttpTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(
            harness.Server(harness.BERT_MEAN, "--payload-limit", 4_000_000,
                           "--header-timeout-ms", 1500))

    def tearDown(self):
        self.assertEqual(len(self.server.embed(["still here"])), 1)

    def expect_status(self, request, *statuses):
        """Sends it on a connection of its own. None stands for a close without an answer."""
        with self.server.socket() as sock:
            sock.sendall(request)
            answer = harness.read_answer(sock)
        status = answer and answer.status
        self.assertIn(status, statuses, request[:60])

    def test_body_cut_off(self):
        for sent in (0, 1, len(BODY) - 1):
            with self.server.socket() as sock:
                sock.sendall(post()[: len(post()) - len(BODY) + sent])
                sock.shutdown(socket.SHUT_WR)
                answer = harness.read_answer(sock)
                self.assertTrue(answer is None or answer.status == 400, answer and answer.status)

    def test_head_cut_off(self):
        for sent in (0, 1, 20, 60):
            with self.server.socket() as sock:
                sock.sendall(post()[:sent])
                sock.shutdown(socket.SHUT_WR)
                answer = harness.read_answer(sock)
                self.assertTrue(answer is None or answer.status == 400, answer and answer.status)

    def test_bug64_reset_in_the_middle(self):
        for sent in (30, len(post()) - 3, len(post())):
            sock = self.server.socket()
            sock.sendall(post()[:sent])
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            sock.close()

    def test_byte_by_byte(self):
        with self.server.socket() as sock:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for byte in post():
                sock.sendall(bytes([byte]))
            self.assertEqual(harness.read_answer(sock).status, 200)

    def test_stalled_clients_hold_up_nobody(self):
        stalled = [self.server.socket() for _ in range(50)]
        for sock in stalled:
            sock.sendall(post()[:-1])
        self.assertEqual(len(self.server.embed(["a"])), 1)
        for sock in stalled:
            sock.sendall(post()[-1:])
        for sock in stalled:
            self.assertEqual(harness.read_answer(sock).status, 200)
            sock.close()

    def test_head_that_never_ends_is_given_up(self):
        """After the server's own limit for a head."""
        self.expect_status(post()[:40], 408, None)

    def test_bug64_reader_that_never_reads(self):
        big = json.dumps({"input": [[1, 2, 3]] * 2000}).encode()
        with self.server.socket() as sock:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            sock.sendall(post(big))
            self.assertEqual(len(self.server.embed(["a"])), 1)

    def test_pipelined_in_order(self):
        lengths = (5, 1, 3)
        bodies = [json.dumps({"input": [[7]] * n}).encode() for n in lengths]
        with self.server.socket() as sock:
            sock.sendall(b"".join(map(post, bodies)))
            stream = sock.makefile("rb")
            for expected in lengths:
                self.assertEqual(len(read_pipelined(stream)["data"]), expected)

    def test_empty_lines_before_a_request(self):
        """As some clients send behind a body; they are no request, and none is waited for longer."""
        for empty in (b"\r\n", b"\r\n" * 3, b"\r\n" * 10_000):
            self.expect_status(empty + post(), 200)
            with self.server.socket() as sock:
                sock.sendall((post() + empty) * 3)
                stream = sock.makefile("rb")
                for _ in range(3):
                    self.assertEqual(len(read_pipelined(stream)["data"]), 1)
        with self.server.socket() as sock:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for byte in b"\r\n\r\n" + post():
                sock.sendall(bytes([byte]))
            self.assertEqual(harness.read_answer(sock).status, 200)
        self.expect_status(b"\r" + post(), 400)
        self.expect_status(b"\r\n\r" + post(), 400)

    def test_empty_lines_alone_keep_no_connection(self):
        with harness.Server(harness.BERT_MEAN, "--idle-timeout-ms", 300) as server, \
                server.socket() as sock:
            begun = time.monotonic()
            with self.assertRaises(OSError):
                while time.monotonic() < begun + harness.PATIENCE_S:
                    sock.sendall(b"\r\n")
                    time.sleep(0.02)

    def test_kept_alive_and_closed(self):
        connection = self.server.connect()
        for _ in range(3):
            answer = harness.ask(connection, "POST", "/v1/embeddings", BODY)
            self.assertEqual(answer.status, 200)
        answer = harness.ask(connection, "POST", "/v1/embeddings", BODY, {"Connection": "close"})
        self.assertEqual((answer.status, answer.headers["Connection"]), (200, "close"))
        connection.close()

    def test_error_leaves_the_connection_usable(self):
        connection = self.server.connect()
        self.assertEqual(harness.ask(connection, "POST", "/v1/embeddings", b"{").status, 400)
        self.assertEqual(harness.ask(connection, "POST", "/v1/embeddings", BODY).status, 200)
        connection.close()

    def test_chunked_body(self):
        head = (b"POST /v1/embeddings HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        self.expect_status(head + b"%x\r\n" % len(BODY) + BODY + b"\r\n0\r\n\r\n", 200)
        self.expect_status(head + b"zz\r\n" + BODY + b"\r\n0\r\n\r\n", 400, None)

    def test_expect_continue(self):
        with self.server.socket() as sock:
            sock.sendall(post(BODY, "Expect: 100-continue")[: -len(BODY)])
            self.assertTrue(sock.recv(64).startswith(b"HTTP/1.1 100"))
            sock.sendall(BODY)
            self.assertEqual(harness.read_answer(sock).status, 200)

    def test_bug55_too_large_is_refused_from_the_head_alone(self):
        head = b"POST /v1/embeddings HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n"
        self.expect_status(head, 413)

    def test_bug55_too_large_in_chunks(self):
        chunk = b"%x\r\n" % 1_000_000 + b" " * 1_000_000 + b"\r\n"
        with self.server.socket() as sock:
            sock.sendall(b"POST /v1/embeddings HTTP/1.1\r\nHost: x\r\n"
                         b"Transfer-Encoding: chunked\r\n\r\n")
            try:
                for _ in range(8):
                    sock.sendall(chunk)
                answer = harness.read_answer(sock)
                self.assertEqual(answer and answer.status, 413)
            except (BrokenPipeError, ConnectionResetError):
                pass  # Closed while we were still sending: refused as well.

    def test_a_chunk_that_says_too_much_is_refused_from_its_head(self):
        head = b"POST /v1/embeddings HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        for size in (b"ffffffffffffffff", b"3d0901", b"7fffffffffffffff;a=b"):
            self.expect_status(head + size + b"\r\n", 413)
            self.expect_status(head + b"2\r\n[]\r\n" + size + b"\r\nx", 413)
        whole = BODY.ljust(4_000_000)
        self.expect_status(head + b"1\r\n" + whole[:1] + b"\r\n3d08ff\r\n" + whole[1:]
                           + b"\r\n0\r\n\r\n", 200)
        with self.server.socket() as sock:
            sock.sendall(head + b"fffffffffffffffff\r\n")
            self.assertEqual(harness.read_answer(sock).status, 400)

    def test_broken_http(self):
        self.expect_status(b"hello\r\n\r\n", 400, None)
        self.expect_status(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 20, 400, None)
        self.expect_status(b"GET /health HTTP/9.9\r\n\r\n", 400, 505, None)
        self.expect_status(b"POST /v1/embeddings HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400, None)
        self.expect_status(b"POST /v1/embeddings HTTP/1.1\r\nContent-Length: 5\r\n"
                           b"Content-Length: 6\r\n\r\n123456", 400, None)
        self.expect_status(b"GET /health HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 200_000 + b"\r\n\r\n",
                           400, 431, None)

    def test_http_1_0(self):
        self.expect_status(b"GET /health HTTP/1.0\r\n\r\n", 200)


def read_pipelined(stream):
    """The JSON body of the next answer on a stream of several."""
    length = None
    while (line := stream.readline().strip().lower()):
        if line.startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    return json.loads(stream.read(length))


if __name__ == "__main__":
    harness.main()
