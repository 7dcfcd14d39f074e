"""Model folders that are wrong: exit status 2 and one line that says what is wrong."""

import json
import os
import shutil
import tempfile
import time
import unittest

import harness

BAD = harness.DATA / "models/bad"
MEMORY_MAX_BYTES = 512 << 20
START_LIMIT_S = 10


class ModelFoldersTest(unittest.TestCase):
    def test_bad_folders(self):
        cases = json.loads((BAD / "bad.json").read_text("utf-8"))["cases"]
        present = [case for case in cases if (BAD / case["folder"]).is_dir()]
        self.assertGreater(len(present), 15)
        for case in present:
            with self.subTest(case["folder"]):
                self.expect_refused(BAD / case["folder"], case["message_should_name_one_of"])

    def expect_refused(self, folder, named):
        start = time.monotonic()
        program = harness.Program("serve", "--model", folder, "--port", 0)
        _, wait_status, usage = os.wait4(program.process.pid, 0)
        took_s = time.monotonic() - start
        program.process.returncode = status = os.waitstatus_to_exitcode(wait_status)
        program.wait()
        lines = program.error_lines()
        self.assertEqual(status, 2, lines)
        self.assertEqual(len(lines), 1, lines)
        self.assertTrue(any(name in lines[0] for name in named), (lines[0], named))
        self.assertLess(usage.ru_maxrss * 1024, MEMORY_MAX_BYTES)
        self.assertLess(took_s, START_LIMIT_S)

    def test_sound_folder(self):
        with harness.Server(BAD / "ok") as server:
            self.assertEqual(len(server.embed(["a", "b"])), 2)

    def test_no_such_folder(self):
        self.expect_refused(BAD / "no_such_folder", ["no_such_folder"])

    def test_unsupported_family(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(BAD / "ok", folder, dirs_exist_ok=True)
            config_file = os.path.join(folder, "config.json")
            with open(config_file, encoding="utf-8") as file:
                config = json.load(file)
            with open(config_file, "w", encoding="utf-8") as file:
                json.dump({**config, "model_type": "hedgehog"}, file)
            self.expect_refused(folder, ["hedgehog"])


if __name__ == "__main__":
    harness.main()
