#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
bench/scale-draw.py PAGE PICTURE [--check]: draws the table of stores in doc/scale.md, seconds by profiles, both logarithmic. With
--check it is compared with what is there.
"""
import math
import re
import sys
from xml.sax.saxutils import escape

COMMANDS = {"perun import --history h.csv": "import", "perun log --short": "log", "perun history 'time(real)'": "history",
            "perun check all": "check all", "perun site public": "site", "perun export d.sqlite, new": "export",
            "perun push, all of it": "push", "perun fetch, all of it": "fetch"}
COLORS = ["#c0392b", "#7f8c8d", "#8e44ad", "#2980b9", "#16a085", "#d35400", "#2c3e50", "#27ae60"]
SIZES = [1000, 10000, 100000, 1000000]
LEFT, RIGHT, TOP, BOTTOM, WIDTH, HEIGHT = 60, 120, 30, 50, 720, 460
LOW, HIGH = 0.01, 1000


def rows(text):
    """Names and seconds for each size; None where it was not measured."""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        name = cells[0].replace("`", "")
        short = next((COMMANDS[known] for known in COMMANDS if name == known or name.startswith(known + ", the")), None)
        if short and len(cells) == 7:
            yield short, [float(found.group(1)) if (found := re.match(r"([0-9.]+) s", cells[i])) else None for i in (1, 2, 3, 5)]


def x_of(size):
    return LEFT + (WIDTH - LEFT - RIGHT) * (math.log10(size) - 3) / 3


def y_of(seconds):
    share = (math.log10(seconds) - math.log10(LOW)) / (math.log10(HIGH) - math.log10(LOW))
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share


def labels(lines):
    """Names at the ends of the lines, one below the other."""
    last = -math.inf
    for y, x, name, color in sorted(lines):
        last = max(y, last + 14)
        yield f'<text x="{x + 8:.0f}" y="{last + 4:.0f}" fill="{color}">{escape(name)}</text>'


def draw(text):
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="12">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
             f'<text x="{LEFT}" y="18">Seconds of the processor, by the profiles of a store</text>']
    for size in SIZES:
        parts.append(f'<path d="M{x_of(size):.0f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>'
                     f'<text x="{x_of(size):.0f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{size:,}</text>')
    for power in range(-2, 4):
        y = y_of(10 ** power)
        parts.append(f'<path d="M{LEFT} {y:.0f}H{WIDTH - RIGHT}" stroke="#ddd"/>'
                     f'<text x="{LEFT - 6}" y="{y + 4:.0f}" text-anchor="end">{10 ** power:g} s</text>')
    ends = {3: [], 2: []}
    for (name, seconds), color in zip(rows(text), COLORS):
        points = [(x_of(size), y_of(max(LOW, value))) for size, value in zip(SIZES, seconds) if value is not None]
        parts.append('<polyline fill="none" stroke-width="2" stroke="%s" points="%s"/>'
                     % (color, " ".join(f"{x:.1f},{y:.1f}" for x, y in points)))
        ends[len(points) - 1].append((points[-1][1], points[-1][0], name, color))
    parts.extend(labels(ends[3]))
    parts.extend(labels([(y + 12, x, name, color) for y, x, name, color in ends[2]]))
    parts.append(f'<text x="{LEFT}" y="{HEIGHT - 12}">At 1,000,000: ten profiles of each commit; otherwise one.</text>')
    return "\n".join(parts) + "\n</svg>\n"


def main():
    page, picture = sys.argv[1:3]
    with open(page, encoding="utf-8") as file:
        drawn = draw(file.read())
    if "--check" in sys.argv:
        with open(picture, encoding="utf-8") as file:
            return file.read() != drawn
    with open(picture, "w", encoding="utf-8") as file:
        file.write(drawn)
    return 0


if __name__ == "__main__":
    sys.exit(main())
