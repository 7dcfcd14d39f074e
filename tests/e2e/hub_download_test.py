"""Models by hub id, from a hub on this machine: what is asked, what is kept, and every fault."""

import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest

import fake_hub
import harness

SETTINGS = ["config.json", "modules.json", "config_sentence_transformers.json",
            "sentence_bert_config.json", "tokenizer.json", "tokenizer_config.json",
            "special_tokens_map.json", "1_Pooling/config.json"]
WEIGHTS = "model.safetensors"


def model_files(folder=harness.BERT_MEAN):
    return {path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*") if path.is_file()}


class HubTest(unittest.TestCase):
    def setUp(self):
        self.home = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.cache = self.home / "hub"
        self.repository = self.cache / "models--org--tiny"
        self.hub = self.enterContext(fake_hub.FakeHub(model_files()))
        self.quirks = self.hub.quirks

    def environment(self, **extra):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "PARTERRE"))}
        return {**clean, "HF_HOME": str(self.home), "HF_ENDPOINT": self.hub.url, "no_proxy": "*",
                **extra}

    def run_program(self, *args, limit=None, **environment):
        return subprocess.run(
            [harness.PROGRAM, *args], capture_output=True, encoding="utf-8",
            timeout=harness.PATIENCE_S, env=self.environment(**environment), preexec_fn=limit,
            restore_signals=limit is None)

    def inspect(self, *args, model="org/tiny", **kwargs):
        return self.run_program("inspect", "--model", model, "--json", *args, **kwargs)

    def report(self, *args, **kwargs):
        run = self.inspect(*args, **kwargs)
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout)

    def fails(self, *parts, run=None, **kwargs):
        run = run or self.inspect(**kwargs)
        self.assertEqual((run.returncode, run.stdout), (2, ""), run.stderr)
        for part in parts:
            self.assertIn(part, run.stderr.splitlines()[-1])
        return run

    def blob(self, name=WEIGHTS):
        return self.repository / "blobs" / self.hub.etag(name)

    def partial(self, name=WEIGHTS):
        return self.blob(name).with_name(self.hub.etag(name) + ".incomplete")

    def write_partial(self, data):
        self.partial().parent.mkdir(parents=True)
        self.partial().write_bytes(data)

    def assert_whole(self):
        for name, data in self.hub.files.items():
            path = self.repository / "snapshots" / self.hub.commit / name
            if path.exists():
                self.assertEqual(path.read_bytes(), data, name)
        self.assertEqual(list(self.repository.glob("blobs/*.incomplete")), [])
        self.assertTrue(self.blob().exists())


