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
        self.cases = json.loads((harness.BERT_MEAN / "cases.json").read_text("utf-8"))["tokenize"]
        self.assertGreater(len(self.cases), 3)

    def answers(self, *flags, lines):
        run = tokenize("--jsonl", *flags, lines=[json.dumps(line) for line in lines])
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return [json.loads(line) for line in run.stdout.splitlines()]

    def test_json_lines(self):
        cases = [c for c in self.cases if "max_length" not in c]
        lines = [{"text": c["text"], "pair": c.get("pair"), "other": 1} for c in cases]
        for flags, key in (((), "ids"), (("--no-special",), "ids_without_special_tokens")):
            for case, answer in zip(cases, self.answers(*flags, lines=lines), strict=True):
                self.assertEqual(list(answer), ["ids", "type_ids", "offsets"])
                if key in case:
                    self.assertEqual(answer["ids"], case[key], case["text"])
                if not flags and "type_ids" in case:
                    self.assertEqual(answer["type_ids"], case["type_ids"])

    def test_truncation(self):
        cases = [c for c in self.cases if "max_length" in c and "pair" not in c]
        for case in cases:
            answer, = self.answers("--max-length", str(case["max_length"]),
                                   lines=[{"text": case["text"]}])
            self.assertEqual(answer["ids"], case["ids"])
        whole, = self.answers(lines=[{"text": "a b c d"}])
        left, = self.answers("--max-length", "4", "--truncation-side", "left",
                             lines=[{"text": "a b c d"}])
        self.assertEqual(left["ids"], whole["ids"][:1] + whole["ids"][-3:])
        self.assertEqual(left["offsets"][1:3], [[4, 5], [6, 7]])
        short, = self.answers("--max-length", "4", "--strategy", "only_first",
                              lines=[{"text": "a", "pair": "b c d"}])
        self.assertEqual(list(short), ["error"])
        self.assertIn("first", short["error"])

    def test_special_tokens_as_plain_text(self):
        text = [{"text": "[SEP]"}]
        special, = self.answers(lines=text)
        plain, = self.answers("--plain-special", lines=text)
        self.assertEqual(len(special["ids"]), 3)
        self.assertGreater(len(plain["ids"]), 3)

    def test_one_text(self):
        case = next(c for c in self.cases if "pair" not in c and "max_length" not in c)
        for tokenizer in (harness.BERT_MEAN, harness.BERT_MEAN / "tokenizer.json"):
            run = tokenize(case["text"], tokenizer=tokenizer)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            rows = [line.split("\t") for line in run.stdout.splitlines()]
            self.assertEqual([int(row[0]) for row in rows], case["ids"])
            self.assertEqual(rows[0][1:], ["[CLS]", "0-0"])

    def test_bug25_limits_without_room_are_refused(self):
        for limit in ("1", "-1"):
            run = tokenize("a", "--max-length", limit)
            self.assertEqual((run.returncode, run.stdout), (2, ""))
            self.assertIn("--max-length", run.stderr)

    def test_wrong_lines_are_named_and_end_the_run(self):
        for wrong in ('{"text": 3}', '{"txt": "a"}', "[]", "", "{", '{"text": "\\ud800"}'):
            with self.subTest(wrong):
                run = tokenize("--jsonl", lines=['{"text": "a"}', wrong, '{"text": "b"}'])
                self.assertEqual(run.returncode, 2)
                self.assertEqual(len(run.stdout.splitlines()), 1)
                self.assertEqual(len(run.stderr.splitlines()), 1)
                self.assertIn("line 2: ", run.stderr)

    def test_many_lines_are_answered_in_order(self):
        texts = [f"line {i} " + "tulips open in spring " * (i % 20) for i in range(20_000)]
        lines = [json.dumps({"text": text}) for text in texts]
        self.assertGreater(sum(map(len, lines)), 4 << 20)
        one = tokenize("--jsonl", "--threads", "1", lines=lines)
        self.assertEqual((one.returncode, one.stderr), (0, ""))
        self.assertEqual(len(one.stdout.splitlines()), len(lines))
        many = tokenize("--jsonl", "--threads", "5", lines=lines)
        self.assertTrue(many.stdout == one.stdout)
        lines[15_000] = "[]"
        wrong = tokenize("--jsonl", "--threads", "5", lines=lines)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("line 15001: ", wrong.stderr)
        self.assertTrue(wrong.stdout.splitlines() == one.stdout.splitlines()[:15_000])

    def test_a_line_is_answered_before_the_next_is_there(self):
        program = subprocess.Popen(
            [harness.PROGRAM, "tokenize", "--tokenizer", str(harness.BERT_MEAN), "--jsonl"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
        with program:
            for _ in range(3):
                program.stdin.write('{"text": "a"}\n')
                program.stdin.flush()
                self.assertIn("ids", json.loads(program.stdout.readline()))
            program.stdin.close()
        self.assertEqual(program.returncode, 0)

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
