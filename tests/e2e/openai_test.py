"""The official OpenAI client for Python, unchanged, against the server."""

import os
import sys
import unittest

import harness

VENV = harness.ROOT / ".cache/python"


class OpenAiTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(harness.Server())
        cls.client = cls.enterClassContext(openai.OpenAI(
            base_url=f"{cls.server.url}/v1", api_key="unused", max_retries=0))

    def create(self, **fields):
        return self.client.embeddings.create(model="any", **fields)

    def test_string(self):
        answer = self.create(input="Where do swallows spend the winter?")
        expected = self.server.embed(["Where do swallows spend the winter?"])[0]
        self.assertEqual(len(answer.data), 1)
        self.assertGreater(answer.usage.prompt_tokens, 2)
        self.assertGreaterEqual(harness.cosine(answer.data[0].embedding, expected), 0.9999999)

    def test_list_in_order(self):
        texts = ["one", "two", "three and four"]
        rows = self.create(input=texts).data
        self.assertEqual([row.index for row in rows], [0, 1, 2])
        for row, expected in zip(rows, self.server.embed(texts)):
            self.assertGreaterEqual(harness.cosine(row.embedding, expected), 0.9999999)

    def test_bug47_float_equals_the_default_base64(self):
        by_default = self.create(input="a").data[0].embedding
        as_floats = self.create(input="a", encoding_format="float").data[0].embedding
        self.assertEqual(len(by_default), len(as_floats))
        for a, b in zip(by_default, as_floats):
            self.assertAlmostEqual(a, b, delta=1e-7)

    def test_dimensions(self):
        self.assertEqual(len(self.create(input="a", dimensions=8).data[0].embedding), 8)

    def test_bug48_token_ids(self):
        self.assertEqual(len(self.create(input=[5, 6, 7]).data), 1)
        self.assertEqual(len(self.create(input=[[5, 6, 7], [8]]).data), 2)

    def test_models(self):
        self.assertEqual(len(self.client.models.list().data), 1)

    def test_errors(self):
        for fields, named in (
            ({"input": []}, "input"),
            ({"input": ["a", ""]}, "input[1]"),
            ({"input": "a", "dimensions": 1_000_000}, "dimensions"),
        ):
            with self.subTest(fields), self.assertRaises(openai.BadRequestError) as caught:
                self.create(**fields)
            self.assertIn(named, caught.exception.message)


if __name__ == "__main__":
    if not (VENV / "made_from.txt").exists():
        harness.skip_program("the openai package is not there; scripts/python_env.sh installs it")
    if sys.prefix != str(VENV):
        python = str(VENV / "bin/python")
        os.execv(python, [python, *sys.argv])
    import openai

    harness.main()
