"""Certificates for tests, made with the openssl program."""

import pathlib
import shutil
import subprocess
import tempfile


class Certificates:
    """A folder of PEM files NAME.pem and NAME.key; gone with `cleanup`."""

    def __init__(self, *authorities):
        self._temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self._temporary.name)
        self.cleanup = self._temporary.cleanup
        for name in authorities:
            self._make(name, "-addext", "basicConstraints=critical,CA:TRUE")

    @staticmethod
    def available():
        return shutil.which("openssl") is not None

    def sign(self, name, authority):
        """For 127.0.0.1."""
        self._make(name, "-CA", self.folder / f"{authority}.pem",
                   "-CAkey", self.folder / f"{authority}.key",
                   "-addext", "subjectAltName=IP:127.0.0.1",
                   "-addext", "basicConstraints=critical,CA:FALSE")

    def files(self, *flags_and_names):
        """Flag, file, flag, file, …"""
        return [self.folder / arg if i % 2 else arg for i, arg in enumerate(flags_and_names)]

    def make_expired(self, name):
        """Since yesterday, and signed by itself."""
        self._make(name)
        own, key = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        self._run("x509", "-in", own, "-signkey", key, "-days", "-1", "-out", own)

    def _make(self, name, *args):
        self._run("req", "-x509", "-subj", f"/CN={name}", "-newkey", "ec", "-pkeyopt",
                  "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", self.folder / f"{name}.key",
                  "-out", self.folder / f"{name}.pem", *args)

    @staticmethod
    def _run(*args):
        run = subprocess.run(["openssl", *args], capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
