"""10,000 requests from 64 kept-alive connections: no error, and no growth once it is warm."""

import collections
import json
import threading
import unittest

import harness

CONNECTIONS = 64
REQUESTS = 10_000
WARM_AFTER = 2_000
# What allocators keep back and return as it pleases them; a leak of 1 kB a request would be 8 MB.
GROWTH_MAX_BYTES = 4 << 20

BODIES = [
    {"input": "a short query"},
    {"input": ["two texts", "of different length, this one being the longer of the two"]},
    {"input": [[11, 12, 13], [14] * 40], "encoding_format": "base64"},
    {"input": "cut", "dimensions": 8},
    {"input": ["many"] * 16},
    {"input": []},
]


class SoakTest(unittest.TestCase):
    def setUp(self):
        self.left = collections.deque(range(REQUESTS))
        self.lock = threading.Lock()
        self.faults = []
        self.served = 0
        self.warm_bytes = 0

    def client(self, server):
        connection = server.connect()
        try:
            while self.left and not self.faults:
                number = self.left.popleft()
                self.ask(connection, BODIES[number % len(BODIES)])
                self.count(server)
        except (OSError, IndexError, AssertionError) as error:
            if not isinstance(error, IndexError):
                self.faults.append(repr(error))
        connection.close()

    def ask(self, connection, body):
        answer = harness.ask(connection, "POST", "/v1/embeddings", json.dumps(body).encode())
        inputs = body["input"]
        if not inputs:
            assert answer.status == 400, answer.status
            return
        assert answer.status == 200, (answer.status, answer.body[:200])
        rows = len(answer.json()["data"])
        assert rows == (1 if isinstance(inputs, str) else len(inputs)), rows

    def count(self, server):
        with self.lock:
            self.served += 1
            if self.served == WARM_AFTER:
                self.warm_bytes = server.rss_bytes()

    def test_soak(self):
        with harness.Server() as server:
            clients = [threading.Thread(target=self.client, args=(server,))
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
