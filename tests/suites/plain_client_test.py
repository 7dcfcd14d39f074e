"""The plain client asks what it says, counts what it gets, takes no wrong answer for a fast one."""

import base64
import contextlib
import http.server
import json
import threading
import unittest

import plain_client


class Server:
    """Answers /v1/embeddings with `status` and as many rows as inputs, less `missing`."""

    def __init__(self, status=200, missing=0):
        self.bodies = []
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # Head and body are written apart.

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                owner.bodies.append((self.path, body))
                row = {"embedding": base64.b64encode(b"\0\0\0\0").decode()}
                answer = json.dumps({"data": [row] * (len(body["input"]) - missing)}).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


class PlainClientTest(unittest.TestCase):
    def test_sends_ids_of_the_shape_and_counts_the_answers(self):
        with Server() as server:
            load = plain_client.Load(server.url, 2, 3, 5, 8, vocabulary=100)
            found = plain_client.measure(load)
        self.assertEqual(found["requests"], 8)
        self.assertEqual(len(server.bodies), 8 + 2 * plain_client.WARMUP)
        self.assertGreater(found["inputs_per_s"], 0)
        self.assertTrue(0 < found["p50"] <= found["p90"] <= found["p99"] <= found["max"])
        for path, body in server.bodies:
            self.assertEqual((path, body["encoding_format"]), ("/v1/embeddings", "base64"))
            self.assertEqual([len(ids) for ids in body["input"]], [5, 5, 5])
            self.assertTrue(all(10 <= one < 100 for ids in body["input"] for one in ids))

    def test_a_wrong_answer_ends_it(self):
        for wrong in ({"status": 500}, {"missing": 1}):
            with Server(**wrong) as server, self.assertRaises(SystemExit):
                with contextlib.redirect_stderr(None):
                    plain_client.measure(plain_client.Load(server.url, 2, 3, 5, 4, vocabulary=100))

    def test_nobody_there_ends_it(self):
        with Server() as server:
            pass
        with self.assertRaises(SystemExit):
            plain_client.measure(plain_client.Load(server.url, 2, 1, 5, 4))

    def test_nearest_rank(self):
        values = [float(i) for i in range(1, 11)]
        self.assertEqual([plain_client.rank(values, share) for share in (0.5, 0.9, 0.99, 0.01)],
                         [5.0, 9.0, 10.0, 1.0])


if __name__ == "__main__":
    unittest.main()
