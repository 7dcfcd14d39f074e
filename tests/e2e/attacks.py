"""Ways to harm a server by what is sent to it: each a thread that goes on until it is told to end.

What an answer may be is known for each; no answer may be any other, none may come that is no HTTP, and
no connection may stay longer than the server's limits say.
"""

import http.client
import json
import random
import socket
import ssl
import struct
import threading

import harness
import traffic

# Refused for what the client did, or not answered at all.
REFUSED = (400, 404, 405, 408, 413, 415, 431, 501, 505, None)
RESET = struct.pack("ii", 1, 0)  # SO_LINGER: closing sends RST.
# The server has ended the connection, as it may.
ENDED = (BrokenPipeError, ConnectionResetError, ssl.SSLError)


class Attack(threading.Thread):
    """Takes turns until the tally says that it is over, or an answer is wrong."""

    pause_s = 0.01

    def __init__(self, server, corpus, tally, seed):
        super().__init__(name=type(self).__name__, daemon=True)
        self.server = server
        self.corpus = corpus
        self.tally = tally
        self.rng = random.Random(seed)

    def run(self):
        try:
            while not self.tally.over.wait(self.pause_s):
                self.turn()
        except Exception as fault:  # Told at the end, with all else.
            self.tally.fail(self.name, fault)
        self.end()

    def turn(self):
        raise NotImplementedError

    def end(self):
        """Gives up what is held."""

    def request(self):
        """A good one, of few tokens."""
        return traffic.batch(self.name, self.corpus,
                             self.corpus.draw_short(self.rng, self.rng.choice((1, 1, 2, 5))))

    def send(self, sock, data, pieces=1):
        """False: the server has closed meanwhile, as it may."""
        cuts = sorted(self.rng.randrange(len(data) + 1) for _ in range(pieces - 1))
        try:
            for begin, end in zip([0, *cuts], [*cuts, len(data)]):
                sock.sendall(data[begin:end])
        except ENDED:
            return False
        return True

    def hear(self, sock, request=None, allowed=REFUSED):
        """The next answer's status, None if there is none. It is right, or one of `allowed`."""
        try:
            answer = harness.read_answer(sock)
        except (*ENDED, http.client.IncompleteRead):
            answer = None
        status = answer and answer.status
        self.tally.count(self.name, status)
        if request is not None and status == 200:
            traffic.judge(request, answer)
        elif status not in allowed:
            raise traffic.Fault(f"{status}: {answer and answer.body[:200]}")
        return status

    def tell(self, data, request=None, allowed=REFUSED, pieces=1):
        """On a connection of its own, which is not kept."""
        with self.server.stream() as sock:
            self.send(sock, data, pieces)
            try:
                return self.hear(sock, request, allowed)
            except traffic.Fault as fault:
                raise traffic.Fault(f"{data[:200]} got {fault}") from None


def post(*headers, body=b"", line="POST /v1/embeddings HTTP/1.1"):
    return "\r\n".join((line, "Host: x", *headers)).encode("latin-1") + b"\r\n\r\n" + body


