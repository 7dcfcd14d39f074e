"""What deploy/ starts: the program takes its configuration, and probes get their answers."""

import re
import subprocess
import textwrap
import unittest

import harness
from ivy_tulip_test import SMALL

MANIFESTS = harness.ROOT / "deploy/kubernetes"
UNITS = harness.ROOT / "deploy/systemd"
COMPOSE = harness.ROOT / "deploy/docker/compose.yaml"


def probes(name):
    """(kind, path) of those over HTTP."""
    text = (MANIFESTS / name).read_text("utf-8")
    return re.findall(r"(\w+Probe):\n\s+httpGet: \{path: (\S+),", text)


def variables(name):
    """Those of a file that a unit reads."""
    lines = (UNITS / name).read_text("utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if line.startswith("PARTERRE"))


def is_healthy(port):
    """What the healthcheck of compose.yaml, which is a script, says of a port."""
    text = COMPOSE.read_text("utf-8")
    script = re.search(r"- &ask >-\n(.*?)\n\s+- \"", text, re.DOTALL)[1]
    script = textwrap.dedent(script).replace("\n", " ").replace("$$", "$")
    run = subprocess.run(["bash", "-c", script, str(port)], capture_output=True,
                         timeout=harness.PATIENCE_S)
    return run.returncode == 0


class DeployTest(unittest.TestCase):
    def expect_probes(self, name, place, kinds):
        found = probes(name)
        self.assertEqual([kind for kind, _ in found], kinds)
        for kind, path in found:
            self.assertEqual(place.get(path).status, 200, kind)

    def test_kubernetes(self):
        config = {name: ("--config", MANIFESTS / name) for name in ("ivy.toml", "tulip.toml")}
        with harness.Tulip(harness.BERT_MEAN, *SMALL, *config["tulip.toml"]) as tulip:
            self.expect_probes("tulip.yaml", tulip, ["startupProbe", "livenessProbe"])
            port = tulip.address.rsplit(":", 1)[1]
            with harness.Ivy(harness.BERT_MEAN, *config["ivy.toml"],
                             "--replicas", f"dns:///localhost:{port}") as ivy:
                self.expect_probes("ivy.yaml", ivy,
                                   ["startupProbe", "livenessProbe", "readinessProbe"])
                self.assertEqual(len(ivy.embed(["a"])), 1)

    def test_systemd(self):
        """Flags of the command line come before these, so ports are the test's."""
        with harness.Tulip(harness.BERT_MEAN, *SMALL, env=variables("tulip-0.env")) as tulip:
            with harness.Ivy(harness.BERT_MEAN, "--replica", tulip.address,
                             env=variables("ivy.env")) as ivy:
                self.assertEqual(len(ivy.embed(["a"])), 1)
        with harness.Server(harness.BERT_MEAN, env=variables("serve.env")) as server:
            self.assertEqual(len(server.embed(["a"])), 1)

    def test_compose(self):
        with harness.Tulip(harness.BERT_MEAN, *SMALL) as tulip:
            self.assertTrue(is_healthy(tulip.admin_port))
            with harness.Ivy(harness.BERT_MEAN, "--replica", tulip.address) as ivy:
                self.assertTrue(is_healthy(ivy.port))
            address, admin_port = tulip.address, tulip.admin_port
        self.assertFalse(is_healthy(admin_port), "nobody is there")
        with harness.Ivy(harness.BERT_MEAN, "--replica", address, healthy=False) as ivy:
            self.assertFalse(is_healthy(ivy.port), "it has no Tulip")


if __name__ == "__main__":
    harness.main()
