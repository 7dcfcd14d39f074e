"""What is installed and packed: whole, and with the licences of what is in it. That packages work on
a bare Debian is scripts/try_packages.py's to see."""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import harness

BUILD = pathlib.Path(harness.PROGRAM).resolve().parent.parent
SCRIPTS = harness.ROOT / "scripts"
# Packed at once rather than small; a time of its own, for packages that are the same.
ENVIRONMENT = {**os.environ, "DPKG_DEB_COMPRESSOR_LEVEL": "1", "GZIP_LEVEL": "1",
               "SOURCE_DATE_EPOCH": "1700000000"}
UNITS = {"parterre-ivy.service", "parterre-serve.service", "parterre-tulip@.service"}


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{words}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def below(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


class PackageTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def expect_files(self, found, zsh, units):
        for file in ("bin/parterre", "share/bash-completion/completions/parterre",
                     f"share/zsh/{zsh}/_parterre", "share/fish/vendor_completions.d/parterre.fish",
                     "share/doc/parterre/README.md", "share/doc/parterre/docs/operations.md",
                     "share/doc/parterre/examples/docker/compose.yaml"):
            self.assertIn(file, found)
        self.assertEqual({name.rpartition("/")[2] for name in found if name.startswith(units)}, UNITS)

    def expect_units(self, folder, program):
        for unit in UNITS:
            line = re.search(r"^ExecStart=(\S+) \w+$", (folder / unit).read_text("utf-8"), re.MULTILINE)
            self.assertEqual(line[1], program)

    def test_install(self):
        run("cmake", "--install", BUILD, "--prefix", "/opt/parterre",
            env={**os.environ, "DESTDIR": str(self.folder)})
        root = self.folder / "opt/parterre"
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"opt"})
        found = below(root)
        self.expect_files(found, "site-functions", "lib/systemd/system/")
        self.assertIn("share/man/man1/parterre-bench-open.1", found)
        self.assertIn("share/doc/parterre/LICENSE", found)
        self.assertIn("share/doc/parterre/examples/systemd/ivy.env", found)
        self.expect_units(root / "lib/systemd/system", "/opt/parterre/bin/parterre")
        self.assertIn("parterre ", run(root / "bin/parterre", "--version"))

    def test_debian_package(self):
        if not shutil.which("dpkg-shlibdeps"):
            harness.skip("no dpkg-dev to make packages with: scripts/install.sh --package")
        package = self.folder / "parterre.deb"
        run(SCRIPTS / "deb.sh", BUILD, package, env=ENVIRONMENT)
        root = self.folder / "root"
        run("dpkg-deb", "--raw-extract", package, root)
        found = below(root)
        self.expect_files({name.removeprefix("usr/") for name in found}, "vendor-completions",
                          "lib/systemd/system/")
        self.assertIn("usr/share/man/man1/parterre-bench-open.1.gz", found)
        self.expect_units(root / "lib/systemd/system", "/usr/bin/parterre")
        settings = {f"/etc/parterre/{name}.env" for name in ("ivy", "serve", "tulip-0")}
        self.assertEqual(set((root / "DEBIAN/conffiles").read_text().split()), settings)
        for name in settings:
            self.assertEqual((root / name.lstrip("/")).stat().st_mode & 0o777, 0o640)
        for script in ("postinst", "prerm", "postrm"):
            run("sh", "-n", root / "DEBIAN" / script)
        run("md5sum", "--check", "--quiet", "DEBIAN/md5sums", cwd=root)
        told = (root / "usr/share/doc/parterre/copyright").read_text("utf-8")
        for name in ("libcli11-dev", "nlohmann-json3-dev"):
            self.assertIn(f"==== {name} ====", told)
        # Every library that the program names is of a package that it depends on.
        depends = run("dpkg-deb", "--field", package, "Depends")
        self.assertRegex(depends, r"libc6 \(>= [0-9.]+\)")
        for name in ("libgrpc++1.51", "libcurl4", "libssl3"):
            self.assertIn(name, depends)
        again = self.folder / "again.deb"
        run(SCRIPTS / "deb.sh", BUILD, again, env=ENVIRONMENT)
        self.assertEqual(*(hashlib.sha256(file.read_bytes()).digest() for file in (package, again)))
        if shutil.which("lintian"):
            run("lintian", "--allow-root", "--no-cfg", "--fail-on", "error,warning", package)
        else:
            print("skipped: the package by lintian, which is not here")

    def test_archive(self):
        if not shutil.which("patchelf"):
            harness.skip("no patchelf to make archives with: scripts/install.sh --package")
        archive = self.folder / "parterre.tar.gz"
        run(SCRIPTS / "archive.sh", BUILD, archive, env=ENVIRONMENT)
        run("tar", "--extract", "--file", archive, "--directory", self.folder)
        folder, = (path for path in self.folder.iterdir() if path.is_dir())
        program = folder / "parterre"
        self.assertIn("parterre ", run(program, "--version", env={}, cwd="/"))
        found = below(folder)
        for file in ("LICENSE", "README.txt", "manual/man1/parterre.1", "manual/parterre.bash"):
            self.assertIn(file, found)
        # Packages are told with version and licence, and each library is of one of them.
        lines = (folder / "licences/packages.txt").read_text("utf-8").splitlines()
        packages = [line.split()[0] for line in lines]
        for package, line in zip(packages, lines):
            self.assertIn(f"licences/{package}.txt", found)
            self.assertRegex(line, r"^\S+ \d\S*, source \S+$")
        theirs = {path.rpartition("/")[2] for path in run("dpkg-query", "--listfiles", *packages).split()}
        libraries = {name.removeprefix("lib/") for name in found if name.startswith("lib/")}
        self.assertGreater(len(libraries), 20)
        self.assertEqual(libraries - theirs, set())
        self.assertRegex((folder / "README.txt").read_text("utf-8"), r"glibc 2\.\d+ and")


if __name__ == "__main__":
    cache = (BUILD / "CMakeCache.txt").read_text("utf-8")
    if "CMAKE_BUILD_TYPE:STRING=Release" not in cache or "ROSE_CUDA:BOOL=ON" in cache:
        print("skipped: packages are made of a Release build for the CPU")
        sys.exit(harness.EXIT_SKIPPED)
    harness.main()
