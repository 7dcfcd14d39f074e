"""A run's JSON becomes tables with peers' figures, targets judged by the right path, and a plot."""

import json
import pathlib
import tempfile
import unittest
import xml.etree.ElementTree

import plot
import run_report
from cells import Cell, Result
from targets import Target, of_cell

MODEL = "xlm-r-large"
NO_GRAPHS = {"graph_replays": 0, "graph_captures": 0, "eager_steps": 0}
PUBLISHED = {
    "gpu": "NVIDIA H200",
    "peers": {"vLLM 0.22.0": {"source": "measured", MODEL: {
        "latency": {"1×128": 6.9}, "scoring": {"5×512": 27}, "throughput": {"4 × 100×512": 1312}}},
        "article": {"source": "charts", MODEL: {"latency": {"1×128": 1.53}}}},
}


def row(clients, batch, length, p50, embeddings_per_s=0.0, **more):
    latency = {"p50": p50, "p90": p50, "p99": p50, "max": p50}
    return {"clients": clients, "batch": batch, "length": length, "latency_ms": latency,
            "embeddings_per_s": embeddings_per_s, **more}


def report_of(suite, *rows, **more):
    return {"suites": [{"name": suite, "rows": list(rows), **more}]}


def run(paths, gpu="NVIDIA H200", **more):
    machine = {"gpu": gpu, "processor": "a processor", "text": "a machine"}
    model = {"name": MODEL, "title": "XLM-R <large>", "paths": paths, **more}
    return {"date": "2026-01-01", "machine": machine, "version": "parterre 1",
            "flags": {"engine": ["--device", "cuda:0"], "ivy": []}, "revision": "abc",
            "models": [model], "failures": []}


def latency(**p50s):
    """Reports of the latency suite at 1×128, a path's p50 each."""
    return {path: [report_of("latency", row(1, 1, 128, p50))] for path, p50 in p50s.items()}


class TargetsTest(unittest.TestCase):
    def result(self, p50, p99=None, inputs_per_s=0.0, busy_share=None):
        return Result(p50, p50, p99 or p50, p99 or p50, inputs_per_s, busy_share)

    def test_latency_is_held_against_the_engine_of_the_same_run(self):
        found = of_cell(MODEL, "latency", Cell(1, 1, 128), self.result(1.2), self.result(1.0))
        self.assertEqual(found.must, Target(1.25, 1.2))
        self.assertTrue(found.must.met)
        self.assertEqual(found.aim, Target(1.12, 1.2))
        self.assertFalse(found.aim.met)

    def test_without_the_engine_latency_has_no_bound(self):
        found = of_cell(MODEL, "latency", Cell(1, 1, 128), self.result(1.2), None)
        self.assertIsNone(found.must)
        self.assertIsNone(found.aim)

    def test_tail(self):
        for suite, p99, met in (("latency", 1.25, True), ("latency", 1.26, False),
                                ("concurrency", 2.0, True), ("concurrency", 2.1, False)):
            found = of_cell(MODEL, suite, Cell(1, 1, 128), self.result(1.0, p99), None)
            self.assertEqual(found.tail.met, met, (suite, p99))
        self.assertIsNone(of_cell(MODEL, "scoring", Cell(1, 5, 512), self.result(1), None).tail)

    def test_a_rate_is_to_be_at_least_its_bound(self):
        cell = Cell(4, 100, 512)
        for rate, must, aim in ((1399, False, False), (1400, True, False), (1560, True, True)):
            found = of_cell(MODEL, "throughput", cell, self.result(1, 1, rate), None)
            self.assertEqual((found.must.met, found.aim.met), (must, aim), rate)

    def test_an_engine_is_to_be_busy_where_there_is_always_work(self):
        cell = Cell(4, 100, 512)
        for share, met in ((0.969, False), (0.97, True)):
            found = of_cell(MODEL, "throughput", cell, self.result(1, busy_share=share), None)
            self.assertEqual(found.busy.met, met)
        self.assertIsNone(of_cell(MODEL, "throughput", cell, self.result(1), None).busy)
        self.assertIsNone(of_cell(MODEL, "scoring", cell, self.result(1, busy_share=1), None).busy)

    def test_what_did_not_run_meets_nothing(self):
        found = of_cell(MODEL, "latency", Cell(1, 1, 128), None, self.result(1.0))
        self.assertEqual(set(found), {None})


