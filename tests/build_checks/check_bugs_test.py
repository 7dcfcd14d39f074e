"""check_bugs.py finds reports without a row or a test, and tests that no row names."""

import pathlib
import tempfile
import unittest
from unittest import mock

import check_bugs

SOUND = """| | fault | reported as | tests | here |
| --- | --- | --- | --- | --- |
| 1 | a | x/one.js#11, x-y/two#12 | `Bug01_One`, `test_bug01_whole` | right |
| 2 | b | x/one.js#21 | – | Not applicable: nothing here does that |
"""


def faults(page, cc="TEST(A, Bug01_One) {}", py="    def test_bug01_whole(self):"):
    """What the check says of a tree with two reports, a test in C++ and one in Python."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in (("docs/bugs.md", page), ("src/part/a_test.cc", cc),
                           ("src/part/a.cc", "TEST(A, Bug02_NoTestFile) {}"),
                           ("tests/e2e/a_test.py", py)):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, "utf-8")
        with mock.patch.object(check_bugs, "REPORTS", 2):
            return list(check_bugs.faults(root))


class CheckBugsTest(unittest.TestCase):
    def test_sound_table(self):
        self.assertEqual(faults(SOUND), [])

    def test_rows(self):
        one, two = SOUND.splitlines()[2:]
        self.assertEqual(faults(one), ["report 2 has no row"])
        self.assertEqual(faults("\n".join((one, two, two))), ["report 2 has two rows"])
        self.assertEqual(faults(SOUND + two.replace("2", "3", 1)), ["there is no report 3"])

    def test_a_row_says_where_it_was_reported(self):
        for wrong in ("–", "", "one#21", "x/one"):
            self.assertEqual(faults(SOUND.replace("x/one.js#21", wrong)),
                             [f"report 2: {wrong!r} is not owner/repository#number"])

    def test_a_row_without_a_test_says_why(self):
        self.assertEqual(faults(SOUND.replace("Not applicable: n", "N")),
                         ["report 2 has no test and does not say why"])

    def test_tests_that_are_gone_or_of_another_report(self):
        gone = SOUND.replace("Bug01_One", "Bug01_Gone")
        self.assertEqual(faults(gone), ["report 1: there is no test Bug01_Gone",
                                        "report 1 does not list Bug01_One"])
        self.assertEqual(faults(SOUND.replace("| – |", "| `Bug01_One` |")),
                         ["report 2: Bug01_One does not bear its number"])

    def test_every_kind_of_test_must_be_listed(self):
        for cc in ("TEST_F(\n    A,\n    Bug02_New) {}", "TEST_P(A, Bug02_New) {}"):
            self.assertEqual(faults(SOUND, cc="TEST(A, Bug01_One) {}\n" + cc),
                             ["report 2 does not list Bug02_New"])
        self.assertEqual(
            faults(SOUND, py="def test_bug01_whole(self):\n def test_bug02_new(self):"),
            ["report 2 does not list test_bug02_new"])

    def test_a_test_of_a_report_that_there_is_not(self):
        self.assertEqual(faults(SOUND, cc="TEST(A, Bug01_One) {}\nTEST(A, Bug67_Lost) {}"),
                         ["report 67 does not list Bug67_Lost"])


if __name__ == "__main__":
    unittest.main()
