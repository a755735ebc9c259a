# SPDX-License-Identifier: BSD-3-Clause
"""serve-profile.py FILE [old]: a small profile.proto with labels, lines and names that would be markup."""

import sys

EVIL = "<img src=x onerror=alert(1)></script>"


def number(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def field(tag, value):
    if isinstance(value, int):
        return number(tag << 3) + number(value)
    return number(tag << 3 | 2) + number(len(value)) + value


strings = [""]


def text(word):
    if word not in strings:
        strings.append(word)
    return strings.index(word)


def message(*fields):
    return b"".join(field(tag, value) for tag, value in fields)


# Functions: name, file, line; the number of a function is that of its location.
FUNCTIONS = [("main", "src/app.c", 9), ("work", "src/app.c", 4), ("parse", "/etc/passwd", 1), (EVIL, "src/../../secret.c", 1),
             ("idle", "", 0)]
# Samples: stack (the leaf first), nanoseconds, labels.
SAMPLES = [((2, 1), 700, {"service": "api", "bytes": 64}), ((3, 2, 1), 200, {"service": "web", "bytes": 4096}),
           ((4, 1), 90, {"service": "web"}), ((5,), 10, {})]
if sys.argv[2:] == ["old"]:  # less, without one function and with another
    SAMPLES = [((2, 1), 400, {"service": "api"}), ((3, 2, 1), 200, {"service": "web"}), ((1,), 30, {}), ((5,), 10, {})]
    FUNCTIONS[2] = ("scan", "", 0)

profile = [(1, message((1, text("samples")), (2, text("count")))), (1, message((1, text("cpu")), (2, text("nanoseconds"))))]
for stack, value, labels in SAMPLES:
    profile.append((2, message(*[(1, place) for place in stack], (2, 1), (2, value), *[
        (3, message((1, text(key)), (2, text(word)) if isinstance(word, str) else (3, word), *(
            [] if isinstance(word, str) else [(4, text("bytes"))]))) for key, word in labels.items()])))
for i, (name, file, line) in enumerate(FUNCTIONS, 1):
    profile.append((4, message((1, i), (4, message((1, i), (2, line))))))
    profile.append((5, message((1, i), (2, text(name)), (3, text(name)), (4, text(file)))))
profile += [(6, word.encode()) for word in strings]
with open(sys.argv[1], "wb") as out:
    out.write(message(*profile))