class ReportTest(unittest.TestCase):
    def line(self, text, begin):
        """Cells of the one line of a table that begins so."""
        found = [line for line in text.splitlines() if line.startswith(f"| {begin} |")]
        self.assertEqual(len(found), 1, text)
        return [cell.strip() for cell in found[0].strip("|").split("|")]

    def test_latency_row(self):
        text = run_report.text_of(run(latency(engine=1.0, serve=1.3, ivy=1.5)), PUBLISHED)
        self.assertEqual(self.line(text, "1×128"), [
            "1×128", "1.00 / 1.00", "1.30 / 1.30", "1.50 / 1.50", "6.9 (5.3×)", "1.53 (1.2×)",
            "≤ 1.25: **no**", "≤ 1.12: **no**", "1.00 ≤ 1.25: yes"])
        self.assertIn("Targets missed: 1.", text)
        self.assertIn("- XLM-R <large>, latency 1×128, must: 1.30 (≤ 1.25: **no**)", text)

    def test_throughput_row_is_a_rate(self):
        counters = {"steps": 2, "busy_share": 0.95}
        measured = row(4, 100, 512, 300, 1574.4, counters=counters | NO_GRAPHS,
                       roofline_share=0.514)
        paths = {"serve": [report_of("throughput", measured)]}
        text = run_report.text_of(run(paths), PUBLISHED)
        self.assertEqual(self.line(text, "4 × 100×512"), [
            "4 × 100×512", "1574.4", "1312 (1.2×)", "–", "≥ 1400: yes", "≥ 1560: yes",
            "0.95 ≥ 0.97: **no**", "51%"])
        self.assertIn("busy share: 0.95 (≥ 0.97: **no**)", text)

    def test_other_machines_stand_beside_no_peer(self):
        for gpu in (None, "NVIDIA L4"):
            text = run_report.text_of(run(latency(serve=1.3), gpu), PUBLISHED)
            self.assertEqual(self.line(text, "1×128"), ["1×128", "1.30 / 1.30"])
            self.assertNotIn("Targets", text)

    def test_a_suite_that_failed_leaves_a_gap(self):
        paths = {**latency(serve=1.3), "ivy": []}
        failed = {**run(paths), "failures": ["ivy: ended with 1"]}
        text = run_report.text_of(failed, PUBLISHED)
        self.assertEqual(self.line(text, "1×128")[:3], ["1×128", "1.30 / 1.30", "–"])
        self.assertIn("## What failed\n\n```\nivy: ended with 1\n```", text)

    def test_counters_of_a_suite_are_of_all_its_cells(self):
        first = {"steps": 3, "graph_replays": 2, "graph_captures": 1, "eager_steps": 0,
                 "batch_fill": 0.2, "busy_share": 0.5}
        second = {"steps": 1, "graph_replays": 0, "graph_captures": 0, "eager_steps": 1,
                  "batch_fill": 1.0, "busy_share": 0.9}
        cells = [row(1, 1, 128, 1.3, counters=first), row(1, 1, 512, 1.9, counters=second)]
        text = run_report.text_of(run({"serve": [report_of("latency", *cells)]}), PUBLISHED)
        self.assertIn("| serve, latency | 4 | 2 | 1 | 1 | 40% | 50% to 90% |\n", text)

    def test_open_loop(self):
        met = {"offered_per_s": 100, "reached_per_s": 99}
        paths = {"serve": [report_of("open", row(64, 1, 512, 2.5, open=met))]}
        text = run_report.text_of(run(paths), PUBLISHED)
        self.assertEqual(self.line(text, "serve"), [
            "serve", "1×512", "100", "99", "2.50", "2.50", "2.50", "2.50"])

    def test_checks(self):
        report = report_of("latency", row(1, 1, 128, 1.3), ceiling=row(1, 1, 4096, 0.021, 40000))
        paths = {"serve": [{**report, "reference": {"divergence": 0.00025}}]}
        text = run_report.text_of(run(paths), PUBLISHED)
        self.assertIn("| serve, latency | 0.00025 | 1×4096: 0.02 ms, 40000 inputs/s |\n", text)

    def test_agreement(self):
        agreement = [{"cell": "1×128", "ours": 1.0, "plain": 1.3, "allowed": 0.23,
                      "agrees": False}]
        text = run_report.text_of(run({}, agreement=agreement), PUBLISHED)
        self.assertEqual(self.line(text, "1×128"),
                         ["1×128", "1.00", "1.30", "+0.30", "± 0.23", "**no**"])

    def test_published_figures_are_of_cells(self):
        published = json.loads(run_report.PUBLISHED.read_text("utf-8"))
        for peer in published["peers"].values():
            for suite, figures in (pair for name, suites in peer.items() if name != "source"
                                   for pair in suites.items()):
                self.assertIn(suite, plot.SUITES)
                for cell in figures:
                    self.assertRegex(cell, r"^(\d+ × )?\d+×\d+$")


class JoinTest(unittest.TestCase):
    def join(self, *runs):
        with tempfile.TemporaryDirectory() as name:
            parts = [pathlib.Path(name, f"{i}.json") for i in range(len(runs))]
            for part, one in zip(parts, runs):
                part.write_text(json.dumps(one), "utf-8")
            out = pathlib.Path(name, "all.json")
            run_report.join(parts, out)
            self.assertIn("# Four suites", out.with_suffix(".md").read_text("utf-8"))
            return json.loads(out.read_text("utf-8"))

    def test_models_and_failures_of_all(self):
        second = {**run(latency(serve=2.0)), "failures": ["one"]}
        joined = self.join(run(latency(serve=1.0)), second)
        self.assertEqual([model["paths"] for model in joined["models"]],
                         [latency(serve=1.0), latency(serve=2.0)])
        self.assertEqual(joined["failures"], ["one"])

    def test_runs_of_different_programs_are_not_one(self):
        with self.assertRaisesRegex(SystemExit, "1.json: another revision"):
            self.join(run({}), {**run({}), "revision": "def"})


    def test_what_is_no_run_is_told(self):
        with self.assertRaisesRegex(SystemExit, "0.json: no results of a run: date, .* missing"):
            self.join({})
        with self.assertRaisesRegex(SystemExit, "nowhere.json: no results of a run"):
            run_report.read(pathlib.Path("nowhere.json"))


class PlotTest(unittest.TestCase):
    def test_is_a_document_with_a_bar_for_each_figure(self):
        paths = latency(engine=1.0, serve=1.3, ivy=1.5)
        text = plot.svg(run(paths), PUBLISHED["peers"])
        root = xml.etree.ElementTree.fromstring(text)
        titles = root.findall(".//{http://www.w3.org/2000/svg}title")
        self.assertEqual([title.text for title in titles], [
            "engine: 1", "serve: 1.3", "ivy: 1.5", "vLLM 0.22.0: 6.9", "article: 1.53"])


if __name__ == "__main__":
    unittest.main()
