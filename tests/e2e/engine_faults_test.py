"""An engine whose steps fail from some moment on: the process says so, drains and ends, and other
engines go on (docs/faults.md)."""

import os
import pathlib
import subprocess
import time

import harness
import machine_faults
import traffic
from ivy_tulip_test import SMALL, ivy_over
from machine_faults import Asker, FaultTest

# The program with engines around its own whose steps fail when they are told to.
harness.PROGRAM = os.environ.get("FAILING_PARTERRE", str(harness.ROOT / "build/bin/failing_parterre"))


class EngineFaults:
    """For a FaultTest whose engines are on `device` and fail with `fault`, which says `cause`."""

    preload = False

    def failing(self, program):
        """How it ends, all by itself."""
        self.assertEqual(program.wait(), 1, program.error_lines())
        lines = program.error_lines()
        self.assertIn(f"parterre: model bert-mean: {self.device}: its engine has failed: "
                      "forward failed: ", lines[-1])
        self.assertIn(self.cause, lines[-1])
        self.assertTrue(any(" critical " in line and "drains and ends" in line for line in lines), lines)
        self.assertTrue(any("stopped" in line for line in lines), lines)

    def test_serve_tells_drains_and_ends(self):
        faults = self.faults()
        server = harness.Server(harness.BERT_MEAN, *self.flags, "--drain-ms", 1500, env=faults.env)
        self.corpus.record(server)
        self.ask_all(server)
        faults.step_fault = self.fault
        # A GPU's step may be through before the fault beside it is.
        give_up = time.monotonic() + harness.PATIENCE_S
        while (answer := server.post(traffic.ROUTE, {"input": "a"})).status == 200:
            self.assertLess(time.monotonic(), give_up)
        self.assertEqual(answer.status, 500, answer.body)
        self.assertIn("forward failed: ", answer.json()["error"]["message"])
        self.assertIn(self.cause, answer.json()["error"]["message"])
        # While it drains: whoever comes is told why at once, even if steps would work again.
        faults.step_fault = 0
        self.assertEqual(server.get("/health").status, 503)
        answer = server.post(traffic.ROUTE, {"input": "a"})
        self.assertEqual(answer.status, 503)
        self.assertIn("its engine has failed: forward failed: ", answer.json()["error"]["message"])
        self.failing(server.program)

    def test_ivy_goes_on_with_another_tulip(self):
        faults = self.faults()
        with harness.Tulip(harness.BERT_MEAN, *self.flags) as other:
            failing = harness.Tulip(harness.BERT_MEAN, *self.flags, env=faults.env)
            with ivy_over(failing, other) as ivy:
                self.corpus.record(ivy)
                askers = [Asker(ivy, self.corpus, (500,)) for _ in range(3)]
                for asker in askers:
                    asker.start()
                faults.step_fault = self.fault
                self.failing(failing.program)
                self.ask_all(ivy)
                for asker in askers:
                    asker.finish()
                    self.assertEqual(asker.faults, [])
                # Only what ran in the steps that failed is told so, and that once.
                refused = sum(asker.seen.count(500) for asker in askers)
                self.assertLessEqual(refused, 2 * len(askers))
                self.assertGreater(sum(asker.seen.count(200) for asker in askers), 0)


class EngineTest(EngineFaults, FaultTest):
    """An engine whose steps fail from some moment on, as after a fault of a GPU."""

    flags = SMALL
    device = "cpu"
    fault = machine_faults.DEVICE_GONE
    cause = "the device is gone"

    def test_memory_that_runs_out_in_a_step(self):
        """The step's requests are put off, the engine goes on."""
        faults = self.faults()
        with harness.Server(harness.BERT_MEAN, *SMALL, env=faults.env) as server:
            self.corpus.record(server)
            faults.step_fault = machine_faults.OUT_OF_MEMORY
            answer = server.post(traffic.ROUTE, {"input": "a"})
            self.assertEqual(answer.status, 429, answer.body)
            self.assertIn("forward failed: out of memory", answer.json()["error"]["message"])
            faults.step_fault = 0
            self.ask_all(server)
            self.assertEqual(server.get("/health").status, 200)
            self.assertEqual(harness.Metrics(server).total("parterre_failed_steps_total"), 1)


class CudaErrorTest(EngineFaults, FaultTest):
    """A GPU whose context is lost from some moment on."""

    flags = ("--device", "cuda")
    device = "cuda:0"
    fault = machine_faults.MISPLACED_STORE
    cause = "an illegal memory access was encountered"

    def setUp(self):
        if "gpu: none" in subprocess.check_output([harness.PROGRAM, "--version"], text=True):
            harness.skip("an error of CUDA: this build has no CUDA")
        if not pathlib.Path("/dev/nvidiactl").exists():
            harness.skip("an error of CUDA: there is no GPU")
        super().setUp()
        self.corpus.distance_max = traffic.DISTANCE_MAX_BFLOAT16


if __name__ == "__main__":
    harness.main()
