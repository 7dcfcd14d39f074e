"""`parterre bench` against real servers: its report, its check of vectors, its exit status."""

import json
import pathlib
import subprocess
import tempfile
import unittest

import harness

# Every row ends after these.
SHORT = ("--requests", 20, "--vocabulary", 800)
IDS = [[5, 6, 7], [8, 9], [10, 11, 12, 13]]


def bert_flops(tokens):
    """Of one input: linear layers, and attention between all of its tokens."""
    config = json.loads((harness.BERT_MEAN / "config.json").read_text())
    hidden, inner = config["hidden_size"], config["intermediate_size"]
    weights = 4 * hidden * hidden + 2 * hidden * inner
    attention = 4 * hidden * tokens * tokens
    return config["num_hidden_layers"] * (2 * weights * tokens + attention)


class BenchTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def bench(self, *args, expected_status=0):
        """The report, or what was said of an error."""
        file = self.folder / "report.json"
        ran = subprocess.run([harness.PROGRAM, "bench", *map(str, args), "--json", file],
                             capture_output=True, text=True, timeout=harness.PATIENCE_S)
        self.assertEqual(ran.returncode, expected_status, ran.stdout + ran.stderr)
        return json.loads(file.read_text()) if ran.returncode == 0 else ran.stderr

    def write_reference(self, rows):
        file = self.folder / "reference.json"
        inputs = [{"ids": ids, "embedding": row} for ids, row in zip(IDS, rows, strict=True)]
        file.write_text(json.dumps({"model": "reference", "inputs": inputs}))
        return file

    def test_a_server_over_http(self):
        with harness.Server() as server:
            report = self.bench("suites", "--url", server.url, "--longest", 128, *SHORT,
                                "--roofline-model", harness.BERT_MEAN,
                                "--peak-tflops", 1)
            self.assertEqual(report["target"], server.url)
            [suite] = report["suites"]  # The others are longer.
            self.assertEqual([row["length"] for row in suite["rows"]], [32, 128])
            for row in suite["rows"]:
                self.assertEqual(row["requests"], 20)
                self.assertEqual(row["counters"]["steps"], 20)
                flops = row["roofline_share"] * row["wall_s"] * 1e12
                self.assertAlmostEqual(flops / (20 * bert_flops(row["length"])), 1)
            texts = self.bench("concurrency", "--url", server.url, *SHORT, "--lengths", 24,
                               "--connections", 2, "--tokenizer", harness.BERT_MEAN)
            [row] = texts["suites"][0]["rows"]
            self.assertEqual(row["input"], "text")
            self.assertAlmostEqual(row["tokens_per_s"] * row["wall_s"], 20 * 24)

    def test_a_tulip_over_grpc(self):
        with harness.Tulip() as tulip:
            asked = ("--url", f"grpc://{tulip.address}", "--vocabulary", 800,
                     "--metrics-url", f"http://127.0.0.1:{tulip.admin_port}")
            [suite] = self.bench("scoring", *asked, "--batch", 3, "--lengths", 16,
                                 "--requests", 20)["suites"]
            [row] = suite["rows"]
            self.assertGreaterEqual(row["counters"]["steps"], 20)  # Small steps take less than 3.
            self.assertAlmostEqual(row["tokens_per_s"] * row["wall_s"], 20 * 3 * 16)
            [suite] = self.bench("open", *asked, "--length", 16, "--rates", "200,50",
                                 "--seconds", 0.2)["suites"]
            for row in suite["rows"]:
                self.assertEqual(row["open"]["arrivals"], row["requests"])

    def test_vectors_are_compared_before_anything_is_timed(self):
        with harness.Server() as server:
            rows = server.embed(IDS)
            asked = ("latency", "--url", server.url, *SHORT, "--lengths", 8)
            report = self.bench(*asked, "--reference", self.write_reference(rows))
            self.assertEqual(report["reference"]["inputs"], len(IDS))
            rows[1] = [-value for value in rows[1]]
            said = self.bench(*asked, "--reference", self.write_reference(rows),
                              expected_status=1)
            self.assertIn("input 1 (2 tokens, alone): its vector diverges from reference by 2",
                          said)

    def test_a_report_that_cannot_be_written_is_an_error(self):
        with harness.Server() as server:
            ran = subprocess.run([harness.PROGRAM, "bench", "latency", "--url", server.url,
                                  "--lengths", "8", *map(str, SHORT), "--json", "/dev/full"],
                                 capture_output=True, text=True, timeout=harness.PATIENCE_S)
        self.assertEqual(ran.returncode, 1, ran.stdout + ran.stderr)
        self.assertIn("--json: the report could not be written whole", ran.stderr)

    def test_mistakes_are_told_in_one_line(self):
        for args, status, cause in [
            (("latency",), 2, "expected --url of a running server or --model"),
            (("latency", "--url", "grpc://nowhere"), 2, "expected grpc://HOST:PORT"),
            (("latency", "--engine", "--url", "http://127.0.0.1:1"), 2, "--engine: expected"),
            (("latency", "--url", "http://127.0.0.1:1"), 1, "Connection refused"),
            (("latency", "--url", "http://127.0.0.1:1", "--metrics-url", "http://127.0.0.1:1"), 1,
             "--metrics-url: 127.0.0.1:1: Connection refused"),
            (("open", "--rates", "0"), 2, "--rates"),
            (("open", "--rates", "nan"), 2, "--rates"),
            *((("tokenizer", "--tokenizer", "x", "--texts", "y", "--seconds", seconds), 2,
               f"--seconds: Value {seconds} not in range 0 to 3600")
              for seconds in ("-1", "nan", "inf", "1e9")),
            *(((load, "--seed", seed), 2, f"--seed: Value {seed} not in range 0 to")
              for load in ("latency", "suites", "open", "beside")
              for seed in ("-1", "99999999999999999999", "1.5")),
            (("latency", "--url", "http://127.0.0.1:1", "--roofline-model", "x"), 2,
             "--roofline-model requires --peak-tflops"),
            (("throughput", "--seconds", "0"), 2, "--requests and --seconds"),
            (("suites", "--longest", "16"), 2, "--longest: every row is of longer inputs"),
            (("latency", "--length-file", __file__, "--url", "http://127.0.0.1:1"), 2,
             "--length-file"),
        ]:
            said = self.bench(*args, expected_status=status)
            self.assertIn(cause, said)
            self.assertEqual(said.count("\n"), 1, said)


if __name__ == "__main__":
    harness.main()
