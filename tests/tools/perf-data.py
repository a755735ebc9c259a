# SPDX-License-Identifier: BSD-3-Clause
"""Recordings as perf writes them, of a few samples that a test can count.

perf-data.py KIND [PROGRAM BUILD-ID FUNCTION-ADDRESS...]   writes to standard output

KIND is a list of words with "+": what of plain, big, pipe, packed, group, chain, cut, aux the recording is.
"""
import struct
import sys

TYPE = {"ip": 1, "tid": 2, "time": 4, "read": 16, "chain": 32, "id": 64, "cpu": 128, "period": 256, "identifier": 1 << 16}


class Recording:
    def __init__(self, kind):
        self.kind = kind
        self.order = ">" if "big" in kind else "<"
        self.out = []

    def pack(self, layout, *values):
        return struct.pack(self.order + layout, *values)

    def record(self, number, misc, body):
        body += b"\0" * (-len(body) % 8)
        return self.pack("IHH", number, misc, 8 + len(body)) + body

    def text(self, text, room=8):
        text = text.encode() + b"\0"
        return text + b"\0" * (-len(text) % room)

    def flags(self, *bits):
        return sum(1 << (63 - bit if self.order == ">" else bit) for bit in bits)

    # ---- events --------------------------------------------------------------------------------

    def types(self):
        names = ["ip", "tid", "time", "id", "period"] + ["cpu"] * ("cpu" in self.kind) + ["chain"] * ("chain" in self.kind)
        return sum(TYPE[name] for name in names + ["read"] * ("group" in self.kind))

    def event(self, kind, config):
        read = 4 | 8 if "group" in self.kind else 0
        head = self.pack("IIQQQQQ", kind, 128, config, 4000, self.types(), read, self.flags(0, 1, 10, 18))
        return head + b"\0" * (128 - len(head))

    def trailer(self, time):
        """What all records but samples end with: process, thread, time, id, perhaps the processor."""
        return self.pack("iiQQ", 1, 1, time, 100) + (self.pack("II", 0, 0) if "cpu" in self.kind else b"")

    # ---- records -------------------------------------------------------------------------------

    def map(self, pid, start, length, offset, name, time=0):
        body = self.pack("iiQQQQQQII", pid, pid, start, length, offset, 0, 0, 0, 5, 2)
        return self.record(10, 2, body + self.text(name) + self.trailer(time))

    def comm(self, pid, thread, name, exec_=False, time=0):
        return self.record(3, 1 << 13 if exec_ else 0, self.pack("ii", pid, thread) + self.text(name) + self.trailer(time))

    def fork(self, pid, parent, time):
        return self.record(7, 0, self.pack("iiiiQ", pid, parent, pid, parent, time) + self.trailer(time))

    def sample(self, ip, pid, thread, time, period, number=100, chain=(), values=(), kernel=False):
        body = self.pack("QiiQQ", ip, pid, thread, time, number)
        if "cpu" in self.kind:
            body += self.pack("II", 3, 0)
        body += self.pack("Q", period)
        if "group" in self.kind:
            body += self.pack("Q", len(values)) + b"".join(self.pack("QQ", value, 100 + i) for i, value in enumerate(values))
        if "chain" in self.kind:
            body += self.pack("Q", len(chain)) + b"".join(self.pack("Q", address & 0xffffffffffffffff) for address in chain)
        return self.record(9, 1 if kernel else 2, body)

    # ---- features ------------------------------------------------------------------------------

    def string(self, text):
        text = self.text(text, 64)
        return self.pack("I", len(text)) + text

    def events(self, names):
        out = self.pack("II", len(names), 128)
        for i, (name, kind, config) in enumerate(names):
            out += self.event(kind, config) + self.pack("I", 1) + self.string(name) + self.pack("Q", 100 + i)
        return out

    def build_id(self, name, build):
        build = bytes.fromhex(build)
        return self.record(67, 2 | 1 << 15, self.pack("i", -1) + build + b"\0" * (20 - len(build)) + bytes([len(build), 0, 0, 0]) + self.text(name))

    def command(self, *words):
        return self.pack("I", len(words)) + b"".join(self.string(word) for word in words)

    # ---- files ---------------------------------------------------------------------------------

    def packed(self, records):
        """A frame of zstd of blocks that are stored as they are, in several records."""
        frame = b"\x28\xb5\x2f\xfd\0\x58"
        pieces = [records[i:i + 500] for i in range(0, len(records), 500)]
        for i, piece in enumerate(pieces):
            frame += struct.pack("<I", len(piece) << 3 | (i == len(pieces) - 1))[:3] + piece
        return b"".join(self.pack("IHH", 81, 0, 8 + len(frame[i:i + 300])) + frame[i:i + 300] for i in range(0, len(frame), 300))

    def file(self, names, records, builds):
        features = {11: self.command("perf", "record", "-g", "./work", "9"), 12: self.events(names), 4: self.string("0.0.0-none"), 6: self.string("x86_64")}
        if builds:
            features[2] = b"".join(self.build_id(*build) for build in builds)
        data = b"".join(records)
        if "packed" in self.kind:
            data = self.packed(data)
        if "aux" in self.kind:
            data += self.record(71, 0, self.pack("QQQIIII", 16, 0, 0, 0, 1, 0, 0)) + b"\0" * 16
        magic = b"2ELIFREP" if self.order == ">" else b"PERFILE2"
        if "pipe" in self.kind:
            head = magic + self.pack("Q", 16)
            head += b"".join(self.record(64, 0, self.event(kind, config) + self.pack("Q", 100 + i)) for i, (_, kind, config) in enumerate(names))
            head += b"".join(self.record(78, 0, self.pack("QQ", 2, 100 + i) + self.text(name)) for i, (name, _, _) in enumerate(names))
            head += b"".join(self.build_id(*build) for build in builds)
            head += b"".join(self.record(80, 0, self.pack("Q", number) + body) for number, body in features.items() if number not in (2, 12))
            return head + self.record(66, 0, self.pack("I", 13)) + b"\xff" * 16 + data
        ids = 104
        events = ids + 8 * len(names)
        start = events + (128 + 16) * len(names)
        bits = sum(1 << number for number in features)
        head = magic + self.pack("QQQQQQQQ", 104, 144, events, 144 * len(names), start, len(data), 0, 0) + self.pack("QQQQ", bits, 0, 0, 0)
        head += b"".join(self.pack("Q", 100 + i) for i in range(len(names)))
        head += b"".join(self.event(kind, config) + self.pack("QQ", ids + 8 * i, 8) for i, (_, kind, config) in enumerate(names))
        sections, bodies, at = b"", b"", start + len(data) + 16 * len(features)
        for number in sorted(features):
            sections += self.pack("QQ", at, len(features[number]))
            bodies += features[number]
            at += len(features[number])
        whole = head + data + sections + bodies
        return whole[:start + len(data) - 20] if "cut" in self.kind else whole


