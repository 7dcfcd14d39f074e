"""Servers as children: on free ports, ready when they are there, ended with their block."""

import contextlib
import pathlib
import re
import subprocess
import time
import urllib.error
import urllib.request
from typing import Iterator, NamedTuple

READY_LIMIT_S = 180
END_LIMIT_S = 30
TAIL_LINES = 25


class Failure(Exception):
    """A step that did not do its work; the text says what is known of it."""


class Program(NamedTuple):
    """`parterre`, where its children's logs go, and their environment."""

    path: pathlib.Path
    logs: pathlib.Path
    environment: dict[str, str]


class Serving(NamedTuple):
    """What answers requests at `url`; /metrics of its model's worker is at `metrics`."""

    url: str
    metrics: str
    logs: list[pathlib.Path]
    pid: int


class Child:
    """`parterre COMMAND …`, its output in a log of its own."""

    def __init__(self, program: Program, label: str, arguments: list[str]):
        self.log = program.logs / f"{label}.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen([program.path, *arguments], env=program.environment,
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def wait_for(self, pattern: str) -> str:
        """What `pattern` finds in the log."""
        give_up = time.monotonic() + READY_LIMIT_S
        while time.monotonic() < give_up:
            ended = self.process.poll() is not None  # Before the log is read: it is whole then.
            if match := re.search(pattern, self.log.read_text("utf-8", "replace")):
                return match[1]
            if ended:
                raise Failure(f"ended with {self.process.returncode}\n{tail(self.log)}")
            time.sleep(0.05)
        raise Failure(f"nothing like {pattern} within {READY_LIMIT_S} s\n{tail(self.log)}")

    def wait_until_healthy(self, url: str) -> None:
        give_up = time.monotonic() + READY_LIMIT_S
        while time.monotonic() < give_up and self.process.poll() is None:
            with contextlib.suppress(urllib.error.URLError):
                with urllib.request.urlopen(f"{url}/health", timeout=END_LIMIT_S):
                    return
            time.sleep(0.05)
        raise Failure(f"{url}/health never said 200\n{tail(self.log)}")

    def end(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(END_LIMIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def tail(log: pathlib.Path) -> str:
    """The last lines of a log, and where the others are."""
    lines = log.read_text("utf-8", "replace").splitlines()[-TAIL_LINES:]
    return "\n".join([f"the end of {log}:", *(f"  {line}" for line in lines)])


@contextlib.contextmanager
def ended(child: Child) -> Iterator[Child]:
    try:
        yield child
    finally:
        child.end()


@contextlib.contextmanager
def listening(program: Program, label: str, arguments: list[str]) -> Iterator[Serving]:
    """Any server that says where it listens and answers /health."""
    with ended(Child(program, label, arguments)) as server:
        url = server.wait_for(r"listening on (http://[^\s\"]+)")
        server.wait_until_healthy(url)
        yield Serving(url, url, [server.log], server.process.pid)


def serve(program: Program, label: str,
          model_flags: list[str]) -> contextlib.AbstractContextManager[Serving]:
    """Gateway and worker in one process."""
    arguments = ["serve", "--host", "127.0.0.1", "--port", "0", "--drain-ms", "0"]
    return listening(program, f"{label}-serve", [*arguments, *model_flags])


@contextlib.contextmanager
def tulip(program: Program, label: str, model_flags: list[str]) -> Iterator[tuple[str, Serving]]:
    """A worker alone: the address of its gRPC, and the same as a place to be measured."""
    arguments = ["tulip", "--host", "127.0.0.1", "--port", "0", "--admin-port", "0",
                 "--drain-ms", "0"]
    with ended(Child(program, f"{label}-tulip", [*arguments, *model_flags])) as worker:
        admin = worker.wait_for(r"metrics and health on (http://[^\s\"]+)")
        address = worker.wait_for(r"listening on ([0-9.]+:\d+)")
        worker.wait_until_healthy(admin)
        yield address, Serving(f"grpc://{address}", admin, [worker.log], worker.process.pid)


@contextlib.contextmanager
def ivy(program: Program, label: str, model_flags: list[str],
        gateway_flags: list[str]) -> Iterator[Serving]:
    """A gateway, and its worker in a process of its own."""
    with tulip(program, label, model_flags) as (address, worker):
        arguments = ["ivy", "--host", "127.0.0.1", "--port", "0", "--drain-ms", "0",
                     "--replica", address, *gateway_flags]
        with listening(program, f"{label}-ivy", arguments) as gateway:
            logs = [*gateway.logs, *worker.logs]
            yield Serving(gateway.url, worker.metrics, logs, gateway.pid)