class LayoutTest(HubTest):
    def test_downloads_then_works_offline(self):
        report = self.report()
        self.assertEqual(report["name"], "org/tiny")
        self.assertEqual(report["weights"]["files"], 1)
        self.assert_whole()
        self.hub.stop()
        again = self.report(HF_HUB_OFFLINE="1")
        self.assertEqual(again, report)

    def test_layout_is_that_of_huggingface_hub(self):
        self.report()
        self.assertEqual((self.repository / "refs/main").read_text("ascii"), fake_hub.COMMIT)
        snapshot = self.repository / "snapshots" / fake_hub.COMMIT
        weights, pooling = snapshot / WEIGHTS, snapshot / "1_Pooling/config.json"
        self.assertEqual(os.readlink(weights), f"../../blobs/{self.hub.etag(WEIGHTS)}")
        self.assertEqual(os.readlink(pooling),
                         f"../../../blobs/{self.hub.etag('1_Pooling/config.json')}")
        self.assertTrue((self.cache / ".locks/models--org--tiny" /
                         f"{self.hub.etag(WEIGHTS)}.lock").exists())
        self.assertEqual(self.blob().stat().st_mode & 0o222, 0o200)

    def test_a_second_run_asks_for_the_listing_alone(self):
        self.report()
        del self.hub.requests[:]
        self.report()
        self.assertEqual([r.path for r in self.hub.requests],
                         ["/api/models/org/tiny/revision/main"])

    def test_what_another_tool_left_is_used(self):
        other = self.cache / "models--org--tiny"
        (other / "refs").mkdir(parents=True)
        (other / "refs/main").write_text(fake_hub.COMMIT, "ascii")
        for name, data in self.hub.files.items():
            blob = other / "blobs" / self.hub.etag(name)
            blob.parent.mkdir(exist_ok=True)
            blob.write_bytes(data)
            link = other / "snapshots" / fake_hub.COMMIT / name
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(os.path.relpath(blob, link.parent))
        self.report(HF_HUB_OFFLINE="1")
        self.report()
        self.assertEqual(self.hub.asked(), [])

    def test_only_what_is_needed(self):
        for name in ("onnx/model.onnx", "openvino/openvino_model.xml", "model.gguf", "README.md",
                     "pytorch_model.bin", "tf_model.h5", "flax_model.msgpack", "logo.png",
                     "modeling.py", ".gitattributes"):
            self.hub.files[name] = b"not needed"
        self.report()
        self.assertEqual(sorted(self.hub.asked()),
                         sorted(n for n in [*SETTINGS, WEIGHTS] if n in self.hub.files))
        self.assertEqual(len(self.hub.content_requests), 1)

    def test_tokenizing_and_random_weights_take_no_weights(self):
        run = self.run_program("tokenize", "--model", "org/tiny", "hello")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.report("--no-weights")
        self.assertFalse(self.blob().exists())
        run = self.run_program("serve", "--model", "org/tiny", "--port", "0",
                               HF_HUB_OFFLINE="1")
        self.fails("HF_HUB_OFFLINE", "org/tiny", "lacks model.safetensors", run=run)

    def test_shards_and_module_weights(self):
        files = self.hub.files
        weights = files.pop(WEIGHTS)
        files["model-00001-of-00001.safetensors"] = weights
        files["model-00002-of-00001.safetensors"] = b"not named by the index"
        header = json.loads(weights[8 : 8 + int.from_bytes(weights[:8], "little")])
        files["model.safetensors.index.json"] = json.dumps({"weight_map": {
            name: "model-00001-of-00001.safetensors" for name in header}}).encode()
        self.report()
        asked = self.hub.asked()
        self.assertIn("model-00001-of-00001.safetensors", asked)
        self.assertNotIn("model-00002-of-00001.safetensors", asked)
        (self.repository / "snapshots" / self.hub.commit /
         "model-00001-of-00001.safetensors").unlink()
        self.fails("lacks model-00001-of-00001.safetensors", HF_HUB_OFFLINE="1")

    def test_revisions(self):
        self.report("--revision", "refs/pr/1")
        self.assertEqual((self.repository / "refs/refs/pr/1").read_text("ascii"), self.hub.commit)
        self.report("--revision", self.hub.commit)
        self.report("--revision", self.hub.commit, HF_HUB_OFFLINE="1")
        self.report("--revision", "refs/pr/1", HF_HUB_OFFLINE="1")
        self.fails("HF_HUB_OFFLINE", "no revision main", HF_HUB_OFFLINE="1")
        run = self.inspect("--revision", "v9")
        self.fails("org/tiny: no revision v9", run=run)
        run = self.inspect("--revision", "../../x")
        self.fails("--revision", run=run)

    def test_a_moved_branch_shares_blobs(self):
        self.report()
        self.hub.commit = "f" * 40
        self.hub.files["config.json"] += b"\n"
        del self.hub.requests[:]
        self.report()
        self.assertEqual(self.hub.asked(), ["config.json"])
        self.assertEqual((self.repository / "refs/main").read_text("ascii"), "f" * 40)

    def test_served_under_its_id(self):
        env = self.environment()
        with harness.Server("org/tiny", env=env) as server:
            self.assertEqual(server.get("/v1/models").json()["data"][0]["id"], "org/tiny")
            self.assertEqual(len(server.embed(["hello"])), 1)

    def test_a_renamed_model_keeps_its_name_here(self):
        self.hub.old_model, self.hub.token = "tiny-of-old", "secret"
        self.assertEqual(self.report(model="tiny-of-old", HF_TOKEN="secret")["name"],
                         "tiny-of-old")
        self.assertTrue((self.cache / "models--tiny-of-old/refs/main").exists())

    def test_a_folder_wins(self):
        shutil.copytree(harness.BERT_MEAN, self.home / "org/tiny")
        run = subprocess.run([harness.PROGRAM, "inspect", "org/tiny", "--json"], cwd=self.home,
                             env=self.environment(), capture_output=True, encoding="utf-8",
                             timeout=harness.PATIENCE_S)
        self.assertEqual(json.loads(run.stdout)["name"], "tiny")
        self.assertEqual(self.hub.requests, [])


