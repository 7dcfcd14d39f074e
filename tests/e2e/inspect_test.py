"""`parterre inspect`: what a model folder is, as a table and as JSON."""

import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import harness

SHARED = harness.ROOT.parent / "shared/cases/models"


def inspect(*args):
    return subprocess.run([harness.PROGRAM, "inspect", *map(str, args)], capture_output=True,
                          encoding="utf-8", timeout=harness.PATIENCE_S)


class InspectTest(unittest.TestCase):
    def test_json(self):
        run = inspect(harness.BERT_MEAN, "--json")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        report = json.loads(run.stdout)
        self.assertRegex(report.pop("fingerprint"), "^[0-9a-f]{16}$")
        self.assertGreater(report["tokenizer"].pop("memory_bytes"), 857 * 8)
        cases = json.loads((harness.BERT_MEAN / "cases.json").read_text("utf-8"))
        floats = (report["weights"]["bytes"] - 512 * 8) // 4
        self.assertEqual(report, {
            "name": "bert-mean", "path": str(harness.BERT_MEAN), "family": "bert",
            "family_is_served": True, "architectures": ["BertModel"], "layers": 2,
            "hidden_size": 96, "heads": 3, "vocabulary_size": 857,
            "tokenizer": {"model_type": "WordPiece", "files": ["tokenizer.json"], "pieces": 857},
            "lower_case": False, "pooling": ["mean"], "pooling_is_default": False,
            "include_prompt": True, "normalize": True, "dimensions": 96,
            "max_length": cases["max_length"],
            "max_length_source": "sentence_bert_config.json: max_seq_length",
            "prompts": {}, "default_prompt_name": None,
            "weights": {"files": 1, "tensors": cases["tensors"],
                        "bytes": report["weights"]["bytes"], "dtypes": {"F32": 39, "I64": 1}},
            "memory_bytes": {"float32": 4 * floats, "bfloat16": 2 * floats}})

    def test_table(self):
        run = inspect(harness.BERT_MEAN)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        rows = dict(line.split(maxsplit=1) for line in run.stdout.splitlines())
        self.assertEqual(rows["family"], "bert")
        self.assertIn("WordPiece from tokenizer.json: 857 pieces, ", rows["tokenizer"])
        self.assertEqual(rows["pooling"], "mean")
        self.assertEqual(rows["normalize"], "yes")
        self.assertIn("256 tokens (sentence_bert_config.json: max_seq_length)", run.stdout)
        self.assertIn("40 tensors (39 F32, 1 I64)", rows["weights"])

    def test_folder_without_weights_prompts_and_default_pooling(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for file in ("config.json", "tokenizer.json"):
                shutil.copy(harness.BERT_MEAN / file, folder)
            prompts = {"prompts": {"query": "q: "}, "default_prompt_name": "query"}
            (folder / "config_sentence_transformers.json").write_text(json.dumps(prompts), "utf-8")
            run = inspect(folder)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            for text in ("no files: only --weights random:SEED", 'query: "q: " (default)',
                         "mean (default: no file of the folder says it)",
                         "512 tokens (config.json: max_position_embeddings)"):
                self.assertIn(text, run.stdout)

    def test_wrong_folders(self):
        bad = harness.DATA / "models/bad"
        for name, part in (("config_missing", "config.json"), ("module_unknown", "modules.json"),
                           ("header_length_huge", "header length"), ("nowhere", "no such folder")):
            with self.subTest(name):
                run = inspect(bad / name, "--json")
                self.assertEqual((run.returncode, run.stdout), (2, ""))
                self.assertEqual(len(run.stderr.splitlines()), 1)
                self.assertIn(part, run.stderr)

    def test_shared_folders(self):
        folders = [path.parent for path in SHARED.glob("*/cases.json")]
        if not folders:
            self.skipTest(f"no {SHARED}")
        inspected = 0
        for folder in folders:
            with self.subTest(folder.name):
                run = inspect(folder, "--json")
                if run.returncode == 2:
                    self.assertIn("modules.json: module", run.stderr)
                    continue
                inspected += 1
                cases = json.loads((folder / "cases.json").read_text("utf-8"))
                report = json.loads(run.stdout)
                self.assertEqual(report["family"], cases["model_type"])
                self.assertEqual(report["weights"]["tensors"], cases["tensors"])
        print(f"{inspected} of {len(folders)} shared folders inspected, the others ask for modules "
              "that are not supported yet")
        self.assertGreaterEqual(inspected, 26)


if __name__ == "__main__":
    harness.main()
