"""Starts the real program and speaks to it over sockets: what every test of this folder shares.

Python's standard library alone. The program is $PARTERRE, or build/bin/parterre.
"""

import array
import atexit
import base64
import collections
import http.client
import json
import math
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest

import process_stats

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = os.environ.get("PARTERRE", str(ROOT / "build/bin/parterre"))
DATA = ROOT / "tests/data"
BERT_MEAN = DATA / "models/bert-mean"
MINILM = ROOT / "models/all-MiniLM-L6-v2"
# Larger suites, which need not be there (CONTRIBUTING.md).
SHARED = pathlib.Path(os.environ.get("PARTERRE_SHARED", ROOT.parent / "shared"))

# The sanitizer that the program is built with: "", "thread" or "address,undefined".
SANITIZED = os.environ.get("PARTERRE_SANITIZED", "")

# Far longer than anything here takes: a wedged program fails the test, a busy machine does not.
PATIENCE_S = 120
EXIT_SKIPPED = 77


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    def json(self):
        return json.loads(self.body)


class Program:
    """`parterre ARGS…` as a child, its error stream collected line by line."""

    def __init__(self, *args, env=None, preexec=None):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("PARTERRE")}
        if SANITIZED:  # Work is slow then: how much of it is done in time is not what tests are about.
            clean |= {f"PARTERRE_{limit}_TIMEOUT_MS": str(1000 * PATIENCE_S)
                      for limit in ("REQUEST", "SHUTDOWN")}
        self.process = subprocess.Popen(
            [PROGRAM, *map(str, args)], env={**clean, **(env or {})}, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
            preexec_fn=preexec)
        atexit.register(self.process.kill)  # Whatever breaks off the test; does nothing otherwise.
        self.lines = []
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self.process.stderr:
            with self._changed:
                self.lines.append(line.rstrip("\n"))
                self._changed.notify_all()
        with self._changed:
            self.lines.append(None)
            self._changed.notify_all()

    def wait_for_line(self, text):
        """The first line that holds `text`; raises if the program ends without one."""
        def found():
            return next((line for line in self.lines if line is None or text in line), False)

        with self._changed:
            line = self._changed.wait_for(lambda: found() is not False and [found()], PATIENCE_S)
        if not line or line[0] is None:
            self.kill()
            raise AssertionError(f"no line with {text!r}; the program said: {self.error_lines()}")
        return line[0]

    def error_lines(self):
        return [line for line in self.lines if line is not None]

    def wait(self):
        """The exit status; negative: the signal that ended it. Also sets rss_max_bytes."""
        give_up = time.monotonic() + PATIENCE_S
        while True:
            pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > give_up:
                self.kill()
                raise AssertionError(f"did not end; it said: {self.error_lines()}")
            time.sleep(0.005)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.rss_max_bytes = usage.ru_maxrss * 1024
        self._close()
        return self.process.returncode

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)
        return self.wait()

    def hang_up(self, part):
        """SIGHUP; the line that then says what became of this part."""
        def said():
            return [line for line in self.error_lines() if f"SIGHUP: {part}" in line]

        with self._changed:
            before = len(said())
            self.process.send_signal(signal.SIGHUP)
            if self._changed.wait_for(lambda: len(said()) > before, PATIENCE_S):
                return said()[before]
        self.kill()
        raise AssertionError(f"SIGHUP was not heard; the program said: {self.error_lines()}")

    def rss_bytes(self):
        """Resident memory."""
        return process_stats.Usage(self.process.pid).rss_bytes

    def kill(self):
        self.process.kill()
        self.process.wait()
        self._close()

    def _close(self):
        self._reader.join(PATIENCE_S)
        self.process.stderr.close()


class Server:
    """`parterre serve` on a free port, ready when the constructor returns (or listening, at least).

    As a context manager it also holds the program to an orderly end: SIGTERM, exit status 0.
    """

    COMMAND = "serve"
    SCHEME = "http"

    def __init__(self, model=BERT_MEAN, *flags, env=None, healthy=True, preexec=None):
        args = [self.COMMAND, "--model", model, "--host", "127.0.0.1", "--port", 0, "--drain-ms", 0]
        given = [str(flag) for flag in flags]
        for name in ("--port", "--drain-ms"):
            if name in given:
                del args[args.index(name) : args.index(name) + 2]
        self.program = Program(*args, *given, env=env, preexec=preexec)
        line = self.program.wait_for_line(f"listening on {self.SCHEME}://")
        self.url = re.search(r'https?://[^\s"/]+', line)[0]
        self.port = int(self.url.rsplit(":", 1)[1])
        if healthy:
            self.wait_until_healthy()

    def wait_until_healthy(self):
        give_up = time.monotonic() + PATIENCE_S
        while self.get("/health").status != 200:
            if time.monotonic() > give_up:
                self.program.kill()
                raise AssertionError("/health never said 200")
            time.sleep(0.02)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None:
            self.program.kill()
            said = self.program.error_lines()[-20:]
            print("the server said:", *said, sep="\n  ", file=sys.stderr)
            return
        status = self.program.terminate()
        if status != 0:
            raise AssertionError(f"ended with {status}; it said: {self.program.error_lines()}")

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)

    def socket(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S)

    def stream(self):
        """What requests can be written to and answers read from."""
        return self.socket()

    def served_socket(self):
        """A connection that has been served, once there is room for one more."""
        give_up = time.monotonic() + PATIENCE_S
        while time.monotonic() < give_up:
            sock = self.socket()
            try:
                sock.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
                answer = read_answer(sock)
            except (BrokenPipeError, ConnectionResetError):
                answer = None
            if answer is not None and answer.status == 200:
                return sock
            sock.close()
            time.sleep(0.02)
        raise AssertionError("there is never room for a connection")

    def request(self, method, path, body=None, headers=None):
        connection = self.connect()
        try:
            return ask(connection, method, path, body, headers)
        finally:
            connection.close()

    def get(self, path, headers=None):
        return self.request("GET", path, headers=headers)

    def post(self, path, body, headers=None):
        """`body`: bytes as they are, anything else as JSON."""
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
        return self.request("POST", path, body, {"Content-Type": "application/json",
                                                 **(headers or {})})

    def embed(self, texts, **fields):
        """The rows of /v1/embeddings for a list, checked for order and kind."""
        answer = self.post("/v1/embeddings", {"input": texts, **fields})
        assert answer.status == 200, (answer.status, answer.body[:500])
        rows = answer.json()["data"]
        assert [row["index"] for row in rows] == list(range(len(texts))), rows
        return [row["embedding"] for row in rows]

    def rss_bytes(self):
        return self.program.rss_bytes()


