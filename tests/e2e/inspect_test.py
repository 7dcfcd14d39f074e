"""`parterre inspect`: what a model folder is, as a table and as JSON."""

import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import harness

SHARED = harness.SHARED / "cases/models"


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
            "family_is_served": True, "architectures": ["BertModel"], "task": "embed",
            "task_source": "modules.json", "outputs": ["dense", "tokens"], "layers": 2,
            "hidden_size": 96, "heads": 3, "vocabulary_size": 857,
            "tokenizer": {"model_type": "WordPiece", "files": ["tokenizer.json"], "pieces": 857},
            "lower_case": False, "pooling": ["mean"],
            "pooling_source": "1_Pooling/config.json", "pooling_is_default": False,
            "include_prompt": True, "dense": [], "normalize": True, "quantization": "none",
            "dimension": 96,
            "max_length": cases["max_length"],
            "max_length_source": "sentence_bert_config.json: max_seq_length",
            "prompts": {}, "default_prompt_name": None,
            "weights": {"files": 1, "tensors": cases["tensors"],
                        "bytes": report["weights"]["bytes"], "parameters": floats,
                        "dtypes": {"F32": 39, "I64": 1}},
            "memory_bytes": {"float32": 4 * floats, "bfloat16": 2 * floats},
            "unsupported": []})

    def test_table(self):
        run = inspect(harness.BERT_MEAN)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        rows = dict(line.split(maxsplit=1) for line in run.stdout.splitlines())
        self.assertEqual(rows["family"], "bert")
        self.assertIn("WordPiece from tokenizer.json: 857 pieces, ", rows["tokenizer"])
        self.assertEqual(rows["task"], "embed (modules.json)")
        self.assertEqual(rows["outputs"], "dense, tokens")
        self.assertEqual(rows["pooling"], "mean (1_Pooling/config.json)")
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
                         "mean (default of bert)",
                         "512 tokens (config.json: max_position_embeddings)"):
                self.assertIn(text, run.stdout)

    def test_wrong_folders(self):
        bad = harness.DATA / "models/bad"
        for name, part in (("config_missing", "config.json"),
                           ("header_length_huge", "header length"), ("nowhere", "no such folder")):
            with self.subTest(name):
                run = inspect(bad / name, "--json")
                self.assertEqual((run.returncode, run.stdout), (2, ""))
                self.assertEqual(len(run.stderr.splitlines()), 1)
                self.assertIn(part, run.stderr)

    def test_unsupported_is_told_not_refused(self):
        bad = harness.DATA / "models/bad"
        for name, part in (("module_unknown", "modules.json: module "),
                           ("tokenizer_unknown_model", "Abacus")):
            with self.subTest(name):
                run = inspect(bad / name, "--json")
                self.assertEqual((run.returncode, run.stderr), (0, ""))
                self.assertEqual(len(json.loads(run.stdout)["unsupported"]), 1)
                self.assertIn(part, json.loads(run.stdout)["unsupported"][0])
                self.assertRegex(inspect(bad / name).stdout, rf"(?m)^not supported +.*{part}")

    def test_family_that_is_not_served(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            shutil.copy(harness.BERT_MEAN / "tokenizer.json", folder)
            config = {"model_type": "abacus", "max_position_embeddings": 64}
            (folder / "config.json").write_text(json.dumps(config), "utf-8")
            report = json.loads(inspect(folder, "--json").stdout)
            self.assertFalse(report["family_is_served"])
            self.assertIn('got "abacus"', report["unsupported"][0])
            self.assertIn('"bert"', report["unsupported"][0])

    def test_classifier(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            shutil.copy(harness.BERT_MEAN / "tokenizer.json", folder)
            config = json.loads((harness.BERT_MEAN / "config.json").read_text("utf-8"))
            config |= {"architectures": ["BertForSequenceClassification"],
                       "id2label": {"0": "no", "1": "yes"}}
            (folder / "config.json").write_text(json.dumps(config), "utf-8")
            report = json.loads(inspect(folder, "--json").stdout)
            self.assertEqual((report["task"], report["outputs"]), ("classify", ["scores"]))
            self.assertEqual((report["labels"], report["activation"]), (["no", "yes"], "softmax"))
            table = inspect(folder).stdout
            self.assertRegex(table, r"(?m)^labels +no, yes$")
            self.assertNotRegex(table, r"(?m)^pooling")

    def test_shared_folders(self):
        folders = [path.parent for path in SHARED.glob("*/cases.json")]
        if not folders:
            harness.skip(f"no {SHARED}")
        tasks = {"rerank": "rerank", "classify": "classify"}
        not_served = []
        for folder in folders:
            with self.subTest(folder.name):
                run = inspect(folder, "--json")
                self.assertEqual((run.returncode, run.stderr), (0, ""))
                cases = json.loads((folder / "cases.json").read_text("utf-8"))
                report = json.loads(run.stdout)
                self.assertEqual(report["family"], cases["model_type"])
                self.assertEqual(report["task"], tasks.get(cases["task"], "embed"))
                self.assertEqual(report["weights"]["tensors"], cases["tensors"])
                self.assertEqual(report["unsupported"] == [], report["family_is_served"])
                if not report["family_is_served"]:
                    not_served.append(folder.name)
                table = inspect(folder)
                self.assertEqual((table.returncode, table.stderr), (0, ""))
        print(f"{len(folders)} shared folders inspected; of families not served: "
              f"{', '.join(sorted(not_served))}")
        self.assertGreaterEqual(len(folders), 28)


if __name__ == "__main__":
    harness.main()