class AccessTest(HubTest):
    def test_token(self):
        self.hub.token = "secret"
        self.fails("org/tiny", "no such model", "private", "HF_TOKEN")
        self.fails("token of HF_TOKEN", HF_TOKEN="wrong")
        self.report(HF_TOKEN="secret")
        self.assertTrue(self.hub.content_requests)
        for request in self.hub.content_requests:
            self.assertIsNone(request.authorization, "the token went to another host")

    def test_token_files(self):
        self.hub.token = "secret"
        (self.home / "token").write_text("secret\n", "ascii")
        self.report("--no-weights")
        (self.home / "token").write_text("wrong\n", "ascii")
        (self.home / "other").write_text("secret", "ascii")
        self.report(HF_TOKEN_PATH=str(self.home / "other"))

    def test_gated(self):
        self.hub.token, self.hub.gated = "secret", True
        run = self.fails("org/tiny: a gated model", self.hub.url + "/org/tiny", "set HF_TOKEN")
        self.assertNotIn("secret", run.stderr)
        run = self.fails("gated", HF_TOKEN="unworthy")
        self.assertNotIn("unworthy", run.stderr)

    def test_unknown_model(self):
        self.fails("org/nowhere", "no such model", "nor is there such a folder",
                   model="org/nowhere")

    def test_wrong_settings(self):
        self.fails("HF_ENDPOINT", HF_ENDPOINT="ftp://x")
        self.fails("HF_TOKEN", HF_TOKEN="a\nb: c")
        self.fails("HF_HUB_DOWNLOAD_TIMEOUT", HF_HUB_DOWNLOAD_TIMEOUT="soon")

    def test_offline_never_asks(self):
        self.fails("org/tiny", "HF_HUB_OFFLINE", HF_HUB_OFFLINE="1")
        self.assertEqual(self.hub.requests, [])


class FaultTest(HubTest):
    def test_cut_connections_are_resumed(self):
        size = len(self.hub.files[WEIGHTS])
        self.quirks.cuts = [1000, 0, size // 2]
        self.report()
        self.assert_whole()
        ranges = [r.range for r in self.hub.content_requests]
        self.assertEqual(ranges, [None, "bytes=1000-", "bytes=1000-",
                                  f"bytes={1000 + size // 2}-"])

    def test_a_partial_file_of_an_earlier_run_is_resumed(self):
        self.write_partial(self.hub.files[WEIGHTS][:5000])
        self.report()
        self.assertEqual([r.range for r in self.hub.content_requests], ["bytes=5000-"])
        self.assert_whole()

    def test_a_whole_partial_file_is_only_checked(self):
        self.write_partial(self.hub.files[WEIGHTS])
        self.report()
        self.assertEqual(self.hub.content_requests, [])
        self.assert_whole()

    def test_a_wrong_partial_file_is_fetched_anew(self):
        for data in (b"x" * 5000, b"x" * (len(self.hub.files[WEIGHTS]) + 1)):
            with self.subTest(len(data)):
                shutil.rmtree(self.cache, ignore_errors=True)
                self.write_partial(data)
                self.report()
                self.assert_whole()

    def test_ranges_ignored_or_wrong(self):
        for quirk in ("ignores_ranges", "wrong_range"):
            with self.subTest(quirk):
                shutil.rmtree(self.cache, ignore_errors=True)
                setattr(self.quirks, quirk, True)
                self.quirks.cuts = [1000]
                self.report()
                self.assert_whole()
                setattr(self.quirks, quirk, False)

    def test_wrong_bytes(self):
        self.quirks.corrupt = 1
        self.fails("org/tiny: model.safetensors", "damaged", "sha256", self.hub.etag(WEIGHTS))
        self.assertFalse(self.blob().exists())
        self.assertFalse(self.partial().exists())
        self.assertFalse((self.repository / "refs/main").exists())
        self.report()

    def test_wrong_bytes_of_a_small_file(self):
        honest, self.hub.etag = self.hub.etag, lambda name: "0" * 40
        self.fails("org/tiny: config.json", "damaged", "git's sha1")
        self.hub.etag = honest
        self.report()

    def test_wrong_size(self):
        size = len(self.hub.files[WEIGHTS])
        self.quirks.linked_size = size - 10
        self.fails("model.safetensors", f"more than the {size - 10} bytes")
        self.quirks.linked_size = size + 10
        self.fails("model.safetensors", f"expected {size + 10} bytes, got {size}")
        self.assertFalse(self.blob().exists())

    def test_no_room(self):
        self.quirks.linked_size = 10**18
        self.fails("needs 1000000000000 MB more", "HF_HUB_CACHE")
        self.quirks.linked_size = None
        run = self.inspect(limit=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000,) * 2))
        self.fails("File too large", ".incomplete", run=run)
        self.assertFalse(self.blob().exists())
        self.report()
        self.assert_whole()

    def test_a_cache_that_cannot_be_written(self):
        (self.home / "file").write_text("", "ascii")
        self.fails("Not a directory", str(self.home / "file"),
                   HF_HUB_CACHE=str(self.home / "file/hub"))

    def test_busy_hub(self):
        self.quirks.statuses = [(429, {"Retry-After": "1"}), (503, {}), (500, {})]
        run = self.inspect()
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("429 (too many requests); trying again in 1.0 s", run.stderr)

    def test_a_hub_that_stays_busy(self):
        self.quirks.statuses = [(503, {})] * 5
        self.fails("org/tiny", "answers 503")
        self.quirks.statuses = [(429, {"Retry-After": "86400"})]
        self.fails("org/tiny", "429")

    def test_cached_where_the_hub_fails(self):
        self.report()
        self.quirks.statuses = [(503, {})]
        run = self.inspect()
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("answers 503; taking what the cache has", run.stderr)
        self.hub.stop()
        run = self.inspect()
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("taking what the cache has", run.stderr)

    def test_a_new_commit_that_breaks_off_leaves_the_old_one(self):
        self.report()
        self.hub.commit = "f" * 40
        self.hub.files[WEIGHTS] = b"new" + self.hub.files[WEIGHTS][3:]
        self.quirks.cuts = [0] * 5
        run = self.inspect()
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn(f"snapshots/{fake_hub.COMMIT}", json.loads(run.stdout)["path"])
        self.assertIn("taking what the cache has", run.stderr)

    def test_redirects_without_an_end(self):
        self.quirks.statuses = [(302, {"Location": "/somewhere"})] * 11
        self.fails("org/tiny", "redirects more than 10 times")

    def test_no_hub(self):
        self.hub.stop()
        self.fails("org/tiny: http://127.0.0.1:", "connect")

    def test_a_silent_server_is_given_up(self):
        self.quirks.silent = True
        self.fails("org/tiny", "too slow", HF_HUB_DOWNLOAD_TIMEOUT="1")

    def test_answers_that_are_no_listing(self):
        for siblings, part in ((["../../evil"], '"../../evil" leaves the model folder'),
                               (["/etc/evil"], '"/etc/evil" leaves the model folder'),
                               (["a/../../evil"], "leaves the model folder"),
                               (["a\x1b[2J"], "leaves the model folder"),
                               ([3], "expected")):
            with self.subTest(siblings):
                self.hub.siblings = siblings
                self.fails(part)
        self.hub.siblings, self.hub.commit = None, "../../etc"
        self.fails("sha", "40 hex digits")

    def test_etags_and_commits_that_do_not_fit(self):
        honest = self.hub.etag
        for etag in ("../../evil", "a/b", "", ".", "x" * 300):
            with self.subTest(etag):
                self.hub.etag = lambda name, value=etag: value
                self.fails("config.json", "ETag")
        self.hub.etag = honest
        self.quirks.commit_header = "e" * 40
        self.fails("config.json", "of commit " + "e" * 40)

    def test_an_index_that_leaves_the_folder(self):
        self.hub.files["model.safetensors.index.json"] = b'{"weight_map": {"a": "../../evil"}}'
        self.fails("model.safetensors.index.json: weight_map", "leaves the model folder")

    def test_a_file_that_is_listed_and_not_there(self):
        self.hub.siblings = [*sorted(self.hub.files), "added_tokens.json"]
        self.fails("org/tiny: no file added_tokens.json")


