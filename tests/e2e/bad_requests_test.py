"""Requests that are wrong: each gets its status and a message that names what is wrong."""

import unittest

import harness

ITEMS_MAX = 8
PAYLOAD_MAX_BYTES = 100_000
TOO_LONG = "a " * 5000

# (body, status, what the message must hold)
OPENAI_CASES = [
    (b"", 400, "JSON"),
    (b"no json", 400, "JSON"),
    (b'{"input": "a"', 400, "JSON"),
    (b'{"input": "a"} trailing', 400, "JSON"),
    (b"[]", 400, "object"),
    (b'"text"', 400, "object"),
    (b'{"input": "\xff\xfe"}', 400, "UTF-8"),
    (b'{"input": "a\xed\xa0\x80"}', 400, "UTF-8"),
    (b'{"input": "x\\udc00y"}', 400, ""),
    (b'{"input": "\\ud800"}', 400, ""),
    (b'{"input": "\\ud800\\u0041"}', 400, ""),
    (b'{"input": "a\x00b"}', 400, ""),
    (b"[" * 100_000, 400, ""),
    (b'{"input": ' + b"[" * 2_000 + b"]" * 2_000 + b"}", 400, ""),
    ({}, 400, "input"),
    ({"input": None}, 400, "input"),
    ({"input": 5}, 400, "input"),
    ({"input": True}, 400, "input"),
    ({"input": {"a": 1}}, 400, "input"),
    ({"input": ["a", 1]}, 400, "input[1]"),
    ({"input": ["a", None]}, 400, "input[1]"),
    ({"input": ["a", ["b"]]}, 400, "input[1]"),
    ({"input": [["a"]]}, 400, "input[0]"),
    ({"input": [1, "a"]}, 400, "input[1]"),
    ({"input": [[1, 2], "a"]}, 400, "input[1]"),
    ({"input": [[1, 2], [3, "a"]]}, 400, "input[1][1]"),
    ({"input": []}, 400, "input"),
    ({"input": ""}, 400, "input"),
    ({"input": ["a", ""]}, 400, "input[1]"),
    ({"input": [[]]}, 400, "input[0]"),
    ({"input": [[1], []]}, 400, "input[1]"),
    ({"input": [-1]}, 400, "input[0]"),
    ({"input": [[1], [2, 99_999_999]]}, 400, "input[1][1]"),
    ({"input": [[2**31]]}, 400, "input[0][0]"),
    ({"input": [[2**64]]}, 400, "64 bits"),
    ({"input": [[1.5]]}, 400, "input[0][0]"),
    ({"input": ["a"] * (ITEMS_MAX + 1)}, 400, str(ITEMS_MAX)),
    ({"input": ["a", TOO_LONG]}, 400, "input[1]"),
    ({"input": "a", "encoding_format": "int3"}, 400, "encoding_format"),
    ({"input": "a", "encoding_format": 5}, 400, "encoding_format"),
    ({"input": "a", "dimensions": 0}, 400, "dimensions"),
    ({"input": "a", "dimensions": -1}, 400, "dimensions"),
    ({"input": "a", "dimensions": 1_000_000}, 400, "dimensions"),
    ({"input": "a", "dimensions": 99_999_999_999}, 400, "dimensions"),
    ({"input": "a", "dimensions": 1.5}, 400, "dimensions"),
    ({"input": "a", "dimensions": "256"}, 400, "dimensions"),
    ({"input": "a", "output_dtype": "int4"}, 400, "output_dtype"),
    ({"input": "a", "output_dtype": "int8"}, 400, "--int8-ranges"),
    ({"input": "a", "output_dtype": "ubinary", "dimensions": 9}, 400, "dimensions"),
    ({"input": "a", "outputs": ["scores"]}, 400, "outputs[0]"),
    ({"input": "a", "outputs": ["sparse"]}, 400, "dense"),
    ({"input": "a", "prompt_name": "none such"}, 400, "prompt_name"),
    ({"input": [1], "prompt": "p"}, 400, "input"),
    ({"input": "a", "model": 5}, 400, "model"),
    ({"input": "a", "model": "other"}, 404, "small"),
]

TEI_CASES = [
    (b"no json", 400, "JSON"),
    ({}, 422, "inputs"),
    ({"inputs": []}, 400, "inputs"),
    ({"inputs": ["a", ""]}, 400, "inputs[1]"),
    ({"inputs": ["a", 1]}, 422, "inputs[1]"),
    ({"inputs": ["a"] * (ITEMS_MAX + 1)}, 422, str(ITEMS_MAX)),
    ({"inputs": ["a", TOO_LONG]}, 422, "inputs[1]"),
    ({"inputs": "a", "truncate": "yes"}, 422, "truncate"),
    ({"inputs": "a", "normalize": 1}, 422, "normalize"),
    ({"inputs": "a", "truncation_direction": "up"}, 422, "truncation_direction"),
    ({"inputs": "a", "prompt_name": "none such"}, 422, "prompt_name"),
    ({"inputs": "a", "dimensions": 0}, 422, "dimensions"),
]

