#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draw what a terminal showed as SVG: text with colours on standard input, the picture on standard output.

    script -qec 'perun --no-pager log --short' /dev/null | doc/pictures/terminal.py >picture.svg
"""
import re
import sys
from xml.sax.saxutils import escape

COLORS = {30: "#4b5263", 31: "#e06c75", 32: "#98c379", 33: "#e5c07b", 34: "#61afef",
          35: "#c678dd", 36: "#56b6c2"}
WIDTH, HEIGHT, MARGIN = 8.43, 19, 16  # of a character and a line, in pixels


def spans(line):
    """Pairs of text and attributes."""
    color, bold = None, False
    for part in re.split("(\x1b\\[[0-9;]*m)", line):
        match = re.fullmatch("\x1b\\[([0-9;]*)m", part)
        if not match:
            if part:
                yield part, color, bold
            continue
        for code in (int(c or 0) for c in match.group(1).split(";")):
            if code == 0:
                color, bold = None, False
            elif code == 1:
                bold = True
            elif code in COLORS:
                color = COLORS[code]


def main():
    lines = [re.sub("\x1b\\[[0-9;]*[A-LN-Za-ln-z]", "", line.rstrip("\r\n"))
             for line in sys.stdin]
    while lines and not lines[-1].strip():
        lines.pop()
    columns = max(len(re.sub("\x1b\\[[0-9;]*m", "", line).rstrip()) for line in lines)
    width = round(columns * WIDTH + 2 * MARGIN)
    height = len(lines) * HEIGHT + 2 * MARGIN
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
          f'viewBox="0 0 {width} {height}">')
    print(f'<rect width="{width}" height="{height}" rx="8" fill="#21252b"/>')
    print('<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14" '
          'fill="#d7dae0" xml:space="preserve">')
    for number, line in enumerate(lines):
        y = MARGIN + number * HEIGHT + 14
        column = 0
        for text, color, bold in spans(line):
            shown = text.rstrip() if text is line else text
            if shown.strip():
                style = (f' fill="{color}"' if color else "") + (' font-weight="bold"' if bold else "")
                print(f'<text x="{MARGIN + column * WIDTH:.2f}" y="{y}" '
                      f'textLength="{len(shown) * WIDTH:.2f}"{style}>{escape(shown)}</text>')
            column += len(text)
    print("</g>\n</svg>")


main()
