#!/usr/bin/env python3
"""Tries in bare Debian roots what `make package` made: the Debian package is installed, serves, is
removed and purged without a trace; the archive serves where nothing is installed.

usage: try_packages.py PACKAGE.deb ARCHIVE.tar.gz    as root
"""

import pathlib
import subprocess
import sys

import bare_root


def files(root):
    """All that is there, but for what apt and dpkg keep for themselves."""
    kept = ("var/lib/dpkg/", "var/lib/apt/", "var/cache/apt/", "var/log/", "tmp/", "srv/")
    paths = (str(path.relative_to(root.path)) for top in root.path.iterdir()
             if top.name not in ("proc", "dev", "sys") for path in [top, *top.rglob("*")])
    return {path for path in paths if not f"{path}/".startswith(kept)}


def try_package(package):
    root = bare_root.BareRoot("package")
    root.add(package, "/srv/parterre.deb")
    root.run("apt-get", "update", "-qq")
    # Its libraries first: what remains of them is not the package's.
    depends = root.run("dpkg-deb", "--field", "/srv/parterre.deb", "Depends").strip()
    root.run("apt-get", "satisfy", "-qq", "-y", "--no-install-recommends", depends)
    root.run("mkdir", "--parents", "/etc/systemd/system/multi-user.target.wants")
    before = files(root)
    root.run("apt-get", "install", "-qq", "-y", "--no-install-recommends", "/srv/parterre.deb")
    print(root.run("parterre", "--version"), end="")
    root.run("dpkg", "--verify", "parterre")
    modes = root.run("stat", "--format=%a", "/etc/parterre/ivy.env", "/etc/parterre/serve.env")
    if modes.split() != ["640", "640"]:
        sys.exit(f"/etc/parterre/*.env have modes {modes.split()}, not 640")
    root.expect_served("parterre")
    # As systemctl enable leaves it, which is not here.
    root.run("ln", "--symbolic", "/lib/systemd/system/parterre-tulip@.service",
             "/etc/systemd/system/multi-user.target.wants/parterre-tulip@0.service")
    root.run("apt-get", "remove", "-qq", "-y", "parterre")
    settings = ("etc/parterre", "etc/systemd/")
    if left := [path for path in files(root) - before if not path.startswith(settings)]:
        sys.exit(f"removed, and there is still {sorted(left)}")
    root.run("apt-get", "purge", "-qq", "-y", "parterre")
    if left := files(root) - before:
        sys.exit(f"purged, and there is still {sorted(left)}")


def try_archive(archive):
    root = bare_root.BareRoot("archive")
    subprocess.run(["tar", "--extract", "--file", archive, "--directory", root.path / "srv"],
                   check=True)
    folder, = (root.path / "srv").iterdir()
    root.expect_served(f"/srv/{folder.name}/parterre")


def main(package, archive):
    bare_root.isolate()
    try_package(pathlib.Path(package))
    print("the package installs, serves, and is removed without a trace")
    try_archive(pathlib.Path(archive))
    print("the archive serves where nothing is installed")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
