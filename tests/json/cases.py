#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What Python's json module makes of many texts: the expected values of tests/unit/test-json.

cases.py --print            print them: tests/data/json-cases.jsonl
cases.py --check FILE       compare FILE with what this Python says
cases.py --random N TOOL    N random texts through TOOL (tests/unit/json-normalize), compared

A line is [input, dumps, indent=2, compact], null for what is refused. Bytes of an input are written as the
characters U+0000 to U+00FF.
"""
import json
import random
import subprocess
import sys

NUMBERS = """0 -0 0.0 -0.0 1 -1 10 1.0 1.5 -1.5 1E5 1e5 1e+5 1e-5 1e16 1e15 1e22 1e400 -1e400 1e-400 -1e-400
123456789012345678901234567890 -123456789012345678901234567890 9223372036854775807 9223372036854775808
-9223372036854775808 -9223372036854775809 18446744073709551615 18446744073709551616 99999999999999999999
10000000000000000000 19999999999999999999 20000000000000000000 100000000000000000000
0.1 0.10000000000000001 1e-05 0.00001 0.0001 100000.0 1e308 1.7976931348623159e308 5e-324 2e-324
NaN Infinity -Infinity 1.0e0 0e0 0E+5 0.0000 1.10 12345678.12345678 3.141592653589793238462643383279
01 -01 00 1. .5 1.e5 1e 1e+ 1E- +1 - -- -a -NaN nan NAN inf infinity Infinit -Infinit -Inf Inf N I 0x10 1_000 1a
1,5 0b1 1f 1d 1L""".split()

WORDS = """true false null True False None nul nulll tru truefalse undefined {} [] [[]] [{}] {"a":{}} "" "a" [""]
[,] [1,] [,1] [1,,2] {,} {"a"} {"a":} {"a":1,} {"a" 1} {a:1} {'a':1} {1:2} {null:1} [1 2] [1:2] {"a":1:2} {"a",1}
[ ] { } [ { "a":1}] 'a' "a "a"b [1] [1]] }] [} {] [1}{} {"a":1] // /**/1 /*x*/ #1 [1]x [1]1 1_ ;""".split()

STRINGS = [
    r'"\n\r\t\b\f\"\\\/"', r'"\u0041\u00e9\u20ac"', r'"\ud83d\ude00"', r'"\ud800"', r'"\udc00"',
    r'"\ud800\ud800"', r'"\udc00\ud800"', r'"\ud800\udc00\udc00"', r'"\ud800\ud800\udc00"', r'"\ud800x"',
    r'"\ud800\n"', r'"\ud800\u0041"', r'"\uD83D\uDE00"', r'"\u00E9"', r'"\u0000"', r'"a\u0000b"', r'"\u001f"',
    r'"\u007f"', '"\x7f"', r'"\u"', r'"\u1"', r'"\u12"', r'"\u123"', r'"\u123g"', r'"\u+123"', r'"\u 123"',
    r'"\u0x1f"', r'"\ud800\u"', r'"\ud800\u12"', r'"\ud800\udc0g"', r'"\a"', r'"\x41"', r'"\'"', r'"\0"', r'"\N"',
    '"\\', '"', '"a', '"\\"', '"\\u', '"\\ud800\\', '"a\nb"', '"a\tb"', '"a\x00b"', '"a\x1fb"', '"\r"',
    '"\\\n"', '"/"', r'"\/"', r'"\uffff\ufffe\ufeff"', r'"\u2028\u2029"', r'{"\u0061": 1}', r'{"\ud800": "\udfff"}',
    '"0123456789abcdef0123456789abcdef"', '"0123456789abcde\\"0123456789abcdef"', '"0123456789abcdef\\n"',
]

