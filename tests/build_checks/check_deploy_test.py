"""check_deploy.py finds metrics that there are not and panels in each other's place."""

import unittest

import check_deploy

METRICS = {"parterre_a_total": False, "parterre_b_seconds": True}


def panel(**fields):
    return {"id": 1, "type": "timeseries", "title": "t", "targets": [{"expr": "parterre_a_total"}],
            "gridPos": {"x": 0, "y": 0, "w": 12, "h": 8}, **fields}


class CheckDeployTest(unittest.TestCase):
    def metrics(self, text):
        return list(check_deploy.metric_faults(text, METRICS))

    def panels(self, *panels):
        return list(check_deploy.dashboard_faults({"panels": panels}, METRICS))

    def test_metrics_that_there_are(self):
        self.assertEqual(self.metrics("rate(parterre_a_total[5m]) / parterre_b_seconds_count"), [])

    def test_metrics_that_there_are_not(self):
        self.assertEqual(self.metrics("parterre_c_total"),
                         ["docs/metrics.md does not list parterre_c_total"])
        self.assertEqual(self.metrics("parterre_a_total_count"),
                         ["docs/metrics.md does not list parterre_a_total_count"])
        self.assertEqual(len(self.metrics("parterre_b_seconds")), 1)

    def test_panels(self):
        beside = panel(id=2, gridPos={"x": 12, "y": 0, "w": 12, "h": 8})
        self.assertEqual(self.panels(panel(), beside), [])
        self.assertEqual(len(self.panels(panel(), panel(id=2))), 1)
        self.assertEqual(len(self.panels(panel(), {**beside, "id": 1})), 1)
        self.assertEqual(len(self.panels(panel(gridPos={"x": 20, "y": 0, "w": 8, "h": 1}))), 1)
        self.assertEqual(self.panels(panel(targets=[])), ["t: shows nothing"])
        self.assertEqual(len(self.panels(panel(targets=[{"expr": "parterre_c"}]))), 1)


if __name__ == "__main__":
    unittest.main()
