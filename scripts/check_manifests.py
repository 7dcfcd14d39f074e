#!/usr/bin/env python3
"""Checks deploy/: units with systemd-analyze where there is one, Kubernetes' objects by their
types, and what both say of the program: that flags exist, ports agree, and there is time to end.

usage: check_manifests.py    of the program $PARTERRE, or build/bin/parterre

Ends with 77 where what it needs is missing. What needs no program running is checked here; that
probes are answered is tests/e2e/deploy_test.py's to see.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
UNITS = ROOT / "deploy/systemd"
MANIFESTS = ROOT / "deploy/kubernetes"
VENV = ROOT / ".cache/python"
EXIT_SKIPPED = 77
# To end takes a while more than the program's own flags say.
MARGIN_S = 5
SECONDS = {"s": 1, "min": 60}


class Flags:
    """Those of a subcommand, as its --help tells them."""

    def __init__(self, program, command):
        text = subprocess.run([program, command, "--help"], text=True, capture_output=True,
                              check=True).stdout
        self.names = set(re.findall(r"--([a-z0-9-]+)", text))
        self.defaults = dict(re.findall(r"--([a-z0-9-]+) [^\n=]*=(\S+) \(Env", text))

    def unknown(self, values):
        return [name for name in values if name not in self.names]

    def seconds_to_end(self, values):
        """The drain, then what was accepted, then the rest."""
        times_ms = (int(values.get(name, self.defaults[name]))
                    for name in ("drain-ms", "shutdown-timeout-ms"))
        return sum(times_ms) / 1000 + MARGIN_S


def assignments(path):
    """The lines KEY=VALUE of a unit or a file of variables; of several with one key the last."""
    lines = path.read_text("utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if re.match(r"\w+=", line))


def unit_faults(unit, flags_of):
    settings = assignments(unit)
    flags = flags_of[settings["ExecStart"].split()[1]]
    example = UNITS / pathlib.Path(settings["EnvironmentFile"]).name.replace("%i", "0")
    if not example.is_file():
        return [f"{unit.name}: no {example.name} shows what {settings['EnvironmentFile']} holds"]
    values = {name.removeprefix("PARTERRE_").lower().replace("_", "-"): value
              for name, value in assignments(example).items()}
    faults = [f"{example.name}: there is no flag --{name}" for name in flags.unknown(values)]
    number, unit_of_time = re.fullmatch(r"(\d+)(s|min)", settings["TimeoutStopSec"]).groups()
    if int(number) * SECONDS[unit_of_time] < flags.seconds_to_end(values):
        faults.append(f"{unit.name}: to end takes {flags.seconds_to_end(values):.0f} s, more than "
                      f"TimeoutStopSec={settings['TimeoutStopSec']}")
    return faults


def systemd_faults(units, program):
    """What systemd-analyze says, of copies that name a program which is there."""
    if shutil.which("systemd-analyze") is None:
        print("skipped: units by systemd-analyze, which is not here")
        return []
    with tempfile.TemporaryDirectory() as folder:
        copies = [pathlib.Path(folder) / unit.name.replace("@.", "@0.") for unit in units]
        for unit, copy in zip(units, copies):
            text = unit.read_text("utf-8")
            copy.write_text(re.sub(r"(?m)^(ExecStart=)\S+", rf"\1{program}", text), "utf-8")
        run = subprocess.run(["systemd-analyze", "verify", *copies], text=True,
                             capture_output=True)
        return run.stderr.splitlines()


class Workload:
    """A Deployment or StatefulSet, whose pods hold one container."""

    def __init__(self, document, config, flags):
        self.name = document["metadata"]["name"]
        self.spec = document["spec"]
        self.config = config
        self.flags = flags
        self.labels = self.spec["template"]["metadata"]["labels"]
        self.pod = self.spec["template"]["spec"]
        self.container, = self.pod["containers"]
        self.ports = {port["name"]: port["containerPort"] for port in self.container["ports"]}

    def faults(self):
        for name in self.flags.unknown(self.config):
            yield f"its parterre.toml: there is no flag --{name}"
        if self.spec["selector"]["matchLabels"] != self.labels:
            yield "selects other pods than its own"
        listens = {self.config[key] for key in ("port", "admin-port") if key in self.config}
        if set(self.ports.values()) != listens:
            yield f"has ports {self.ports}, the program listens on {sorted(listens)}"
        known = {*self.ports, *self.ports.values()}
        for kind in ("startupProbe", "livenessProbe", "readinessProbe"):
            probe = self.container.get(kind, {})
            asked = probe.get("httpGet") or probe.get("grpc") or {}
            if asked.get("port") not in known:
                yield f"{kind}: asks no port of the pod's"
        scraped = self.spec["template"]["metadata"]["annotations"]["prometheus.io/port"]
        if int(scraped) not in known:
            yield f"metrics are asked of port {scraped}"
        needed_s = self.flags.seconds_to_end(self.config)
        if self.pod["terminationGracePeriodSeconds"] < needed_s:
            yield f"terminationGracePeriodSeconds: to end takes {needed_s:.0f} s"


def service_faults(service, workload):
    if service["selector"] != workload.labels:
        yield "selects other pods than those of its name"
    for port in service["ports"]:
        if port["targetPort"] not in workload.ports:
            yield f"there is no port {port['targetPort']}"
    if service.get("clusterIP") == "None" and port["port"] != workload.ports[port["targetPort"]]:
        yield "without an address of its own, its port is the pod's"


def replicas_fault(ivy, tulip, services):
    """Ivy must find the address of each Tulip."""
    name = tulip.spec["serviceName"]
    target = f"dns:///{name}:{tulip.config['port']}"
    if services[name].get("clusterIP") != "None":
        return [f"Service {name}: one address for all, so that Ivy cannot balance"]
    return [] if ivy.config["replicas"] == target else [f"ivy.toml: replicas is not {target}"]


def project_version():
    cmake = (ROOT / "CMakeLists.txt").read_text("utf-8")
    return re.search(r"project\(parterre VERSION ([0-9.]+)", cmake)[1]


def kustomization_faults(kustomization):
    listed = {"kustomization.yaml", *kustomization["resources"]}
    there = {path.name for path in MANIFESTS.glob("*.yaml")}
    if listed != there:
        yield f"lists {sorted(listed)}, there are {sorted(there)}"
    if kustomization["images"][0]["newTag"] != project_version():
        yield f"newTag is not {project_version()}"


def kubernetes_faults(flags_of):
    import kubernetes_types
    import yaml

    kustomization = yaml.safe_load((MANIFESTS / "kustomization.yaml").read_text("utf-8"))
    yield from (f"kustomization.yaml: {fault}" for fault in kustomization_faults(kustomization))
    documents = [document for file in kustomization["resources"]
                 for document in yaml.safe_load_all((MANIFESTS / file).read_text("utf-8"))]
    configs = {}
    for generator in kustomization["configMapGenerator"]:
        file = generator["files"][0].split("=")[1]
        configs[generator["name"]] = tomllib.loads((MANIFESTS / file).read_text("utf-8"))
    workloads, services = {}, {}
    for document in documents:
        kind, name = document["kind"], document["metadata"]["name"]
        faults = list(kubernetes_types.faults(document))
        if kind in ("Deployment", "StatefulSet"):
            command = name.removeprefix("parterre-")
            workloads[name] = Workload(document, configs[name], flags_of[command])
            faults += workloads[name].faults()
        yield from (f"{kind} {name}: {fault}" for fault in faults)
    for document in documents:
        kind, name, spec = document["kind"], document["metadata"]["name"], document.get("spec")
        if kind == "Service":
            services[name] = spec
            yield from (f"{kind} {name}: {fault}" for fault in
                        service_faults(spec, workloads[name]))
        if kind == "PodDisruptionBudget":
            if spec["selector"]["matchLabels"] != workloads[name].labels:
                yield f"{kind} {name}: selects other pods than those of its name"
    yield from replicas_fault(workloads["parterre-ivy"], workloads["parterre-tulip"], services)


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(EXIT_SKIPPED)


def program():
    path = pathlib.Path(os.environ.get("PARTERRE", ROOT / "build/bin/parterre")).resolve()
    if not path.exists():
        skip(f"no {path} whose flags could be compared")
    return path


def run_with_yaml(main):
    """Runs it in the tests' environment of Python, which can read YAML."""
    if sys.prefix != str(VENV):
        if not (VENV / "bin/python").exists():
            skip("no .cache/python to read YAML with; scripts/python_env.sh makes it")
        os.execv(VENV / "bin/python", [str(VENV / "bin/python"), *sys.argv])
    main()


def main():
    flags_of = {command: Flags(program(), command) for command in ("serve", "ivy", "tulip")}
    units = sorted(UNITS.glob("*.service"))
    faults = [fault for unit in units for fault in unit_faults(unit, flags_of)]
    faults += systemd_faults(units, program())
    faults += kubernetes_faults(flags_of)
    print("\n".join(faults) or f"{len(units)} units and deploy/kubernetes are in order")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    run_with_yaml(main)
