"""Stands between Ivy and a Tulip, and does to what the Tulip answers what a test wants done.

Speaks no HTTP/2: it tells frames apart, of which DATA frames hold gRPC's messages: one byte, four
of the length, and then protobuf's fields.
"""

import contextlib
import socket
import struct
import threading

DATA = 0
FRAME_HEAD_BYTES = 9
MESSAGE_HEAD_BYTES = 5


class Break(Exception):
    """The connection ends, after these bytes."""

    def __init__(self, last):
        super().__init__("broken off")
        self.last = last


class Proxy:
    """A port of loopback that leads to `address`. `pass_on` is given what comes from there as an
    iterator of pieces, and gives the pieces that go to the client."""

    def __init__(self, address, pass_on):
        host, port = address.rsplit(":", 1)
        self.target = (host, int(port))
        self.pass_on = pass_on
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # close() alone would leave the thread waiting.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client = self.listener.accept()[0]
                threading.Thread(target=self._join, args=(client,), daemon=True).start()

    def _join(self, client):
        """To the target, until either side ends."""
        with client, socket.create_connection(self.target) as server:
            back = threading.Thread(target=self._pump, args=(server, client, self.pass_on))
            back.start()
            self._pump(client, server, iter)
            back.join()

    @staticmethod
    def _pump(source, sink, pass_on):
        try:
            for piece in pass_on(iter(lambda: source.recv(65536), b"")):
                sink.sendall(piece)
        except Break as end:
            sink.sendall(end.last)
        except OSError:
            pass
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


def frames(pieces):
    """HTTP/2 frames, whole: (head, payload)."""
    data = b""
    for piece in pieces:
        data += piece
        while len(data) >= FRAME_HEAD_BYTES:
            end = FRAME_HEAD_BYTES + int.from_bytes(data[:3], "big")
            if len(data) < end:
                break
            yield data[:FRAME_HEAD_BYTES], data[FRAME_HEAD_BYTES:end]
            data = data[end:]


def tamper(change):
    """For Proxy: puts `change`(payload) in place of DATA that answers Infer."""
    def pass_on(pieces):
        for head, payload in frames(pieces):
            if head[3] == DATA and answers_infer(payload[MESSAGE_HEAD_BYTES:]):
                payload = change(payload)
                head = len(payload).to_bytes(3, "big") + head[3:]
            yield head + payload
    return pass_on


def answers_infer(message):
    """Info begins with a message, and what health says is no longer than two bytes."""
    return len(message) > 2 and message[0] == tag(1, 0)


def tag(field, wire_type):
    return field << 3 | wire_type


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def message(body):
    return b"\0" + struct.pack(">I", len(body)) + body


def embeddings(sequences, columns, values):
    """An InferResponse of dense vectors, as one DATA payload."""
    dense = bytes([tag(1, 0)]) + varint(columns) + bytes([tag(2, 2)]) + varint(len(values)) + values
    return message(bytes([tag(1, 0)]) + varint(sequences) +
                   bytes([tag(3, 2)]) + varint(len(dense)) + dense)
