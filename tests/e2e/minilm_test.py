"""all-MiniLM-L6-v2 through the server against sentence-transformers: vectors and rankings."""

import json
import unittest

import harness


def golden(name):
    return json.loads((harness.DATA / "minilm" / name).read_text("utf-8"))


class MiniLmInFloat32(unittest.TestCase):
    dtype = "float32"
    cosine_min = 0.9999
    # Scores nearer to each other than this may change places; see tests/data/minilm.
    score_tolerance = 1e-4

    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(harness.Server(harness.MINILM, "--dtype", cls.dtype))

    def expect_vector(self, case, vector):
        reference = harness.from_base64(case["embedding"])
        self.assertGreaterEqual(harness.cosine(vector, reference), self.cosine_min, case["name"])
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
        expected = dict(zip(query["ranking"], query["scores"]))
        for place, passage in enumerate(ranking):
            self.assertAlmostEqual(scores[passage], expected[passage], delta=self.score_tolerance)
            self.assertAlmostEqual(expected[passage], query["scores"][place],
                                   delta=self.score_tolerance, msg=f"place {place}")


class MiniLmInBFloat16(MiniLmInFloat32):
    dtype = "bfloat16"
    cosine_min = 0.999
    score_tolerance = 0.02

    @classmethod
    def setUpClass(cls):
        try:
            super().setUpClass()
        except AssertionError as error:
            if "--dtype: bfloat16" not in str(error):
                raise
            harness.skip(f"this processor: {error}")


if __name__ == "__main__":
    if not harness.MINILM.is_dir():
        harness.skip_program(f"{harness.MINILM} is not there; scripts/fetch_model.sh puts it there")
    harness.main()
