#!/usr/bin/env python3
"""HTTPS: who is let in, what is negotiated, and that requests go as over plain HTTP."""

import contextlib
import http.client
import json
import ssl
import time
import unittest
import warnings

import certificates
import harness

PROMPT = {"input": ["a river in spring", "the city by night"]}
REFUSED = (ssl.SSLError, ConnectionError)


class HttpsServer(harness.Server):
    """`parterre serve` over TLS; its own requests trust the authority "servers"."""

    SCHEME = "https"

    def __init__(self, files, *flags, shown=None, env=None):
        self.files = files
        self.context = self.trust("servers", shown)
        own = files.files("--tls-cert", "server.pem", "--tls-key", "server.key")
        super().__init__(harness.BERT_MEAN, *own, *flags, env=env)

    def trust(self, authority, shown=None):
        context = ssl.create_default_context(cafile=self.files.folder / f"{authority}.pem")
        if shown:
            context.load_cert_chain(self.files.folder / f"{shown}.pem",
                                    self.files.folder / f"{shown}.key")
        return context

    def connect(self, context=None):
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=harness.PATIENCE_S,
                                           context=context or self.context)

    def secure_socket(self, context=None, **options):
        return (context or self.context).wrap_socket(
            self.socket(), server_hostname="127.0.0.1", suppress_ragged_eofs=False, **options)

    def stream(self):
        return self.secure_socket()

    def ask(self, context):
        with contextlib.closing(self.connect(context)) as connection:
            return harness.ask(connection, "GET", "/health").status


