"""Rounds on the CPU become medians with spreads, and Parterre's best beside the peers' best."""

import unittest

import cpu_report

OURS, ORT, OPENVINO = "Parterre, float32", "ONNX Runtime, float32", "OpenVINO, float32"


def report(suite, p50, embeddings_per_s):
    latency = {"p50": p50, "p90": p50, "p99": p50, "max": p50}
    row = {"clients": 1, "batch": 1, "length": 16, "latency_ms": latency,
           "embeddings_per_s": embeddings_per_s}
    return {"suites": [{"name": suite, "rows": [row]}],
            "server": {"cpu_s": p50 / 10, "tokens": 5000}}


def run(suite, *rounds):
    """Each round: p50 of ours, ONNX Runtime and OpenVINO; rates are 1000 / p50."""
    measured = [{engine: [report(suite, p50, 1000 / p50)]
                 for engine, p50 in zip((OURS, ORT, OPENVINO), p50s)} for p50s in rounds]
    model = {"name": "minilm", "date": "2026-01-01", "engines": [OURS, ORT, OPENVINO],
             "rounds": measured, "busy_share": 0.25}
    return {"revision": "abc", "versions": ["parterre 1", "OpenVINO 2"],
            "machine": {"processor": "a processor", "text": "2 cores"}, "models": [model]}


class CpuReportTest(unittest.TestCase):
    def test_latency(self):
        text = cpu_report.text_of(run("latency", (2, 4, 5), (3, 9, 6), (4, 5, 10)))
        self.assertIn("| 1×16 | 3.00 (2.00–4.00) | 5.00 (4.00–9.00) | 6.00 (5.00–10.00) | 2.00× |",
                      text)
        self.assertIn("2026-01-01, rounds: 3; between the measurements others used 25% of the "
                      "machine.", text)
        self.assertNotIn("### scoring", text)

    def test_processor_time_is_of_1000_tokens(self):
        text = cpu_report.text_of(run("latency", (2, 4, 5), (4, 8, 6)))
        self.assertIn("| latency | 60.00 (40.00–80.00) | 120.00 (80.00–160.00) | "
                      "110.00 (100.00–120.00) |\n| scoring | – | – | – |", text)

    def test_throughput_is_better_where_it_is_more(self):
        text = cpu_report.text_of(run("throughput", (2, 4, 5)))
        self.assertIn("| 1×16 | 500.00 (500.00–500.00) | 250.00 (250.00–250.00) | "
                      "200.00 (200.00–200.00) | 2.00× |", text)


if __name__ == "__main__":
    unittest.main()