def needs_grpc():
    """Skips the test where gRPC would be blamed for what it does not do."""
    if "thread" in SANITIZED:
        skip("gRPC's libraries are not instrumented: what they hand over is taken for races")


class Ivy(Server):
    """`parterre ivy`; its flags say where its Tulips are."""

    COMMAND = "ivy"

    def __init__(self, *args, **options):
        needs_grpc()
        super().__init__(*args, **options)


class Tulip:
    """`parterre tulip` on free ports, ready when the constructor returns; ends as Server does."""

    def __init__(self, model=BERT_MEAN, *flags, port=0, env=None):
        needs_grpc()
        self.program = Program("tulip", "--model", model, "--host", "127.0.0.1", "--port", port,
                               "--admin-port", 0, "--drain-ms", 0, *flags, env=env)
        admin = self.program.wait_for_line("metrics and health on http://")
        self.admin_port = int(re.search(r"http://127\.0\.0\.1:(\d+)", admin)[1])
        line = self.program.wait_for_line("listening on 127.0.0.1:")
        self.address = re.search(r"listening on ([0-9.:]+)", line)[1]

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if self.program.process.returncode is not None:
            return
        if kind is not None:
            self.program.kill()
            print("the Tulip said:", *self.program.error_lines()[-20:], sep="\n  ", file=sys.stderr)
            return
        status = self.program.terminate()
        if status != 0:
            raise AssertionError(f"ended with {status}; it said: {self.program.error_lines()}")

    def rss_bytes(self):
        return self.program.rss_bytes()

    def get(self, path):
        """From its admin port."""
        connection = http.client.HTTPConnection("127.0.0.1", self.admin_port, timeout=PATIENCE_S)
        try:
            return ask(connection, "GET", path)
        finally:
            connection.close()


class Metrics:
    """/metrics of a server or a tulip, as they are now."""

    LINE = re.compile(r"^(\w+)(\{.*\})? (\S+)$")

    def __init__(self, place):
        text = place.get("/metrics").body.decode()
        self.series = [match.groups("") for line in text.splitlines()
                       if (match := self.LINE.match(line))]

    def total(self, name, *labels):
        return sum(float(value) for found, given, value in self.series
                   if found == name and all(label in given for label in labels))

    def by_label(self, name, label, *labels):
        """The sum for each value of a label, where it is not 0."""
        sums = collections.Counter()
        for found, given, value in self.series:
            if found == name and all(one in given for one in labels):
                sums[re.search(label + '="(.*?)"', given)[1]] += int(float(value))
        return dict(+sums)


def ask(connection, method, path, body=None, headers=None):
    """One request on an http.client connection, its whole answer read."""
    connection.request(method, path, body, headers or {})
    response = connection.getresponse()
    return Answer(response.status, response.headers, response.read())


def read_answer(sock):
    """One answer off a raw socket; None if the peer closed without one."""
    response = http.client.HTTPResponse(sock)
    try:
        response.begin()
    except (http.client.RemoteDisconnected, ConnectionResetError):
        return None
    return Answer(response.status, response.headers, response.read())


def from_base64(text):
    """Little-endian float32."""
    values = array.array("f", base64.b64decode(text, validate=True))
    if sys.byteorder == "big":
        values.byteswap()
    return list(values)


def dot(a, b):
    assert len(a) == len(b), (len(a), len(b))
    return math.fsum(x * y for x, y in zip(a, b))


def cosine(a, b):
    return dot(a, b) / math.sqrt(dot(a, a) * dot(b, b))


def skip(reason):
    """Skips a test, or a class, of a program whose others run; test.sh looks for what is printed."""
    print(f"skipped: {reason}")
    raise unittest.SkipTest(reason)


def memory_tells():
    """Whether resident memory is what the program holds; says so where it is not."""
    if SANITIZED:
        print("skipped: growth of memory, since sanitizers keep back what is freed")
    return not SANITIZED


def skip_program(reason):
    """Ends the whole test program: what it needs is not here."""
    print(f"skipped: {reason}")
    sys.exit(EXIT_SKIPPED)


def main():
    unittest.main(verbosity=2)
