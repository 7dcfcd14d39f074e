"""Model folders that are wrong: exit status 2 and one line that says what is wrong."""

import contextlib
import json
import pathlib
import shutil
import struct
import tempfile
import unittest

import harness

BAD = harness.DATA / "models/bad"
MEMORY_MAX_BYTES = 512 << 20


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


def spoil_word(file, token_id):
    """Makes the embedding of a token NaN."""
    content = bytearray(file.read_bytes())
    size = struct.unpack_from("<Q", content)[0]
    header = json.loads(content[8:8 + size])
    name = next(name for name in header if name.endswith("word_embeddings.weight"))
    columns = header[name]["shape"][1]
    begin = 8 + size + header[name]["data_offsets"][0] + token_id * columns * 4
    content[begin:begin + columns * 4] = struct.pack("<f", float("nan")) * columns
    file.write_bytes(content)


class ModelFoldersTest(unittest.TestCase):
    def test_refused_at_load(self):
        for case in bad_cases():
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

    def test_bug32_a_word_without_a_number_fails_its_requests_alone(self):
        with copy_of_ok() as folder:
            tokenizer = json.loads((folder / "tokenizer.json").read_text("utf-8"))
            spoil_word(folder / "model.safetensors", tokenizer["model"]["vocab"]["b"])
            with harness.Server(folder) as server:
                sound = server.embed(["a"])
                self.expect_nan_named(server, {"input": "b"}, "input: the model gave NaN")
                # Chunks of several steps, not in the order of the inputs.
                texts = ["a " * (1 + i % 9) for i in range(400)]
                texts[217] = "b"
                self.expect_nan_named(server, {"input": texts}, "input[217]: the model gave NaN")
                self.assertEqual(server.embed(["a"]), sound)
                metrics = harness.Metrics(server)
                self.assertEqual(metrics.total("parterre_nonfinite_rows_total"), 2)
                self.assertEqual(metrics.total("parterre_requests_failure_total",
                                               'cause="inference"'), 2)

    def expect_nan_named(self, server, body, message):
        answer = server.post("/v1/embeddings", body)
        self.assertEqual(answer.status, 500, answer.body[:300])
        self.assertEqual(answer.json()["error"]["message"], message)

    def test_sound_folder(self):
        with harness.Server(BAD / "ok") as server:
            self.assertEqual(len(server.embed(["a", "b"])), 2)

    def test_a_message_is_one_line_whatever_it_quotes(self):
        for name, quoted in (("a\0b", r"a\x00b"), ("a\nb\033[31m", r"a\x0ab\x1b[31m"), ("a" * 10**6, "a…")):
            with self.subTest(quoted), copy_of_ok() as folder:
                change(folder / "modules.json", lambda modules: modules[1].update(type=name))
                self.expect_refused(folder, [quoted])

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

    def test_bug16_vocab_txt_without_tokenizer_json(self):
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
