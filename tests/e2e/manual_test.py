"""Manual pages and completions: whole, without a fault that their readers find, and of use."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import harness
import shells

COMMANDS = ("serve", "tulip", "ivy", "inspect", "tokenize", "tune", "bench", "bench suites", "bench open",
            "bench beside", "bench tokenizer", "bench latency", "manual")

# What is typed, and what the line is after it was completed; FOLDER has parterre.toml and model/.
COMPLETED = (
    ("parterre ser", "parterre serve"),
    ("parterre bench o", "parterre bench open"),
    ("parterre open", "parterre open"),
    ("parterre --versi", "parterre --version"),
    ("parterre serve --dty", "parterre serve --dtype"),
    ("parterre serve --dtype b", "parterre serve --dtype bfloat16"),
    ("parterre serve --dtype=b", "parterre serve --dtype=bfloat16"),
    ("parterre serve --port 1 --auto-truncate f", "parterre serve --port 1 --auto-truncate false"),
    ("parterre tulip --replic", "parterre tulip --replic"),
    ("parterre ivy --replica-tls-c", "parterre ivy --replica-tls-c"),  # -ca and -cert
    ("parterre ivy --replica-tls-k", "parterre ivy --replica-tls-key"),
    ("parterre bench open --inp", "parterre bench open --input"),
    ("parterre serve --config FOLDER/par", "parterre serve --config FOLDER/parterre.toml"),
    ("parterre serve --model FOLDER/m", "parterre serve --model FOLDER/model/"),
    ("parterre serve FOLDER/m", "parterre serve FOLDER/model/"),
)


class ManualTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="m")))
        subprocess.run([harness.PROGRAM, "manual", cls.folder / "new/manual"], check=True)
        cls.manual = cls.folder / "new/manual"
        (cls.folder / "model").mkdir()
        (cls.folder / "parterre.toml").touch()

    def test_each_flag_has_its_place(self):
        for command in COMMANDS:
            help_text = subprocess.run([harness.PROGRAM, *command.split(), "--help"], check=True,
                                       capture_output=True, text=True).stdout
            page = self.manual / f"man1/parterre-{command.replace(' ', '-')}.1"
            text = page.read_text("utf-8").replace("\\-", "-")
            flags = set(re.findall(r"^\s+(?:-\w,)?(--[a-z0-9-]+)", help_text, re.MULTILINE))
            self.assertTrue(flags)
            for flag in flags:
                self.assertIn(f"\\fB{flag}\\fR", text, command)
                for name in ("parterre.bash", "_parterre"):
                    self.assertIn(flag, (self.manual / name).read_text("utf-8"))
                self.assertIn(f" -l {flag[2:]} ", (self.manual / "parterre.fish").read_text("utf-8"))
        program = (self.manual / "man1/parterre.1").read_text("utf-8")
        self.assertEqual(len(list((self.manual / "man1").iterdir())),
                         len(set(COMMANDS) | {"bench scoring", "bench throughput",
                                              "bench concurrency", ""}))
        self.assertIn(".BR parterre\\-serve (1)", program)

    def test_a_page_says_what_a_flag_takes(self):
        page = (self.manual / "man1/parterre-serve.1").read_text("utf-8")
        self.assertIn(".TP\n\\fB\\-p\\fR, \\fB\\-\\-port\\fR \\fIINT\\fR\nPort; 0: any free one.\n"
                      "Range: 0 to 65535.\nDefault: \\fB8080\\fR.\nVariable: PARTERRE_PORT.\n", page)
        self.assertIn("\\fB\\-\\-schedule\\fR \\fBfcfs\\fR|\\fBfair\\fR\n", page)
        self.assertIn(".SS GPU", page)

    def lint(self, program, *words):
        if shutil.which(program) is None:
            harness.skip(f"no {program} to read manual pages with")
        for page in sorted((self.manual / "man1").iterdir()):
            run = subprocess.run([program, *words, page], capture_output=True, text=True)
            # A tree without git has no date to give.
            said = [line for line in (run.stderr + run.stdout).splitlines()
                    if program == "man" or "missing date" not in line]
            if program == "man":
                said = run.stderr.splitlines()
            self.assertEqual(said, [], page.name)

    def test_mandoc(self):
        self.lint("mandoc", "-T", "lint", "-W", "warning")

    def test_man(self):
        self.lint("man", "--warnings", "--local-file", "--encoding=UTF-8", "--ditroff")

    def complete_in(self, name, shell):
        if shutil.which(name) is None:
            harness.skip(f"no {name} to complete in")
        script = {"bash": "parterre.bash", "zsh": "_parterre", "fish": "parterre.fish"}[name]
        subprocess.run([name, "-n", self.manual / script], check=True)
        with shell(self.manual, self.folder) as shell_at_work:
            for typed, expected in COMPLETED:
                typed, expected = (line.replace("FOLDER", str(self.folder))
                                   for line in (typed, expected))
                self.assertEqual(shell_at_work.completed(typed), expected)

    def test_bash(self):
        self.complete_in("bash", shells.bash)

    def test_zsh(self):
        self.complete_in("zsh", shells.zsh)

    def test_fish(self):
        self.complete_in("fish", shells.Fish)

    def test_a_folder_that_cannot_be(self):
        run = subprocess.run([harness.PROGRAM, "manual", self.folder / "parterre.toml/x"],
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, 2)
        self.assertRegex(run.stderr, r"^parterre: \S+/parterre.toml/x: cannot be made: ")
        self.assertEqual(run.stderr.count("\n"), 1)


if __name__ == "__main__":
    harness.main()
