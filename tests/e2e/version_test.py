"""parterre --version: what is said, and that a commit is not guessed."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import harness

SCRIPT = harness.ROOT / "cmake/commit.cmake"


def made_source(folder, output, commit=""):
    """What the build makes of a tree."""
    subprocess.run(["cmake", "-D", f"SOURCE_DIR={folder}", "-D", f"OUTPUT={output}", "-P", SCRIPT],
                   check=True, env={**os.environ, "PARTERRE_COMMIT": commit})
    return pathlib.Path(output).read_text("utf-8")


class VersionTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.output = self.folder / "commit.cc"

    def test_what_the_program_says(self):
        run = subprocess.run([harness.PROGRAM, "--version"], capture_output=True, text=True,
                             check=True)
        first, *rest = run.stdout.splitlines()
        self.assertRegex(first, r"^parterre \d+\.\d+\.\d+$")
        said = dict(line.split(": ", 1) for line in rest)
        self.assertEqual(list(said), ["commit", "build", "cpu", "gpu"])
        self.assertRegex(said["commit"], r"^([0-9a-f]{40}(-dirty)?|unknown)$")
        self.assertRegex(said["build"], r"^(Release|Debug|RelWithDebInfo), \w+ \d")
        self.assertRegex(said["cpu"], r"^avx2, avx512")
        self.assertRegex(said["gpu"], r"^(none$|CUDA \d)")

    def git(self, *words):
        return subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b.c", "-C",
                               self.folder / "tree", *words], check=True, capture_output=True,
                              text=True).stdout.strip()

    def test_the_commit(self):
        tree = self.folder / "tree"
        tree.mkdir()
        (tree / "file").write_text("a")
        self.assertIn('kCommit[] = "unknown"', made_source(tree, self.output))
        self.assertIn('kCommitDate[] = ""', made_source(tree, self.output))
        self.git("init", "--quiet")
        self.assertIn('kCommit[] = "unknown"', made_source(tree, self.output), "no commit yet")
        self.git("add", "file")
        self.git("commit", "--quiet", "--message", "a")
        commit = self.git("rev-parse", "HEAD")
        self.assertIn(f'kCommit[] = "{commit}"', made_source(tree, self.output))
        self.assertTrue(re.search(r'kCommitDate\[\] = "\d{4}-\d\d-\d\d"',
                                  made_source(tree, self.output)))
        (tree / "file").write_text("b")
        self.assertIn(f'kCommit[] = "{commit}-dirty"', made_source(tree, self.output))
        # A tree without git inside another that has it is not that one's.
        inner = tree / "inner"
        inner.mkdir()
        self.assertIn('kCommit[] = "unknown"', made_source(inner, self.output))
        self.assertIn('kCommit[] = "abc123"', made_source(inner, self.output, "abc123"))
        self.assertIn('kCommit[] = "unknown"', made_source(inner, self.output, 'x"; y'))

    def test_the_same_commit_touches_nothing(self):
        made_source(self.folder, self.output)
        os.utime(self.output, (1, 1))
        made_source(self.folder, self.output)
        self.assertEqual(self.output.stat().st_mtime, 1)
        made_source(self.folder, self.output, "abc123")
        self.assertNotEqual(self.output.stat().st_mtime, 1)


if __name__ == "__main__":
    harness.main()