class MalformedHttp(Attack):
    """Broken heads, and bodies that two readers might see differently: what follows on the connection
    is no request."""

    HIDDEN = post(line="GET /hidden HTTP/1.1")
    HEADS = [
        b"\0" * 100, b"hello\r\n\r\n", b"GET\r\n\r\n", b"GET /\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: x\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00" * 50,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET /a b HTTP/1.1\r\nHost: x\r\n\r\n",
        post("Content-Length: -1"), post("Content-Length: +5", body=b"12345"),
        post("Content-Length: 0x5", body=b"12345"), post("Content-Length: 5 5", body=b"12345"),
        post("Content-Length: 5", "Content-Length: 6", body=b"123456"),
        post("Content-Length: 99999999999999999999"), post("Content-Length: "),
        post("Content-Length : 5", body=b"12345"),
        post("Host: y"), post(": no name"), post("no colon"), post("a b: c"), post("x: \0"),
        post("Transfer-Encoding: chunked", "Content-Length: 4", body=b"0\r\n\r\n"),
        post("Transfer-Encoding: xchunked", body=b"0\r\n\r\n"),
        post("Transfer-Encoding: gzip, chunked", body=b"0\r\n\r\n"),
        post("Transfer-Encoding: chunked", "Transfer-Encoding: chunked", body=b"0\r\n\r\n"),
        post("Transfer-Encoding: chunked", line="POST /v1/embeddings HTTP/1.0", body=b"0\r\n\r\n"),
        post("Expect: the unexpected"),
    ]

    def turn(self):
        if self.rng.random() < 0.5:
            return self.hide(self.rng.choice(self.HEADS))
        request = self.request()
        whole = bytearray(request.head() + request.body)
        for _ in range(self.rng.choice((1, 2, 8))):
            at = self.rng.randrange(len(whole))
            whole[at:at + self.rng.choice((0, 1, 1, 3))] = self.rng.randbytes(self.rng.randrange(3))
        # It may have become another good request; and one that waits for more has its time.
        return self.tell(bytes(whole), allowed=(200, *REFUSED))

    def hide(self, head):
        with self.server.stream() as sock:
            self.send(sock, head + self.HIDDEN, self.rng.choice((1, 1, 5)))
            if self.hear(sock) is not None and self.hear(sock) is not None:
                raise traffic.Fault(f"{head[:200]}: what follows was served")


class ChunkGames(Attack):
    """Bodies in chunks of all kinds: good ones are read right, the others refused."""

    HEAD = post("Transfer-Encoding: chunked")
    is_good = False

    def turn(self):
        request = self.request()
        self.is_good = not self.is_good
        if self.is_good:
            return self.tell(self.HEAD + self.good(request.body), request, (),
                             self.rng.choice((1, 3, 20)))
        return self.tell(self.HEAD + self.bad(request.body))

    def good(self, body):
        out = b""
        while body:
            size = self.rng.choice((1, 1, 2, 7, 100))
            piece, body = body[:size], body[size:]
            number = f"{len(piece):{self.rng.choice(('x', 'X', '08x'))}}"
            extension = self.rng.choice(("", "", ";a", ';a="b"', ";" + "a" * 9000))
            out += (number + extension).encode() + b"\r\n" + piece + b"\r\n"
        trailers = self.rng.choice((b"", b"a: b\r\n", b"a: " + b"b" * 9000 + b"\r\n"))
        return out + b"0\r\n" + trailers + b"\r\n"

    def bad(self, body):
        size = f"{len(body):x}".encode()
        whole = size + b"\r\n" + body + b"\r\n"
        return self.rng.choice((
            b"zz\r\n" + body, b"-1\r\n" + body, b"f" * 17 + b"\r\n" + body, b"\r\n" + body,
            b"f" * 15 + b"\r\n" + body + b"\r\n0\r\n\r\n", size + body, size + b"\n" + body + b"\nq\n",
            size + b";" + b"a" * 200_000, whole + b"0\r\n" + b"a: b\r\n" * 50_000 + b"\r\n",
            size + b"\r\n" + body + b"no line end", b"3e8\r\n{}\r\n0\r\n\r\n" + b" " * 2000,
            (b"100000\r\n" + b" " * (1 << 20) + b"\r\n") * 5 + b"0\r\n\r\n"))


class Pipelining(Attack):
    """Many requests at once, good and bad: answered in their order."""

    def turn(self):
        requests = [self.request() if self.rng.random() < 0.8 else
                    traffic.Request(self.name, b"{", statuses=(400,))
                    for _ in range(self.rng.choice((3, 30, 200)))]
        data = b"".join(request.head() + request.body for request in requests)
        with self.server.stream() as sock:
            self.send(sock, data, self.rng.choice((1, 10)))
            stream = sock.makefile("rb")
            for request in requests:
                answer = read_pipelined(stream)
                self.tally.count(self.name, answer.status)
                traffic.judge(request, answer)


def read_pipelined(stream):
    """The next of several answers on a stream."""
    status = int(stream.readline().split()[1])
    headers = http.client.parse_headers(stream)
    return harness.Answer(status, headers, stream.read(int(headers["Content-Length"])))


