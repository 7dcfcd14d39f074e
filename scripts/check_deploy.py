#!/usr/bin/env python3
"""Checks deploy/grafana and deploy/prometheus: every metric that they name stands in docs/metrics.md,
the dashboard's panels have their places, and promtool takes rules, tests and the panels' expressions.

usage: check_deploy.py [ROOT]

promtool is $PROMTOOL, or found in PATH (Debian: prometheus, 19 MB); what needs it is left out without.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LISTED = re.compile(r"^\| `(parterre_[a-z0-9_]+)` \|[^|]*\| (\w*)", re.MULTILINE)
NAMED = re.compile(r"\bparterre_[a-z0-9_]+")
PART_OF_HISTOGRAM = re.compile(r"_(bucket|sum|count)$")
VARIABLES = {"$__rate_interval": "5m", "$job": "j", "$instance": "i", "$model": "m"}


def listed_metrics(root):
    """Name → whether it is a histogram."""
    text = (root / "docs/metrics.md").read_text("utf-8")
    return {name: kind == "histogram" for name, kind in LISTED.findall(text)}


def metric_faults(text, metrics):
    """What `text` names and docs/metrics.md does not list so."""
    for name in sorted(set(NAMED.findall(text))):
        whole = PART_OF_HISTOGRAM.sub("", name)
        if metrics.get(whole) and whole != name or metrics.get(name) is False:
            continue
        if metrics.get(name):
            yield f"{name} is a histogram: name its _bucket, _sum or _count"
        else:
            yield f"docs/metrics.md does not list {name}"


def expressions(dashboard):
    """(panel's title, expression) of each query."""
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"]


def cells(place):
    return {(x, y) for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])}


def dashboard_faults(dashboard, metrics):
    ids, taken = set(), set()
    for panel in dashboard["panels"]:
        title, place = panel["title"], cells(panel["gridPos"])
        if panel["id"] in ids:
            yield f"{title}: its id is another's"
        if place & taken or any(x > 23 for x, _ in place):
            yield f"{title}: lies over another, or beside the grid"
        if panel["type"] != "row" and not panel.get("targets"):
            yield f"{title}: shows nothing"
        ids.add(panel["id"])
        taken |= place
    for title, expression in expressions(dashboard):
        for fault in metric_faults(expression, metrics):
            yield f"{title}: {fault}"


def promtool_faults(promtool, folder, dashboard):
    """What promtool says of the rules, of their tests, and of the dashboard's expressions as rules."""
    rules = [{"record": f"panel:{i}", "expr": expression}
             for i, (_, expression) in enumerate(expressions(dashboard))]
    text = json.dumps({"groups": [{"name": "dashboard", "rules": rules}]})
    for variable, value in VARIABLES.items():
        text = text.replace(variable, value)
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as panels:  # JSON is YAML.
        panels.write(text)
        panels.flush()
        for args in (("check", "config", "scrape.yaml"), ("check", "rules", "alerts.yaml"),
                     ("test", "rules", "alerts_test.yaml"), ("check", "rules", panels.name)):
            run = subprocess.run([promtool, *args], cwd=folder, capture_output=True, text=True)
            if run.returncode != 0:
                yield f"promtool {' '.join(args)}:\n{run.stdout}{run.stderr}"


def faults(root, promtool):
    """file: what is wrong with it, for each fault."""
    metrics = listed_metrics(root)
    board = root / "deploy/grafana/parterre.json"
    try:
        dashboard = json.loads(board.read_text("utf-8"))
    except ValueError as error:
        yield f"{board.relative_to(root)}: {error}"
        return
    for fault in dashboard_faults(dashboard, metrics):
        yield f"{board.relative_to(root)}: {fault}"
    for file in sorted((root / "deploy/prometheus").glob("*.yaml")):
        for fault in metric_faults(file.read_text("utf-8"), metrics):
            yield f"{file.relative_to(root)}: {fault}"
    if promtool:
        yield from promtool_faults(promtool, root / "deploy/prometheus", dashboard)


def main(root):
    promtool = os.environ.get("PROMTOOL") or shutil.which("promtool")
    if not promtool:
        print("skipped: alerts and their tests by promtool, which is not here")
    found = list(faults(root, promtool))
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    here = pathlib.Path(__file__).resolve().parent.parent
    sys.exit(main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here))
