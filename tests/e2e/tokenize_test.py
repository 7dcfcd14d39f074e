"""`parterre tokenize`: ids of one text, or of JSON lines in order."""

import json
import subprocess
import unittest

import harness


def tokenize(*args, tokenizer=harness.BERT_MEAN, lines=()):
    return subprocess.run(
        [harness.PROGRAM, "tokenize", "--tokenizer", str(tokenizer), *args],
        input="".join(line + "\n" for line in lines), capture_output=True, encoding="utf-8",
        timeout=harness.PATIENCE_S)


class TokenizeTest(unittest.TestCase):
    def setUp(self):
        cases = json.loads((harness.BERT_MEAN / "cases.json").read_text("utf-8"))["tokenize"]
        self.cases = [c for c in cases if "pair" not in c and "max_length" not in c]
        self.assertGreater(len(self.cases), 3)

    def test_json_lines(self):
        lines = [json.dumps({"text": case["text"], "other": 1}) for case in self.cases]
        for flags, key in (((), "ids"), (("--no-special",), "ids_without_special_tokens")):
            run = tokenize("--jsonl", *flags, lines=lines)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            for case, line in zip(self.cases, run.stdout.splitlines(), strict=True):
                if key in case:
                    self.assertEqual(json.loads(line), {"ids": case[key]}, case["text"])

    def test_one_text(self):
        case = self.cases[0]
        for tokenizer in (harness.BERT_MEAN, harness.BERT_MEAN / "tokenizer.json"):
            run = tokenize(case["text"], tokenizer=tokenizer)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.assertEqual(json.loads(run.stdout), {"ids": case["ids"]})

    def test_wrong_lines_are_named_and_end_the_run(self):
        for wrong in ('{"text": 3}', '{"txt": "a"}', "[]", "", "{", '{"text": "\\ud800"}'):
            with self.subTest(wrong):
                run = tokenize("--jsonl", lines=['{"text": "a"}', wrong, '{"text": "b"}'])
                self.assertEqual(run.returncode, 2)
                self.assertEqual(len(run.stdout.splitlines()), 1)
                self.assertEqual(len(run.stderr.splitlines()), 1)
                self.assertIn("line 2: ", run.stderr)

    def test_wrong_tokenizers(self):
        bad = harness.DATA / "models/bad"
        for name, part in (("tokenizer_unknown_model", "Abacus"), ("nowhere", "nowhere"),
                           ("x" * 1000, "x" * 1000)):
            with self.subTest(name):
                run = tokenize("a", tokenizer=bad / name)
                self.assertEqual((run.returncode, run.stdout), (2, ""))
                self.assertIn(part, run.stderr)


if __name__ == "__main__":
    harness.main()
