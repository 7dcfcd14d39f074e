"""10,000 requests from 64 kept-alive connections: each answer right, and no growth once it is warm.

The long one, over replicas that come and go, is `make soak`: soak.py.
"""

import collections
import random
import threading
import unittest

import harness
import traffic

CONNECTIONS = 64
REQUESTS = 10_000
WARM_AFTER = 2_000
ITEMS_MAX = 2048
# What allocators keep back and return as it pleases them; a leak of 1 kB a request would be 8 MB.
GROWTH_MAX_BYTES = 4 << 20


class SoakTest(unittest.TestCase):
    def setUp(self):
        self.lock = threading.Lock()
        self.faults = []
        self.served = 0
        self.warm_bytes = 0

    def make_requests(self, corpus):
        rng = random.Random(1)
        requests = [traffic.batch("batch", corpus, corpus.draw_short(rng, count))
                    for count in (1, 1, 2, 16)]
        requests += [traffic.batch("query", corpus, corpus.draw(rng, 1)) for _ in range(20)]
        return requests + [traffic.malformed(rng, ITEMS_MAX) for _ in range(4)]

    def client(self, server, requests):
        connection = server.connect()
        try:
            while not self.faults:
                request = requests[self.left.popleft() % len(requests)]
                answer = harness.ask(connection, request.method, request.path, request.body,
                                     request.headers)
                outcome = traffic.judge(request, answer)
                self.assertEqual(outcome, "refused" if request.statuses else "answered")
                self.count(server)
        except IndexError:
            pass  # None is left.
        except Exception as fault:  # Told by the test's own thread.
            self.faults.append(repr(fault))
        connection.close()

    def count(self, server):
        with self.lock:
            self.served += 1
            if self.served == WARM_AFTER:
                self.warm_bytes = server.rss_bytes()

    def test_soak(self):
        with harness.Server() as server:
            corpus = traffic.Corpus()
            corpus.record(server)
            requests = self.make_requests(corpus)
            self.left = collections.deque(range(REQUESTS))
            clients = [threading.Thread(target=self.client, args=(server, requests))
                       for _ in range(CONNECTIONS)]
            for thread in clients:
                thread.start()
            for thread in clients:
                thread.join()
            grown_bytes = server.rss_bytes() - self.warm_bytes
            print(f"{self.served} requests; {self.warm_bytes >> 10} KiB when warm, "
                  f"{grown_bytes / 1024:+.0f} KiB since")
        self.assertEqual(self.faults, [])
        self.assertEqual(self.served, REQUESTS)
        self.assertLess(grown_bytes, GROWTH_MAX_BYTES)


if __name__ == "__main__":
    harness.main()
