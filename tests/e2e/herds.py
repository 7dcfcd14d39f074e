"""Many connections at once that do nothing, or too little: the server ends each in its time."""

import selectors
import socket

from attacks import REFUSED, Attack, post


class Herd(Attack):
    """So many connections, each replaced when the server has ended it."""

    size = 50
    opened_at_once = 100
    pause_s = 0.1

    def __init__(self, *args):
        super().__init__(*args)
        self.selector = selectors.DefaultSelector()
        self.members = 0

    def turn(self):
        for _ in range(min(self.opened_at_once, self.size - self.members)):
            sock = self.server.stream()
            self.selector.register(sock, selectors.EVENT_READ)
            self.members += 1
            self.begin(sock)
        for key in list(self.selector.get_map().values()):
            self.poke(key.fileobj)
        while ended := self.selector.select(0):
            for key, _ in ended:
                # An answer, then the end; or the end.
                self.hear(key.fileobj, None, self.endings())
                self.drop(key.fileobj)

    def endings(self):
        return REFUSED

    def begin(self, sock):
        pass

    def poke(self, sock):
        pass

    def drop(self, sock):
        self.selector.unregister(sock)
        sock.close()
        self.members -= 1

    def end(self):
        for key in list(self.selector.get_map().values()):
            self.drop(key.fileobj)


class IdleConnections(Herd):
    """Closed after --idle-timeout-ms, without a word."""

    def endings(self):
        return (None,)


class SlowHeads(Herd):
    """Slow-loris: a byte now and then. Ended after --header-timeout-ms."""

    def endings(self):
        return (408, None)

    def begin(self, sock):
        self.send(sock, b"GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: ")

    def poke(self, sock):
        self.send(sock, b"y")


class SlowBodies(SlowHeads):
    """The same of a body, with a length or in chunks: --body-timeout-ms."""

    def begin(self, sock):
        self.send(sock, self.rng.choice((post("Transfer-Encoding: chunked", body=b"ffff\r\n"),
                                         post("Content-Length: 100000"))))

    def poke(self, sock):
        self.send(sock, b" ")


class SlowReaders(Attack):
    """Ask for much and read none of it: cut off after --write-timeout-ms. Their sockets stay here
    until the test has seen that the server has none left."""

    size = 20
    pause_s = 0.2
    BODY = b'{"input": [' + b"[7]," * 1999 + b"[7]]}"

    def __init__(self, *args):
        super().__init__(*args)
        self.sockets = []

    def turn(self):
        if len(self.sockets) == self.size:
            return
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.connect(("127.0.0.1", self.server.port))
        # More than the buffers of both ends hold.
        for _ in range(4):
            self.send(sock, post(f"Content-Length: {len(self.BODY)}", body=self.BODY))
        self.sockets.append(sock)
        self.tally.count(self.name, None)

    def let_go(self):
        for sock in self.sockets:
            sock.close()
