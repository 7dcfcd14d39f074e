"""Texts that public bug reports say break other servers, through the whole of ours, by the number
that docs/bugs.md lists them under. What one layer shows alone is tested beside that layer."""

import base64
import json
import threading
import unittest

import harness

EMBEDDING_MODELS = ("bert-mean", "xlm-roberta", "qwen3-embedding")
BLANKS = ("", " ", "\n", "\u200b")
LONE_SURROGATES = (r'"\ud800"', r'"x\udc00y"', r'"\udc4d\ud83d"')

# Where a text stands in a request; `%s` is the text as JSON.
ROUTES_OF_VECTORS = (
    ("/v1/embeddings", '{"input": ["a", %s]}'),
    ("/embed", '{"inputs": %s}'),
    ("/embed_sparse", '{"inputs": [%s]}'),
    ("/embed_all", '{"inputs": [%s]}'),
    ("/similarity", '{"inputs": {"source_sentence": %s, "sentences": ["a"]}}'),
    ("/similarity", '{"inputs": {"source_sentence": "a", "sentences": ["b", %s]}}'),
    ("/invocations", '{"inputs": %s}'),
    ("/tokenize", '{"inputs": [%s]}'),
    ("/tokenize", '{"prompt": %s}'),
    ("/embed", '{"inputs": "a", "prompt": %s}'),
)
ROUTES_OF_SCORES = (
    ("/rerank", '{"query": "q", "texts": ["a", %s]}'),
    ("/rerank", '{"query": %s, "texts": ["a"]}'),
    ("/v1/rerank", '{"query": "q", "documents": [{"text": %s}]}'),
    ("/v2/rerank", '{"query": "q", "documents": [%s]}'),
    ("/predict", '{"inputs": [["a", %s]]}'),
)


def serve(name, *flags):
    """By default with a curve of small steps: what is measured here is not how fast it starts."""
    return harness.Server(harness.DATA / "models" / name, "--dtype", "float32", "--workers", 1,
                          *(flags or ("--max-batch-tokens", 512)))


class TextsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.servers = {name: cls.enterClassContext(serve(name))
                       for name in (*EMBEDDING_MODELS, "bert-reranker")}

    def each(self):
        return [(name, self.servers[name]) for name in EMBEDDING_MODELS]

    def post(self, server, path, body):
        answer = server.post(path, body)
        self.assertEqual(answer.status, 200, answer.body[:300])
        return answer.json()

    def ids(self, server, text):
        return [token["id"] for token in self.post(server, "/tokenize", {"inputs": text})[0]]

    def test_bug06_nul_is_text(self):
        for name, server in self.each():
            with self.subTest(name):
                whole, = server.embed(["hello\0world"])
                self.assertNotEqual(server.embed(["hello"]), [whole], "what follows the NUL counts")
                self.assertEqual(server.embed([self.ids(server, "hello\0world")]), [whole])

    def test_bug14_lone_surrogates_on_every_route(self):
        for name, routes in (("xlm-roberta", ROUTES_OF_VECTORS),
                             ("bert-reranker", ROUTES_OF_SCORES)):
            server = self.servers[name]
            for path, body in routes:
                for lone in LONE_SURROGATES:
                    with self.subTest(path=path, body=body, lone=lone):
                        answer = server.post(path, (body % lone).encode())
                        self.assertEqual(answer.status, 400, answer.body[:300])
                        self.assertIn("lone surrogate", answer.body.decode("utf-8"))
                with self.subTest(path=path, body=body):
                    escaped = self.post(server, path, (body % r'"\ud83d\udc4d"').encode())
                    raw = self.post(server, path, (body % '"\U0001F44D"').encode())
                    for answer in (escaped, raw):
                        if isinstance(answer, dict):
                            answer.pop("id", None)  # Of /v1/rerank: drawn at random.
                    self.assertEqual(escaped, raw)

    def test_bug22_the_end_token_is_always_there(self):
        """Whatever the text, and however it is cut."""
        server = self.servers["qwen3-embedding"]
        end = self.ids(server, "test")[-1]
        for text in (" ", "a", "a " * 50, "\n\n", "test <|im_end|>"):
            self.assertEqual(self.ids(server, text)[-1], end)
        text = "some words of a text that goes on"
        ids = self.ids(server, text)
        for most in range(2, len(ids) + 1):
            cut = self.post(server, "/v1/embeddings",
                            {"input": text, "truncate_prompt_tokens": most})["data"][0]["embedding"]
            self.assertEqual(server.embed([ids[:most - 1] + [end]]), [cut], most)

    def test_bug23_outer_blanks_are_kept(self):
        """They are tokens of Qwen3, and nothing to BERT and XLM-R."""
        for name, server in self.each():
            with self.subTest(name):
                plain, blanks = server.embed(["a text"]), server.embed(["\n\n  a text \n"])
                if name == "qwen3-embedding":
                    self.assertNotEqual(plain, blanks)
                else:
                    self.assertEqual(plain, blanks)

    def test_bug28_rows_are_those_of_their_inputs(self):
        for name, server in self.each():
            with self.subTest(name):
                texts = [letter + " a b c" * (i % 3) for i, letter in enumerate("defghijklm")]
                texts += texts[3:6]
                rows = server.embed(texts)
                for i, text in enumerate(texts):
                    self.assertGreaterEqual(harness.dot(rows[i], server.embed([text])[0]), 0.999999)
                    self.assertAlmostEqual(harness.dot(rows[i], rows[i]), 1, delta=1e-5)
                for i in range(10):
                    for j in range(i):
                        self.assertLess(harness.dot(rows[i], rows[j]), 0.999999, (i, j))
                for i in (3, 4, 5):
                    self.assertGreaterEqual(harness.dot(rows[i], rows[7 + i]), 0.999999)

    def test_bug50_blank_texts_have_one_answer(self):
        """However often they come and in whatever company: refused with the place, or a vector."""
        for name, server in self.each():
            with self.subTest(name):
                for blank in BLANKS:
                    first = server.post("/v1/embeddings", {"input": blank})
                    again = server.post("/v1/embeddings", {"input": blank})
                    self.assertEqual((first.status, first.body), (again.status, again.body))
                    mixed = server.post("/v1/embeddings", {"input": ["a", blank, "b", blank]})
                    self.assertEqual(mixed.status, first.status, blank)
                    if first.status == 400:
                        self.assertIn("input[1]", mixed.json()["error"]["message"])
                        continue
                    vector = first.json()["data"][0]["embedding"]
                    self.assertAlmostEqual(harness.dot(vector, vector), 1, delta=1e-5)
                    for i in (1, 3):
                        row = mixed.json()["data"][i]["embedding"]
                        self.assertGreaterEqual(harness.dot(row, vector), 0.999999)

    def test_bug31_ten_thousand_times_one_word(self):
        for name, server in self.each():
            with self.subTest(name):
                limit = server.get("/info").json()["max_input_length"]
                vector, = server.embed(["trust " * 10_000], truncate_prompt_tokens=min(limit, 2000))
                self.assertAlmostEqual(harness.dot(vector, vector), 1, delta=1e-5)

    def test_bug54_packed_bits_count_components(self):
        server = self.servers["xlm-roberta"]  # Of 128 components.
        for dimensions, packed_bytes in ((8, 1), (64, 8), (128, 16)):
            answer = self.post(server, "/v1/embeddings", {
                "input": "a", "output_dtype": "ubinary", "encoding_format": "base64",
                "dimensions": dimensions})
            self.assertEqual(len(base64.b64decode(answer["data"][0]["embedding"])), packed_bytes)
        refused = server.post("/v1/embeddings", {"input": "a", "output_dtype": "ubinary",
                                                 "dimensions": 129})
        self.assertEqual(refused.status, 400)
        self.assertIn("from 1 to 128", refused.json()["error"]["message"])


