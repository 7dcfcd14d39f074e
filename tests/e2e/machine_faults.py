"""Faults of the machine that a test can switch on and off while a program runs: machine_faults.cc,
preloaded, looks at the same page."""

import itertools
import json
import mmap
import os
import pathlib
import struct
import tempfile
import threading
import unittest

import harness
import traffic

LIBRARY = os.environ.get("MACHINE_FAULTS_LIBRARY",
                         str(harness.ROOT / "build/lib/libmachine_faults.so"))
NAMES = ("clock_offset_s", "allocation_max", "disk_full", "step_fault", "cut_mapped_files")
# For step_fault, of the program failing_parterre alone.
OUT_OF_MEMORY, DEVICE_GONE, MISPLACED_STORE = 1, 2, 3


class MachineFaults:
    """`env`: for the program. Attributes by the names above, all 0 at first. `preload`: into a
    program that is not linked with the library, as failing_parterre is."""

    def __init__(self, preload):
        if not pathlib.Path(LIBRARY).is_file():
            harness.skip_program(f"no {LIBRARY}")
        if preload and harness.SANITIZED:
            harness.skip("faults that are preloaded would stand before the sanitizer's functions")
        self._file = tempfile.NamedTemporaryFile()
        self._file.truncate(mmap.PAGESIZE)
        self._page = mmap.mmap(self._file.fileno(), mmap.PAGESIZE)
        self.env = {"MACHINE_FAULTS": self._file.name}
        if preload:
            self.env["LD_PRELOAD"] = LIBRARY

    def __setattr__(self, name, value):
        if name not in NAMES:
            return super().__setattr__(name, value)
        struct.pack_into("<q", self._page, 8 * NAMES.index(name), value)

    def close(self):
        self._page.close()
        self._file.close()


class Asker(threading.Thread):
    """Asks again and again until it is told to end; each answer is right, or has one of these
    statuses."""

    def __init__(self, server, corpus, statuses=()):
        super().__init__(daemon=True)
        self.server = server
        self.corpus = corpus
        self.statuses = statuses
        self.over = threading.Event()
        self.seen = []
        self.faults = []

    def run(self):
        for item in itertools.cycle(self.corpus.texts + self.corpus.ids):
            if self.over.is_set():
                return
            request = traffic.batch("asked", self.corpus, [json.dumps(item)])
            try:
                answer = self.server.post(traffic.ROUTE, request.body)
                self.seen.append(answer.status)
                if answer.status not in self.statuses:
                    traffic.judge(request, answer)
            except Exception as fault:
                self.faults.append(repr(fault))
                return

    def finish(self):
        self.over.set()
        self.join(harness.PATIENCE_S)


class FaultTest(unittest.TestCase):
    preload = True

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.corpus = traffic.Corpus(size=30)

    def faults(self):
        made = MachineFaults(self.preload)
        self.addCleanup(made.close)
        return made

    def ask_all(self, server):
        """One request for all that is known; each vector is right."""
        texts = [json.dumps(text) for text in self.corpus.texts]
        for items in (texts, [json.dumps(ids) for ids in self.corpus.ids]):
            request = traffic.batch("all", self.corpus, items)
            self.assertEqual(traffic.judge(request, server.post(traffic.ROUTE, request.body)),
                             "answered")
