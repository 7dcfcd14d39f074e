"""Roots of a bare Debian 12, to try in them what is to run on other machines. As root alone: they are
made with debootstrap, from the mirror that this machine uses, and entered with chroot.

What is mounted in them is gone with the process (isolate()); the roots lie in .cache/bare_roots.
"""

import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".cache/bare_roots"
MODEL = ROOT / "tests/data/models/bert-mean"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# What a way out to the mirror may need.
PASSED_ON = re.compile(r"(https?|no|all)_proxy|SSL_CERT_FILE", re.IGNORECASE)


def isolate():
    """Goes on in a mount namespace of its own."""
    if os.geteuid() != 0:
        sys.exit("only root can make a root to try things in")
    if "PARTERRE_BARE_ROOT" not in os.environ:
        os.environ["PARTERRE_BARE_ROOT"] = "1"
        os.execvp("unshare", ["unshare", "--mount", sys.executable, *sys.argv])


def mirror():
    """The address that this machine's packages come from."""
    sources = "\n".join(path.read_text("utf-8") for path in (
        pathlib.Path("/etc/apt/sources.list"),
        *sorted(pathlib.Path("/etc/apt/sources.list.d").glob("*"))) if path.is_file())
    return re.search(r"^(?:URIs:|deb(?: \[.*?\])?) +(https?:\S+)", sources, re.MULTILINE)[1]


def base():
    """A root as debootstrap makes it, made once."""
    root = FOLDER / "bookworm"
    if not (root / "made").is_file():
        if shutil.which("debootstrap") is None:
            sys.exit("there is no debootstrap: apt-get install debootstrap")
        shutil.rmtree(root, ignore_errors=True)
        FOLDER.mkdir(parents=True, exist_ok=True)
        subprocess.run(["debootstrap", "--variant=minbase", "--include=ca-certificates",
                        "bookworm", root, mirror()], check=True, stdout=subprocess.DEVNULL)
        (root / "made").touch()
    return root


class BareRoot:
    """A copy of the base that may be changed."""

    def __init__(self, name):
        self.path = FOLDER / name
        self.environment = {"PATH": PATH, "HOME": "/root", "LANG": "C.UTF-8",
                            **{k: v for k, v in os.environ.items() if PASSED_ON.fullmatch(k)}}
        shutil.rmtree(self.path, ignore_errors=True)
        subprocess.run(["cp", "--archive", base(), self.path], check=True)
        shutil.rmtree(self.path / "etc/apt")
        for file in ("etc/apt", "etc/resolv.conf", "etc/hosts", "etc/ssl/certs/ca-certificates.crt"):
            subprocess.run(["cp", "--archive", "--dereference", "--no-target-directory",
                            f"/{file}", self.path / file], check=True)
        for name in ("proc", "dev", "sys"):
            subprocess.run(["mount", "--rbind", f"/{name}", self.path / name], check=True)

    def inside(self, path):
        """Where an absolute path of the root is on this machine."""
        return self.path / str(path).lstrip("/")

    def add(self, source, target):
        """Copies a file or folder of this machine to where `target` says."""
        place = self.inside(target)
        place.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, place, symlinks=True, dirs_exist_ok=True)
        else:
            shutil.copy2(source, place)

    def command(self, words, user=None):
        as_user = [f"--userspec={user}"] if user else []
        variables = [f"{name}={value}" for name, value in self.environment.items()]
        return ["chroot", *as_user, str(self.path), "/usr/bin/env", "-i", *variables, *words]

    def run(self, *words, user=None):
        """What it prints. Ends this process, having shown it, where the command fails."""
        run = subprocess.run(self.command(words, user), text=True, errors="replace",
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT)
        if run.returncode != 0:
            sys.exit(f"{run.stdout[-4000:]}\n{' '.join(words)}: status {run.returncode}")
        return run.stdout

    def expect_served(self, *program, user=None):
        """`program serve` embeds a text with a small model, and ends on SIGTERM as it should."""
        self.add(MODEL, "/srv/model")
        words = [*program, "serve", "/srv/model", "--host", "127.0.0.1", "--port", "0",
                 "--device", "cpu", "--drain-ms", "0"]
        server = subprocess.Popen(self.command(words, user), stderr=subprocess.PIPE, text=True)
        for line in server.stderr:
            if match := re.search(r"listening on http://([^\s\"]+)", line):
                break
        else:
            sys.exit(f"{' '.join(words)}: does not serve")
        connection = http.client.HTTPConnection(match[1], timeout=60)
        connection.request("POST", "/v1/embeddings", json.dumps({"input": "a text"}),
                           {"Content-Type": "application/json"})
        answer = connection.getresponse()
        if answer.status != 200 or not json.load(answer)["data"][0]["embedding"]:
            sys.exit(f"{' '.join(words)}: answers {answer.status}")
        server.send_signal(signal.SIGTERM)
        server.stderr.read()
        if server.wait() != 0:
            sys.exit(f"{' '.join(words)}: ends with {server.returncode}")