# What an embedding model of dense vectors answers elsewhere: (path, body, status, in the message).
OTHER_CASES = [
    ("/rerank", {"query": "q", "texts": ["a"]}, 424, "it is an embedding model"),
    ("/v1/rerank", {"query": "q", "documents": ["a"]}, 400, "it is an embedding model"),
    ("/predict", {"inputs": "a"}, 424, "it is an embedding model"),
    ("/embed_sparse", {"inputs": "a"}, 424, "no sparse output"),
    ("/similarity", {"inputs": {"source_sentence": "a"}}, 422, "inputs.sentences"),
    ("/tokenize", {"inputs": ["a", 5]}, 422, "inputs[1]"),
    ("/tokenize", {"messages": []}, 422, "messages"),
    ("/decode", {"ids": [[1], [-1]]}, 422, "ids[1][0]"),
    ("/detokenize", {"tokens": []}, 400, "tokens"),
]


def message_of(answer):
    """The message of either shape of error body."""
    error = answer.json()["error"]
    return error["message"] if isinstance(error, dict) else error


class BadRequestsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(harness.Server(
            harness.BERT_MEAN, "--served-model-name", "small", "--auto-truncate", "false",
            "--max-client-batch-size", ITEMS_MAX, "--payload-limit", PAYLOAD_MAX_BYTES + 1000))

    def expect(self, path, body, status, named):
        with self.subTest(path=path, body=repr(body)[:80]):
            answer = self.server.post(path, body)
            self.assertEqual(answer.status, status, answer.body[:300])
            self.assertEqual(answer.headers.get_content_type(), "application/json")
            message = message_of(answer)
            self.assertIn(named, message)
            self.assertNotIn("\n", message)
            message.encode("utf-8")

    def test_openai(self):
        for body, status, named in OPENAI_CASES:
            self.expect("/v1/embeddings", body, status, named)

    def test_tei(self):
        for body, status, named in TEI_CASES:
            self.expect("/embed", body, status, named)

    def test_other_routes(self):
        for path, body, status, named in OTHER_CASES:
            self.expect(path, body, status, named)

    def test_openai_error_shape(self):
        error = self.server.post("/v1/embeddings", {"input": []}).json()["error"]
        self.assertEqual(set(error), {"message", "type", "param", "code"})
        self.assertEqual(error["type"], "invalid_request_error")
        self.assertEqual(error["param"], "input")

    def test_tei_error_shape(self):
        self.assertEqual(set(self.server.post("/embed", {"inputs": []}).json()),
                         {"error", "error_type"})

    def test_too_long_a_text_is_cut_where_the_request_asks_for_it(self):
        answer = self.server.post("/embed", {"inputs": TOO_LONG, "truncate": True})
        self.assertEqual(answer.status, 200)

    def test_bug55_payload_limit(self):
        at_limit = b'{"input": "a"' + b" " * (PAYLOAD_MAX_BYTES + 1000 - 14) + b"}"
        self.assertEqual(self.server.post("/v1/embeddings", at_limit).status, 200)
        for path in ("/v1/embeddings", "/embed"):
            answer = self.server.post(path, at_limit + b" ")
            self.assertEqual(answer.status, 413)
            self.assertIn(str(PAYLOAD_MAX_BYTES + 1000), message_of(answer))

    def test_routes_and_methods(self):
        self.assertEqual(self.server.get("/nowhere").status, 404)
        wrong_method = self.server.get("/v1/embeddings")
        self.assertEqual(wrong_method.status, 405)
        self.assertIn("POST", wrong_method.headers["Allow"])
        self.assertEqual(self.server.post("/health", b"").status, 405)

    def test_odd_but_right(self):
        for body in (b'{"input": "a\\u0000b"}', b'{"input": " "}', b'{"input": "\\ud83d\\udc4d"}',
                     b'{"input": "a", "unknown": [1, {"deep": null}]}',
                     b'{"input": "a", "dimensions": null, "encoding_format": null, "user": null}'):
            with self.subTest(body):
                self.assertEqual(self.server.post("/v1/embeddings", body).status, 200)

    def test_it_still_serves(self):
        self.assertEqual(len(self.server.embed(["a"])), 1)


if __name__ == "__main__":
    harness.main()
