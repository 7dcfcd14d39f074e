"""scripts/suites.sh --quick: every suite through every path, and the tables and plot of it."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import harness

SUITES = ["latency", "scoring", "throughput", "concurrency"]


class SuitesTest(unittest.TestCase):
    def run_quick(self, folder, program, *flags):
        command = [harness.ROOT / "scripts/suites.sh", "--quick", "--work", folder,
                   "--out", folder / "quick.json", *flags]
        return subprocess.run(command, env={**os.environ, "PARTERRE": str(program)}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=harness.PATIENCE_S)

    def test_every_suite_on_every_path(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            ran = self.run_quick(folder, harness.PROGRAM)
            self.assertEqual(ran.returncode, 0, ran.stdout)
            run = json.loads((folder / "quick.json").read_text("utf-8"))
            text = (folder / "quick.md").read_text("utf-8")
            self.assertIn("<svg", (folder / "quick.svg").read_text("utf-8"))
        [model] = run["models"]
        self.assertEqual(list(model["paths"]), ["engine", "serve", "ivy"])
        for path, reports in model["paths"].items():
            names = [suite["name"] for report in reports for suite in report["suites"]]
            self.assertEqual(names, SUITES + (["open"] if path == "serve" else []))
            for report in reports:
                self.assertLess(report["reference"]["divergence"], 0.001)
        self.assertTrue(model["agreement"])
        for suite in SUITES:
            self.assertIn(f"### {suite}: ", text)

    def test_results_are_not_written_over(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            ran = self.run_quick(folder, harness.PROGRAM, "--out", folder / "quick.md")
            self.assertIn("expected NAME.json", ran.stdout)
            ran = subprocess.run([harness.ROOT / "scripts/suites.sh", "--report", "a.json",
                                  "b.json"], capture_output=True, text=True,
                                 timeout=harness.PATIENCE_S)
            self.assertIn("expected --out too", ran.stderr)

    def test_what_cannot_start_is_told_with_the_end_of_its_log(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            ran = self.run_quick(folder, harness.PROGRAM, "--paths", "serve",
                                 "--engine-flags=--no-such-flag")
            self.assertEqual(ran.returncode, 1, ran.stdout)
            self.assertIn(f"the end of {folder}/bert-mean-serve.log:", ran.stdout)
            self.assertIn("--no-such-flag", (folder / "quick.md").read_text("utf-8"))


if __name__ == "__main__":
    harness.main()
