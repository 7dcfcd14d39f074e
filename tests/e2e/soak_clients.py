"""The clients of a soak: each asks again and again, at a pace of its own, in a way of its own."""

import collections
import http.client
import random
import socket
import struct
import threading
import time

import harness
import traffic
from traffic import Fault

# Requests of a connection that is kept alive, before the next.
REQUESTS_PER_CONNECTION = 200
BURST = 6


class Tally:
    """What all clients have seen. Any thread."""

    def __init__(self):
        self.over = threading.Event()
        self.counts = collections.Counter()                # Of (kind, outcome).
        self.latencies_s = collections.defaultdict(list)   # Of a kind, where it was answered.
        self.items = 0
        self.faults = []
        self._lock = threading.Lock()

    def add(self, request, outcome, latency_s=None):
        with self._lock:
            self.counts[request.kind, outcome] += 1
            if outcome == "answered":
                self.latencies_s[request.kind].append(latency_s)
                self.items += len(request.vectors)

    def fail(self, client, fault):
        with self._lock:
            self.faults.append(f"{time.strftime('%H:%M:%S')} {client}: {fault!r}")


class Client(threading.Thread):
    """Waits, asks, judges, until it is over or something is wrong."""

    def __init__(self, server, corpus, tally, pause_s, seed):
        super().__init__(name=type(self).__name__, daemon=True)
        self.server = server
        self.corpus = corpus
        self.tally = tally
        self.pause_s = pause_s
        self.rng = random.Random(seed)

    def run(self):
        try:
            while not self.tally.over.wait(self.rng.expovariate(1 / self.pause_s)):
                self.turn()
        except (OSError, http.client.HTTPException, Fault, ValueError, KeyError) as fault:
            self.tally.fail(self.name, fault)

    def ask(self, connection, request):
        begin = time.monotonic()
        answer = harness.ask(connection, request.method, request.path, request.body,
                             request.headers)
        latency_s = time.monotonic() - begin
        self.tally.add(request, traffic.judge(request, answer), latency_s)

    def turn(self):
        raise NotImplementedError


class KeptAlive(Client):
    """One connection for many requests, each of which may be of any kind that fits."""

    connection = None
    left = 0

    def turn(self):
        if self.left == 0:
            if self.connection is not None:
                self.connection.close()
            self.connection = self.server.connect()
            self.left = REQUESTS_PER_CONNECTION
        self.left -= 1
        self.ask(self.connection, self.draw())

    def run(self):
        super().run()
        if self.connection is not None:
            self.connection.close()


class Queries(KeptAlive):
    def draw(self):
        return traffic.batch("query", self.corpus, self.corpus.draw(self.rng, 1))


class Batches(KeptAlive):
    def draw(self):
        count = self.rng.choice((2, 8, 32, 100, 200))
        return traffic.batch(f"batch of {count}", self.corpus, self.corpus.draw(self.rng, count))


class Bulk(Client):
    """Thousands of items, a connection for each."""

    items_max = 0

    def turn(self):
        count = self.rng.randrange(1000, self.items_max)
        request = traffic.batch("bulk of 1,000 to 4,096", self.corpus,
                                self.corpus.draw_short(self.rng, count))
        connection = self.server.connect()
        self.ask(connection, request)
        connection.close()


class Burst(Client):
    """Several at once, more items together than the server takes: some of them are put off."""

    items_max = 0

    def turn(self):
        request = traffic.batch(f"burst of {BURST} at once", self.corpus,
                                self.corpus.draw_short(self.rng, self.items_max // 2))
        connections = [self.server.connect() for _ in range(BURST)]
        begin = time.monotonic()
        for connection in connections:
            connection.request(request.method, request.path, request.body)
        for connection in connections:
            response = connection.getresponse()
            answer = harness.Answer(response.status, response.headers, response.read())
            self.tally.add(request, traffic.judge(request, answer), time.monotonic() - begin)
            connection.close()


class Malformed(KeptAlive):
    items_max = 0

    def draw(self):
        return traffic.malformed(self.rng, self.items_max)


class Leaving(Client):
    """Goes away: while it sends, or while it waits; in order, or by a reset."""

    def turn(self):
        count = self.rng.choice((1, 50, 1000))
        request = traffic.batch("left by its client", self.corpus,
                                self.corpus.draw_short(self.rng, count))
        message = request.head() + request.body
        sent = self.rng.choice((len(message), self.rng.randrange(1, len(message))))
        with self.server.socket() as sock:
            sock.sendall(message[:sent])
            time.sleep(self.rng.choice((0, 0.005, 0.05)))
            if self.rng.random() < 0.5:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.tally.add(request, "left")


class Idlers(Client):
    """Holds connections that say nothing for a while."""

    def turn(self):
        sockets = [self.server.socket() for _ in range(8)]
        self.tally.over.wait(self.pause_s)
        for sock in sockets:
            sock.close()


def make(server, corpus, items_max, pace, tally):
    """All of them; `pace` is a factor on how often they ask."""
    pauses_s = ((Queries, 0.15), (Queries, 0.15), (Queries, 0.15), (Batches, 0.5), (Batches, 0.5),
                (Bulk, 4), (Burst, 20), (Malformed, 0.3), (Leaving, 0.3), (Idlers, 10))
    clients = []
    for seed, (kind, pause_s) in enumerate(pauses_s):
        client = kind(server, corpus, tally, pause_s / pace, seed)
        if hasattr(client, "items_max"):
            client.items_max = items_max
        clients.append(client)
    return clients
