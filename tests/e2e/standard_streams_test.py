"""Input, output and error stream that are full, broken or not there."""

import json
import os
import pathlib
import struct
import subprocess
import tempfile
import unittest

import harness

LATENCY = ("bench", "latency", "--model", harness.BERT_MEAN, "--batch", 1, "--lengths", 4,
           "--vocabulary", 100, "--requests", 1, "--warmup", 1, "--max-batch-tokens", 64)
BROKEN = "Bad file descriptor"
FULL = "No space left on device"


def run(*args, without=(), **streams):
    """`without`: the streams that the program does not even have, by number."""
    def close():
        for stream in without:
            os.close(stream)

    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
               **streams}
    return subprocess.run([harness.PROGRAM, *map(str, args)], preexec_fn=close, encoding="utf-8",
                          timeout=harness.PATIENCE_S, **streams)


class StandardStreamsTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def commands_that_write(self):
        texts = self.folder / "texts"
        texts.write_bytes(struct.pack("<II", 1, 1) + b"a")
        return (("tokenize", "--tokenizer", harness.BERT_MEAN, "a"),
                ("inspect", harness.BERT_MEAN), ("inspect", "--json", harness.BERT_MEAN),
                ("bench", "tokenizer", "--tokenizer", harness.BERT_MEAN, "--texts", texts,
                 "--seconds", "0.01"),
                (*LATENCY, "--log-level", "error"), ("--version",), ("serve", "--help"))

    def expect(self, got, status, error):
        self.assertEqual((got.returncode, got.stderr), (status, f"parterre: {error}\n"), got.args)

    def expect_unwritten(self, got, cause):
        """Of what was written before the end the cause may be forgotten."""
        self.assertEqual(got.returncode, 1, got.stderr)
        self.assertRegex(got.stderr, rf"^parterre: the output cannot be written(: {cause})?\n$")

    def test_output_that_cannot_be_written_is_an_error(self):
        for args in self.commands_that_write():
            with self.subTest(args=args):
                with open("/dev/full", "w") as full:
                    self.expect_unwritten(run(*args, stdout=full), FULL)
                self.expect_unwritten(run(*args, without=[1]), BROKEN)

    def test_lines_that_cannot_be_written(self):
        line = json.dumps({"text": "a"}) + "\n"
        with open("/dev/full", "w") as full:
            got = run("tokenize", "--jsonl", "--tokenizer", harness.BERT_MEAN, stdin=None,
                      input=line, stdout=full)
        self.expect(got, 1, f"the output cannot be written: {FULL}")

    def test_input_that_cannot_be_read_is_an_error(self):
        command = ("tokenize", "--jsonl", "--tokenizer", harness.BERT_MEAN)
        error = "tokenize: the input cannot be read"
        folder = os.open("/", os.O_RDONLY)
        self.addCleanup(os.close, folder)
        self.expect(run(*command, stdin=folder), 2, f"{error}: Is a directory")
        self.expect(run(*command, without=[0]), 2, f"{error}: {BROKEN}")
        self.assertEqual(run(*command).returncode, 0)

    def test_an_error_stream_that_cannot_be_written_changes_nothing(self):
        with open("/dev/full", "w") as full:
            for args, status in ((("tokenize",), 2), (("bench", "latency"), 2),
                                 (("bench", "bogus"), 2), (("--version",), 0)):
                self.assertEqual(run(*args, stderr=full).returncode, status, args)
                self.assertEqual(run(*args, without=[2]).returncode, status, args)

    def test_no_file_takes_the_place_of_a_stream(self):
        """The log of a program without an error stream would be written into its report."""
        report = self.folder / "report.json"
        got = run(*LATENCY, "--log-level", "trace", "--json", report, without=[0, 2])
        self.assertEqual(got.returncode, 0)
        self.assertIn("suites", json.loads(report.read_text("utf-8")))

        def close():
            os.close(0)
            os.close(1)

        with harness.Server(harness.BERT_MEAN, preexec=close) as server:
            self.assertEqual(len(server.embed(["a"])), 1)
            for stream in (0, 1):
                file = os.readlink(f"/proc/{server.program.process.pid}/fd/{stream}")
                self.assertEqual(file, "/dev/null")


if __name__ == "__main__":
    harness.main()
