"""A small hub on this machine: answers like huggingface.co, and misbehaves as a test asks.

Two servers: the hub itself, and a "content network" at another port that it redirects large files
to, as the real one does. Python's standard library alone.
"""

import hashlib
import http.server
import json
import threading
import urllib.parse

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Request:
    def __init__(self, method, path, headers):
        self.method = method
        self.path = path
        self.range = headers.get("Range")
        self.authorization = headers.get("Authorization")


class Quirks:
    """What a hub does wrong; a fresh one does all well."""

    def __init__(self):
        self.statuses = []  # answered to the next requests instead, each (status, headers)
        self.cuts = []  # the next bodies of large files end after so many bytes
        self.ignores_ranges = False
        self.wrong_range = False
        self.silent = False  # large files: headers, then nothing
        self.corrupt = 0  # so many bodies of large files have a wrong first byte
        self.commit_header = None
        self.linked_size = None
        self.gate = None  # an Event that the bodies of large files wait for


class FakeHub:
    """Serves `files` ({name: bytes}) as the model `model`. Names that end like weights are "large"."""

    def __init__(self, files, model="org/tiny", token=None, gated=False):
        self.files = files
        self.model = model
        self.old_model = None  # redirects to `model`
        self.token = token
        self.gated = gated
        self.commit = COMMIT
        self.revisions = {"main", "refs/pr/1"}
        self.siblings = None  # instead of the files' names
        self.quirks = Quirks()
        self.requests = []
        self.content_requests = []
        self.content = self._start(ContentHandler)
        self.hub = self._start(HubHandler)
        self.url = f"http://127.0.0.1:{self.hub.server_address[1]}"
        # Another name, so another origin, of the same machine.
        self.content_url = f"http://localhost:{self.content.server_address[1]}"

    def _start(self, handler):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.daemon_threads = True
        server.fake = self
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        return server

    def stop(self):
        for server in (self.hub, self.content):
            server.shutdown()
            server.server_close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def is_large(self, name):
        return name.endswith((".safetensors", ".bin", ".pt"))

    def etag(self, name):
        data = self.files[name]
        if self.is_large(name):
            return hashlib.sha256(data).hexdigest()
        return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()

    def asked(self, method="GET"):
        """Names of the files that were asked for, in order."""
        part = f"/resolve/{self.commit}/"
        return [urllib.parse.unquote(r.path.split(part)[1]) for r in self.requests
                if r.method == method and part in r.path]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_HEAD(self):  # noqa: N802
        self.answer()

    do_GET = do_HEAD  # noqa: N815

    def send(self, status, body=b"", headers=None):
        self.send_response(status)
        for name, value in {"Content-Length": len(body), **(headers or {})}.items():
            self.send_header(name, str(value))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def send_file(self, data, headers, quirks=None):
        """`data`, or the range that was asked for."""
        quirks = quirks or Quirks()
        begin, status = 0, 200
        asked = self.headers.get("Range")
        if asked and not quirks.ignores_ranges:
            begin, status = int(asked.removeprefix("bytes=").split("-")[0]), 206
            if begin >= len(data):
                self.send(416)
                return
            if quirks.wrong_range:
                begin = 0
            headers = {**headers,
                       "Content-Range": f"bytes {begin}-{len(data) - 1}/{len(data)}"}
        body = data[begin:]
        if quirks.corrupt and self.command == "GET":
            quirks.corrupt -= 1
            body = bytes([body[0] ^ 1]) + body[1:]
        self.send_response(status)
        for name, value in {"Content-Length": len(body), **headers}.items():
            self.send_header(name, str(value))
        self.end_headers()
        if self.command == "HEAD":
            return
        self.send_body(body, quirks)

    def send_body(self, body, quirks):
        self.close_connection = True
        try:
            if quirks.gate:
                self.wfile.write(body[:1])
                self.wfile.flush()
                quirks.gate.wait()
                body = body[1:]
            if quirks.silent:
                self.rfile.read(1)  # until the client leaves
                return
            cut = quirks.cuts.pop(0) if quirks.cuts else len(body)
            self.wfile.write(body[:cut])
        except OSError:
            pass  # the client left


class ContentHandler(Handler):
    def answer(self):
        fake = self.server.fake
        fake.content_requests.append(Request(self.command, self.path, self.headers))
        name = urllib.parse.unquote(self.path.split("?")[0].lstrip("/"))
        self.send_file(fake.files[name], {"ETag": '"content-network"'}, fake.quirks)


class HubHandler(Handler):
    def answer(self):
        fake = self.server.fake
        fake.requests.append(Request(self.command, self.path, self.headers))
        if fake.quirks.statuses:
            status, headers = fake.quirks.statuses.pop(0)
            self.send(status, b"", headers)
            return
        if fake.old_model and fake.old_model in self.path:
            self.send(307, b"", {"Location": self.path.replace(fake.old_model, fake.model)})
            return
        if not self.may_read():
            return
        parts = self.path.split("/")
        api, model = ["", "api", "models"], fake.model.split("/")
        if parts[: 3 + len(model)] == api + model and parts[-2] == "revision":
            self.answer_listing(urllib.parse.unquote(parts[-1]))
        elif parts[1 : 1 + len(model)] == model and parts[1 + len(model)] == "resolve":
            self.answer_file(parts[2 + len(model)],
                             urllib.parse.unquote("/".join(parts[3 + len(model) :])))
        else:
            self.send(404, b"", {"X-Error-Code": "RepoNotFound"})

    def may_read(self):
        fake = self.server.fake
        if fake.token is None or self.headers.get("Authorization") == f"Bearer {fake.token}":
            return True
        code = "GatedRepo" if fake.gated else "RepoNotFound"
        self.send(403 if fake.gated and self.headers.get("Authorization") else 401, b"",
                  {"X-Error-Code": code})
        return False

    def answer_listing(self, revision):
        fake = self.server.fake
        if revision not in fake.revisions and revision != fake.commit:
            self.send(404, b"", {"X-Error-Code": "RevisionNotFound"})
            return
        names = fake.siblings if fake.siblings is not None else sorted(fake.files)
        listing = {"id": fake.model, "sha": fake.commit,
                   "siblings": [{"rfilename": name} for name in names]}
        self.send(200, json.dumps(listing).encode(), {"Content-Type": "application/json"})

    def answer_file(self, revision, name):
        fake = self.server.fake
        if revision not in {*fake.revisions, fake.commit} or name not in fake.files:
            self.send(404, b"", {"X-Error-Code": "EntryNotFound"})
            return
        commit = fake.quirks.commit_header or fake.commit
        data = fake.files[name]
        if fake.is_large(name):
            size = fake.quirks.linked_size or len(data)
            self.send(302, b"", {
                "Location": f"{fake.content_url}/{urllib.parse.quote(name)}?signed=1",
                "X-Repo-Commit": commit, "X-Linked-ETag": f'"{fake.etag(name)}"',
                "X-Linked-Size": size})
            return
        self.send_file(data, {"ETag": f'W/"{fake.etag(name)}"', "X-Repo-Commit": commit})
