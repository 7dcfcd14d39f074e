"""A small model through /v1/embeddings and /embed: values, order, encodings, dimensions, usage."""

import json
import math
import unittest

import harness


class EmbeddingsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(harness.Server(harness.BERT_MEAN, "--dtype", "float32"))
        suite = json.loads((harness.BERT_MEAN / "cases.json").read_text("utf-8"))
        cls.tokenize = suite["tokenize"]
        cls.inputs = suite["inputs"]
        cls.dimension = json.loads((harness.BERT_MEAN / "config.json").read_text())["hidden_size"]

    def post(self, body, path="/v1/embeddings"):
        answer = self.server.post(path, body)
        self.assertEqual(answer.status, 200, answer.body[:500])
        return answer.json()

    def test_shape(self):
        answer = self.post({"input": ["a", "b"], "model": "any", "user": "someone"})
        self.assertEqual(answer["object"], "list")
        self.assertEqual([row["object"] for row in answer["data"]], ["embedding"] * 2)
        self.assertEqual([row["index"] for row in answer["data"]], [0, 1])
        self.assertIsInstance(answer["model"], str)
        self.assertEqual(answer["usage"], {"prompt_tokens": 6, "total_tokens": 6})

    def test_texts_and_ids_give_the_same(self):
        texts = [c for c in self.inputs if c.get("text") and not c.get("prompt")]
        self.assertGreater(len(texts), 3)
        by_text = self.server.embed([c["text"] for c in texts])
        by_ids = self.server.embed([c["input_ids"] for c in texts])
        for case, a, b in zip(texts, by_text, by_ids):
            with self.subTest(case["name"]):
                self.assertGreaterEqual(harness.cosine(a, b), 0.999999)

    def test_alone_as_in_company(self):
        words = ("rose", "ivy", "moss", "fern")
        texts = [f"{word} " * count for count, word in enumerate(words, 1)]
        together = self.server.embed(texts)
        for text, vector in zip(texts, together):
            alone = self.server.embed([text])[0]
            self.assertGreaterEqual(harness.cosine(alone, vector), 0.999999)

    def test_input_forms(self):
        one = self.server.embed(["a"])[0]
        ids = self.post({"input": "a"})["usage"]["prompt_tokens"]
        self.assertEqual(ids, 3)
        for form in ("a", ["a"]):
            self.assertEqual(self.post({"input": form})["data"][0]["embedding"], one)
        flat = self.post({"input": [1, 2, 3]})["data"]
        nested = self.post({"input": [[1, 2, 3]]})["data"]
        self.assertEqual(flat, nested)
        self.assertEqual(len(self.post({"input": [[1, 2, 3], [4]]})["data"]), 2)
        self.assertEqual(len(self.post({"input": [7]})["data"]), 1)

    def test_bug47_base64_holds_the_same_floats(self):
        text = "the same floats"
        rows = self.post({"input": text, "encoding_format": "float"})["data"]
        packed = self.post({"input": text, "encoding_format": "base64"})["data"]
        values = harness.from_base64(packed[0]["embedding"])
        self.assertEqual(len(values), self.dimension)
        for a, b in zip(rows[0]["embedding"], values):
            self.assertAlmostEqual(a, b, delta=1e-7)

    def test_bug53_dimensions_cut_then_normalise(self):
        full = self.server.embed(["a text"])[0]
        for dimensions in (1, 5, self.dimension):
            cut = self.server.embed(["a text"], dimensions=dimensions)[0]
            norm = math.sqrt(harness.dot(full[:dimensions], full[:dimensions]))
            self.assertEqual(len(cut), dimensions)
            for a, b in zip(cut, full):
                self.assertAlmostEqual(a, b / norm, delta=1e-6)

    def test_bug28_order_of_many(self):
        texts = [f"text number {i}" + " and more" * (i * 7 % 23) for i in range(300)]
        together = self.server.embed(texts)
        for i in (0, 1, 57, 150, 298, 299):
            alone = self.server.embed([texts[i]])[0]
            self.assertGreaterEqual(harness.cosine(alone, together[i]), 0.999999, i)

    def test_tei_embed(self):
        rows = self.post({"inputs": ["a", "b"]}, "/embed")
        self.assertEqual(len(rows), 2)
        self.assertEqual(self.post({"inputs": "a"}, "/embed"), rows[:1])
        for a, b in zip(rows[0], self.server.embed(["a"])[0]):
            self.assertAlmostEqual(a, b, delta=1e-6)
        raw = self.post({"inputs": "a", "normalize": False}, "/embed")[0]
        self.assertGreaterEqual(harness.cosine(raw, rows[0]), 0.999999)
        self.assertNotAlmostEqual(harness.dot(raw, raw), 1.0, 3)

    def test_truncation(self):
        limit = self.server.get("/info").json()["max_input_length"]
        answer = self.post({"input": "a " * (limit + 50)})
        self.assertEqual(answer["usage"]["prompt_tokens"], limit)
        same = self.post({"input": "a " * (limit - 2)})
        self.assertEqual(answer["data"], same["data"])

    def test_bug13_tokens_and_back(self):
        for case in self.tokenize:
            if "pair" in case or "max_length" in case or not case["text"]:
                continue
            with self.subTest(case["name"]):
                tokens = self.post({"inputs": case["text"]}, "/tokenize")[0]
                self.assertEqual([token["id"] for token in tokens], case["ids"])
                for token in tokens:
                    if not token["special"]:
                        self.assertEqual(token["text"], case["text"][token["start"]:token["stop"]])
                ids = self.post({"prompt": case["text"]}, "/tokenize")["tokens"]
                self.assertEqual(ids, case["ids"])
        text = self.post({"ids": [101, 192, 102]}, "/decode")
        self.assertEqual(self.post({"tokens": [192]}, "/detokenize"), {"prompt": text[0]})

    def test_similarity(self):
        sentences = ["a rose", "an ivy"]
        cosines = self.post({"inputs": {"source_sentence": "a rose", "sentences": sentences}},
                            "/similarity")
        rows = self.server.embed(sentences)
        for cosine, row in zip(cosines, rows, strict=True):
            self.assertAlmostEqual(cosine, harness.dot(rows[0], row), delta=1e-5)

    def test_packed_bits(self):
        floats = self.server.embed(["a text"])[0]
        bits = self.post({"input": "a text", "output_dtype": "ubinary"})["data"][0]["embedding"]
        self.assertEqual([bits[i // 8] >> (7 - i % 8) & 1 for i in range(self.dimension)],
                         [int(value > 0) for value in floats])

    def test_metrics_and_models(self):
        self.server.embed(["counted"])
        metrics = self.server.get("/metrics")
        self.assertEqual(metrics.status, 200)
        self.assertIn("# TYPE", metrics.body.decode())
        models = self.server.get("/v1/models").json()
        self.assertEqual(models["object"], "list")
        self.assertEqual([m["object"] for m in models["data"]], ["model"])


if __name__ == "__main__":
    harness.main()
