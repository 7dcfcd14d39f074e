#!/usr/bin/env python3
"""Checks deploy/docker/compose.yaml: what it says of the program is so (commands, flags, ports,
time to end), services find each other, and docker-compose takes it, where there is one.

usage: check_compose.py    of the program $PARTERRE, or build/bin/parterre

Ends with 77 where what it needs is missing. That the question of health is answered is
tests/e2e/deploy_test.py's to see.
"""

import re
import shutil
import subprocess
import sys

from check_manifests import ROOT, SECONDS, Flags, program, project_version, run_with_yaml

FILE = ROOT / "deploy/docker/compose.yaml"
KNOWN = {"image", "build", "restart", "read_only", "cap_drop", "security_opt", "stop_grace_period",
         "volumes", "environment", "command", "healthcheck", "ports"}


def settings(service):
    """Flag → value, of a service's environment and, over it, its command."""
    values = {name.removeprefix("PARTERRE_").lower().replace("_", "-"): value
              for name, value in service.get("environment", {}).items()}
    words = iter(service["command"][1:])
    for word in words:
        values[word.removeprefix("--")] = next(words)
    return values


def replica_faults(values, port_of):
    """Ivy's Tulips are services of the file, each asked on the port where it listens."""
    for replica in filter(None, values.get("replica", "").split(",")):
        name, _, port = replica.partition(":")
        if port != port_of.get(name):
            yield f"--replica {replica}: no service listens there"


def service_faults(service, flags_of, port_of):
    yield from (f"{key}: not a key of ours" for key in sorted(service.keys() - KNOWN))
    command = service["command"][0]
    if command not in flags_of:
        yield f"there is no subcommand {command}"
        return
    flags, values = flags_of[command], settings(service)
    yield from (f"there is no flag --{name}" for name in flags.unknown(values))
    listens = {str(values[name]) for name in ("port", "admin-port") if name in values}
    asked = service["healthcheck"]["test"][-1]
    if asked not in listens:
        yield f"healthcheck asks port {asked}, the program listens on {sorted(listens)}"
    for published in service.get("ports", []):
        if published.split(":")[-1] not in listens:
            yield f"publishes {published}, the program listens on {sorted(listens)}"
    yield from replica_faults(values, port_of)
    number, unit = re.fullmatch(r"(\d+)(s|min)", service["stop_grace_period"]).groups()
    if int(number) * SECONDS[unit] < flags.seconds_to_end(values):
        yield f"stop_grace_period: to end takes {flags.seconds_to_end(values):.0f} s"


def image_faults(service):
    name, _, tag = service["image"].partition(":")
    if (name, tag) != ("parterre", project_version()):
        yield f"image is {name}:{tag}, not parterre:{project_version()}"
    context = (FILE.parent / service["build"]["context"]).resolve()
    if context != ROOT or not (context / service["build"]["dockerfile"]).is_file():
        yield "build: the tree or its Dockerfile is not there"


def faults(services, flags_of):
    port_of = {name: str(settings(service).get("port")) for name, service in services.items()}
    for name, service in services.items():
        yield from (f"{name}: {fault}" for fault in service_faults(service, flags_of, port_of))
        yield from (f"{name}: {fault}" for fault in image_faults(service))


def docker_compose_faults():
    tool = shutil.which("docker-compose")
    if tool is None:
        print("skipped: compose.yaml by docker-compose, which is not here")
        return []
    run = subprocess.run([tool, "--file", FILE, "config", "--quiet"], text=True,
                         capture_output=True)
    return [] if run.returncode == 0 else run.stderr.splitlines()


def main():
    import yaml
    flags_of = {command: Flags(program(), command) for command in ("serve", "ivy", "tulip")}
    services = yaml.safe_load(FILE.read_text("utf-8"))["services"]
    found = [*faults(services, flags_of), *docker_compose_faults()]
    print("\n".join(found) or f"{len(services)} services are in order")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    run_with_yaml(main)
