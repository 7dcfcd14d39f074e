"""What a machine can do to a server: no memory, no room on disk, no files left, another time of day,
model files that change. No answer is lost or wrong; docs/faults.md says what happens."""

import contextlib
import datetime
import http.client
import json
import pathlib
import resource
import shutil
import signal
import socket
import time

import fake_hub
import harness
import traffic
from ivy_tulip_test import SMALL, wait_for
from machine_faults import Asker, FaultTest


def copy_of(model, folder):
    return pathlib.Path(shutil.copytree(model, folder / "model"))


class MemoryTest(FaultTest):
    def test_at_load(self):
        """The model, or a setting, is too large."""
        faults = self.faults()
        for command in ("serve", "tulip"):
            faults.allocation_max = 1 << 20
            program = harness.Program(command, "--model", harness.BERT_MEAN, "--port", 0,
                                      "--max-batch-tokens", 1 << 20,
                                      env={**faults.env, "PARTERRE_ADMIN_PORT": "0"})
            self.assertEqual(program.wait(), 2, program.error_lines())
            self.assertEqual(program.error_lines()[-1], "parterre: out of memory")

    def test_in_service(self):
        """What needs more than there is is put off; the rest goes on, and all of it afterwards."""
        faults = self.faults()
        with harness.Server(harness.BERT_MEAN, *SMALL, env=faults.env) as server:
            self.corpus.record(server)
            large = json.dumps({"input": [[7] * 60] * 2000}).encode()
            self.assertEqual(server.post(traffic.ROUTE, large).status, 200)
            for most in (1 << 20, 1 << 18, 1 << 16):
                faults.allocation_max = most
                answer = server.post(traffic.ROUTE, large)
                self.assertEqual(answer.status, 429, most)
                self.assertIn("out of memory", answer.json()["error"]["message"])
                self.assertIsNotNone(answer.headers["Retry-After"])
                server.embed(["a"])
                faults.allocation_max = 0
                self.ask_all(server)
                self.assertEqual(server.post(traffic.ROUTE, large).status, 200)
            # The last answer is sent before its inputs are let go of.
            wait_for(lambda: harness.Metrics(server).total("parterre_inputs_in_flight") == 0)

    def test_for_next_to_nothing(self):
        """Not for what an answer's bookkeeping needs: no answer is wrong, and the server goes on when
        there is memory again, or has ended with the cause."""
        faults = self.faults()
        for most in (4096, 512, 64):
            server = harness.Server(harness.BERT_MEAN, *SMALL, "--request-timeout-ms", 2000,
                                    env=faults.env)
            self.corpus.record(server)
            with contextlib.suppress(ConnectionError, http.client.HTTPException), \
                    contextlib.closing(server.connect()) as kept:
                harness.ask(kept, "GET", "/health")
                faults.allocation_max = most
                for text in self.corpus.texts[:20]:
                    request = traffic.batch("kept", self.corpus, [json.dumps(text)])
                    answer = harness.ask(kept, "POST", traffic.ROUTE, request.body)
                    if answer.status not in (429, 503, 504):
                        traffic.judge(request, answer)
            faults.allocation_max = 0
            if self.comes_back(server):
                self.ask_all(server)
                self.assertEqual(server.program.terminate(), 0)
            else:
                self.assertEqual(server.program.process.returncode, -signal.SIGABRT)
                server.program.kill()  # To have all that it said.
                self.assertIn("bad_alloc", "\n".join(server.program.error_lines()))

    def comes_back(self, server):
        """Or ends."""
        while server.program.process.poll() is None:
            with contextlib.suppress(ConnectionError):
                return server.get("/health").status == 200
            time.sleep(0.02)
        return False


class DiskTest(FaultTest):
    def test_full_during_a_download(self):
        """It is told, nothing is taken for whole, and the download goes on when there is room."""
        faults = self.faults()
        files = {str(path.relative_to(harness.BERT_MEAN)): path.read_bytes()
                 for path in harness.BERT_MEAN.rglob("*") if path.is_file()}
        with fake_hub.FakeHub(files) as hub:
            env = {**faults.env, "HF_ENDPOINT": hub.url, "HF_HOME": str(self.folder),
                   "no_proxy": "*"}
            faults.disk_full = 1
            program = harness.Program("serve", "--model", hub.model, "--port", 0, env=env)
            self.assertEqual(program.wait(), 2, program.error_lines())
            self.assertIn("No space left on device", program.error_lines()[-1])
            whole = [path for path in self.folder.rglob("*") if path.is_symlink()]
            self.assertEqual(whole, [])
            faults.disk_full = 0
            with harness.Server(hub.model, env=env) as server:
                self.corpus.record(server)


