"""What a process takes, as Linux tells it, and whether that grows."""

import os
import pathlib
import statistics


class Usage:
    """Of one process at one time."""

    def __init__(self, pid):
        folder = pathlib.Path(f"/proc/{pid}")
        # The fields after the program's name, which may hold anything.
        stat = (folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        self.rss_bytes = int(stat[21]) * os.sysconf("SC_PAGE_SIZE")
        self.threads = int(stat[17])
        self.cpu_s = (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")
        self.files = len(os.listdir(folder / "fd"))


def growth(values):
    """From the second quarter of a series to its last, by their medians."""
    quarter = len(values) // 4
    if quarter == 0:
        return 0
    return statistics.median(values[-quarter:]) - statistics.median(values[quarter:2 * quarter])
