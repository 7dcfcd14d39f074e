#!/usr/bin/env python3
"""Goes through the steps of deploy/docker/Dockerfile without Docker: each stage in a bare Debian root
of its own. Then the image's program serves as the image's user.

usage: try_dockerfile.py    as root; builds the program from scratch

Known are the instructions that the file has; another one ends the script by name. Images begin as
debootstrap's minimal root, with which debian:12 and debian:12-slim share their packages.
"""

import fnmatch
import pathlib
import shlex
import shutil
import sys

import bare_root

DOCKERFILE = bare_root.ROOT / "deploy/docker/Dockerfile"
IMAGES = ("debian:12", "debian:12-slim")
# They describe the image and do nothing to it.
SILENT = ("VOLUME", "EXPOSE", "CMD")


def instructions(text):
    """(name, rest) of each, lines that go on joined."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        if line.strip():
            name, rest = line.split(None, 1)
            yield name, rest


class Stage:
    def __init__(self, name):
        self.root = bare_root.BareRoot(f"image-{name}")
        self.folder = "/"
        self.user = None
        self.entry = []
        self.arguments = {}

    def run(self, line):
        given = "".join(f"export {name}={shlex.quote(value)}; "
                        for name, value in self.arguments.items())
        print(f"RUN {line}", flush=True)
        self.root.run("sh", "-c", f"cd {self.folder} && {given}{line}", user=self.user)

    def copy(self, line, stages):
        *sources, target = line.split()
        source_root = bare_root.ROOT
        if sources[0].startswith("--from="):
            source_root = stages[sources.pop(0).removeprefix("--from=")].root.path
        goal = self.root.inside(pathlib.PurePosixPath(self.folder) / target)
        goal.mkdir(parents=True, exist_ok=True)
        for source in sources:
            found = [source_root] if source == "." else sorted(source_root.glob(source.lstrip("/")))
            for path in found or sys.exit(f"{DOCKERFILE.name}: there is no {source}"):
                if path.is_dir():
                    shutil.copytree(path, goal, symlinks=True, dirs_exist_ok=True, ignore=ignored)
                else:
                    shutil.copy2(path, goal)


def ignored(folder, names):
    """As .dockerignore says: a pattern is of the tree's top, unless it begins with **/."""
    patterns = DOCKERFILE.with_name("Dockerfile.dockerignore").read_text("utf-8").split()
    at_top = pathlib.Path(folder) == bare_root.ROOT
    return [name for name in names for pattern in patterns
            if fnmatch.fnmatch(name, pattern.removeprefix("**/"))
            and (at_top or pattern.startswith("**/"))]


def take(name, rest, stage, stages):
    if name == "RUN":
        stage.run(rest)
    elif name == "COPY":
        stage.copy(rest, stages)
    elif name == "WORKDIR":
        stage.folder = rest
        stage.root.inside(rest).mkdir(parents=True, exist_ok=True)
    elif name == "ARG":
        argument, _, value = rest.partition("=")
        stage.arguments[argument] = value
    elif name == "ENV":
        stage.root.environment.update(pair.split("=", 1) for pair in shlex.split(rest))
    elif name == "USER":
        stage.user = rest
    elif name == "ENTRYPOINT":
        stage.entry = [word.strip('"') for word in rest.strip("[]").split(", ")]
    elif name not in SILENT:
        sys.exit(f"{DOCKERFILE.name}: {name} is not known here")


def main():
    bare_root.isolate()
    stages, stage = {}, None
    for name, rest in instructions(DOCKERFILE.read_text("utf-8")):
        if name == "FROM":
            image, *alias = rest.split(" AS ")
            if image not in IMAGES:
                sys.exit(f"{DOCKERFILE.name}: {image} is not known here")
            key = alias[0] if alias else "last"
            stage = stages[key] = Stage(key)
        else:
            take(name, rest, stage, stages)
    last = stages["last"]
    print(last.root.run(*last.entry, "--version", user=last.user), end="")
    last.root.expect_served(*last.entry, user=last.user)
    print("the image's program serves")


if __name__ == "__main__":
    main()
