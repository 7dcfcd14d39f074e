"""Flags, environment and parterre.toml: which wins, and what a mistake in each says."""

import json
import os
import pathlib
import resource
import subprocess
import tempfile
import unittest

import harness


class SettingsTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def config(self, text):
        path = self.folder / "parterre.toml"
        path.write_text(text, "utf-8")
        return path

    def served_name(self, *flags, env=None):
        with harness.Server(harness.BERT_MEAN, *flags, env=env) as server:
            return server.get("/v1/models").json()["data"][0]["id"]

    def test_flag_over_environment_over_file_over_default(self):
        file = self.config('served-model-name = "from-file"\n')
        env = {"PARTERRE_SERVED_MODEL_NAME": "from-environment"}
        flag = ("--served-model-name", "from-flag")
        self.assertEqual(self.served_name(), "bert-mean")
        self.assertEqual(self.served_name("--config", file), "from-file")
        self.assertEqual(self.served_name("--config", file, env=env), "from-environment")
        self.assertEqual(self.served_name("--config", file, *flag, env=env), "from-flag")

    def test_the_model_without_its_flag(self):
        """It is what --model says, over the environment and the file."""
        other = harness.DATA / "models/bert-cls"
        both = (harness.BERT_MEAN, "--model", harness.BERT_MEAN, "--device", "cpu")
        file = self.config(f'model = "{other}"\nport = 0\n')
        for args, env in (((harness.BERT_MEAN, "--device", "cpu"), {"PARTERRE_MODEL": str(other)}),
                          (("--device", "cpu", harness.BERT_MEAN), {}), (both, {})):
            program = harness.Program("serve", *args, "--config", file, "--drain-ms", 0, env=env)
            program.wait_for_line("loaded bert-mean")
            program.wait_for_line("listening on")
            self.assertEqual(program.terminate(), 0)
        for args in ((harness.BERT_MEAN, "--model", other), ("--model", other, harness.BERT_MEAN),
                     ("--model", other, "--model", harness.BERT_MEAN, harness.BERT_MEAN)):
            self.expect_refused(f"expected MODEL or --model, got {harness.BERT_MEAN} and", *args)
        self.expect_refused("not expected: two", "one", "two")

    def test_numbers_switches_and_lists_from_the_file(self):
        file = self.config('max-client-batch-size = 2\nauto-truncate = false\n'
                           'device = ["cpu", "cpu"]\nworkers = 1\nschedule = "fair"\n')
        with harness.Server(harness.BERT_MEAN, "--config", file) as server:
            too_many = server.post("/v1/embeddings", {"input": ["a", "b", "c"]})
            self.assertEqual(too_many.status, 400)
            too_long = server.post("/v1/embeddings", {"input": "a " * 5000})
            self.assertEqual(too_long.status, 400)
            self.assertIn(b'device="cpu#2"', server.get("/metrics").body)
            info = server.get("/info").json()
            self.assertEqual((info["schedule"], info["engines"]), ("fair", 2))

    def test_bug07_special_tokens_that_a_text_spells_out(self):
        tokens = {}
        for plain in ("false", "true"):
            with harness.Server(harness.BERT_MEAN, "--plain-special", plain) as server:
                answer = server.post("/v1/embeddings", {"input": "[SEP]"})
                tokens[plain] = answer.json()["usage"]["prompt_tokens"]
        self.assertEqual(tokens["false"], 3)
        self.assertGreater(tokens["true"], 3)

    def test_ranges_of_8_bit_vectors(self):
        with harness.Server() as server:
            vector = server.embed(["a"])[0]
        ranges = self.folder / "ranges.json"
        bounds = {"min": [-1] * len(vector), "max": [1] * len(vector)}
        ranges.write_text(json.dumps(bounds), "utf-8")
        with harness.Server(harness.BERT_MEAN, "--int8-ranges", ranges) as server:
            answer = server.post("/v1/embeddings", {"input": "a", "output_dtype": "int8"})
            for a, b in zip(answer.json()["data"][0]["embedding"], vector, strict=True):
                self.assertAlmostEqual(a, b * 127.5, delta=1.51)
        model = ("--model", harness.BERT_MEAN)
        ranges.write_text('{"min": [0, 0], "max": [1]}', "utf-8")
        self.expect_refused("ranges.json: max", *model, "--int8-ranges", ranges)
        ranges.write_text('{"min": [0], "max": [1]}', "utf-8")
        self.expect_refused("--int8-ranges: expected", *model, "--int8-ranges", ranges)
        self.expect_refused("nowhere.json", *model, "--int8-ranges", self.folder / "nowhere.json")
        two = (*model, "--model", f"other={harness.BERT_MEAN}")
        self.expect_refused("one model only", *two, "--int8-ranges", ranges)

    def expect_refused(self, named, *args, env=None):
        program = harness.Program("serve", *args, env=env)
        self.assertEqual(program.wait(), 2, program.error_lines())
        lines = program.error_lines()
        self.assertEqual(len(lines), 1, lines)
        self.assertIn(named, lines[0])

    def test_mistakes_are_named(self):
        model = ("--model", harness.BERT_MEAN)
        self.expect_refused("serve: MODEL is required")
        self.expect_refused("--no-such-flag", *model, "--no-such-flag", "1")
        self.expect_refused("--port", *model, "--port", "seventy")
        self.expect_refused("--port", *model, "--port", "70000")
        self.expect_refused("--dtype", *model, "--dtype", "float8")
        self.expect_refused("--attention: expected one of auto", *model, "--attention", "fa9")
        self.expect_refused("--cuda-graphs", *model, "--cuda-graphs", "sometimes")
        self.expect_refused("--cuda-spin-us", *model, "--cuda-spin-us", "-1")
        self.expect_refused("--cuda-graph-memory-mib", *model,
                            env={"PARTERRE_CUDA_GRAPH_MEMORY_MIB": "much"})
        self.expect_refused("--port", *model, env={"PARTERRE_PORT": "x"})
        self.expect_refused("no-such-key", *model, "--config", self.config("no-such-key = 1\n"))
        self.expect_refused("parterre.toml", *model, "--config", self.config("port = [\n"))
        self.expect_refused("port", *model, "--config", self.config('port = "x"\n'))
        self.expect_refused("missing.toml", *model, "--config", self.folder / "missing.toml")
        self.expect_refused("--config: ", *model, "--config", self.folder / "missing.toml")
        self.expect_refused("not a file", *model, "--config", self.folder)
        self.expect_refused("--config: /: not a file", *model, "--config", "/")
        self.expect_refused("--model a=: expected a model, or NAME=MODEL", "--model", "a=")
        self.expect_refused("--model =a: expected", "--model", "=a")
        for tokens in ("0", "1048577", "2147483648"):
            self.expect_refused("--max-batch-tokens: Value " + tokens + " not in range 1 to 1048576",
                                *model, "--max-batch-tokens", tokens)
        self.expect_refused("--max-queue-tokens", *model, "--max-queue-tokens", "255")
        self.expect_refused("--batch-efficiency", *model, "--batch-efficiency", "nan")
        self.expect_refused("--schedule", *model, "--schedule", "lifo")
        self.expect_refused("0 to 1073741824", *model, "--max-length", "-1")

    def test_empty_values_are_none(self):
        model = ("--model", harness.BERT_MEAN)
        for flag in ("--host", "--served-model-name", "--pooling", "--int8-ranges", "--tuning",
                     "--revision", "--cors-allow-origin", "--otlp-endpoint", "--config"):
            empty = f"{flag}: expected a value, got an empty one"
            variable = "PARTERRE" + flag[1:].upper().replace("-", "_")
            self.expect_refused(empty, *model, flag, "")
            self.expect_refused(f"{empty} from {variable}", *model, env={variable: ""})
        self.expect_refused("--host: expected a value", *model, "--config",
                            self.config('host = ""\n'))
        self.expect_refused("--auto-truncate: expected", *model, "--auto-truncate", "")
        self.expect_refused("--auto-truncate: expected", *model, env={"PARTERRE_AUTO_TRUNCATE": ""})
        self.expect_refused("--port", *model, env={"PARTERRE_PORT": ""})
        self.expect_refused("--model: expected a value", "--model", "")
        self.expect_refused("model: expected a value", "")
        for flag, args in (("--json", ("bench", "latency")), ("--url", ("bench", "beside")),
                           ("--tokenizer", ("tokenize", "a")), ("--model", ("inspect",)),
                           ("--tuning", ("tune", harness.BERT_MEAN))):
            self.expect_error(f"{flag}: expected a value, got an empty one", *args, flag, "")

    def test_names_are_utf8(self):
        """They are labels of /metrics, which is."""
        broken = b"\xff\xfe"
        link = os.fsencode(self.folder) + b"/" + broken
        os.symlink(harness.BERT_MEAN, link)
        model = os.fsencode(harness.BERT_MEAN)
        self.expect_refused("--served-model-name: expected a name in UTF-8", "--model",
                            harness.BERT_MEAN, "--served-model-name", os.fsdecode(broken))
        for argument in (broken + b"=" + model, link):
            self.expect_refused("--model: expected a name in UTF-8", "--model",
                                os.fsdecode(argument))

    def test_files_that_may_not_be_seen_are_not_called_no_files(self):
        """Nor is what links lead round and round to."""
        loop = self.folder / "loop"
        loop.symlink_to("loop")
        model = ("--model", harness.BERT_MEAN)
        cause = "Too many levels of symbolic links"
        for flag in ("--api-key-file", "--tls-client-ca", "--int8-ranges", "--config"):
            tls = ("--tls-cert", loop, "--tls-key", loop) if "tls" in flag else ()
            self.expect_refused(f"loop: {cause}", *model, flag, loop, *tls)
        self.expect_refused(f"{loop}: {cause}", "--model", loop)

    def test_what_is_no_command_is_named(self):
        self.expect_error("not expected: bogus", "bogus")
        self.expect_error("not expected: bogus", "bench", "bogus")
        self.expect_error("not expected: --tokeniser", "tokenize", "--tokeniser", "s3cret")
        self.expect_error("A subcommand is required")
        self.expect_error("--tokenizer is required", "tokenize")

    def expect_error(self, error, *args):
        """The whole of it."""
        program = harness.Program(*args)
        self.assertEqual(program.wait(), 2, program.error_lines())
        self.assertEqual(program.error_lines(), [f"parterre: {error}"])

    def test_flags_of_gpus_say_nothing_to_a_cpu(self):
        file = self.config('cuda-spin-us = 0\ncuda-graph-memory-mib = 64\n')
        flags = ("--device", "cpu", "--config", file, "--attention", "fa3")
        env = {"PARTERRE_CUDA_GRAPHS": "off"}
        with harness.Server(harness.BERT_MEAN, *flags, env=env) as server:
            server.embed(["a"])
            metrics = server.get("/metrics").body.decode()
        self.assertIn("on a CPU only auto applies", "\n".join(server.program.error_lines()))
        for mode in ("eager", "capture", "replay"):
            self.assertIn('parterre_graph_steps_total{device="cpu",'
                          f'mode="{mode}",model="bert-mean"}} 0\n', metrics)

    def test_help_groups_the_flags_of_gpus(self):
        run = subprocess.run([harness.PROGRAM, "serve", "--help"], capture_output=True, text=True,
                             timeout=harness.PATIENCE_S)
        self.assertEqual(run.returncode, 0)
        rest = run.stdout.partition("\nGPU (of a build with CUDA):\n")[2]
        for flag, value in (("attention", "auto"), ("cuda-graphs", "lazy"),
                            ("cuda-graph-memory-mib", "2048"), ("cuda-spin-us", "20000")):
            self.assertRegex(rest, f"--{flag} .*={value} ")

    def test_too_little_memory_is_told_without_a_signal(self):
        if harness.SANITIZED:
            harness.skip("a sanitizer reserves terabytes of addresses")

        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))

        run = subprocess.run(
            [harness.PROGRAM, "serve", "--model", str(harness.BERT_MEAN), "--port", "0",
             "--max-batch-tokens", "1048576"], preexec_fn=limit, capture_output=True, text=True,
            timeout=harness.PATIENCE_S)
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertEqual(run.stderr.splitlines()[-1], "parterre: out of memory")

    def test_port_in_use(self):
        with harness.Server() as server:
            self.expect_refused(str(server.port), "--model", harness.BERT_MEAN,
                                "--port", server.port, "--log-level", "error")


if __name__ == "__main__":
    harness.main()