BYTES = [
    '"é"'.encode(), '"€"'.encode(), '"😀"'.encode(), '"é€😀é"'.encode(), '"aé€b😀c"'.encode(), b'"\xff"', b'"\xc3"',
    b'"\xc3', b'"\xe2\x82"', b'"\xe2\x82', b'"\xf0\x9f\x98"', b'"\xc0\x80"', b'"\xc1\xbf"', b'"\xe0\x80\x80"',
    b'"\xe0\x9f\xbf"', b'"\xe0\xa0\x80"', b'"\xed\x9f\xbf"', b'"\xed\xa0\x80"', b'"\xed\xbf\xbf"', b'"\xee\x80\x80"',
    b'"\xf0\x80\x80\x80"', b'"\xf0\x8f\xbf\xbf"', b'"\xf0\x90\x80\x80"', b'"\xf4\x8f\xbf\xbf"', b'"\xf4\x90\x80\x80"',
    b'"\xf5\x80\x80\x80"', b'"\x80"', b'"\xbf"', b'\xff', b'\xef\xbb\xbf1', b'\xef\xbb\xbf', b'[\xef\xbb\xbf1]',
    b'\xfe\xff', b'\x00', b'1\x00', b'[1]\x00', b'\x001', b'[\xc3\xa9]', b'\xc2\xa01', b'1\xc2\xa0',
    '{"é": 1, "\\u00e9": 2}'.encode(), b'1\x0b', b'1\x0c', b'\x0c1', b'\x851',
]

TEXTS = [
    '', ' ', '\n', ' 1 ', '\t\r\n 1 \n\n', '1 2', '1\n2', '[1]\n[2]', '{"a": 1, "b": 2, "a": 3}',
    '{"a": 1, "a": 2, "a": 3}', '{"b": {"x": 1, "x": [1, 2]}, "c": 0, "b": {"y": {"z": 1, "z": 2}}}',
    '{"": 1, "": 2}', '[{"a": 1, "b": 1, "a": {"a": 1, "a": 2}}, 2]', '{"a": [], "b": {}, "c": [[]], "d": [{}]}',
    '{' + ', '.join('"k%d": %d' % (i % 40, i) for i in range(100)) + '}',
    '[{' + ', '.join('"key%d": {"x": %d, "x": 0}' % (i % 7, i) for i in range(30)) + '}, 1]',
    '{' + ', '.join('"%s": %d' % ('x' * (i % 20), i) for i in range(40)) + '}',
    '[' * 100 + ']' * 100, '[' * 100, '{"a":' * 50 + '1' + '}' * 50, '[' * 100 + '1' + ']' * 99,
    '[1 , 2\n,\n3\t,4]', '{ "a" : 1 ,\n"b"\t:\r2 }', '[1,2,3', '{"a":1', '{"a":', '{"a"', '{', '[', '[1,', '{"a":1,',
    '[true, false, null, NaN, Infinity, -Infinity]', '[1.0, 1, 1e0, 10e-1]', '["a" "b"]', '{"a": "b" "c": 1}',
    '[-0, -0.0, 0, -0e5]', '[' + '9' * 400 + ']', '[' + '9' * 400 + '.0]', '[0.' + '0' * 400 + '1e401]',
    '[1,\n 2,\n x]', '{"a": 1,\n "b": tru}', '[1e5, "1e5"]', '"' + 'x' * 1000 + '\\n' + 'y' * 1000 + '"',
    '{"header": {"type": "time", "units": {"time": "s"}, "cmd": "./a.out", "args": "", "workload": "1"}, '
    '"resources": [{"amount": 0.616, "uid": "./a.out", "order": 1, "subtype": "sum of subprocesses", "type": "time"}]}',
]


def all_inputs():
    for number in NUMBERS:
        yield number.encode()
        yield ('[%s]' % number).encode()
        yield ('{"a": %s, "b":%s}' % (number, number)).encode()
    for word in WORDS:
        yield word.encode()
        yield ('[1, %s, 2]' % word).encode()
    for string in STRINGS:
        yield string.encode('latin-1')
        yield b'[' + string.encode('latin-1') + b', 1]'
    for text in BYTES:
        yield text
        yield b'["x", ' + text + b']'
    for text in TEXTS:
        yield text.encode()


