"""Some seconds of all attacks at once, and the bounds that have flags. The long one, with 10,000 idle
connections, is scripts/hostile.sh: hostile.py."""

import json
import unittest

import certificates
import harness
import hostile
import https_test
from attacks import post

BODY = json.dumps({"input": "a"}).encode()
GOOD = post(f"Content-Length: {len(BODY)}", body=BODY)


class HostileTest(unittest.TestCase):
    def test_all_attacks_at_once(self):
        self.hold(hostile.Hostile(seconds=6, idle=300, idle_s=2))

    def test_all_attacks_over_https(self):
        if not certificates.Certificates.available():
            harness.skip("no openssl to make certificates with")
        files = https_test.make_files()
        self.addCleanup(files.cleanup)
        self.hold(hostile.Hostile(seconds=6, idle=100, idle_s=2, certificates=files))

    def hold(self, run):
        run.run()
        print(run.report())
        self.assertEqual(run.faults, [])
        for kind in run.kinds:
            self.assertGreater(sum(run.tally.counts.get(kind.__name__, {}).values()), 0, kind)
        for kind, status in (("WellBehaved", 200), ("SlowHeads", 408), ("SlowBodies", 408),
                             ("IdleConnections", None), ("HeaderBombs", 431), ("ChunkGames", 200),
                             ("Pipelining", 200), ("JsonBombs", 200), ("JsonBombs", 400)):
            self.assertIn(status, run.tally.counts[kind])

    def test_one_connection_too_many(self):
        """It is told so; the others go on, and there is room again when one of them ends."""
        with harness.Server(harness.BERT_MEAN, "--max-connections", 3) as server:
            kept = [server.served_socket() for _ in range(3)]
            with server.socket() as sock:
                answer = harness.read_answer(sock)
            self.assertEqual(answer.status, 503)
            self.assertIn("too many connections", answer.json()["error"]["message"])
            kept[0].sendall(GOOD)
            self.assertEqual(harness.read_answer(kept[0]).status, 200)
            for sock in kept:
                sock.close()
            server.wait_until_healthy()

    def test_heads_are_bounded_as_the_flag_says(self):
        with harness.Server(harness.BERT_MEAN, "--max-header-bytes", 2000) as server:
            for size, status in ((1500, 200), (2500, 431)):
                with server.socket() as sock:
                    sock.sendall(post("x: " + "y" * size, f"Content-Length: {len(BODY)}", body=BODY))
                    answer = harness.read_answer(sock)
                self.assertEqual(answer.status, status)
            self.assertIn("at most 2000 bytes", answer.json()["error"]["message"])

    def test_limits_that_are_none_are_refused(self):
        for flag, value in (("--max-connections", 0), ("--max-header-bytes", 100),
                            ("--max-header-bytes", 100_000), ("--idle-timeout-ms", 0),
                            ("--header-timeout-ms", -1), ("--body-timeout-ms", "soon")):
            program = harness.Program("serve", "--model", harness.BERT_MEAN, flag, value)
            self.assertEqual(program.wait(), 2)
            self.assertIn(flag, program.error_lines()[0])


if __name__ == "__main__":
    harness.main()
