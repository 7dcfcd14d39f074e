"""SIGHUP has certificates read again: new connections are of the new ones, old ones go on."""

import contextlib
import shutil
import socket
import ssl
import time
import unittest

import certificates
import harness
from https_test import HttpsServer
from ivy_tulip_test import SMALL


def make_files(*authorities):
    if not certificates.Certificates.available():
        harness.skip_program("no openssl to make certificates with")
    return certificates.Certificates(*authorities)


def shown_by(port, **options):
    """The certificate that a server shows, whoever has signed it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["h2", "http/1.1"])
    with socket.create_connection(("127.0.0.1", port), timeout=harness.PATIENCE_S) as sock:
        with context.wrap_socket(sock) as secure:
            return secure.getpeercert(binary_form=True)


def der(files, name):
    return ssl.PEM_cert_to_DER_cert((files.folder / f"{name}.pem").read_text("ascii"))


class Renewal:
    """Certificates of one name by turns from two authorities."""

    def __init__(self, files):
        self.files = files

    def sign(self, name, authority):
        """A new one in the place of the old."""
        self.files.sign(f"next-{name}", authority)
        for end in ("pem", "key"):
            shutil.move(self.files.folder / f"next-{name}.{end}", self.files.folder / f"{name}.{end}")

    def trust(self, name, *authorities):
        """NAME.pem holds these."""
        text = "".join((self.files.folder / f"{one}.pem").read_text("ascii") for one in authorities)
        (self.files.folder / f"{name}.pem").write_text(text, "ascii")


class HttpsReloadTest(unittest.TestCase):
    def setUp(self):
        self.files = make_files("servers", "clients", "others")
        self.addCleanup(self.files.cleanup)
        self.renewal = Renewal(self.files)
        for name, authority in (("server", "servers"), ("client", "clients"), ("other", "others")):
            self.files.sign(name, authority)

    def test_new_connections_are_of_the_new_certificate(self):
        with HttpsServer(self.files) as server, contextlib.closing(server.connect()) as old:
            self.assertEqual(harness.ask(old, "GET", "/info").status, 200)
            first = der(self.files, "server")
            self.assertEqual(shown_by(server.port), first)
            self.renewal.sign("server", "others")
            self.assertEqual(shown_by(server.port), first)  # Not asked for yet.
            self.assertIn("read again", server.program.hang_up("certificates of HTTPS"))
            self.assertEqual(shown_by(server.port), der(self.files, "server"))
            self.assertEqual(harness.ask(old, "GET", "/info").status, 200)
            with self.assertRaises(ssl.SSLCertVerificationError):
                server.ask(server.trust("servers"))
            server.context = server.trust("others")
            self.assertEqual(server.get("/health").status, 200)
            self.assertEqual(harness.Metrics(server).by_label("parterre_reloads_total", "outcome",
                                                              'part="tls"'), {"done": 1})

    def test_a_reload_that_fails_keeps_what_is_in_use(self):
        with HttpsServer(self.files) as server:
            first = der(self.files, "server")
            key = self.files.folder / "server.key"
            for spoil, said in (
                    (lambda: shutil.copy(self.files.folder / "client.key", key),
                     "server.key: expected the key of"),
                    (lambda: key.write_text("no PEM\n"), "server.key: expected a key in PEM"),
                    (key.unlink, "server.key: file not found")):
                spoil()
                line = server.program.hang_up("certificates of HTTPS")
                self.assertIn("error", line)
                self.assertIn(said, line)
                self.assertIn("those in use stay", line)
                self.assertEqual(shown_by(server.port), first)
            self.assertEqual(server.get("/health").status, 200)

    def test_the_authority_of_clients_is_read_again(self):
        self.renewal.trust("trusted", "clients")
        flags = self.files.files("--tls-client-ca", "trusted.pem")
        with HttpsServer(self.files, *flags, shown="client") as server:
            known, other = server.context, server.trust("servers", shown="other")
            with contextlib.closing(server.connect()) as old:
                self.assertEqual(harness.ask(old, "GET", "/health").status, 200)
                self.renewal.trust("trusted", "others")
                self.assertIn("read again", server.program.hang_up("certificates of HTTPS"))
                self.assertEqual(harness.ask(old, "GET", "/health").status, 200)
            self.assertEqual(server.ask(other), 200)
            with self.assertRaises((ssl.SSLError, ConnectionError)):
                server.ask(known)

    def test_an_expired_one_is_warned_of(self):
        with HttpsServer(self.files) as server:
            self.files.make_expired("server")
            server.program.hang_up("certificates of HTTPS")
            server.program.wait_for_line("server.pem: the certificate of CN=server expired on 20")


class GrpcReloadTest(unittest.TestCase):
    """Ivy and Tulip renew what they show and what they trust, one after the other, while Ivy is
    asked all the time."""

    def setUp(self):
        self.files = make_files("first", "second")
        self.addCleanup(self.files.cleanup)
        self.renewal = Renewal(self.files)
        for name in ("tulip", "ivy"):
            self.files.sign(name, "first")
        for name in ("trusted-by-ivy", "trusted-by-tulip"):
            self.renewal.trust(name, "first")

    def start_tulip(self, port=0):
        tls = self.files.files("--tls-cert", "tulip.pem", "--tls-key", "tulip.key",
                               "--tls-client-ca", "trusted-by-tulip.pem")
        return harness.Tulip(harness.BERT_MEAN, *SMALL, *tls, port=port)

    def start_ivy(self, tulip):
        tls = self.files.files("--replica-tls-ca", "trusted-by-ivy.pem", "--replica-tls-cert",
                               "ivy.pem", "--replica-tls-key", "ivy.key")
        return harness.Ivy(harness.BERT_MEAN, "--replica", tulip.address, *tls)

    def reached(self, ivy):
        return sum(": reached, " in line for line in ivy.program.error_lines())

    def renew(self, program, part):
        self.assertIn("read again", program.hang_up(part))

    def await_reached(self, ivy, before):
        give_up = time.monotonic() + harness.PATIENCE_S
        while self.reached(ivy) == before:
            self.assertLess(time.monotonic(), give_up, ivy.program.error_lines())
            ivy.embed(["a"])

    def test_both_sides_change_their_authority_under_way(self):
        with self.start_tulip() as tulip, self.start_ivy(tulip) as ivy:
            port = int(tulip.address.rsplit(":", 1)[1])
            first = der(self.files, "tulip")
            self.renewal.trust("trusted-by-tulip", "first", "second")
            self.renew(tulip.program, "certificates of gRPC")
            self.renewal.trust("trusted-by-ivy", "first", "second")
            self.renewal.sign("ivy", "second")
            before = self.reached(ivy)
            self.renew(ivy.program, "certificates of Tulips")
            self.await_reached(ivy, before)
            self.assertEqual(shown_by(port), first)
            self.renewal.sign("tulip", "second")
            self.renewal.trust("trusted-by-tulip", "second")
            self.renew(tulip.program, "certificates of gRPC")
            self.assertEqual(shown_by(port), der(self.files, "tulip"))
            self.renewal.trust("trusted-by-ivy", "second")
            before = self.reached(ivy)
            self.renew(ivy.program, "certificates of Tulips")
            self.await_reached(ivy, before)
            ivy.embed(["a"])
            counted = harness.Metrics(ivy)
            asked = 'route="/v1/embeddings"'
            self.assertEqual(counted.total("parterre_requests_failure_total", asked), 0)
            self.assertEqual(counted.by_label("parterre_reloads_total", "outcome",
                                              'part="replica_tls"'), {"done": 2})

    def test_what_no_tulip_takes_does_not_end_what_works(self):
        with self.start_tulip() as tulip, self.start_ivy(tulip) as ivy:
            self.renewal.sign("ivy", "second")  # Well-formed, and strange to the Tulip.
            self.renew(ivy.program, "certificates of Tulips")
            ivy.program.wait_for_line("is out of reach")
            for _ in range(20):
                ivy.embed(["a"])
            (self.files.folder / "ivy.key").write_text("no PEM\n")
            line = ivy.program.hang_up("certificates of Tulips")
            self.assertIn("ivy.key: expected a key in PEM", line)
            ivy.embed(["a"])
            self.renewal.sign("ivy", "first")
            before = self.reached(ivy)
            self.renew(ivy.program, "certificates of Tulips")
            self.await_reached(ivy, before)

    def test_clients_that_need_no_certificate(self):
        tls = self.files.files("--tls-cert", "tulip.pem", "--tls-key", "tulip.key")
        with harness.Tulip(harness.BERT_MEAN, *SMALL, *tls) as tulip, self.start_ivy(tulip) as ivy:
            port = int(tulip.address.rsplit(":", 1)[1])
            ivy.embed(["a"])
            self.renewal.sign("tulip", "first")
            self.renew(tulip.program, "certificates of gRPC")
            self.assertEqual(shown_by(port), der(self.files, "tulip"))
            ivy.embed(["a"])

    def test_a_tulip_that_cannot_read_its_files_goes_on(self):
        with self.start_tulip() as tulip, self.start_ivy(tulip) as ivy:
            port = int(tulip.address.rsplit(":", 1)[1])
            first = der(self.files, "tulip")
            (self.files.folder / "tulip.key").unlink()
            line = tulip.program.hang_up("certificates of gRPC")
            self.assertIn("tulip.key: file not found", line)
            self.assertEqual(shown_by(port), first)
            ivy.embed(["a"])
            self.assertEqual(harness.Metrics(tulip).by_label("parterre_reloads_total", "outcome"),
                             {"failed": 1})


if __name__ == "__main__":
    harness.main()
