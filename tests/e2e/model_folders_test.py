"""Model folders that are wrong: exit status 2 and one line that says what is wrong."""

import contextlib
import json
import pathlib
import shutil
import tempfile
import unittest

import harness

BAD = harness.DATA / "models/bad"
MEMORY_MAX_BYTES = 512 << 20

# Faults that show only in the answers, and a text that shows them.
SEEN_IN_REQUESTS = {"inf_weights": "a"}


def bad_cases():
    return json.loads((BAD / "bad.json").read_text("utf-8"))["cases"]


@contextlib.contextmanager
def copy_of_ok():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shutil.copytree(BAD / "ok", folder, dirs_exist_ok=True)
        yield folder


def change(file, edit):
    content = json.loads(file.read_text("utf-8"))
    edit(content)
    file.write_text(json.dumps(content), "utf-8")


class ModelFoldersTest(unittest.TestCase):
    def test_refused_at_load(self):
        for case in bad_cases():
            if case["folder"] not in SEEN_IN_REQUESTS:
                with self.subTest(case["folder"]):
                    self.expect_refused(BAD / case["folder"], case["message_should_name_one_of"])

    def expect_refused(self, folder, named):
        program = harness.Program("serve", "--model", folder, "--port", 0)
        status = program.wait()
        lines = program.error_lines()
        self.assertEqual(status, 2, lines)
        self.assertEqual(len(lines), 1, lines)
        self.assertTrue(any(name in lines[0] for name in named), (lines[0], named))
        self.assertLess(program.rss_max_bytes, MEMORY_MAX_BYTES)

    def test_seen_in_requests(self):
        for case in bad_cases():
            if case["folder"] in SEEN_IN_REQUESTS:
                with self.subTest(case["folder"]), harness.Server(BAD / case["folder"]) as server:
                    self.expect_error(server, SEEN_IN_REQUESTS[case["folder"]],
                                      case["message_should_name_one_of"])

    def expect_error(self, server, text, named):
        answer = server.post("/v1/embeddings", {"input": text})
        self.assertGreaterEqual(answer.status, 400, answer.body[:300])
        message = answer.json()["error"]["message"]
        self.assertTrue(any(name in message for name in named), (message, named))
        self.assertEqual(server.get("/health").status, 200)

    def test_sound_folder(self):
        with harness.Server(BAD / "ok") as server:
            self.assertEqual(len(server.embed(["a", "b"])), 2)

    def test_no_such_folder(self):
        self.expect_refused(BAD / "no_such_folder", ["no_such_folder"])

    def test_unknown_family(self):
        with copy_of_ok() as folder:
            change(folder / "config.json", lambda config: config.update(model_type="hedgehog"))
            self.expect_refused(folder, ["hedgehog"])

    def test_lower_case_asked_of_a_cased_tokenizer(self):
        with copy_of_ok() as folder:
            change(folder / "sentence_bert_config.json", lambda c: c.update(do_lower_case=True))
            with harness.Server(folder) as server:
                self.assertEqual(*server.embed(["Tulip", "tulip"]))
            change(folder / "tokenizer.json", lambda t: t["normalizer"].update(lowercase=False))
            self.expect_refused(folder, ["do_lower_case"])

    def test_vocab_txt_without_tokenizer_json(self):
        with copy_of_ok() as folder:
            tokenizer = json.loads((folder / "tokenizer.json").read_text("utf-8"))
            with harness.Server(folder) as server:
                expected = server.embed(["Tulips open in spring."])
            (folder / "tokenizer.json").unlink()
            vocabulary = tokenizer["model"]["vocab"]
            pieces = sorted(vocabulary, key=vocabulary.get)
            (folder / "vocab.txt").write_text("\n".join(pieces) + "\n", "utf-8")
            settings = folder / "tokenizer_config.json"
            settings.write_text(json.dumps({"tokenizer_class": "BertTokenizer"}), "utf-8")
            with harness.Server(folder) as server:
                self.assertEqual(server.embed(["Tulips open in spring."]), expected)
            run = harness.Program("inspect", folder)
            self.assertEqual(run.wait(), 0, run.error_lines())
            settings.write_text(json.dumps({"tokenizer_class": "OddTokenizer"}), "utf-8")
            self.expect_refused(folder, ["the pipeline of OddTokenizer is not known"])
            settings.unlink()
            for part in ("tokenizer.json is missing", "which holds vocab.txt", "save_pretrained"):
                self.expect_refused(folder, [part])


if __name__ == "__main__":
    harness.main()
