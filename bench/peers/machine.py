"""What a run is made on, of what, and how quiet it is there."""

import os
import pathlib
import platform
import re
import subprocess
import time
from typing import NamedTuple

import instruction_sets

CORES = len(os.sched_getaffinity(0))
# Thread pools of the libraries spin a while after a call before they sleep.
SETTLE_S = 0.25
# By other work, between measurements.
BUSY_SHARE_MAX = 0.05


class Machine(NamedTuple):
    gpu: str | None  # "NVIDIA H200"
    processor: str
    text: str        # All of it, in words.

    @property
    def slug(self) -> str:
        """"h200" of a GPU; "cpu"."""
        return self.gpu.split()[-1].lower() if self.gpu else "cpu"


def output_of(*command: str | pathlib.Path, environment: dict | None = None) -> str | None:
    """The first line that a command prints; None if it cannot."""
    try:
        ran = subprocess.run(command, env=environment, capture_output=True, text=True)
    except OSError:
        return None
    lines = ran.stdout.splitlines()
    return lines[0].strip() if ran.returncode == 0 and lines else None


def processor() -> str:
    match = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return match[1].strip() if match else platform.machine()


def isas() -> str:
    return ", ".join(instruction_sets.of_processor()) or "none of AVX2 and above"


def revision() -> str:
    """Of this tree; a copy of it without its history has none."""
    here = pathlib.Path(__file__).parent
    return output_of("git", "-C", here, "describe", "--always", "--dirty") or "unknown"


def look(device: str) -> Machine:
    """`device` is "cpu" or "cuda:N"."""
    host = f"{CORES} processors ({processor()}; {isas()})"
    if device == "cpu":
        return Machine(None, processor(), host)
    found = output_of("nvidia-smi", f"--id={device.rpartition(':')[2]}",
                      "--query-gpu=name,driver_version", "--format=csv,noheader")
    if found is None:
        raise SystemExit(f"--device {device}: nvidia-smi knows nothing of it")
    name, driver = found.split(", ")
    return Machine(name, processor(), f"driver {driver}, {host}")


def busy_and_total_ticks() -> tuple[int, int]:
    ticks = [int(value) for value in pathlib.Path("/proc/stat").read_text().split()[1:9]]
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


def settle() -> float:
    """Waits until the last engine's threads sleep; then returns the share of the cores in use."""
    time.sleep(SETTLE_S)
    busy, total = busy_and_total_ticks()
    time.sleep(SETTLE_S)
    busy_then, total_then = busy_and_total_ticks()
    return (busy_then - busy) / max(total_then - total, 1)


def warn_if_busy(busy_share: float) -> None:
    """Says so where others used more of the machine than a comparison bears."""
    if busy_share > BUSY_SHARE_MAX:
        print(f"The machine was {busy_share:.0%} busy with other work: repeat this on a quiet one.")