class ProcessesTest(HubTest):
    def wait_for(self, condition):
        give_up = time.monotonic() + harness.PATIENCE_S
        while not condition():
            self.assertLess(time.monotonic(), give_up)
            time.sleep(0.01)

    def start(self, *args):
        return subprocess.Popen([harness.PROGRAM, *args], env=self.environment(), text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def test_two_processes_download_once(self):
        self.quirks.gate = threading.Event()
        first = self.start("inspect", "org/tiny", "--json")
        self.wait_for(lambda: self.hub.content_requests)
        second = self.start("inspect", "org/tiny", "--json")
        self.assertIn("waiting for another process", second.stderr.readline())
        self.quirks.gate.set()
        answers = [process.communicate(timeout=harness.PATIENCE_S) for process in (first, second)]
        self.assertEqual([first.returncode, second.returncode], [0, 0], answers)
        self.assertEqual(answers[0][0], answers[1][0])
        self.assertEqual(len(self.hub.content_requests), 1)
        self.assert_whole()

    def test_killed_then_resumed(self):
        self.quirks.gate = threading.Event()
        first = self.start("inspect", "org/tiny", "--json")
        self.wait_for(lambda: self.partial().exists() and self.partial().stat().st_size)
        first.kill()
        first.communicate()
        self.quirks.gate.set()
        self.report()
        self.assertEqual(self.hub.content_requests[-1].range, "bytes=1-")
        self.assert_whole()

    def test_serve_stops_downloading_on_sigterm(self):
        self.quirks.gate = threading.Event()
        server = self.start("serve", "--model", "org/tiny", "--port", "0")
        self.wait_for(lambda: self.hub.content_requests)
        server.send_signal(signal.SIGTERM)
        _, said = server.communicate(timeout=harness.PATIENCE_S)
        self.assertEqual(server.returncode, 0)
        self.assertIn("SIGTERM before there was anything to serve", said)
        self.quirks.gate.set()


if __name__ == "__main__":
    harness.main()