def write(kind, program="/gone/work", build="00112233445566778899aabbccddeeff00112233", *addresses):
    recording = Recording(kind.split("+"))
    base = 0x7f0000000000
    work, leaf = (int(address, 16) for address in addresses) if addresses else (0x1100, 0x1200)
    user, kernel = -512, -128
    names = [("cycles", 0, 0), ("page-faults", 1, 2)]
    ips = [base + leaf + 1, base + work + 1, base + leaf + 1]
    records = [
        recording.comm(1, 1, "work"),
        recording.map(1, base, 0x100000, 0, program),
        # What comes later in the file happened earlier.
        recording.sample(ips[2], 1, 2, 3000, 50, chain=(user, ips[2], base + work + 9), values=(350, 5)),
        recording.sample(ips[0], 1, 1, 1000, 100, chain=(user, ips[0], base + work + 9), values=(100, 2)),
        recording.sample(ips[1], 1, 1, 2000, 200, chain=(kernel, 0xffffffff81000010, user, ips[1]), values=(300, 2)),
        recording.comm(1, 2, "helper", time=2500),
        recording.fork(7, 1, 3500),
        recording.sample(ips[0], 7, 7, 3600, 30, chain=(user, ips[0]), values=(380, 5)),
        recording.comm(7, 7, "other", True, 3700),
        recording.sample(ips[0], 7, 7, 3800, 7, chain=(user, ips[0]), values=(387, 5)),
    ]
    if "group" not in recording.kind:
        records.append(recording.sample(ips[1], 1, 1, 4000, 1, 101, chain=(user, ips[1])))
    sys.stdout.buffer.write(recording.file(names, records, [(program, build)]))


if __name__ == "__main__":
    write(*sys.argv[1:])
