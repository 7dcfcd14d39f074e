"""1,000 clients at once against a queue of a few thousand tokens."""

import json
import resource
import selectors
import time
import unittest

import harness
from ivy_tulip_test import SMALL, ivy_over

CLIENTS = 1000
ROUNDS = 3
QUEUE_TOKENS = 4000
# From the first round to the last; allocators come to rest some 8 MiB above the first.
GROWTH_MAX_BYTES = 16 << 20
IDS = [[11 + i % 7] * 200 for i in range(CLIENTS)]


class OverloadTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """A socket for each client here, and one in the server."""
        files, most = CLIENTS + 200, resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        if most != resource.RLIM_INFINITY and most < files:
            harness.skip_program(f"no more than {most} open files are allowed")
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, most))

    def test_bug62_some_are_answered_and_the_rest_put_off_at_once(self):
        bound = ("--max-queue-tokens", QUEUE_TOKENS)
        with harness.Tulip(harness.BERT_MEAN, *SMALL, *bound) as tulip, ivy_over(tulip) as ivy:
            self.expected = [ivy.embed([ids], encoding_format="base64")[0] for ids in IDS[:7]]
            sockets = [ivy.socket() for _ in range(CLIENTS)]
            rss_bytes = []
            put_off = 0
            for _ in range(ROUNDS):
                put_off += self.judge(self.ask_all(sockets))
                rss_bytes.append([ivy.rss_bytes(), tulip.rss_bytes()])
            for sock in sockets:
                sock.close()
            if harness.memory_tells():
                for first, last in zip(rss_bytes[0], rss_bytes[-1]):
                    self.assertLess(last - first, GROWTH_MAX_BYTES)
            self.tell_server_times(harness.Metrics(ivy), put_off)
            self.assertEqual(harness.Metrics(tulip).total("parterre_queue_tokens"), 0)
            self.assertEqual(harness.Metrics(ivy).total("parterre_inputs_in_flight"), 0)
            # Now there is room.
            self.assertEqual(ivy.embed([IDS[0]], encoding_format="base64"), self.expected[:1])

    def ask_all(self, sockets):
        """[(answer, seconds)] of one request on each."""
        selector = selectors.DefaultSelector()
        begin = {}
        for i, sock in enumerate(sockets):
            body = json.dumps({"input": [IDS[i]], "encoding_format": "base64"}).encode()
            begin[i] = time.monotonic()
            sock.sendall(b"POST /v1/embeddings HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%b"
                         % (len(body), body))
            selector.register(sock, selectors.EVENT_READ, i)
        answers = [None] * len(sockets)
        while selector.get_map():
            ready = selector.select(harness.PATIENCE_S)
            self.assertTrue(ready, "some are never answered")
            for key, _ in ready:
                answer = harness.read_answer(key.fileobj)
                answers[key.data] = (answer, time.monotonic() - begin[key.data])
                selector.unregister(key.fileobj)
        return answers

    def judge(self, answers):
        seconds = {200: [], 429: []}
        for i, (answer, s) in enumerate(answers):
            self.assertIn(answer.status, seconds, answer.body)
            seconds[answer.status].append(s)
            if answer.status == 200:
                self.assertEqual(answer.json()["data"][0]["embedding"], self.expected[i % 7])
            else:
                self.assertGreaterEqual(int(answer.headers["Retry-After"]), 1)
        self.assertGreaterEqual(len(seconds[200]), QUEUE_TOKENS // len(IDS[0]))
        self.assertGreater(len(seconds[429]), 0)
        for status, times in seconds.items():
            times.sort()
            middle, late = (1000 * times[int(share * (len(times) - 1))] for share in (0.5, 0.99))
            print(f"{status}, at the client: {len(times)}, p50 {middle:.0f} ms, p99 {late:.0f} ms")
        return len(seconds[429])

    def tell_server_times(self, metrics, put_off):
        """What the clients, which share the machine with the server, cannot see. No answer of the
        model comes sooner than one that puts off: so many of the shortest times are theirs."""
        within = metrics.by_label("parterre_request_duration_seconds_bucket", "le",
                                  'route="/v1/embeddings"')
        for share in (0.5, 0.99):
            bound = min(float(le) for le, count in within.items() if count >= share * put_off)
            print(f"429, from its head to its answer in the server: {share:.0%} of {put_off} within "
                  f"{1000 * bound:.2f} ms")


if __name__ == "__main__":
    harness.main()
