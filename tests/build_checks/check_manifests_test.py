"""check_manifests.py finds what it is for."""

import copy
import pathlib
import tempfile
import unittest

import check_manifests

UNIT = """[Service]
ExecStart=/usr/local/bin/parterre ivy
EnvironmentFile=/etc/parterre/ivy.env
TimeoutStopSec=37s
"""
WORKLOAD = {
    "metadata": {"name": "parterre-ivy"},
    "spec": {
        "selector": {"matchLabels": {"component": "ivy"}},
        "template": {
            "metadata": {"labels": {"component": "ivy"},
                         "annotations": {"prometheus.io/port": "8080"}},
            "spec": {
                "terminationGracePeriodSeconds": 40,
                "containers": [{
                    "ports": [{"name": "http", "containerPort": 8080}],
                    "startupProbe": {"httpGet": {"path": "/metrics", "port": "http"}},
                    "livenessProbe": {"httpGet": {"path": "/metrics", "port": 8080}},
                    "readinessProbe": {"grpc": {"port": 8080}},
                }],
            },
        },
    },
}


class Flags(check_manifests.Flags):
    def __init__(self):
        self.names = {"port", "drain-ms", "shutdown-timeout-ms"}
        self.defaults = {"drain-ms": "2000", "shutdown-timeout-ms": "30000"}


class UnitTest(unittest.TestCase):
    def faults(self, unit=UNIT, variables="PARTERRE_PORT=1\n"):
        with tempfile.TemporaryDirectory() as folder:
            check_manifests.UNITS = pathlib.Path(folder)
            (check_manifests.UNITS / "ivy.env").write_text(variables, "utf-8")
            file = check_manifests.UNITS / "parterre-ivy.service"
            file.write_text(unit, "utf-8")
            return check_manifests.unit_faults(file, {"ivy": Flags()})

    def test_units(self):
        self.assertEqual(self.faults(), [])
        self.assertEqual(self.faults(variables="PARTERRE_PROT=1\n"),
                         ["ivy.env: there is no flag --prot"])
        self.assertIn("no other.env", self.faults(UNIT.replace("ivy.env", "other.env"))[0])
        self.assertIn("takes 37 s", self.faults(UNIT.replace("37s", "36s"))[0])
        self.assertIn("takes 38 s", self.faults(variables="PARTERRE_DRAIN_MS=3000\n")[0])


class WorkloadTest(unittest.TestCase):
    def faults(self, change=lambda spec: None, **config):
        document = copy.deepcopy(WORKLOAD)
        change(document["spec"])
        workload = check_manifests.Workload(document, {"port": 8080, **config}, Flags())
        return list(workload.faults())

    def test_workloads(self):
        self.assertEqual(self.faults(), [])
        self.assertIn("--prot", self.faults(prot=1)[0])
        self.assertIn("listens on [8081]", self.faults(port=8081)[0])
        self.assertIn("takes 45 s", self.faults(**{"drain-ms": 10_000})[0])

        def rename_port(spec):
            spec["template"]["spec"]["containers"][0]["ports"][0]["name"] = "web"

        def forget_probe(spec):
            del spec["template"]["spec"]["containers"][0]["livenessProbe"]

        self.assertEqual(self.faults(rename_port), ["startupProbe: asks no port of the pod's"])
        self.assertEqual(self.faults(forget_probe), ["livenessProbe: asks no port of the pod's"])
        self.assertEqual(self.faults(lambda spec: spec["selector"]["matchLabels"].clear()),
                         ["selects other pods than its own"])


if __name__ == "__main__":
    unittest.main()
