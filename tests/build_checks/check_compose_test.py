"""check_compose.py finds what it is for."""

import copy
import unittest

import check_compose
import check_manifests

TULIP = {
    "image": f"parterre:{check_manifests.project_version()}",
    "build": {"context": "../..", "dockerfile": "deploy/docker/Dockerfile"},
    "command": ["tulip", "--port", "1", "--admin-port", "2"],
    "environment": {"PARTERRE_MODEL": "m"},
    "healthcheck": {"test": ["CMD", "x", "2"]},
    "stop_grace_period": "37s",
}
IVY = {
    **TULIP,
    "command": ["ivy", "--replica", "tulip:1", "--port", "3"],
    "healthcheck": {"test": ["CMD", "x", "3"]},
    "ports": ["127.0.0.1:80:3"],
}


class Flags(check_manifests.Flags):
    def __init__(self):
        self.names = {"model", "port", "admin-port", "replica", "drain-ms", "shutdown-timeout-ms"}
        self.defaults = {"drain-ms": "2000", "shutdown-timeout-ms": "30000"}


class ComposeTest(unittest.TestCase):
    def faults(self, change=lambda services: None):
        services = copy.deepcopy({"tulip": TULIP, "ivy": IVY})
        change(services)
        return list(check_compose.faults(services, {"ivy": Flags(), "tulip": Flags()}))

    def expect(self, fault, service, **keys):
        self.assertEqual(self.faults(lambda services: services[service].update(keys)), [fault])

    def test_services(self):
        self.assertEqual(self.faults(), [])
        self.expect("ivy: there is no flag --prot", "ivy", environment={"PARTERRE_PROT": "1"})
        self.expect("ivy: there is no subcommand iwy", "ivy", command=["iwy"])
        self.expect("ivy: --replica tulip:2: no service listens there", "ivy",
                    command=["ivy", "--replica", "tulip:1,tulip:2", "--port", "3"])
        self.expect("ivy: publishes 80:4, the program listens on ['3']", "ivy", ports=["80:4"])
        self.expect("tulip: healthcheck asks port 4, the program listens on ['1', '2']", "tulip",
                    healthcheck={"test": ["4"]})
        self.expect("tulip: stop_grace_period: to end takes 37 s", "tulip", stop_grace_period="36s")
        self.expect("tulip: prots: not a key of ours", "tulip", prots=[])
        self.expect("tulip: build: the tree or its Dockerfile is not there", "tulip",
                    build={"context": "..", "dockerfile": "deploy/docker/Dockerfile"})
        self.assertIn("image is parterre:0, not", self.faults(
            lambda services: services["ivy"].update(image="parterre:0"))[0])


if __name__ == "__main__":
    unittest.main()
