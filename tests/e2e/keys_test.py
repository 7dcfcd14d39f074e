"""API keys: where they may stand, who is let in, how they change, and that no log tells them."""

import contextlib
import os
import pathlib
import subprocess
import tempfile
import unittest

import certificates
import harness
from ivy_tulip_test import SMALL

REFUSAL = "expected a key of 1 to 256 visible ASCII characters, none a comma"


def bearer(key):
    return {"Authorization": f"Bearer {key}"}


class KeysTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def write(self, name, text, mode=0o600):
        path = self.folder / name
        path.write_text(text, "utf-8")
        path.chmod(mode)
        return path

    def let_in(self, server, *keys):
        """Which of them are."""
        found = []
        for key in keys:
            answer = server.post("/v1/embeddings", {"input": "a"}, bearer(key))
            self.assertIn(answer.status, (200, 401))
            if answer.status == 200:
                found.append(key)
            else:
                self.assertEqual(answer.json()["error"]["code"], "invalid_api_key")
        return found

    def test_bug60_api_key(self):
        config = self.write("keys.toml", 'api-key = ["one", "two"]\n')
        for flags, env in ((("--api-key", "one", "--api-key", "two"), None),
                           (("--api-key", "one,two"), None),
                           ((), {"PARTERRE_API_KEY": "one,two"}),
                           (("--config", config), None)):
            with self.subTest(flags=flags, env=env), \
                    harness.Server(harness.BERT_MEAN, *flags, env=env) as server:
                self.assertEqual(self.let_in(server, "one", "two", "on", "one,two", "three"),
                                 ["one", "two"])
                self.assertEqual(server.post("/v1/embeddings", {"input": "a"}).status, 401)
                for path in ("/health", "/metrics"):
                    self.assertEqual(server.get(path).status, 200)

    def test_a_file_is_read_again_at_sighup(self):
        """A connection that is there goes on, its next request is held to the new keys."""
        file = self.write("keys", "# of the office\nold\n\nboth\n")
        with harness.Server(harness.BERT_MEAN, "--api-key", "flag", "--api-key-file", file) as server:
            everyone = ("flag", "old", "both", "new")
            self.assertEqual(self.let_in(server, *everyone), ["flag", "old", "both"])
            with contextlib.closing(server.connect()) as connection:
                self.assertEqual(harness.ask(connection, "GET", "/info", None, bearer("old")).status,
                                 200)
                self.write("keys", "both\nnew\n")
                self.assertIn("read again", server.program.hang_up("API keys"))
                self.assertEqual(harness.ask(connection, "GET", "/info", None, bearer("old")).status,
                                 401)
                self.assertEqual(harness.ask(connection, "GET", "/info", None, bearer("new")).status,
                                 200)
            self.assertEqual(self.let_in(server, *everyone), ["flag", "both", "new"])
            for bad, said in (("", "keys: expected an API key, found none"),
                              ("new\nno key\n", f"keys:2: {REFUSAL}")):
                self.write("keys", bad)
                line = server.program.hang_up("API keys")
                self.assertIn("error", line)
                self.assertIn(said, line)
                self.assertIn("those in use stay", line)
            file.unlink()
            self.assertIn("keys: file not found", server.program.hang_up("API keys"))
            self.assertEqual(self.let_in(server, *everyone), ["flag", "both", "new"])
            self.assertEqual(harness.Metrics(server).by_label("parterre_reloads_total", "outcome",
                                                              'part="api_keys"'),
                             {"done": 1, "failed": 3})

    def test_nothing_to_read_again(self):
        with harness.Server(harness.BERT_MEAN, "--api-key", "flag") as server:
            self.assertIn("no file", server.program.hang_up("there is no file"))
            self.assertEqual(self.let_in(server, "flag"), ["flag"])

    def test_a_file_that_others_may_read_is_warned_of(self):
        for mode, warned in ((0o640, False), (0o644, True)):
            file = self.write("keys", "key\n", mode)
            with harness.Server(harness.BERT_MEAN, "--api-key-file", file) as server:
                self.assertEqual(self.let_in(server, "key"), ["key"])
            lines = [line for line in server.program.error_lines() if "other users may" in line]
            self.assertEqual(len(lines), int(warned), lines)

    def test_mistakes_are_named_and_never_shown(self):
        """A misspelt flag's value may be a key as well."""
        secret = "s3cret"
        bad = self.write("bad", f"\n{secret} {secret}\n")
        config = self.write("bad.toml", f'api-keys = ["{secret}"]\n')
        for flags, env, named in (
                (("--api-key", ""), None, "--api-key: expected a value, got an empty one"),
                (("--api-key", secret + " "), None, f"--api-key: {REFUSAL}"),
                ((), {"PARTERRE_API_KEY": secret + "\u00e9"}, f"--api-key: {REFUSAL}"),
                (("--api-key-file", bad), None, f"bad:2: {REFUSAL}"),
                (("--api-key-file", self.folder / "nowhere"), None, "nowhere: file not found"),
                (("--api-key-file", self.folder), None, "not a file"),
                (("--api-key", "k,", "--api-key-file", bad), None, "bad:2:"),
                (("--api-kye", secret), None, "not expected: --api-kye"),
                ((f"--api-kye={secret}",), None, "not expected: --api-kye"),
                (("--config", config), None, "api-keys: no such flag")):
            with self.subTest(flags=flags, env=env):
                program = harness.Program("serve", "--model", harness.BERT_MEAN, *flags, env=env)
                self.assertEqual(program.wait(), 2, program.error_lines())
                self.assertEqual(len(program.error_lines()), 1, program.error_lines())
                self.assertIn(named, program.error_lines()[0])
                self.assertNotIn(secret, program.error_lines()[0])


    def test_nothing_said_is_not_no_keys(self):
        """A variable or a template that came out empty leaves no server open, and no client in."""
        for flag in ("api-key", "api-key-file", "tls-client-ca", "tls-cert", "tls-key"):
            empty = f"--{flag}: expected a value, got an empty one"
            variable = "PARTERRE_" + flag.upper().replace("-", "_")
            config = self.write("empty.toml", f'{flag} = ""\n')
            for flags, env, named in ((("--" + flag, ""), None, empty),
                                      ((f"--{flag}=",), None, f"--{flag}: "),
                                      ((), {variable: ""}, f"{empty} from {variable}"),
                                      (("--config", config), None, empty)):
                with self.subTest(flags=flags, env=env):
                    self.expect_refused(named, *flags, env=env)
        for flags, env in ((("--api-key", ","), None), ((), {"PARTERRE_API_KEY": ","}),
                           (("--config", self.write("none.toml", 'api-key = ","\n')), None),
                           (("--config", self.write("list.toml", "api-key = []\n")), None)):
            with self.subTest(flags=flags, env=env):
                self.expect_refused("--api-key: ", *flags, env=env)

    def test_an_argument_comes_before_an_empty_variable(self):
        with harness.Server(harness.BERT_MEAN, "--api-key", "key",
                            env={"PARTERRE_API_KEY": ""}) as server:
            self.assertEqual(self.let_in(server, "key", ""), ["key"])

    def expect_refused(self, named, *flags, env=None):
        program = harness.Program("serve", "--model", harness.BERT_MEAN, *flags, env=env)
        self.assertEqual(program.wait(), 2, program.error_lines())
        self.assertEqual(len(program.error_lines()), 1, program.error_lines())
        self.assertIn(named, program.error_lines()[0])


