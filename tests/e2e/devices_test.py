"""Several engines of one model: requests spread over them, and what is said of them."""

import re
import unittest

import harness

ONE_THREAD = ("--workers", 1)
TWO = ("--device", "cpu", "--device", "cpu", *ONE_THREAD)


def steps_by_device(server):
    """parterre_steps_total of each device label."""
    text = server.get("/metrics").body.decode()
    found = re.findall(r'^parterre_steps_total\{device="(.+?)",model="bert-mean"\} (\d+)$', text,
                       re.MULTILINE)
    return {device: int(count) for device, count in found}


class DevicesTest(unittest.TestCase):
    def test_requests_spread_and_answers_agree(self):
        texts = ["one", "two words", "three words here"]
        with harness.Server(harness.BERT_MEAN, *ONE_THREAD) as server:
            one = server.embed(texts)
            memory = server.get("/info").json()["memory_bytes"]
            self.assertEqual(list(steps_by_device(server)), ["cpu"])
        with harness.Server(harness.BERT_MEAN, *TWO) as server:
            for _ in range(4):
                for row, expected in zip(server.embed(texts), one, strict=True):
                    self.assertGreater(harness.cosine(row, expected), 0.9999)
            steps = steps_by_device(server)
            self.assertEqual(set(steps), {"cpu", "cpu#2"})
            self.assertGreater(min(steps.values()), 0)
            info = server.get("/info").json()
            self.assertEqual(info["device"], "cpu")
            self.assertEqual(info["memory_bytes"], 2 * memory)

    def test_one_large_request_is_shared(self):
        with harness.Server(harness.BERT_MEAN, *TWO, "--chunk-tokens", 256) as server:
            rows = server.embed([[5 + i] * 100 for i in range(64)])
            self.assertEqual(len(rows), 64)
            self.assertGreater(min(steps_by_device(server).values()), 0)

    def test_from_the_environment(self):
        env = {"PARTERRE_DEVICE": "cpu,cpu,cpu"}
        with harness.Server(harness.BERT_MEAN, *ONE_THREAD, env=env) as server:
            self.assertEqual(set(steps_by_device(server)), {"cpu", "cpu#2", "cpu#3"})

    def test_a_device_that_is_none(self):
        program = harness.Program("serve", "--model", harness.BERT_MEAN, "--device", "cpu",
                                  "--device", "tpu")
        self.assertEqual(program.wait(), 2)
        self.assertIn("--device", program.error_lines()[-1])
        self.assertIn("tpu", program.error_lines()[-1])

    def test_auto_goes_with_no_other(self):
        for devices in (("auto", "auto"), ("cpu", "auto")):
            with self.subTest(devices):
                flags = [flag for device in devices for flag in ("--device", device)]
                program = harness.Program("serve", "--model", harness.BERT_MEAN, *flags)
                self.assertEqual(program.wait(), 2)
                self.assertIn("--device: auto goes with no other", program.error_lines()[-1])


if __name__ == "__main__":
    harness.main()
