"""Model folders that public bug reports say other servers misread, through the whole program, by
the number that docs/bugs.md lists them under."""

import http.client
import json
import os
import pathlib
import re
import shutil
import tempfile
import unittest

import harness
from ivy_tulip_test import SMALL
from model_folders_test import change

MODELS = harness.DATA / "models"
HEADS = harness.DATA / "heads"
TEXTS = ["a", "some words " * 60]


class FoldersTest(unittest.TestCase):
    def copy(self, folder):
        """A folder of the same name that may be changed."""
        copy = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / folder.name
        shutil.copytree(folder, copy)
        return copy

    def rows(self, folder, *flags):
        with harness.Server(folder, "--dtype", "float32", *SMALL, *flags) as server:
            return server.embed(TEXTS)

    def expect_refused(self, named, folder, *flags):
        program = harness.Program("serve", "--model", folder, "--port", 0, *flags)
        self.assertEqual(program.wait(), 2, program.error_lines())
        self.assertIn(named, program.error_lines()[-1])

    def test_bug18_truncation_and_padding_of_the_tokenizer_are_ignored(self):
        folder = self.copy(MODELS / "bert-mean")
        expected = self.rows(folder)

        def cut_and_pad(tokenizer):
            tokenizer["truncation"] = {"direction": "Right", "max_length": 16, "stride": 0,
                                       "strategy": "LongestFirst"}
            tokenizer["padding"] = {"strategy": {"Fixed": 128}, "direction": "Right",
                                    "pad_to_multiple_of": None, "pad_id": 0, "pad_type_id": 0,
                                    "pad_token": "[PAD]"}

        change(folder / "tokenizer.json", cut_and_pad)
        self.assertEqual(self.rows(folder), expected)

    def test_bug22_the_tokenizer_json_says_what_is_appended(self):
        folder = self.copy(MODELS / "qwen3-embedding")
        expected = self.rows(folder)
        change(folder / "tokenizer_config.json", lambda config: config.update(add_eos_token=False))
        self.assertEqual(self.rows(folder), expected)

    def test_bug25_a_limit_without_room_for_text_is_refused(self):
        for model, limit, taken in (("bert-mean", 2, "2 special tokens"),
                                    ("bert-reranker", 3, "3 special tokens"),
                                    ("qwen3-reranker", 5, "of the template")):
            with self.subTest(model):
                self.expect_refused(f"a limit of {limit} tokens (--max-length) leaves no room",
                                    MODELS / model, "--max-length", limit)
                self.expect_refused(taken, MODELS / model, "--max-length", limit)

    def test_bug33_what_would_overflow_is_not_served(self):
        self.expect_refused("--dtype: float16 not in", MODELS / "bert-mean", "--dtype", "float16")
        folder = self.copy(MODELS / "bert-mean")
        change(folder / "config.json", lambda config: config.update(model_type="gemma3_text"))
        self.expect_refused("gemma3_text", folder)

    def test_bug40_dense_modules_are_run(self):
        """Two in a row, the second with another size; the folder named by a path of its own."""
        folder = HEADS / "dense-modules"
        sizes = [json.loads((folder / name / "config.json").read_text())["out_features"]
                 for name in ("2_Dense", "3_Dense")]
        hidden = json.loads((folder / "config.json").read_text())["hidden_size"]
        self.assertNotIn(sizes[-1], (hidden,))
        whole = self.rows(folder)
        self.assertEqual(len(whole[0]), sizes[-1])
        renamed = self.copy(folder)
        (renamed / "2_Dense").rename(renamed / "2_Dense_1024")

        def rename(modules):
            modules[2]["path"] = "2_Dense_1024"

        change(renamed / "modules.json", rename)
        self.assertEqual(self.rows(renamed), whole)
        change(renamed / "modules.json", lambda modules: modules[2].update(type="some.Twist"))
        self.expect_refused("Twist", renamed)

    def test_bug41_where_the_pooling_comes_from(self):
        folder = self.copy(MODELS / "bert-cls")
        shutil.rmtree(folder / "1_Pooling")
        self.expect_refused("--pooling chooses a mode without it", folder)
        self.assertEqual(self.rows(folder, "--pooling", "cls"), self.rows(MODELS / "bert-cls"))
        (folder / "modules.json").unlink()
        with harness.Server(folder, *SMALL) as server:
            self.assertEqual(server.get("/info").json()["model_type"]["embedding"]["pooling"],
                             "mean")
            server.program.wait_for_line("nothing says how to pool; taking mean")

    def test_bug43_a_reranker_is_no_embedding_model(self):
        self.expect_refused("gives scores, not vectors", MODELS / "bert-reranker",
                            "--pooling", "cls")
        folder = self.copy(MODELS / "bert-reranker")
        change(folder / "config.json", lambda config: [config.pop(key, None) for key in
                                                       ("id2label", "label2id")])
        change(folder / "config.json", lambda config: config.update(num_labels=1))
        with harness.Server(folder, *SMALL) as server:
            info = server.get("/info").json()
            self.assertEqual(info["task"], "rerank")
            self.assertEqual(info["model_type"]["reranker"]["id2label"], {"0": "LABEL_0"})
            self.assertEqual(server.post("/embed", {"inputs": "a"}).status, 424)
            ranks = server.post("/rerank", {"query": "q", "texts": ["a", "b"]}).json()
            self.assertEqual(sorted(rank["index"] for rank in ranks), [0, 1])

    def test_bug44_a_reranker_without_a_head_of_its_own(self):
        folder = self.copy(MODELS / "qwen3-reranker")
        asked = {"query": "q", "texts": ["a", "b c"], "raw_scores": True}
        scores = []
        for tied in (True, False):
            change(folder / "config.json", lambda c: c.update(tie_word_embeddings=tied))
            with harness.Server(folder, "--dtype", "float32", *SMALL) as server:
                scores.append(server.post("/rerank", asked).json())
                said = "\n".join(server.program.error_lines())
                self.assertEqual("lm_head.weight is not there, though tie_word_embeddings is false"
                                 in said, not tied, said)
        self.assertEqual(*scores)

    def test_bug45_links_to_the_folder_and_in_it(self):
        """As a hub's cache has them: snapshots of links to blobs."""
        top = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (top / "blobs").mkdir()
        for file in (MODELS / "bert-mean").rglob("*"):
            if file.is_dir():
                continue
            link = top / "ModelName/checkpoint-2100" / file.relative_to(MODELS / "bert-mean")
            link.parent.mkdir(parents=True, exist_ok=True)
            blob = top / "blobs" / str(abs(hash(link)))
            shutil.copy(file, blob)
            link.symlink_to(os.path.relpath(blob, link.parent))
        (top / "final").symlink_to("ModelName/checkpoint-2100")
        self.assertEqual(self.rows(top / "final"), self.rows(MODELS / "bert-mean"))
        weights = top / "final/model.safetensors"
        weights.resolve().unlink()
        self.expect_refused("model.safetensors: broken link", top / "final")

    def test_bug46_not_healthy_before_it_can_serve(self):
        """Health says that it loads, and the log what it has measured once it has."""
        folder = self.copy(MODELS / "bert-mean")
        change(folder / "config.json", lambda config: config.update(
            num_hidden_layers=96, intermediate_size=60_000))  # 4 GB, which nobody waits for.
        program = harness.Program("tulip", "--model", folder, "--weights", "random:1", *SMALL,
                                  "--host", "127.0.0.1", "--port", 0, "--admin-port", 0)
        line = program.wait_for_line("metrics and health on http://")
        port = int(re.search(r"http://127\.0\.0\.1:(\d+)", line)[1])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=harness.PATIENCE_S)
        health = harness.ask(connection, "GET", "/health")
        connection.close()
        program.kill()
        self.assertEqual(health.status, 503)
        self.assertIn(b"the weights are being read", health.body)
        with harness.Tulip(MODELS / "bert-mean", *SMALL) as tulip:
            self.assertEqual(tulip.get("/health").status, 200)
            for text in ("loaded bert-mean: bert in ", "batch budget: "):
                tulip.program.wait_for_line(text)


if __name__ == "__main__":
    harness.main()
