"""all-MiniLM-L6-v2 through the server against sentence-transformers: vectors and rankings."""

import json
import unittest

import harness

COSINE_MIN = 0.9999
# Scores nearer to each other than this may change places; see tests/data/minilm.
SCORE_TOLERANCE = 1e-4


def golden(name):
    return json.loads((harness.DATA / "minilm" / name).read_text("utf-8"))


class MiniLmTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(harness.Server(harness.MINILM, "--dtype", "float32"))

    def expect_vector(self, case, vector):
        reference = harness.from_base64(case["embedding"])
        self.assertGreaterEqual(harness.cosine(vector, reference), COSINE_MIN, case["name"])
        self.assertAlmostEqual(harness.dot(vector, vector), 1.0, 4, case["name"])

    def test_vectors_alone(self):
        for case in golden("vectors.json")["cases"]:
            with self.subTest(case["name"]):
                answer = self.server.post("/v1/embeddings", {"input": case["text"]}).json()
                self.expect_vector(case, answer["data"][0]["embedding"])
                self.assertEqual(answer["usage"]["prompt_tokens"], case["tokens"])

    def test_vectors_in_one_request(self):
        cases = golden("vectors.json")["cases"]
        vectors = self.server.embed([case["text"] for case in cases])
        for case, vector in zip(cases, vectors):
            with self.subTest(case["name"]):
                self.expect_vector(case, vector)

    def test_retrieval_ranks_as_the_reference(self):
        reference = golden("retrieval.json")
        passages = self.server.embed(reference["passages"])
        queries = self.server.embed([query["query"] for query in reference["queries"]])
        for query, vector in zip(reference["queries"], queries):
            with self.subTest(query["query"]):
                self.expect_ranking(query, [harness.dot(vector, p) for p in passages])

    def expect_ranking(self, query, scores):
        ranking = sorted(range(len(scores)), key=lambda i: -scores[i])
        self.assertEqual(ranking[0], query["ranking"][0])
        expected = dict(zip(query["ranking"], query["scores"]))
        for place, passage in enumerate(ranking):
            self.assertAlmostEqual(scores[passage], expected[passage], delta=SCORE_TOLERANCE)
            self.assertAlmostEqual(expected[passage], query["scores"][place],
                                   delta=SCORE_TOLERANCE, msg=f"place {place}")


if __name__ == "__main__":
    if not harness.MINILM.is_dir():
        harness.skip_program(f"{harness.MINILM} is not there; scripts/fetch_model.sh puts it there")
    harness.main()