class StateTest(unittest.TestCase):
    def test_bug29_an_answer_does_not_depend_on_those_before(self):
        """The same bits before, between and after other traffic; among it up to rounding."""
        with serve("xlm-roberta") as server:
            text = ["the vector of a text"]
            before = server.embed(text, encoding_format="base64")
            faults = []

            def others(seed):
                try:
                    for i in range(20):
                        texts = [f"{seed} " * (1 + i * 7 % 40), "a", f"text {i}"]
                        server.embed(texts * (1 + i % 5))
                        row, = server.embed(text, encoding_format="base64")
                        if harness.cosine(*map(harness.from_base64, (row, before[0]))) < 0.999999:
                            faults.append((seed, i))
                except Exception as fault:  # Told by the test's own thread.
                    faults.append(fault)

            threads = [threading.Thread(target=others, args=(seed,)) for seed in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(harness.PATIENCE_S)
            self.assertEqual(faults, [])
            self.assertEqual(server.embed(text, encoding_format="base64"), before)


class LengthsTest(unittest.TestCase):
    def test_bug17_the_positions_of_xlm_roberta(self):
        """The table is two rows longer than the longest text: its first rows are not used."""
        folder = harness.DATA / "models/xlm-roberta"
        config = json.loads((folder / "config.json").read_text("utf-8"))
        limit = config["max_position_embeddings"] - config["pad_token_id"] - 1
        refused = harness.Program("serve", "--model", folder, "--max-length", limit + 1)
        self.assertEqual(refused.wait(), 2)
        self.assertIn(f"expected at most {limit}", refused.error_lines()[-1])
        with serve("xlm-roberta", "--max-length", limit) as server:
            self.assertEqual(server.get("/info").json()["max_input_length"], limit)
            for tokens in range(limit - 1, limit + 3):
                text = "a " * (tokens - 2)
                for truncate in (True, False):
                    with self.subTest(tokens=tokens, truncate=truncate):
                        answer = server.post("/embed", {"inputs": text, "truncate": truncate})
                        fits = truncate or tokens <= limit
                        self.assertEqual(answer.status, 200 if fits else 422, answer.body[:200])
                        if not fits:
                            self.assertIn(f"{tokens} tokens, expected at most {limit}",
                                          answer.json()["error"])

    def test_bug20_a_text_above_the_batch_budget(self):
        """It runs alone, others go on; what could never run is refused when the server starts."""
        ids = [[5 + i % 600 for i in range(2000)]]
        with serve("qwen3-embedding") as server:
            expected, = server.embed(ids, encoding_format="base64")
        with serve("qwen3-embedding", "--max-batch-tokens", 64) as server:
            rows = {}

            def embed(name, inputs):
                rows[name] = server.embed(inputs, encoding_format="base64")

            threads = [threading.Thread(target=embed, args=(i, ids if i % 3 == 0 else [[5 + i]]))
                       for i in range(12)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(harness.PATIENCE_S)
            self.assertEqual(len(rows), 12)
            for i in range(0, 12, 3):
                self.assertGreaterEqual(
                    harness.cosine(*map(harness.from_base64, (rows[i][0], expected))), 0.999999)
        refused = harness.Program("serve", "--model", harness.DATA / "models/qwen3-embedding",
                                  "--max-queue-tokens", 1000)
        self.assertEqual(refused.wait(), 2)
        self.assertIn("--max-queue-tokens: expected at least", refused.error_lines()[-1])


if __name__ == "__main__":
    harness.main()