def normalize(data):
    """The three texts that Python writes of `data`, or None thrice."""
    try:
        value = json.loads(data.decode('utf-8'))
    except (ValueError, RecursionError):
        return [None, None, None]
    return [json.dumps(value), json.dumps(value, indent=2), json.dumps(value, separators=(',', ':'))]


def lines(inputs):
    for data in inputs:
        yield json.dumps([data.decode('latin-1')] + normalize(data))


def mutate(rng, data):
    """A few random changes."""
    data = bytearray(data)
    for _ in range(rng.randint(0, 3)):
        place = rng.randint(0, len(data))
        kind = rng.randint(0, 3)
        if kind == 0:
            data[place:place] = bytes([rng.choice(b'{}[]",:0123456789.eE+-\\un \n\x00\xc3\xed\xff')])
        elif kind == 1:
            del data[place:place + rng.randint(1, 4)]
        elif kind == 2 and place < len(data):
            data[place] = rng.randint(0, 255)
        else:
            other = rng.randint(0, len(data))
            data[place:place] = data[min(place, other):max(place, other)][:40]
    return bytes(data)


def make(rng, depth):
    """A random value."""
    kind = rng.randint(0, 9 if depth < 5 else 7)
    if kind < 2:
        return rng.randint(-10 ** rng.randint(1, 25), 10 ** rng.randint(1, 25))
    if kind < 4:
        return rng.choice([rng.random(), rng.gauss(0, 1) * 10.0 ** rng.randint(-320, 308), float(rng.randint(0, 10 ** 17)),
                           rng.randint(0, 10 ** 6) / 1000, float('nan'), float('-inf')])
    if kind < 6:
        return ''.join(chr(rng.choice([rng.randint(0, 0x7f), rng.randint(0, 0xffff), rng.randint(0x10000, 0x10ffff)]))
                       for _ in range(rng.randint(0, 20)))
    if kind < 8:
        return rng.choice([True, False, None, '', 'a', 0, -1])
    if kind == 8:
        return [make(rng, depth + 1) for _ in range(rng.randint(0, 6))]
    return {rng.choice('abcdef') * rng.randint(0, 3): make(rng, depth + 1) for _ in range(rng.randint(0, 20))}


def random_inputs(count):
    rng = random.Random(1)
    seeds = list(all_inputs())
    for i in range(count):
        if i % 2:
            yield mutate(rng, rng.choice(seeds))
        else:
            text = json.dumps(make(rng, 0), ensure_ascii=rng.random() < 0.5).encode('utf-8', 'surrogatepass')
            yield mutate(rng, text) if rng.random() < 0.3 else text


def main(arguments):
    if arguments[:1] == ['--print']:
        for line in lines(all_inputs()):
            print(line)
        return 0
    if arguments[:1] == ['--check']:
        with open(arguments[1], encoding='ascii') as file:
            stored = file.read().splitlines()
        wrong = [line for line in lines(all_inputs()) if line not in stored]
        for line in wrong:
            print('# not in', arguments[1] + ':', line[:200])
        return 1 if wrong else 0
    inputs = list(random_inputs(int(arguments[1])))
    feed = ''.join(json.dumps(data.decode('latin-1')) + '\n' for data in inputs)
    result = subprocess.run(arguments[2:], input=feed, capture_output=True, text=True, check=True)
    got = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(got) == len(inputs), (len(got), len(inputs))
    bad = 0
    for data, value in zip(inputs, got):
        expected = normalize(data)
        if value != expected:
            bad += 1
            print('# input   ', repr(data)[:500], '\n# expected', str(expected)[:500], '\n# got     ', str(value)[:500])
    return 1 if bad else 0


if __name__ == '__main__':
    sys.set_int_max_str_digits(0) if hasattr(sys, 'set_int_max_str_digits') else None
    sys.exit(main(sys.argv[1:]))
