"""Requests put together at random: whatever they hold, each gets an answer in JSON and a status
that blames the right side, and the server lives on."""

import json
import random
import unittest

import harness

REQUESTS = 1500
STATUSES = (200, 400, 404, 413, 422, 424)

# A sound body for each route; fields drawn at random are laid over it.
ROUTES = {
    "/v1/embeddings": {"input": ["a b", " c"]},
    "/embed": {"inputs": "a"},
    "/embed_sparse": {"inputs": ["a", "b"]},
    "/embed_all": {"inputs": ["a"]},
    "/similarity": {"inputs": {"source_sentence": "a", "sentences": ["b"]}},
    "/predict": {"inputs": [["a", "b"], ["c"]]},
    "/rerank": {"query": "a", "texts": ["b", ""]},
    "/v1/rerank": {"query": "a", "documents": ["b", {"text": "c"}]},
    "/v2/rerank": {"query": "a", "documents": ["b"]},
    "/invocations": {"inputs": "a"},
    "/tokenize": {"inputs": ["a \u00e9"]},
    "/decode": {"ids": [[1, 2], [3]]},
    "/detokenize": {"tokens": [1, 2]},
}
FIELDS = ("input", "inputs", "query", "texts", "documents", "ids", "tokens", "prompt",
          "prompt_name", "outputs", "dimensions", "normalize", "encoding_format", "output_dtype",
          "top_n", "raw_scores", "return_text", "instruction", "truncate", "truncation_direction",
          "parameters", "source_sentence", "sentences", "truncate_prompt_tokens",
          "add_special_tokens", "model", "text")
VALUES = ("a", "b c", "", "\u00e9\U0001F44D", "[SEP]", "<s>", 0, 1, 5, -1, 8, 1 << 40, 1.5, True,
          False, None, "float", "base64", "int8", "ubinary", "base64_binary", "base64_int8",
          "dense", "sparse", "colbert", "left", "query")


def value(draw, depth=0):
    kind = draw.random()
    if depth < 3 and kind < 0.25:
        return [value(draw, depth + 1) for _ in range(draw.randint(0, 4))]
    if depth < 3 and kind < 0.35:
        return {draw.choice(FIELDS): value(draw, depth + 1) for _ in range(draw.randint(0, 4))}
    return draw.choice(VALUES)


class RandomRequestsTest(unittest.TestCase):
    def ask_at_random(self, name):
        draw = random.Random(name)
        seen = set()
        with harness.Server(harness.DATA / "models" / name) as server:
            connection = server.connect()
            for _ in range(REQUESTS):
                path = draw.choice(list(ROUTES))
                body = {**ROUTES[path],
                        **{draw.choice(FIELDS): value(draw) for _ in range(draw.randint(0, 3))}}
                answer = harness.ask(connection, "POST", path, json.dumps(body).encode())
                self.assertIn(answer.status, STATUSES, (path, body, answer.body[:300]))
                self.assertTrue(answer.json() or answer.status == 200, (path, body))
                seen.add(answer.status)
            connection.close()
        self.assertLessEqual({200, 400, 422, 424}, seen)

    def test_embedding_model(self):
        self.ask_at_random("xlm-roberta")

    def test_model_that_rounds(self):
        self.ask_at_random("pplx-embed")

    def test_reranker(self):
        self.ask_at_random("bert-reranker")

    def test_reranker_with_a_template(self):
        self.ask_at_random("qwen3-reranker")

    def test_classifier(self):
        self.ask_at_random("roberta-classification")


if __name__ == "__main__":
    harness.main()