class HalfClosed(Attack):
    """A client that says no more, at any place of its request: it counts as gone."""

    def turn(self):
        request = self.request()
        whole = request.head() + request.body
        with self.server.stream() as sock:
            self.send(sock, whole[:self.rng.randrange(len(whole) + 1)])
            sock.shutdown(socket.SHUT_WR)
            self.hear(sock, request, (*REFUSED, 499))


class Resets(Attack):
    """A connection cut off at any place, its answer perhaps under way."""

    def turn(self):
        request = self.request()
        whole = (request.head() + request.body) * self.rng.choice((1, 1, 5))
        sock = self.server.stream()
        self.send(sock, whole[:self.rng.randrange(len(whole) + 1)])
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        sock.close()
        self.tally.count(self.name, None)


class HeaderBombs(Attack):
    """Heads beyond every bound, in one header or in thousands."""

    pause_s = 0.05

    def turn(self):
        request = self.request()
        bomb = self.rng.choice((
            ["x: " + "y" * 20_000], ["x: " + "y" * 2_000_000], ["a: b"] * 100_000,
            [f"h{i}: " for i in range(5_000)], ["x" * 70_000 + ": y"], ["\r\n ".join("y" * 9_000)]))
        self.tell(post(*bomb, f"Content-Length: {len(request.body)}", body=request.body))
        for size in (17_000, 1_000_000):
            self.tell(b"GET /" + b"a" * size + b" HTTP/1.1\r\n\r\n")
        # Just within: served like any other.
        padding = "y" * (16_384 - 200)
        fits = post(f"x: {padding}", f"Content-Length: {len(request.body)}", body=request.body)
        self.tell(fits, request, ())


class JsonBombs(Attack):
    """Bodies that are deep, huge, or say things twice."""

    pause_s = 0.05

    def turn(self):
        digits = "9" * self.rng.choice((30, 5_000, 400_000))
        deep = self.rng.choice((1_100, 100_000, 1_500_000))
        bodies = [
            '{"input":' + "[" * deep + "]" * deep + "}", "[" * deep, '{"a":' * deep,
            f'{{"input": [[{digits}]]}}', '{"input": [[1e999999]]}', '{"input": [[-1]]}',
            f'{{"input": "a", "dimensions": {digits}}}', '{"input": [[1.5]]}', '{"input": [[1e5]]}',
            f'{{"input": "a", "dimensions": 1e-{digits}}}', '{"input": ["\\ud800"]}',
            '{"input": ["' + "\\u0000" * 10 + '\\uzzzz"]}', '{"input": [' + "[]," * 100_000 + "[]]}",
            '{"input": [' + '"a",' * 500_000 + '"a"]}', '{"input": "a"' + " " * 100_000,
            '{"input": "\x01"}', '{"input": nul}', '{"input": "a"} {"input": "a"}']
        body = self.rng.choice(bodies).encode()
        self.tell(post(f"Content-Length: {len(body)}", body=body))
        # Of equal keys the last counts, of unknown ones none.
        request = self.request()
        twice = b'{"input": 7, "x": {"y": [1, {}]}, "input": "other", ' + request.body[1:]
        self.tell(post(f"Content-Length: {len(twice)}", body=twice), request, ())
        self.tell(post(f"Content-Length: {len(json.dumps(digits))}", body=json.dumps(digits).encode()))


class BrokenHandshakes(Attack):
    """Of HTTPS: anything but a handshake, or the begin of one."""

    def turn(self):
        hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
        data = self.rng.choice((b"", hello[:3], hello + self.rng.randbytes(500), self.rng.randbytes(50),
                                b"\x16\x03\x01" + self.rng.randbytes(300),
                                post(line="GET / HTTP/1.1")))
        with self.server.socket() as sock:
            self.send(sock, data)
            sock.shutdown(socket.SHUT_WR)
            try:
                while sock.recv(4096):
                    pass
            except ENDED:
                pass
        self.tally.count(self.name, None)