class SecretsTest(unittest.TestCase):
    """Every line that programs log at their most talkative, whatever goes wrong."""

    SECRETS = [f"s3cret-{where}" for where in
               ("flag", "environment", "config", "file", "new", "header", "basic", "hub", "query")]

    def ask(self, server):
        """With right keys and wrong ones, in good requests and in broken ones."""
        for key in self.SECRETS:
            headers = {**bearer(key), "traceparent": "00-" + "ab" * 16 + "-" + "cd" * 8 + "-01"}
            for path, body in (("/v1/embeddings", {"input": "a"}), ("/embed", b"{"),
                               ("/nope", {}), ("/v1/embeddings?key=s3cret-query", {"input": []})):
                server.post(path, body, headers)
            server.get("/embed", headers)
            server.get("/info", {"Authorization": f"Basic {key}", "X-Api-Key": key})
            with server.socket() as sock:
                sock.sendall(f"BREW /info HTTP/1.1\r\nAuthorization: Bearer {key}\r\nbroken\r\n\r\n"
                             .encode())
                sock.recv(1000)

    def expect_no_secret(self, program, *pems):
        text = "\n".join(program.error_lines())
        lines = [line for pem in pems for line in pem.read_text("ascii").splitlines()[1:-1]]
        for secret in self.SECRETS + lines:
            self.assertNotIn(secret, text)

    def test_no_log_tells_them(self):
        if not certificates.Certificates.available():
            harness.skip("no openssl to make certificates with")
        files = certificates.Certificates("ca")
        self.addCleanup(files.cleanup)
        for name in ("server", "client"):
            files.sign(name, "ca")
        keys = files.folder / "keys"
        config = files.folder / "parterre.toml"
        config.write_text('api-key = ["s3cret-config"]\n', "ascii")
        common = ("--log-level", "trace", "--drain-ms", 0)
        pems = [files.folder / "server.key", files.folder / "client.key"]
        tulip_tls = files.files("--tls-cert", "server.pem", "--tls-key", "server.key",
                                "--tls-client-ca", "ca.pem")
        ivy_tls = files.files("--replica-tls-ca", "ca.pem", "--replica-tls-cert", "client.pem",
                              "--replica-tls-key", "client.key")
        with harness.Tulip(harness.BERT_MEAN, *SMALL, "--log-level", "trace", *tulip_tls) as tulip:
            ivy = (*ivy_tls, "--replica", tulip.address)
            for command, args, flags, env in (
                    (harness.Server, SMALL, ("--api-key", "s3cret-flag"), {}),
                    (harness.Server, SMALL, ("--config", config), {}),
                    (harness.Ivy, ivy, (), {"PARTERRE_API_KEY": "s3cret-environment"})):
                with self.subTest(command=command, flags=flags):
                    keys.write_text("s3cret-file\n", "ascii")
                    with command(harness.BERT_MEAN, *args, *common, *flags, "--api-key-file", keys,
                                 env={**env, "HF_TOKEN": "s3cret-hub"}) as server:
                        self.ask(server)
                        for text in ("s3cret-new\n", "s3cret-new s3cret-file\n"):
                            keys.write_text(text, "ascii")
                            server.program.hang_up("API keys")
                        self.ask(server)
                    self.assertIn(" debug ", "\n".join(server.program.error_lines()))
                    self.expect_no_secret(server.program, *pems)
            tulip.program.hang_up("certificates of gRPC")
        self.expect_no_secret(tulip.program, *pems)

    def test_help_does_not_tell_them(self):
        env = {**os.environ, "PARTERRE_API_KEY": "s3cret-environment"}
        run = subprocess.run([harness.PROGRAM, "serve", "--api-key", "s3cret-flag", "--help"],
                             env=env, capture_output=True, text=True, timeout=harness.PATIENCE_S)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("--api-key-file", run.stdout)
        self.assertNotIn("s3cret", run.stdout + run.stderr)


if __name__ == "__main__":
    harness.main()
