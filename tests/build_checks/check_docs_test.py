"""check_docs.py finds paths that do not exist and false line counts, and takes the true ones."""

import contextlib
import io
import pathlib
import tempfile
import unittest

import check_docs


def faults(text):
    """What the check prints for docs/page.md with `text`, in a tree of two sources."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path in ("src/a.h", "src/a.cc", "docs/other.md"):
            (root / path).parent.mkdir(exist_ok=True)
            (root / path).touch()
        (root / "docs/page.md").write_text(text, "utf-8")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            code = check_docs.main(root)
    return printed.getvalue(), code


class CheckDocsTest(unittest.TestCase):
    def test_paths_that_exist(self):
        text = "`src/a.h`, `src/a.{h,cc}`, `src/*.cc`, `src/<noun>.h`, [other](other.md#part)"
        self.assertEqual(faults(text), ("", 0))

    def test_what_is_no_path_of_the_tree(self):
        self.assertEqual(faults("`a/b`, `build/bin/x`, [x](https://example.org/y)"), ("", 0))

    def test_paths_that_do_not_exist(self):
        for text, path in (
            ("`src/b.h`", "src/b.h"),
            ("`./src/b.h`", "./src/b.h"),
            ("`src/a.{h,cu}`", "src/a.{h,cu}"),
            ("[gone](gone.md)", "gone.md"),
        ):
            with self.subTest(text):
                self.assertEqual(faults(f"\n{text}"), (f"docs/page.md:2: there is no {path}\n", 1))

    def test_counts_of_lines(self):
        def table(column, count):
            return f"| source | {column} |\n| --- | --- |\n| `src/a.h` | {count} |\n"

        self.assertEqual(faults(table("lines", 0)), ("", 0))
        self.assertEqual(faults(table("tests", 7)), ("", 0))
        self.assertEqual(
            faults(table("lines", 7)), ("docs/page.md:3: src/a.h has 0 lines, not 7\n", 1))

    def test_metrics(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "src").mkdir()
            (root / "docs").mkdir()
            (root / "src/a.cc").write_text('Counter("parterre_a_total"); Gauge("parterre_b")')
            (root / "src/a_test.cc").write_text('"parterre_not_registered"')
            (root / "docs/metrics.md").write_text("| `parterre_a_total` | – |\n| `parterre_c` | – |\n")
            self.assertEqual(list(check_docs.metric_faults(root)), [
                "docs/metrics.md: does not list parterre_b",
                "docs/metrics.md: no source registers parterre_c"])


if __name__ == "__main__":
    unittest.main()