def post(body, *headers):
    lines = ["POST /v1/embeddings HTTP/1.1", "Host: x", f"Content-Length: {len(body)}", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


def make_files():
    if not certificates.Certificates.available():
        harness.skip_program("no openssl to make certificates with")
    files = certificates.Certificates("servers", "clients")
    files.sign("server", "servers")
    files.sign("client", "clients")
    files.sign("stranger", "servers")
    return files


class HttpsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = make_files()
        cls.addClassCleanup(cls.files.cleanup)
        cls.server = cls.enterClassContext(HttpsServer(cls.files, "--io-threads", 1))

    def test_one_connection_serves_request_after_request(self):
        with contextlib.closing(self.server.connect()) as connection:
            body = json.dumps(PROMPT)
            answers = [harness.ask(connection, "POST", "/v1/embeddings", body) for _ in range(3)]
            self.assertEqual([answer.status for answer in answers], [200] * 3)
            self.assertEqual(len({answer.body for answer in answers}), 1)

    def test_who_does_not_know_the_authority_goes_away(self):
        with self.assertRaises(ssl.SSLCertVerificationError):
            self.server.ask(self.server.trust("clients"))
        self.assertEqual(self.server.get("/health").status, 200)

    def test_large_bodies_there_and_back(self):
        answer = self.server.post("/v1/embeddings", {"input": [[5] * 200] * 1000})
        self.assertEqual(answer.status, 200)
        self.assertGreater(len(answer.body), 1 << 20)
        self.assertEqual(len(answer.json()["data"]), 1000)

    def test_requests_sent_at_once_are_answered_in_turn(self):
        with self.server.secure_socket() as sock:
            sock.sendall(post(json.dumps(PROMPT).encode()) + post(b"[]") + post(b'{"input": "x"}'))
            answers = [harness.read_answer(sock) for _ in range(3)]
        self.assertEqual([answer.status for answer in answers], [200, 400, 200])
        self.assertEqual([len(answers[i].json()["data"]) for i in (0, 2)], [2, 1])

    def test_many_requests_sent_ahead_are_answered_in_turn(self):
        """More than the server's read buffer of a connection holds."""
        lengths = [1 + i % 7 for i in range(1000)]
        with self.server.secure_socket() as sock:
            sock.sendall(b"".join(post(json.dumps({"input": [[7]] * n}).encode())
                                  for n in lengths))
            for i, length in enumerate(lengths):
                answer = harness.read_answer(sock)
                self.assertEqual(answer and (answer.status, len(answer.json()["data"])),
                                 (200, length), i)

    def test_the_end_is_told(self):
        """Else it could not be told from a connection that somebody cut."""
        with self.server.secure_socket() as sock:
            sock.sendall(post(b'{"input": "x"}', "Connection: close"))
            self.assertEqual(harness.read_answer(sock).status, 200)
            self.assertEqual(sock.recv(1), b"")

    def test_http11_is_chosen_and_http2_alone_refused(self):
        context = self.server.trust("servers")
        context.set_alpn_protocols(["h2", "http/1.1"])
        with self.server.secure_socket(context) as sock:
            self.assertEqual(sock.selected_alpn_protocol(), "http/1.1")
        context.set_alpn_protocols(["h2"])
        with self.assertRaises(REFUSED):
            self.server.secure_socket(context).recv(1)

    def test_versions_before_12_are_refused(self):
        for version, taken in (("TLSv1_1", False), ("TLSv1_2", True), ("TLSv1_3", True)):
            with self.subTest(version=version), warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                context = self.server.trust("servers")
                context.set_ciphers("DEFAULT@SECLEVEL=0")
                context.minimum_version = context.maximum_version = ssl.TLSVersion[version]
                if taken:
                    self.assertEqual(self.server.ask(context), 200)
                else:
                    with self.assertRaises(REFUSED):
                        self.server.ask(context)

    def test_who_speaks_plain_http_is_told(self):
        with self.server.socket() as sock:
            sock.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
            answer = harness.read_answer(sock)
            self.assertEqual(answer.status, 400)
            self.assertIn("HTTPS", answer.json()["error"]["message"])
            self.assertEqual(sock.recv(1), b"")
        with self.server.socket() as sock:
            sock.sendall(b"\0\1\2\3")
            self.assertIsNone(harness.read_answer(sock))

    def test_slow_handshakes_hold_up_nobody(self):
        """All connections share one thread."""
        hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
        with contextlib.ExitStack() as slow:
            for i in range(20):
                sock = slow.enter_context(self.server.socket())
                sock.sendall(hello[: i % len(hello)])
            self.assertEqual(len(self.server.embed(PROMPT["input"])), 2)

    def test_a_client_that_leaves_is_noticed(self):
        def dropped():
            return harness.Metrics(self.server).total("parterre_dropped_requests_total",
                                                      'reason="cancelled"')

        give_up = time.monotonic() + harness.PATIENCE_S
        while not dropped():
            self.assertLess(time.monotonic(), give_up)
            with self.server.secure_socket() as sock:
                sock.sendall(post(json.dumps({"input": [[5] * 200] * 1000}).encode()))


class MutualTlsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = make_files()
        cls.addClassCleanup(cls.files.cleanup)
        ca = cls.files.files("--tls-client-ca", "clients.pem")
        cls.server = cls.enterClassContext(HttpsServer(cls.files, *ca, shown="client"))

    def test_only_who_shows_a_certificate_of_the_authority_is_served(self):
        self.assertEqual(len(self.server.embed(PROMPT["input"])), 2)
        for shown in (None, "stranger"):
            with self.subTest(shown=shown), self.assertRaises(REFUSED):
                self.server.ask(self.server.trust("servers", shown))

    def test_sessions_are_resumed(self):
        for version in ("TLSv1_2", "TLSv1_3"):
            with self.subTest(version=version):
                context = self.server.trust("servers", "client")
                context.minimum_version = context.maximum_version = ssl.TLSVersion[version]
                with self.server.secure_socket(context) as sock:
                    sock.sendall(post(b'{"input": "x"}'))
                    self.assertEqual(harness.read_answer(sock).status, 200)
                    session = sock.session
                with self.server.secure_socket(context, session=session) as sock:
                    self.assertTrue(sock.session_reused)
                    sock.sendall(post(b'{"input": "x"}'))
                    self.assertEqual(harness.read_answer(sock).status, 200)


class MistakesTest(unittest.TestCase):
    def test_mistakes_are_named(self):
        files = make_files()
        self.addCleanup(files.cleanup)
        (files.folder / "none.pem").write_text("no PEM\n")
        for command in ("serve", "ivy", "tulip"):
            for flags, named in (
                    (("--tls-cert", "server.pem"), "server.pem: a certificate needs its key"),
                    (("--tls-key", "server.key"), "server.key: a key needs its certificate"),
                    (("--tls-client-ca", "clients.pem"), "clients.pem: an authority for clients"),
                    (("--tls-cert", "nowhere.pem", "--tls-key", "server.key"), "nowhere.pem: "),
                    (("--tls-cert", "none.pem", "--tls-key", "server.key"), "none.pem: expected"),
                    (("--tls-cert", "server.pem", "--tls-key", "client.key"), "client.key: exp"),
                    (("--tls-cert", "server.pem", "--tls-key", "server.key", "--tls-client-ca",
                      "none.pem"), "none.pem: expected certificates")):
                with self.subTest(command=command, flags=flags):
                    program = harness.Program(command, "--model", harness.BERT_MEAN,
                                              *files.files(*flags))
                    self.assertEqual(program.wait(), 2, program.error_lines())
                    self.assertEqual(len(program.error_lines()), 1)
                    self.assertIn(named, program.error_lines()[-1])


    def test_certificates_that_have_expired_are_told(self):
        files = make_files()
        self.addCleanup(files.cleanup)
        files.make_expired("old")
        own = files.files("--tls-cert", "old.pem", "--tls-key", "old.key")
        shown = files.files("--replica-tls-ca", "servers.pem", "--replica-tls-cert", "old.pem",
                            "--replica-tls-key", "old.key")
        for command, flags in (("serve", own), ("tulip", own),
                               ("ivy", (*shown, "--replica", "127.0.0.1:1"))):
            with self.subTest(command=command):
                if command != "serve":
                    harness.needs_grpc()
                program = harness.Program(command, "--model", harness.BERT_MEAN, "--port", 0,
                                          "--drain-ms", 0, *flags, env={"PARTERRE_ADMIN_PORT": "0"})
                line = program.wait_for_line("old.pem: the certificate of CN=old expired on 20")
                self.assertIn("warning", line)
                program.wait_for_line("listening on")
                self.assertEqual(program.terminate(), 0)


if __name__ == "__main__":
    harness.main()
