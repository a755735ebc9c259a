#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Traces of Perfetto, packet by packet.

    perfetto.py FOLDER: slices, samples, and both compressed, which tests read
"""
import os
import sys
import zlib

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


def varint(number):
    out = bytearray()
    number &= (1 << 64) - 1
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out + bytes([number]))


def message(*fields):
    """Pairs of a number of a field and its value: a number, a text or a message."""
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
        else:
            value = value.encode() if isinstance(value, str) else value
            out += varint(number << 3 | 2) + varint(len(value)) + value
    return out


def packet(*fields, sequence=1, time=None, clock=None):
    times = ([(8, time)] if time is not None else []) + ([(58, clock)] if clock else [])
    return message((1, message(*times, *fields, (10, sequence))))


def event(time, kind, name=None, track=None, interned=(), sequence=1, **more):
    """`name`: a text, or the number of an interned one."""
    names = [] if name is None else [(10 if isinstance(name, int) else 23, name)]
    data = [(12, message(*[(2, message((1, iid), (2, text))) for iid, text in interned]))] if interned else []
    return packet(*data, (11, message((9, kind), *names, *([(11, track)] if track else []))), sequence=sequence, time=time, **more)


def process(uuid, number, name):
    return packet((60, message((1, uuid), (3, message((1, number), (6, name))))))


def thread(uuid, parent, process_number, number, name):
    return packet((60, message((1, uuid), (5, parent), (4, message((1, process_number), (2, number), (5, name))))))


def defaults(sequence, **of):
    """The track and the clock of what says nothing else; what was interned before counts no more."""
    return packet((59, message((58, of.get("clock", 6)), (11, message((11, of["track"]))))), (13, 1), sequence=sequence)


def slices():
    """Two threads of a program, the second with a clock of its own that counts microseconds from event to event."""
    clocks = message((1, message((1, 6), (2, 1_000_000))), (1, message((1, 64), (2, 500), (3, 1), (4, 1000))))
    return b"".join([
        process(1, 40, "app"), thread(2, 1, 40, 41, "worker"), packet((60, message((1, 3), (5, 1), (2, "frames")))), defaults(1, track=2),
        event(1_000_000, BEGIN, 1, interned=[(1, "main"), (2, "work")]), event(1_000_100, BEGIN, 2), event(1_000_150, INSTANT, "tick"),
        event(1_000_400, END), event(1_000_400, BEGIN, 2), event(1_000_400, END), event(1_000_500, BEGIN, "inline"), event(1_000_900, END), event(1_001_000, END),
        event(1_001_000, END), event(2_000, COUNTER, track=9), event(1_000_200, BEGIN, "frame", track=3), event(1_000_700, END, track=3),
        # The same numbers are other names in another sequence, and once they were lost.
        defaults(2, track=4, clock=64), packet((6, clocks), sequence=2),
        event(3, BEGIN, 1, interned=[(1, "other")], sequence=2), event(2, BEGIN, 7, sequence=2), event(1, END, sequence=2), event(4, END, sequence=2),
        defaults(2, track=4, clock=64), event(1, BEGIN, 1, interned=[(1, "again")], sequence=2), event(5, BEGIN, "open", sequence=2), event(5, COUNTER, sequence=2),
        event(5, END, sequence=2)])


def samples():
    interned = message((5, message((1, 1), (2, "main"))), (5, message((1, 2), (2, "work"))), (17, message((1, 1), (2, "lib"))), (17, message((1, 2), (2, "libc.so"))),
                       (19, message((1, 1), (7, 1), (7, 2))), (6, message((1, 1), (2, 1))), (6, message((1, 2), (2, 2), (3, 1), (4, 0x10))),
                       (6, message((1, 3), (3, 1), (4, 0x2a0))), (7, message((1, 1), (2, 1), (2, 2))), (7, message((1, 2), (2, varint(1) + varint(3)))))
    one = lambda stack, number=41: packet((66, message((2, 40), (3, number), (4, stack))), time=5)
    tree = message((1, message((1, 40), (3, "/bin/app"), (3, "-v"))), (2, message((1, 41), (2, "worker"), (3, 40))))
    return packet((2, tree)) + packet((12, interned), (13, 1)) + one(1) + one(2) + one(2, 42) + one(9)


def packed(packets):
    """The same as one packet, compressed."""
    return packet((50, zlib.compress(packets)))


def write(path, packets):
    with open(path, "wb") as out:
        out.write(packets)


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    for name, made in ("slices", slices()), ("samples", samples()), ("packed", packed(slices()) + packed(samples())):
        write(os.path.join(sys.argv[1], name), made)