class ModelFolderTest(FaultTest):
    def test_changed_under_the_server(self):
        """What is served is what was read."""
        folder = copy_of(harness.BERT_MEAN, self.folder)
        with harness.Server(folder, *SMALL) as server:
            self.corpus.record(server)
            for path in folder.rglob("*"):
                if path.is_file():
                    path.write_bytes(b"\xff" * path.stat().st_size)
            self.ask_all(server)
            for path in folder.rglob("*"):
                if path.is_file():
                    path.write_bytes(b"")
            self.ask_all(server)
            shutil.rmtree(folder)
            self.ask_all(server)

    def test_cut_short_while_it_is_read(self):
        """The program says so and ends, where a bus error would have killed it."""
        faults = self.faults()
        folder = copy_of(harness.BERT_MEAN, self.folder)
        faults.cut_mapped_files = 1
        program = harness.Program("serve", "--model", folder, "--port", 0, env=faults.env)
        self.assertEqual(program.wait(), 2, program.error_lines())
        self.assertIn("a model file became shorter while it was read", program.error_lines()[-1])


class ClockTest(FaultTest):
    def test_the_time_of_day_jumps(self):
        """In Ivy and in Tulip, forwards and back: nothing times out, nothing waits."""
        faults = self.faults()
        with harness.Tulip(harness.BERT_MEAN, *SMALL, env=faults.env) as tulip, \
                harness.Ivy(harness.BERT_MEAN, "--replica", tulip.address, env=faults.env) as ivy:
            self.corpus.record(ivy)
            asker = Asker(ivy, self.corpus)
            asker.start()
            for offset_s in (3600, -3600, 86400 * 400, -86400 * 4000, 0):
                faults.clock_offset_s = offset_s
                before = len(asker.seen)
                day = datetime.datetime.now() + datetime.timedelta(seconds=offset_s)
                for place in (ivy, tulip):  # That it has, their logs show.
                    self.assertIn(f"{day:%Y-%m-%d}", place.program.hang_up("there is no file"))
                self.ask_all(ivy)
                while len(asker.seen) < before + 5 and asker.is_alive():
                    self.ask_all(ivy)
            asker.finish()
            self.assertEqual(asker.faults, [])
            metrics = harness.Metrics(ivy)
            asked = f'route="{traffic.ROUTE}"'
            self.assertEqual(metrics.total("parterre_requests_failure_total", asked), 0)
            self.assertEqual(metrics.total("parterre_replica_retries_total"), 0)


class FilesTest(FaultTest):
    def test_fewer_files_than_connections(self):
        """The limit is told; one connection more than it has room for is answered 503."""
        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (140, 140))

        with harness.Server(harness.BERT_MEAN, preexec=limit) as server:
            server.program.wait_for_line("may open 140 files, which is room for 12 connections")
            sockets = [server.served_socket() for _ in range(12)]
            with server.socket() as sock:
                self.assertEqual(harness.read_answer(sock).status, 503)
            for sock in sockets:
                sock.close()
            server.wait_until_healthy()

    def test_no_room_for_a_connection(self):
        """What could serve nobody does not say that it listens."""
        for files in (8, 128):
            program = harness.Program(
                "serve", "--model", harness.BERT_MEAN, "--port", 0,
                preexec=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files)))
            self.assertEqual(program.wait(), 2, program.error_lines())
            self.assertEqual(program.error_lines(), [
                f"parterre: the process may open {files} files; expected at least 129 (ulimit -n): "
                "128 for all but connections, and one for each"])

    def test_none_left_in_service(self):
        """Who is connected is served; who comes is, once there are some again."""
        with harness.Server(harness.BERT_MEAN) as server:
            self.corpus.record(server)
            pid = server.program.process.pid
            kept = server.connect()
            harness.ask(kept, "GET", "/health")
            before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (4, before[1]))
            with socket.create_connection(("127.0.0.1", server.port),
                                          timeout=harness.PATIENCE_S) as late:
                late.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
                server.program.wait_for_line("accept: ")
                for _ in range(20):
                    answer = harness.ask(kept, "POST", traffic.ROUTE, b'{"input": "a"}')
                    self.assertEqual(answer.status, 200)
                resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
                self.assertEqual(harness.read_answer(late).status, 200)
            kept.close()
            self.ask_all(server)
        warned = [line for line in server.program.error_lines() if "accept: " in line]
        self.assertEqual(len(warned), 1)


if __name__ == "__main__":
    harness.main()
