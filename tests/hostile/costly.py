#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""costly.py SHAPE N FILE...: input that costs more than it should where a reader has a loop too many.

costly.py --list names the shapes. N is the number of what there are many of."""
import gzip
import importlib.util
import json
import pathlib
import struct
import sys
import zlib

shapes = {}


def shape(suffix):
    def add(make):
        shapes[make.__name__] = (make, suffix)
        return make

    return add


# ---- pprof: messages of the wire format ----


def varint(number):
    out = bytearray()
    number &= (1 << 64) - 1
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def packed(numbers):
    return b"".join(varint(n) for n in numbers)


def strings(*texts):
    return b"".join(field(6, text) for text in texts)


def value_type(kind, unit):
    return field(1, field(1, kind) + field(2, unit))


def places(count):
    functions = b"".join(field(5, field(1, i) + field(2, 1)) for i in range(1, count + 1))
    return functions + b"".join(
        field(4, field(1, i) + field(4, field(1, i))) for i in range(1, count + 1)
    )


@shape("pb")
def pprof_equal_types(n):
    return value_type(1, 2) * n + strings("", "a", "b")


@shape("pb")
def pprof_equal_types_with_samples(n):
    sample = field(2, field(2, packed([1] * n)))
    return value_type(1, 2) * n + sample * 3 + strings("", "a", "b")


@shape("pb")
def pprof_many_types(n):
    names = [f"t{i}" for i in range(n)]
    types = b"".join(value_type(i + 1, n + 1) for i in range(n))
    return types + field(2, field(2, packed(range(n)))) + strings("", *names, "unit")


@shape("pb")
def pprof_label_keys(n):
    samples = b"".join(
        field(2, field(2, packed([1])) + field(3, field(1, i + 2) + field(3, i))) for i in range(n)
    )
    return value_type(1, 1) + samples + strings("", "u", *[f"k{i}" for i in range(n)])


@shape("pb")
def pprof_labels_of_one(n):
    def label(number):
        return field(3, field(1, 2) + field(3, number))

    # 128 numbers at once differ in what comes after their first byte; no other byte of theirs is 0.
    blocks, last = [b"".join(map(label, range(1, min(n + 1, 128))))], (n + 1) >> 7
    for size in range(1, len(varint(last)) + 1):
        few = b"".join(label(1 << 7 * size | low)[:-size] + b"\0" for low in range(128))
        blocks += [few.replace(b"\0", varint(high)) for high in range(1 << 7 * (size - 1), min(last, 1 << 7 * size))]
    blocks += map(label, range(max(128, last << 7), n + 1))
    return value_type(1, 1) + field(2, field(2, packed([1])) + b"".join(blocks)) + strings("", "u", "k")


@shape("pb")
def pprof_many_keys_of_one(n):
    labels = b"".join(field(3, field(1, 2 + i) + field(3, i + 1)) for i in range(n))
    sample = field(2, field(2, packed([1])) + labels)
    return value_type(1, 1) + sample * 3 + strings("", "u", *[f"k{i}" for i in range(n)])


@shape("pb")
def pprof_deep_stack(n):
    return (
        value_type(1, 1)
        + field(2, field(1, packed([1] * n)) + field(2, packed([1])))
        + places(1)
        + strings("", "u")
    )


@shape("pb")
def pprof_deep_stacks(n):
    side = max(2, int(n**0.5))
    samples = b"".join(
        field(2, field(1, packed([1 + (i + k) % side for k in range(side)])) + field(2, packed([1])))
        for i in range(side)
    )
    return value_type(1, 1) + samples + places(side) + strings("", "u")


@shape("pb")
def pprof_inlined(n):
    lines = field(4, field(1, 1)) * n
    location = field(4, field(1, 1) + lines)
    samples = field(2, field(1, packed([1])) + field(2, packed([1])))
    function = field(5, field(1, 1) + field(2, 1))
    return value_type(1, 1) + samples + location + function + strings("", "u")


@shape("pb")
def pprof_inlined_often(n):
    side = max(2, int(n**0.5))
    location = field(4, field(1, 1) + field(4, field(1, 1)) * side)
    samples = b"".join(
        field(2, field(1, packed([1] * side)) + field(2, packed([i]))) for i in range(side)
    )
    function = field(5, field(1, 1) + field(2, 1))
    return value_type(1, 1) + samples + location + function + strings("", "u")


@shape("pb")
def pprof_mappings(n):
    mappings = b"".join(field(3, field(1, i + 1) + field(5, i + 2)) for i in range(n))
    samples = b"".join(field(2, field(1, packed([i + 1])) + field(2, packed([1]))) for i in range(n))
    locations = b"".join(
        field(4, field(1, i + 1) + field(2, i + 1) + field(3, i + 7)) for i in range(n)
    )
    return value_type(1, 1) + samples + mappings + locations + strings(
        "", "u", *[f"m{i}" for i in range(n)]
    )


@shape("pb")
def pprof_keys_and_mappings(n):
    """Samples each of which has a key of a label and a mapping of its own."""
    samples = b"".join(field(2, field(1, packed([i + 1])) + field(2, packed([1])) + field(3, field(1, i + 2) + field(3, 1)))
                       for i in range(n))
    mappings = b"".join(field(3, field(1, i + 1) + field(5, i + 2)) for i in range(n))
    locations = b"".join(field(4, field(1, i + 1) + field(2, i + 1) + field(3, i + 7)) for i in range(n))
    return value_type(1, 1) + samples + mappings + locations + strings("", "u", *[f"m{i}" for i in range(n)])


@shape("pb")
def pprof_comments(n):
    return value_type(1, 1) + field(13, 1) * n + strings("", "u")


@shape("pb")
def pprof_ids(n):
    """Ids as large as they get."""
    samples = b"".join(
        field(2, field(1, packed([(1 << 63) + i * 65536])) + field(2, packed([1]))) for i in range(n)
    )
    locations = b"".join(
        field(4, field(1, (1 << 63) + i * 65536) + field(4, field(1, 1))) for i in range(n)
    )
    function = field(5, field(1, 1) + field(2, 1))
    return value_type(1, 1) + samples + locations + function + strings("", "u")


@shape("pb")
def pprof_regex(n):
    """An expression for frames to leave out that backtracks without end on each name."""
    names = ["a" * 40 + f"{i}!" for i in range(n)]
    functions = b"".join(field(5, field(1, i) + field(2, i + 1)) for i in range(1, n + 1))
    locations = b"".join(field(4, field(1, i) + field(4, field(1, i))) for i in range(1, n + 1))
    samples = b"".join(field(2, field(1, packed([i])) + field(2, packed([1]))) for i in range(1, n + 1))
    return (value_type(1, 1) + samples + locations + functions + strings("", "u", *names, "(a+)+$") +
            field(7, n + 2))


@shape("pb.gz")
def pprof_gzip_bomb(n):
    return gzip.compress(value_type(1, 1) + field(6, b"") + field(6, b"x" * (n * 100)), 9, mtime=0)


# ---- Perun's own ----


def perun(resources, **more):
    header = {"type": "time", "units": {"time": "s"}, "cmd": "x", "workload": ""}
    return json.dumps(
        {
            "header": header,
            "origin": "0" * 40,
            "collector_info": {"name": "time", "params": {}},
            "global": {"time": "1", "resources": resources},
            **more,
        }
    )


@shape("perf")
def perun_columns(n):
    return perun([{"amount": 1, "uid": "a", "type": "time", **{f"k{i}": i for i in range(n)}}])


@shape("perf")
def perun_column_of_each(n):
    return perun([{"amount": 1, "uid": "a", "type": "time", f"k{i}": i} for i in range(n)])


@shape("perf")
def perun_texts_of_each(n):
    return perun([{"amount": 1, "uid": "a", "type": "time", f"k{i}": f"v{i}"} for i in range(n)])


@shape("perf")
def perun_types(n):
    return perun([{"amount": 1, "uid": "a", "type": f"t{i}", "subtype": "s"} for i in range(n)])


@shape("perf")
def perun_header(n):
    text = json.loads(perun([{"amount": 1, "uid": "a", "type": "time"}]))
    text["header"].update({f"h{i}": i for i in range(n)})
    return json.dumps(text)


@shape("perf")
def perun_types_and_header(n):
    text = json.loads(perun_types(n))
    text["header"].update({f"h{i}": i for i in range(n)})
    return json.dumps(text)


@shape("perf")
def perun_rows_of_metrics(n):
    """As many metrics as rows of each, in the order of the rows."""
    side = max(2, int(n**0.5))
    return perun([{"amount": i, "uid": f"u{k}", "type": f"t{i}"} for k in range(side) for i in range(side)])


@shape("perf")
def perun_postprocessors(n):
    text = json.loads(perun([{"amount": 1, "uid": "a", "type": "time"}]))
    text["postprocessors"] = [{"name": f"p{i}", "params": {}} for i in range(n)]
    return json.dumps(text)


@shape("perf")
def perun_curves(n):
    """As many functions as points of each."""
    side = max(2, int(n**0.5))
    models = [{"uid": f"u{i}", "model": "linear", "r_square": 1, "x_start": 0, "x_end": 9, "method": "full",
               "coeffs": [{"name": "b0", "value": i}, {"name": "b1", "value": 1}]} for i in range(side)]
    return perun([{"amount": i, "uid": f"u{i % side}", "type": "mixed", "subtype": "time delta", "structure-unit-size": i}
                  for i in range(n)], models=models)


@shape("perf")
def perun_deep(n):
    return perun([{"amount": 1, "uid": "a", "type": "time"}]).replace(
        '"workload": ""', '"workload": ' + "[" * n + "]" * n
    )


@shape("perf")
def perun_uids(n):
    """A member of the uid of each row."""
    return perun([{"amount": 1, "uid": {f"k{i}": i}, "type": "time"} for i in range(n)])


@shape("perf")
def perun_trace(n):
    trace = [{"function": "f", "source": "s", "line": i} for i in range(n)]
    return perun([{"amount": 1, "uid": {"function": "f"}, "type": "memory", "trace": trace}])


@shape("perf")
def perun_snapshots(n):
    text = json.loads(perun([]))
    del text["global"]
    text["snapshots"] = [
        {"time": str(i), "resources": [{"amount": 1, "uid": "a", "type": "time"}]} for i in range(n)
    ]
    return json.dumps(text)


@shape("perf")
def perun_models(n):
    models = [
        {"uid": f"u{i}", "model": "linear", "r_square": 1, "x_start": 0, "x_end": 1,
         "coeffs": [{"name": "b0", "value": i}, {"name": "b1", "value": 1}]}
        for i in range(n)
    ]
    return perun([{"amount": 1, "uid": "a", "type": "time"}], models=models)


@shape("perf")
def perun_numbers(n):
    return perun([{"amount": 1, "uid": "a", "type": "time"}]).replace(
        '"amount": 1', '"amount": ' + "1" * n
    )


@shape("perf")
def perun_ill_formed(n):
    """Text that is not UTF-8, in members that make columns of JSON."""
    rows = [{"amount": 1, "uid": "a", "type": "time", "k": ["\x01"] if i % 2 else 1} for i in range(n)]
    return perun(rows).encode().replace(b"\\u0001", b"\xff\xfe")


# ---- stacks ----


@shape("folded")
def collapsed_deep(n):
    return "a;" * n + "b 1\n"


@shape("folded")
def collapsed_deep_lines(n):
    side = max(2, int(n**0.5))
    return "".join(f"s{i};" + "a;" * side + "b 1\n" for i in range(side))


@shape("folded")
def collapsed_wide(n):
    return "".join(f"f{i} 1\n" for i in range(n))


@shape("folded")
def collapsed_long_name(n):
    return "".join("x" * n + f"{i} 1\n" for i in range(4))


@shape("folded")
def collapsed_numbers(n):
    return "".join(f"f{i} 1e300\n" for i in range(n))


def speedscope(profile, frames):
    return json.dumps(
        {
            "$schema": "https://www.speedscope.app/file-format-schema.json",
            "shared": {"frames": [{"name": f"f{i}"} for i in range(frames)]},
            "profiles": profile,
        }
    )


@shape("json")
def speedscope_nested(n):
    opened = [{"type": "O", "frame": i % 7, "at": i} for i in range(n)]
    closed = [{"type": "C", "frame": i % 7, "at": 2 * n - i} for i in range(n - 1, -1, -1)]
    return speedscope(
        [{"type": "evented", "name": "x", "unit": "none", "startValue": 0, "endValue": 2 * n,
          "events": opened + closed}], 7)


@shape("json")
def speedscope_leaves(n):
    """A deep stack, on which a function is called again and again."""
    opened = [{"type": "O", "frame": 0, "at": 0} for _ in range(n)]
    leaves = [{"type": "OC"[i % 2], "frame": 1, "at": i + 1} for i in range(2 * n)]
    closed = [{"type": "C", "frame": 0, "at": 2 * n + 2} for _ in range(n)]
    return speedscope(
        [{"type": "evented", "name": "x", "unit": "none", "startValue": 0, "endValue": 2 * n + 2,
          "events": opened + leaves + closed}], 2)


@shape("json")
def speedscope_sampled(n):
    return speedscope(
        [{"type": "sampled", "name": "x", "unit": "none", "startValue": 0, "endValue": n,
          "samples": [[i % 7] for i in range(n)], "weights": [1] * n}], 7)


@shape("json")
def speedscope_profiles(n):
    return speedscope(
        [{"type": "sampled", "name": f"x{i}", "unit": f"u{i % 5}", "startValue": 0, "endValue": 1,
          "samples": [[0]], "weights": [1]} for i in range(n)], 7)


@shape("json")
def speedscope_units(n):
    units = ["none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"]
    return speedscope(
        [{"type": "sampled", "name": "x", "unit": units[i % 6], "startValue": 0, "endValue": 1,
          "samples": [[0]], "weights": [1]} for i in range(n)], 7)


@shape("json")
def speedscope_metrics(n):
    """Each profile a metric with a name and a unit of its own."""
    return speedscope([{"type": "sampled", "name": f"x{i}", "unit": f"u{i}", "samples": [[0]], "weights": [1]}
                       for i in range(n)], 1)


@shape("json")
def speedscope_columns(n):
    """Profiles of one name, each in a unit of its own; without samples the cells of a column take nothing."""
    return speedscope([{"type": "sampled", "name": "profile", "unit": f"u{i}", "samples": [], "weights": []}
                       for i in range(n)] +
                      [{"type": "sampled", "name": "x", "unit": "s", "samples": [[0]], "weights": [1]}], 1)


@shape("json")
def speedscope_names(n):
    """Metrics as Perun writes them: of the same samples, with different names."""
    one = speedscope([{"type": "sampled", "name": f"x{i}", "unit": "s", "samples": [[0]], "weights": [1]}
                      for i in range(n)], 1)
    return one[:-1] + ', "exporter": "perun"}'


@shape("cpuprofile")
def v8_alternating(n):
    """Two deep stacks, sampled alternately: each sample begins all frames of one."""
    deep = min(n, 4000)
    nodes = [{"id": 1, "callFrame": {"functionName": "(root)"}, "children": [2, 2 + deep]}] + [
        {"id": 2 + k * deep + i, "callFrame": {"functionName": f"f{k}"},
         "children": [3 + k * deep + i] if i < deep - 1 else []} for k in range(2) for i in range(deep)]
    return json.dumps({"nodes": nodes, "startTime": 0, "endTime": n, "samples": [1 + deep, 1 + 2 * deep] * (n // 2),
                       "timeDeltas": [1] * n})


@shape("json")
def trace_nested(n):
    """A list without an end, every span within the one before."""
    return "[" + ",".join(f'{{"ph":"B","pid":1,"tid":1,"ts":{i},"name":"f{i}"}}' for i in range(n))


@shape("json")
def trace_ends(n):
    """Ends at one time that belong to nothing."""
    return "[" + ",".join(f'{{"ph":"E","pid":1,"tid":1,"ts":9,"name":"f{i}"}},'
                          f'{{"ph":"B","pid":1,"tid":1,"ts":1,"name":"f{i % 7}"}}' for i in range(n)) + "]"


@shape("cpuprofile")
def v8_chain(n):
    frame = {"url": "", "lineNumber": 1, "columnNumber": 1}
    return json.dumps({"nodes": [{"id": i + 1, "callFrame": {"functionName": f"f{i}", **frame}, "parent": i}
                                 for i in range(n)],
                       "samples": list(range(1, n + 1)), "timeDeltas": [1] * n})


@shape("json")
def firefox_prefixes(n):
    return json.dumps({"meta": {"interval": 1}, "threads": [{
        "samples": {"stack": list(range(n)), "time": list(range(n))},
        "stackTable": {"prefix": [None] + list(range(n - 1)), "frame": [0] * n},
        "frameTable": {"func": [0]}, "funcTable": {"name": [0]}, "stringArray": ["f"]}]})


@shape("heaptrack")
def heaptrack_chain(n):
    return "v 1 3\ns 1 f\ni 1 0 1\n" + "".join(f"t 1 {i:x}\na 1 {i + 1:x}\n+ {i:x}\n" for i in range(n))


@shape("csv")
def vtune_deep(n):
    return "Function Stack,CPU Time:Self,Module\n" + "".join(" " * i + "f,1,m\n" for i in range(n))


@shape("out")
def callgrind_names(n):
    lines = "".join(f"fn=({i}) f{i}\n{i + 1} 1\n" for i in range(n))
    return "# callgrind format\nversion: 1\nevents: Ir\n\nfl=(1) a.c\n" + lines


@shape("out")
def callgrind_events(n):
    events = " ".join(f"E{i}" for i in range(n))
    return f"# callgrind format\nversion: 1\nevents: {events}\n\nfl=a.c\nfn=f\n1 {'1 ' * n}\n2 1\n"


@shape("out")
def callgrind_equal_events(n):
    return f"# callgrind format\nversion: 1\nevents: {'Ir ' * n}\n\nfl=a.c\nfn=f\n1 {'1 ' * n}\n"


@shape("out")
def callgrind_positions(n):
    return "# callgrind format\nversion: 1\nevents: Ir\n\nfl=a.c\nfn=f\n" + "".join(
        f"+{i} 1\n" for i in range(n))


@shape("out")
def callgrind_calls(n):
    return "# callgrind format\nversion: 1\nevents: Ir\n\nfl=a.c\n" + "".join(
        f"fn=f{i}\n1 1\ncfn=f{i + 1}\ncalls=1 1\n1 1\n" for i in range(n))


@shape("out")
def callgrind_files(n):
    return "# callgrind format\nversion: 1\nevents: Ir\n\n" + "".join(f"fl=f{i}.c\nfn=g\n1 1\nfi=h{i}.c\n2 1\nfe=f{i}.c\n" for i in range(n))


@shape("out")
def callgrind_calls_of_one(n):
    return "# callgrind format\nversion: 1\nevents: Ir\n\nfl=a.c\nfn=main\n" + "".join(
        f"cfn=f{i}\ncalls=1 1\n1 1\n" for i in range(n)) + "".join(f"fn=f{i}\n1 1\ncfn=main\ncalls=1 1\n1 1\n" for i in range(n))


@shape("txt")
def perf_script(n):
    return "".join(
        f"comm {i} [000] 1.{i:06}: 1 cycles: \n\t  7f {'f%d' % i}+0x1 (/lib/x)\n\n" for i in range(n))


@shape("txt")
def perf_script_words(n):
    """A line of many words, each of which could be the thread."""
    sample = "1.000000: 1 cycles: \n\t  7f f (/lib/x)\n\n"
    return "a 1 " + sample + "a " + "1 " * n + sample


@shape("txt")
def perf_script_deep(n):
    return "comm 1 [000] 1.000001: 1 cycles: \n" + "\t  7f f+0x1 (/lib/x)\n" * n + "\n"


@shape("txt")
def perf_script_events(n):
    return "".join(
        f"comm 1 [000] 1.{i:06}: 1 ev{i}: \n\t  7f f+0x1 (/lib/x)\n\n" for i in range(n))


@shape("txt")
def perf_script_inlined(n):
    """Methods that are inlined into each other, as perf-map-agent writes them; a stack has 65536 frames at most."""
    line = "\t  7f " + "->".join("a" for _ in range(min(n, 60000))) + " (/lib/x)\n\n"
    return ("comm 1 [000] 1.000001: 1 cycles: \n" + line) * max(1, n // 60000)


@shape("txt")
def perf_script_periods(n):
    """A line in which each number may be the thread, with an event after it."""
    return "a " + "1 a: " * n + "\n\t  7f f (/lib/x)\n\n"


@shape("txt")
def perf_script_parentheses(n):
    line = "\t  7f f" + " (" * n + ")" * n + "\n"
    return "comm 1 [000] 1.000001: 1 cycles: \n" + line + "\n"


def tool(name):
    """The module tests/tools/NAME.py."""
    path = pathlib.Path(__file__).parent.parent / f"tools/{name}.py"
    specification = importlib.util.spec_from_file_location(name.replace("-", "_"), path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def perf_recording(make):
    """A recording with the records that make(recording) returns."""
    recording = tool("perf-data").Recording(["chain"])
    return recording.file([("cycles", 0, 0)], make(recording), [])


@shape("data")
def perf_data_samples(n):
    return perf_recording(lambda r: [r.map(1, 0x7f0000000000, 1 << 30, 0, "/gone/a")] + [
        r.sample(0x7f0000000000 + i * 16, 1, 1, i + 1, 1, chain=(0x7f0000000000 + i * 16, 0x7f0000000009)) for i in range(n)])


@shape("data")
def perf_data_maps(n):
    """Each file is mapped below the one before, as the kernel does it."""
    return perf_recording(lambda r: [record for i in range(n) for record in (
        r.map(1, 0x7f0000000000 - i * 4096, 4096, 0, f"/gone/{i}", i + 1), r.sample(0x7f0000000000 - i * 4096, 1, 1, i + 1, 1))])


@shape("data")
def perf_data_forks(n):
    return perf_recording(lambda r: [r.map(1, 0x7f0000000000, 4096, 0, "/gone/a")] + [record for i in range(n) for record in (
        r.fork(i + 2, i + 1, i + 1), r.comm(i + 2, i + 2, f"c{i}", time=i + 1), r.sample(0x7f0000000000, i + 2, i + 2, i + 1, 1))])


@shape("data")
def perf_data_deep(n):
    return perf_recording(lambda r: [r.sample(9, 1, 1, i, 1, chain=[0x1000 + i * 8000 + j for j in range(8000)]) for i in range(max(1, n // 8000))])


@shape("prof")
def legacy_heap(n):
    return "heap profile: 1: 1 [1: 1] @ heapprofile\n" + "".join(
        f"1: 1 [1: 1] @ 0x{i + 1:x}\n" for i in range(n))


@shape("prof")
def legacy_maps(n):
    maps = "".join(
        f"{i * 4096 + 4096:x}-{i * 4096 + 8192:x} r-xp 00000000 00:00 {i} /lib/{i}\n" for i in range(n))
    return ("heap profile: 1: 1 [1: 1] @ heapprofile\n" + "".join(
        f"1: 1 [1: 1] @ 0x{i * 4096 + 5000:x}\n" for i in range(n)) + "\nMAPPED_LIBRARIES:\n" + maps)


@shape("prof")
def legacy_collisions(n):
    """Addresses of one value under MurmurHash3's last step, which can be undone: no hash that all know keeps them apart."""
    def undone(number):
        for factor in (0xc4ceb9fe1a85ec53, 0xff51afd7ed558ccd):
            number = (number ^ number >> 33) * pow(factor, -1, 1 << 64) % (1 << 64)
        return number ^ number >> 33

    return "heap profile: 1: 1 [1: 1] @ heapprofile\n" + "".join(
        f"1: 1 [1: 1] @ 0x{undone(i << 22) + 1:x}\n" for i in range(1, n + 1))


@shape("prof")
def legacy_variables(n):
    """A long text that each line of the map repeats."""
    lines = "".join(f"{i * 4096 + 4096:x}-{i * 4096 + 8192:x} r-xp 00000000 00:00 1 /{i}{'$A' * 100}\n" for i in range(n))
    return f"heap profile: 1: 1 [1: 1] @ heapprofile\n1: 1 [1: 1] @ 0x5000\n\nMAPPED_LIBRARIES:\nA={'x' * 10000}\n{lines}"


@shape("prof")
def legacy_deleted(n):
    return ("heap profile: 1: 1 [1: 1] @ heapprofile\n1: 1 [1: 1] @ 0x5000\n\nMAPPED_LIBRARIES:\n"
            f"4000-8000 r-xp 00000000 00:00 1 /x{'(deleted)' * n}\n")


@shape("prof")
def legacy_cpu(n):
    samples = b"".join(struct.pack("<6Q", 1, 3, i + 1, i * 2 + 1, i * 3 + 1, 7)[:40] for i in range(n))
    return struct.pack("<5Q", 0, 3, 0, 10000, 0) + samples + struct.pack("<3Q", 0, 1, 0)


@shape("prof")
def legacy_java(n):
    return ("--- contentionz 1 ---\nformat = java\nresolution = microseconds\nsampling period = 100\nms since reset = 6000\n" +
            "".join(f"  100 1 @ {i + 1:#x}\n" for i in range(n)) + "".join(f"{i + 1:#x} f{i} (F.java:{i})\n" for i in range(n)))


@shape("prof")
def legacy_deep(n):
    return "t profile: total 1\n" + "1 @" + "".join(f" {i + 1:#x}" for i in range(n)) + "\n"


@shape("prof")
def legacy_threads(n):
    return "--- threadz 1 ---\n\n" + "".join(
        f"--- Thread {i:x} (name: t/{i}) stack: ---\n  0x{i + 1:x}\n" for i in range(n)) + "--- Memory map: ---\n"


# ---- benchmarks ----


@shape("json")
def google_benchmark(n):
    return json.dumps({"context": {"date": "2020-01-01T00:00:00+00:00", "num_cpus": 1,
                                   "library_build_type": "release"},
                       "benchmarks": [{"name": f"b{i}", "run_name": f"b{i}", "run_type": "iteration",
                                       "iterations": 1, "real_time": 1.0, "cpu_time": 1.0,
                                       "time_unit": "ns", f"counter{i}": 1.0} for i in range(n)]})


@shape("json")
def hyperfine_parameters(n):
    return json.dumps({"results": [{"command": f"c{i}", "mean": 1.0, "stddev": 0.1, "median": 1.0,
                                    "user": 1.0, "system": 1.0, "min": 1.0, "max": 1.0,
                                    "times": [1.0], "exit_codes": [0],
                                    "parameters": {f"p{i}": str(i)}} for i in range(n)]})


@shape("json")
def pytest_benchmark(n):
    return json.dumps({"machine_info": {"node": "x", "python_version": "3"},
                       "commit_info": {"id": "x"}, "version": "4.0.0", "datetime": "2020",
                       "benchmarks": [{"name": f"b{i}", "fullname": f"b{i}", "group": None,
                                       "params": {f"p{i}": i}, "extra_info": {f"e{i}": 1},
                                       "stats": {"data": [1.0], "min": 1.0, "max": 1.0, "mean": 1.0,
                                                 "rounds": 1, "iterations": 1}}
                                      for i in range(n)]})


@shape("txt")
def go_bench(n):
    return "goos: linux\n" + "".join(f"BenchmarkX{i} \t 1 \t 1 ns/op \t 1 u{i}/op\n" for i in range(n)) + "PASS\n"


@shape("xml")
def junit(n):
    return "<testsuites>" + "".join(
        f'<testsuite name="s{i}"><testcase classname="c" name="t{i}" time="1"/></testsuite>'
        for i in range(n)) + "</testsuites>"


@shape("xml")
def junit_nested(n):
    return "<testsuites>" + '<testsuite name="s">' * n + '<testcase name="t" time="1"/>' + "</testsuite>" * n + "</testsuites>"


@shape("xml")
def junit_attributes(n):
    attributes = " ".join(f'a{i}="1"' for i in range(n))
    return f'<testsuites><testsuite name="s" {attributes}><testcase name="t" time="1"/></testsuite></testsuites>'


@shape("xml")
def junit_entities(n):
    """The billion laughs."""
    entities = "".join(f'<!ENTITY e{i} "{"&e%d;" % (i - 1) * 10 if i else "ha"}">' for i in range(n))
    return (f'<?xml version="1.0"?><!DOCTYPE testsuites [{entities}]><testsuites><testsuite name="s">'
            f'<testcase name="t" time="1">&e{n - 1};</testcase></testsuite></testsuites>')


@shape("xml")
def catch2(n):
    return ('<?xml version="1.0" encoding="UTF-8"?><Catch2TestRun name="x">' + "".join(
        f'<TestCase name="t{i}"><BenchmarkResults name="b{i}" samples="1" resamples="1" iterations="1">'
        '<mean value="1" lowerBound="1" upperBound="1" ci="0.95"/>'
        '<standardDeviation value="1" lowerBound="1" upperBound="1" ci="0.95"/>'
        '</BenchmarkResults></TestCase>' for i in range(n)) + "</Catch2TestRun>")


@shape("json")
def google_counters(n):
    return json.dumps({"context": {"date": "2020-01-01T00:00:00+00:00", "num_cpus": 1, "library_build_type": "release"},
                       "benchmarks": [{"name": f"b{i}", "run_name": f"b{i}", "run_type": "iteration", "iterations": 1,
                                       "real_time": 1.0, "cpu_time": 1.0, "time_unit": "ns",
                                       **{f"c{k}": 1.0 for k in range(n)}} for i in range(2)]})


@shape("json")
def google_repetitions(n):
    return json.dumps({"context": {"date": "2020-01-01T00:00:00+00:00", "num_cpus": 1, "library_build_type": "release"},
                       "benchmarks": [{"name": "b", "run_name": "b", "run_type": "iteration", "repetitions": n,
                                       "repetition_index": i, "iterations": 1, "real_time": 1.0 + i % 7, "cpu_time": 1.0,
                                       "time_unit": "ns"} for i in range(n)]})


@shape("json")
def hyperfine_times(n):
    return json.dumps({"results": [{"command": "c", "mean": 1.0, "stddev": 0.1, "median": 1.0, "user": 1.0,
                                    "system": 1.0, "min": 1.0, "max": 1.0, "times": [1.0 + i % 7 for i in range(n)],
                                    "exit_codes": [0] * n}]})


@shape("json")
def pytest_rounds(n):
    return json.dumps({"machine_info": {"node": "x"}, "commit_info": {"id": "x"}, "version": "4.0.0", "datetime": "2020",
                       "benchmarks": [{"name": "b", "fullname": "b", "group": None, "params": None, "extra_info": {},
                                       "stats": {"data": [1.0 + i % 7 for i in range(n)], "min": 1.0, "max": 7.0,
                                                 "mean": 1.0, "rounds": n, "iterations": 1}}]})


@shape("txt")
def go_bench_units(n):
    return "goos: linux\n" + ("BenchmarkX \t 1 \t 1 ns/op" + "".join(f"\t 1 u{i}/op" for i in range(n)) + "\n") * 2 + "PASS\n"


@shape("txt")
def go_bench_rising(n):
    """Each run of a benchmark takes longer than the one before."""
    return "goos: linux\n" + "".join(f"BenchmarkX \t 100 \t {i + 1}.5 ns/op\n" for i in range(n)) + "PASS\n"


@shape("txt")
def go_bench_repetitions(n):
    return "goos: linux\n" + "BenchmarkX \t 1 \t 1 ns/op\n" * n + "PASS\n"


@shape("criterion")
def criterion_samples(n):
    sample = {"sampling_mode": "Linear", "iters": [1.0 + i for i in range(n)], "times": [5.0 * i for i in range(n)]}
    return {"b/new/benchmark.json": json.dumps({"group_id": "g", "full_id": "b"}), "b/new/sample.json": json.dumps(sample)}


# ---- experiments ----


@shape("txt")
def extrap_text(n):
    return ("PARAMETER p\nPOINTS 1 2 3 4 5\n" + "".join(
        f"REGION r{i}\nMETRIC m\n" + "DATA 1 2\n" * 5 for i in range(n)))


@shape("txt")
def extrap_text_metrics(n):
    return ("PARAMETER p\nPOINTS 1 2 3 4 5\nREGION r\n" + "".join(
        f"METRIC m{i}\n" + "DATA 1 2\n" * 5 for i in range(n)))


@shape("txt")
def extrap_text_parameters(n):
    return ("".join(f"PARAMETER p{i}\n" for i in range(n)) +
            "POINTS (" + "1 " * n + ") (" + "2 " * n + ")\nREGION r\nMETRIC m\nDATA 1\nDATA 2\n")


@shape("txt")
def extrap_text_points(n):
    return ("PARAMETER p\nPOINTS " + " ".join(str(i) for i in range(1, n + 1)) +
            "\nREGION r\nMETRIC m\n" + "DATA 1 2\n" * n)


@shape("jsonl")
def extrap_jsonl(n):
    return "".join('{"params":{"x":%d},"callpath":"c%d","metric":"m","value":1}\n' % (i % 5 + 1, i) for i in range(n))


@shape("jsonl")
def extrap_jsonl_metrics(n):
    return "".join('{"params":{"x":%d},"metric":"m%d","value":1}\n' % (i % 5 + 1, i) for i in range(n))


@shape("jsonl")
def extrap_jsonl_points(n):
    """Points of one series in an order that differs from that of another one."""
    order = [i * 7919 % n for i in range(n)]
    return "".join('{"params":{"x":%d},"metric":"m%d","value":1}\n' % (x + 1, m)
                   for m, points in ((1, range(n)), (2, order)) for x in points)


@shape("jsonl")
def extrap_jsonl_parameters(n):
    return '{"params":{%s},"metric":"m","value":1}\n' % ",".join(f'"x{i}":1' for i in range(min(n, 64)))


@shape("json")
def extrap_json(n):
    return json.dumps({"parameters": ["x"], "measurements": {
        f"c{i}": {"m": [{"point": [k], "values": [1]} for k in range(1, 6)]} for i in range(n)}})


@shape("json")
def extrap_json_points(n):
    return json.dumps({"parameters": ["x"], "measurements": {
        "c": {"m": [{"point": [k], "values": [1]} for k in range(1, n + 1)]}}})


@shape("json")
def extrap_json_metrics(n):
    return json.dumps({"parameters": ["x"], "measurements": {
        "c": {f"m{i}": [{"point": [k], "values": [1]} for k in range(1, 6)] for i in range(n)}}})


@shape("json")
def extrap_json_values(n):
    return json.dumps({"parameters": ["x"], "measurements": {
        "c": {"m": [{"point": [k], "values": [1] * n} for k in range(1, 6)]}}})


@shape("extra-p")
def extrap_zip(n):
    """A file of Extra-P whose repetitions are zeros that deflate a thousandfold."""
    import io
    import zipfile
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr("version", "4")
        archive.writestr("experiment.json", "{}" + " " * n * 1000)
        archive.writestr("measurements.npz", b"\0" * n * 1000)
    return out.getvalue()


@shape("extra-p")
def extrap_zip_values(n):
    """Measurements that all name one long list of values."""
    import io
    import zipfile
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({n},), }}".ljust(117) + "\n"
    values = (b"Extra-P VALUES\0\0" + b"\x93NUMPY\x01\0" + struct.pack("<H", 118) + head.encode() +
              struct.pack("<d", 1) * n)
    measured = [{"coordinate": [i + 1], "values": [0, 0]} for i in range(n)]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("experiment.json", json.dumps({"parameters": ["p"], "measurements": {"main": {"time": measured}}}))
        archive.writestr("values/0.vals", values)
        archive.writestr("values/0.indx", b"Extra-P INDEX\0\0\0" + struct.pack("<QQ", 1, 16))
    return out.getvalue()


@shape("extra-p")
def extrap_zip_members(n):
    """An archive of empty members."""
    import io
    import zipfile
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for i in range(n):
            archive.writestr(f"values/{i}.vals", b"")
    return out.getvalue()


@shape("txt")
def talpas(n):
    return "".join('{"parameters":{"x":%d};"callpath":"c";"metric":"m%d";"value":1}\n' % (i % 5 + 1, i) for i in range(n))


# ---- profiles of other tools: one name for many, deep trees, numbers that are listed backwards ----


@shape("cpuprofile")
def v8_roots(n):
    """A chain of roots, which represent no function: stacks without frames."""
    return json.dumps({"nodes": [{"id": i + 1, "callFrame": {"functionName": "(root)"}, "hitCount": 1,
                                  "children": [i + 2] if i + 1 < n else []} for i in range(n)]})


@shape("cpuprofile")
def v8_collisions(n):
    """Numbers that a hash by multiplication puts into one place."""
    inverse = pow(0x9e3779b97f4a7c15, -1, 2 ** 64)
    ids = [i * inverse % 2 ** 64 for i in range(1, n + 1)]
    return json.dumps({"nodes": [{"id": i, "callFrame": {"functionName": "f"}, "hitCount": 1} for i in ids]})


@shape("cpuprofile")
def v8_backwards(n):
    """Nodes whose callers come after them."""
    return json.dumps({"nodes": [{"id": i, "callFrame": {"functionName": f"f{i}"}, "hitCount": i % 97 == 0,
                                  "parent": i + 1} for i in range(min(n, 5000))] +
                      [{"id": i + 10000, "callFrame": {"functionName": f"g{i}"}, "hitCount": 1, "parent": 4900}
                       for i in range(n)]})


@shape("json")
def firefox_roots(n):
    """Prefixes of frames that are left out."""
    return json.dumps({"meta": {"interval": 1, "version": 4}, "threads": [{
        "samples": {"schema": {"stack": 0, "time": 1}, "data": [[i, i] for i in range(n)]},
        "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[i - 1 if i else None, 0] for i in range(n)]},
        "frameTable": {"schema": {"location": 0}, "data": [[0]]}, "stringTable": ["(root)"]}]})


@shape("json")
def firefox_one_name(n):
    """Frames that share a name as long as all of them together."""
    return json.dumps({"meta": {"interval": 1}, "threads": [{
        "samples": {"stack": list(range(n)), "time": list(range(n))},
        "stackTable": {"prefix": [None] * n, "frame": list(range(n))},
        "frameTable": {"func": list(range(n)), "line": list(range(n))},
        "funcTable": {"name": [0] * n, "fileName": [1] * n},
        "stringArray": ["f" * n * 10, "x" * n * 10]}]})


@shape("json")
def firefox_one_location(n):
    return json.dumps({"meta": {"interval": 1, "version": 4}, "threads": [{
        "samples": {"schema": {"stack": 0, "time": 1}, "data": [[i, i] for i in range(n)]},
        "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[None, i] for i in range(n)]},
        "frameTable": {"schema": {"location": 0}, "data": [[0]] * n},
        "stringTable": ["f (" + "x" * n * 10 + ":1:2)"]}]})


@shape("json")
def firefox_threads(n):
    return json.dumps({"meta": {"interval": 1}, "threads": [{
        "name": f"t{i}", "samples": {"stack": [0], "time": [i]}, "stackTable": {"prefix": [None], "frame": [0]},
        "frameTable": {"func": [0]}, "funcTable": {"name": [0]}, "stringArray": ["f"]} for i in range(n)]})


@shape("json")
def trace_threads(n):
    return json.dumps([event for i in range(n) for event in (
        {"ph": "M", "pid": i, "tid": i, "name": "thread_name", "args": {"name": f"t{i}"}},
        {"ph": "X", "pid": i, "tid": i, "ts": i, "dur": 1, "name": "f", "args": {"detail": f"d{i}"}})])


@shape("json")
def trace_equal(n):
    """Spans that begin and end at the same time."""
    return json.dumps([{"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 5, "name": f"f{i % 3}"} for i in range(n)])


@shape("json")
def trace_frames(n):
    """Frames that are each other's parents, backwards, and samples of them."""
    return json.dumps({"traceEvents": [{"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 1, "name": "f"}],
                       "stackFrames": {str(i): {"name": f"f{i}", "category": "c", "parent": str(i + 1)}
                                       for i in range(n)},
                       "samples": [{"cpu": 0, "tid": 1, "ts": i, "name": "c", "sf": i, "weight": 1}
                                   for i in range(n)]})


@shape("xml")
def instruments_references(n):
    """One backtrace and one thread, whose name is long, for all rows."""
    rows = "".join(f'<row><sample-time id="{i + 9}">{i}</sample-time><thread ref="1"/><weight ref="2"/>'
                   '<backtrace ref="3"/></row>' for i in range(n))
    return ('<?xml version="1.0"?><trace-query-result><node><row><sample-time>1</sample-time><thread id="1" fmt="' +
            "t" * n * 10 + '"/><weight id="2">1000</weight><backtrace id="3"><frame id="4" name="f" addr="0x1">'
            f'<binary id="5" name="b" path="/b"/></frame></backtrace></row>{rows}</node></trace-query-result>')


@shape("xml")
def instruments_binary(n):
    """Frames of one library, whose path is long."""
    frames = "".join(f'<frame id="{i + 9}" name="f{i}" addr="{i:x}"><binary ref="5"/></frame>' for i in range(n))
    return ('<?xml version="1.0"?><trace-query-result><node><row><sample-time>1</sample-time>'
            '<thread id="1" fmt="t"/><weight id="2">1000</weight><backtrace id="3"><frame id="4" name="f" addr="0x1">'
            f'<binary id="5" name="b" path="/{"b" * n * 10}"/></frame>{frames}</backtrace></row></node>'
            '</trace-query-result>')


@shape("txt")
def instruments_copy(n):
    return "Weight\tSelf Weight\t\tSymbol Name\n" + "".join(
        f"{n - i}.00 ms 50.0%\t1.00 ms\t \t{' ' * (i % 60)}f{i}\n" for i in range(n))


@shape("txt")
def sample_wide(n):
    return "Analysis of sampling a (pid 1)\n\nCall graph:\n" + "".join(
        f"    {' ' * (i % 60 * 2)}{n - i} f{i}  (in m{i}) + 1  [0x{i:x}]\n" for i in range(n)) + "\nTotal\n"


@shape("txt")
def dtrace_wide(n):
    return "CPU     ID\n" + "".join(f"\n              m{i}`f{i}+0x1\n              a`main\n      {i + 1}\n"
                                    for i in range(n))


@shape("txt")
def bpftrace_maps(n):
    """Many maps, and then one stack as long as they are together."""
    return "Attaching 1 probe...\n" + "".join(f"@m{i % 200}[\n    f{i}+1\n    main+2\n]: {i}\n" for i in range(n)) + (
        "@[\n" + "".join(f"    f{i}+1\n" for i in range(n)) + "]: 1\n")


@shape("txt")
def pmcstat_deep(n):
    return "@ e [9 samples]\n\n" + "".join(f"{' ' * (i % 200)}50.00%  [{n - i}]  f{i} @ m{i}\n" for i in range(n))


@shape("csv")
def vtune_wide(n):
    return "Function Stack,CPU Time:Self,Module\n" + "".join(f"{' ' * (i % 60)}f{i},1,m{i}\n" for i in range(n))


@shape("csv")
def vsprof_deep(n):
    head = "Level,Function Name,Number of Calls,Elapsed Exclusive Time %\n"
    return head + "".join(f"{i + 1},f{i},1,0.01\n" for i in range(n))


@shape("csv")
def vsprof_wide(n):
    head = "Level,Function Name,Number of Calls,Elapsed Exclusive Time %\n"
    return head + "".join(f"{i % 60 + 1},f{i},1,0.01\n" for i in range(n))


@shape("gprof")
def gprof_functions(n):
    head = "  %   cumulative   self              self     total\n time   seconds   seconds    calls  ms/call  ms/call  name\n"
    return head + "".join(f"  0.00      0.01     0.01        7     0.00     0.00  f{i}\n" for i in range(n))


@shape("gprof")
def gprof_calls(n):
    """A block whose function calls many others, and a block of each of these."""
    head = "index % time    self  children    called     name\n[1]    100.0    0.00    9.99                 main [1]\n"
    end = "-" * 47 + "\n"
    calls = "".join(f"                0.00    0.01       1/1           f{i} [{i + 2}]\n" for i in range(n))
    return head + calls + end + "".join(f"                0.00    0.01       1/1           main [1]\n[{i + 2}]      0.1    0.01    0.00       1         f{i} [{i + 2}]\n{end}" for i in range(n))


@shape("gprof")
def gprof_indexes(n):
    """A name that ends in what may be many indexes."""
    return "time seconds seconds calls name\n 1 1 1 1 1 1 f" + " <cycle 1> [7]" * (n // 16) + "\n"


@shape("log")
def papyrus_millisecond(n):
    """Functions that begin in one millisecond and never end."""
    return "Script_a log opened (PC)\n" + "".join(f"100:PUSH:{i}:1:None:f{i}\n" for i in range(n))


@shape("log")
def papyrus_calls(n):
    return "Script_a log opened (PC)\n" + "".join(f"{100 + i}:PUSH:{i % 9}:1:None:f{i}\n{101 + i}:POP:{i % 9}:1:None:f{i}\n" for i in range(n))


@shape("json")
def safari_samples(n):
    stacks = [{"timestamp": i, "stackFrames": [{"name": f"f{i}", "line": i, "url": f"u{i}"}, {"name": "main", "line": 1, "url": "a.js"}]} for i in range(n)]
    return json.dumps({"version": 1, "recording": {"displayName": "a", "sampleStackTraces": stacks, "sampleDurations": [1] * n}})


ART = "*version\n3\nclock=wall\n*end\nSLOW\x02\0\x20\0" + "\0" * 24


def art_time(i):
    """A number of four bytes that grows with i, each below 128."""
    return "".join(chr(i >> s & 127) for s in (0, 7, 14, 21))


@shape("trace")
def art_enters(n):
    """Methods of one thread that call each other and never end."""
    return ART + "".join("\x07\0\x04\0\0\0" + art_time(i) for i in range(n))


@shape("trace")
def art_calls(n):
    """Methods one after the other, of several threads."""
    return ART + "".join(f"{chr(i % 9 + 1)}\0{chr(4 * (i % 30))}{chr(i >> 8 & 127)}\0\0{art_time(2 * i)}{chr(i % 9 + 1)}\0{chr(4 * (i % 30) + 1)}{chr(i >> 8 & 127)}\0\0{art_time(2 * i + 1)}" for i in range(n))


@shape("json")
def pyinstrument_wide(n):
    calls = [{"function": f"f{i}", "file_path": f"/a{i}.py", "line_no": i, "time": 1.0, "children": []} for i in range(n)]
    return json.dumps({"duration": 1.0, "sample_count": 9, "root_frame": {"function": "main", "time": float(n), "children": calls}})


@shape("json")
def pyinstrument_deep(n):
    """Several towers as deep as JSON may be."""
    tower = '{"function":"f","time":1,"children":[' * 400 + "]}" * 400
    return '{"sample_count":9,"root_frame":{"function":"main","time":1,"children":[' + ",".join([tower] * (n // 400 + 1)) + "]}}"


@shape("prof")
def ghc_text(n):
    return ("\tMon Aug  6 14:52 2023 Time and Allocation Profiling Report  (Final)\n\n\ttotal time  =  0.50 secs"
            "   (500 ticks @ 1000 us, 1 processor)\n\ttotal alloc = 1,000 bytes\n\n"
            "COST CENTRE  MODULE   no.     entries  %time %alloc   %time %alloc\n\n" +
            "".join(f"{' ' * (i % 60)}f{i} M{i} {i} 1 1.0 1.0 1.0 1.0\n" for i in range(n)))


@shape("json")
def ghc_json(n):
    """Deep calls, each of a centre whose label is long for all of them."""
    depth = 3000
    call = '{"id":1,"entries":1,"alloc":1,"ticks":1,"children":['
    return ('{"program":"a","tick_interval":1000,"cost_centres":[{"id":1,"module":"M","src_loc":"","label":"' +
            "l" * n * 10 + '"}],"profile":' + call + ",".join([call * min(depth, n) + "]}" * min(depth, n)] *
                                                             max(1, n // depth)) + "]}}")


@shape("json")
def stackprof_frames(n):
    return json.dumps({"version": 1.2, "mode": "wall", "interval": 1, "samples": n, "gc_samples": 0,
                       "frames": {str(i): {"name": f"f{i}", "file": f"x{i}.rb", "line": 1, "samples": 1}
                                  for i in range(n)},
                       "raw": [x for i in range(n) for x in (2, i, n - 1 - i, 1)],
                       "raw_timestamp_deltas": [1] * n})


@shape("json")
def caliper_rows(n):
    """Rows of one deep path, and a label whose name is long."""
    name = "rank" + "x" * n * 10
    return json.dumps({"data": [[1.5, i % 7, min(i, 99)] for i in range(n)], "columns": ["time", name, "path"],
                       "column_metadata": [{"is_value": True}, {"is_value": True}, {"is_value": False}],
                       "nodes": [{"label": f"f{i}", "column": "path", **({"parent": i - 1} if i else {})}
                                 for i in range(n)]})


@shape("json")
def caliper_deep(n):
    return json.dumps({"data": [[1.5, i] for i in range(n)], "columns": ["time", "path"],
                       "column_metadata": [{"is_value": True}, {"is_value": False}],
                       "nodes": [{"label": "f", "column": "path", **({"parent": i - 1} if i else {})}
                                 for i in range(n)]})


@shape("cali")
def caliper_cali(n):
    """References to nodes that are long in all: labels and places by turns."""
    out = ["__rec=node,id=38,attr=10,data=65,parent=5\n__rec=node,id=36,attr=8,data=time,parent=38\n"
           "__rec=node,id=40,attr=10,data=276,parent=3\n__rec=node,id=41,attr=8,data=region,parent=40\n"
           f"__rec=node,id=43,attr=8,data=rank{'x' * n * 10},parent=3\n"]
    for i in range(n):
        out.append(f"__rec=node,id={i + 100},attr={43 if i % 50 == 1 else 41},data=v{i}"
                   f"{f',parent={i + 99}' if i % 50 else ''}\n")
        out.append(f"__rec=ctx,ref={i + 100},attr=36,data=1\n")
    return "".join(out)


@shape("cali")
def caliper_references(n):
    """A deep chain, and one row that refers to its end again and again."""
    nodes = "".join(f"__rec=node,id={i + 100},attr=41,data=v{i}{f',parent={i + 99}' if i else ''}\n" for i in range(n))
    return ("__rec=node,id=38,attr=10,data=65,parent=5\n__rec=node,id=36,attr=8,data=time,parent=38\n"
            "__rec=node,id=40,attr=10,data=276,parent=3\n__rec=node,id=41,attr=8,data=region,parent=40\n"
            f"{nodes}__rec=ctx,ref={'=100' * n}={n + 99}".replace("ref==", "ref=") + f"{f'={n + 99}' * n},attr=36,data=1\n")


@shape("cali")
def caliper_labels(n):
    """A chain of nodes that are labels, and rows of its end."""
    return ("__rec=node,id=38,attr=10,data=65,parent=5\n__rec=node,id=36,attr=8,data=time,parent=38\n"
            "__rec=node,id=43,attr=8,data=rank,parent=3\n" + "".join(
                f"__rec=node,id={i + 100},attr=43,data=v{i % 3}{f',parent={i + 99}' if i else ''}\n" for i in range(n)) +
            f"__rec=ctx,ref={n + 99},attr=36,data=1\n" * n)


@shape("cali")
def caliper_keys(n):
    """A chain of nodes each of which is another label, and rows of its end."""
    return ("__rec=node,id=38,attr=10,data=65,parent=5\n__rec=node,id=36,attr=8,data=time,parent=38\n" + "".join(
        f"__rec=node,id={2 * i + 100},attr=8,data=rank{i},parent=3\n"
        f"__rec=node,id={2 * i + 101},attr={2 * i + 100},data=1{f',parent={2 * i + 99}' if i else ''}\n" for i in range(n)) +
            f"__rec=ctx,ref={2 * n + 99},attr=36,data=1\n" * n)


@shape("out")
def gungraun_benchmarks(n):
    """Benchmarks of one long module, each with a tool of its own name."""
    return "running 0 tests\n\n" + "".join(
        f"a::b::f{i} x:{'y' * (i % 7)}\n  ======= TOOL{i % 300} ====================\n  Instructions{i % 100}:  {i}|N/A  (*********)\n"
        for i in range(n)) + "\nGungraun result: Ok. 2 without regressions\n"


@shape("json")
def gungraun_summaries(n):
    one = {"benchmark_exe": "x", "module_path": "a::b", "details": None, "version": "6", "profiles": [{"tool": "Callgrind", "summaries": {"parts": [], "total": {
        "summary": {"Callgrind": {"Ir": {"metrics": {"Left": {"Int": 7}}}}}}}}]}
    return "\n".join(json.dumps({**one, "id": f"x{i}"}) for i in range(n))


def timemory(tree):
    return json.dumps({"timemory": {"WALL_CLOCK": {"type": "wall", "unit_repr": "sec", "mpi": [[tree]]}}})


def timemory_node(name, children):
    return {"node": {"hash": 5, "prefix": name, "tid": [0], "exclusive": {"stats": {"sum": 1.5}}}, "children": children}


@shape("json")
def timemory_wide(n):
    return timemory(timemory_node("main", [timemory_node(f"f{i}", []) for i in range(n)]))


@shape("json")
def timemory_rows(n):
    """Rows of a graph whose depth rises by one each time."""
    rows = [{"hash": i, "prefix": ">>> " + "|" + "_" * min(i, 200) + f"f{i}", "depth": i, "entry": {"repr_data": n - i}, "stats": {}}
            for i in range(n)]
    return json.dumps({"timemory": {"peak_rss": {"type": "peak_rss", "unit_repr": "MB", "ranks": [{"rank": 0, "graph": rows}]}}})


def hpctoolkit(procedures, data):
    return ('<?xml version="1.0"?>\n<HPCToolkitExperiment version="2.0"><SecCallPathProfile i="0" n="app"><SecHeader>\n'
            '<MetricTable><Metric i="3" n="CPUTIME (usec) (E)" t="exclusive"/></MetricTable>'
            '<LoadModuleTable><LoadModule i="2" n="/bin/app"/></LoadModuleTable><FileTable><File i="3" n="./src/app.c"/></FileTable>'
            f'<ProcedureTable>{procedures}</ProcedureTable></SecHeader><SecCallPathProfileData>{data}'
            '</SecCallPathProfileData></SecCallPathProfile></HPCToolkitExperiment>\n')


def hpctoolkit_frame(i, inside):
    return f'<PF i="{i + 9}" s="{i + 9}" l="20" lm="2" f="3" n="{i + 9}"><S i="1" s="1" l="22"><M n="3" v="10"/></S>{inside}</PF>'


@shape("xml")
def hpctoolkit_wide(n):
    return hpctoolkit("".join(f'<Procedure i="{i + 9}" n="f{i}"/>' for i in range(n)), "".join(hpctoolkit_frame(i, "") for i in range(n)))


@shape("xml")
def hpctoolkit_deep(n):
    frames = "".join(f'<PF i="{i + 9}" s="9" l="20" lm="2" f="3" n="9"><S i="1" s="1" l="22"><M n="3" v="10"/></S>' for i in range(n))
    return hpctoolkit('<Procedure i="9" n="f"/>', frames + "</PF>" * n)


def hpctoolkit_database(contexts, ranks=1):
    made = tool("hpctoolkit")
    costs = lambda thread: {"CPUTIME (sec)": 1}
    tree = contexts(lambda i, below: made.Context(made.FUNCTION, below, costs, made.CALLED, (f"f{i}", "/bin/app", i, "app.c", 1)))
    return made.database([("main thread", tree)], [[("RANK", rank)] for rank in range(ranks)], ["CPUTIME (sec)"])


@shape("pftrace")
def perfetto_slices(n):
    """Slices after each other, each with a name of its own."""
    make = tool("perfetto")
    return make.defaults(1, track=2) + b"".join(
        make.event(2 * i + 1, make.BEGIN, i + 1, interned=[(i + 1, f"f{i}")]) + make.event(2 * i + 2, make.END) for i in range(n))


@shape("pftrace")
def perfetto_nested(n):
    make = tool("perfetto")
    return make.defaults(1, track=2) + b"".join(make.event(i + 1, make.BEGIN, "f") for i in range(n))


@shape("pftrace")
def perfetto_sequences(n):
    """Each packet has a sequence, a track and a clock of its own."""
    make = tool("perfetto")
    clocks = make.message((1, make.message((1, 6), (2, 100))), (1, make.message((1, 64), (2, 5), (3, 1))))
    return b"".join(make.defaults(i, track=i + 1, clock=64) + make.packet((6, clocks), sequence=i) + make.event(1, make.BEGIN, "f", sequence=i) +
                    make.event(2, make.END, sequence=i) for i in range(n))


@shape("pftrace")
def perfetto_stacks(n):
    """A stack of many frames, which each sample has."""
    make = tool("perfetto")
    interned = make.message((6, make.message((1, 1), (4, 16))), (7, make.message((1, 1), (2, make.varint(1) * n))))
    return make.packet((12, interned)) + make.packet((66, make.message((2, 4), (3, 5), (4, 1)))) * n


@shape("pftrace")
def perfetto_bomb(n):
    """n packets, each of a megabyte of nothing."""
    return tool("perfetto").packed(bytes(1 << 20)) * n


@shape("hpctoolkit")
def hpctoolkit_contexts(n):
    return hpctoolkit_database(lambda make: [make(i, []) for i in range(n)])


@shape("hpctoolkit")
def hpctoolkit_recursion(n):
    sys.setrecursionlimit(20 * n)

    def chain(make):
        below = []
        for _ in range(n):
            below = [make(0, below)]
        return below
    return hpctoolkit_database(chain)


@shape("hpctoolkit")
def hpctoolkit_shared(n):
    """All threads have the values of the first one."""
    files = hpctoolkit_database(lambda make: [make(i, []) for i in range(n)])
    data = bytearray(files["profile.db"][:-8])
    section = struct.unpack_from("<Q", data, 24)[0]
    first = struct.unpack_from("<Q", data, section)[0] + 48
    struct.pack_into("<QI", data, section, len(data), n + 1)
    return {**files, "profile.db": bytes(data + data[first - 48:first] + data[first:first + 48] * n) + b"_prof.db"}


@shape("tau")
def tau_paths(n):
    paths = "".join(f'"a => f{i} [{{x.c}} {{{i},1}}]" 1 0 1 1 0 GROUP="TAU_CALLPATH"\n' for i in range(n))
    return {"profile.0.0.0": f"{n + 1} templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls\n"
                             f'"a" 1 1 1 1 0 GROUP="D"\n{paths}0 aggregates\n'}


@shape("tau")
def tau_threads(n):
    return {f"MULTI__M{i % 200}/profile.0.0.{i}": f"1 templated_functions_MULTI_M{i % 200}\n# Name Calls\n"
            '"a" 1 1 1 1 0 GROUP="D"\n' for i in range(min(n, 12000))}


@shape("json")
def dhat_frames(n):
    """Points of many frames, which share a name."""
    return json.dumps({"dhatFileVersion": 2, "mode": "heap", "cmd": "a",
                       "pps": [{"tb": 1, "tbk": 1, "fs": [i % n + 1, 1]} for i in range(n)],
                       "ftbl": ["[root]"] + [f"0x{i:x}: f{i} (a.c:{i}) (" for i in range(n)] + ["0x1: " + " (" * n + ")"]})


@shape("out")
def massif_deep(n):
    return ("desc: x\ncmd: a\ntime_unit: i\n#-----------\nsnapshot=0\n#-----------\ntime=0\nmem_heap_B=9\n"
            f"heap_tree=peak\nn{n}: {n * 2} (heap)\n" + "".join(
                f"{' ' * (i % 60 + 1)}n1: {n * 2 - i} 0x{i:x}: f{i} (a.c:{i})\n" for i in range(n)))


@shape("out")
def massif_snapshots(n):
    return "desc: x\ncmd: a\ntime_unit: i\n" + "".join(
        f"#-----------\nsnapshot={i}\n#-----------\ntime={i}\nmem_heap_B={i}\nheap_tree=detailed\n"
        f"n1: {i} (heap)\n n0: {i} 0x1: f (a.c:1)\n" for i in range(n))


@shape("heap")
def jemalloc_stacks(n):
    return ("heap_v2/1\n  t*: 3: 300 [0: 0]\n" + "".join(
        f"@ 0x{i * 4096:x} 0x1\n  t*: 2: 200 [5: 500]\n" for i in range(n)) + "\nMAPPED_LIBRARIES:\n" + "".join(
            f"{i * 4096:x}-{i * 4096 + 99:x} r-xp 00000000 08:01 12 /bin/a{i}\n" for i in range(n)))


@shape("heap")
def jemalloc_overlapping(n):
    """Mappings within each other."""
    return ("heap_v2/1\n  t*: 3: 300 [0: 0]\n" + "".join(
        f"@ 0x{i + n:x}\n  t*: 2: 200 [5: 500]\n" for i in range(n)) + "\nMAPPED_LIBRARIES:\n" + "".join(
            f"{i:x}-{4 * n - i:x} r-xp 00000000 08:01 12 /bin/a\n" for i in range(n)))


@shape("heaptrack")
def heaptrack_changes(n):
    return "v 1 3\ns 1 f\ni 1 0 1\nt 1 0\n" + "".join(f"a {i:x} 1\n" for i in range(n)) + "".join(
        f"+ {i:x}\n" for i in range(n)) + "".join(f"- {i:x}\n+ {i:x}\n" for i in range(n))


@shape("heaptrack")
def heaptrack_one_name(n):
    """Instructions in one function of one library, whose names are long."""
    return f"v 1 3\ns {n * 10:x} {'f' * n * 10}\n" + "".join(
        f"i {i + 1:x} 1 1 1 {i:x}\nt {i + 1:x} 0\na {i:x} {i + 1:x}\n+ {i:x}\n" for i in range(n))


# ---- benchmarks: many, with one name, with many parameters and repetitions ----


@shape("json")
def asv_parameters(n):
    values = [repr(i) for i in range(n)]
    return json.dumps({"commit_hash": "a", "env_name": "e", "date": 1, "params": {"machine": "m"},
                       "result_columns": ["result", "params", "version"], "version": 2,
                       "results": {"b" * n: [[1.5] * n, [values], "v"]}})


@shape("json")
def asv_dimensions(n):
    """Parameters of one value each."""
    return json.dumps({"commit_hash": "a", "env_name": "e", "date": 1, "params": {"machine": "m"},
                       "result_columns": ["result", "params", "version"], "version": 2,
                       "results": {f"b{k}": [[1.5], [[str(i)] for i in range(n // 10)], "v"] for k in range(10)}})


@shape("json")
def asv_columns(n):
    """Many columns, and many values of each benchmark."""
    names = ["result", "params", "version"] + [f"c{i}" for i in range(n)]
    return json.dumps({"commit_hash": "a", "env_name": "e", "date": 1, "params": {"machine": "m"},
                       "results": {"b": [[1.5] * n, [[repr(i) for i in range(n)]], "v"]},
                       "result_columns": names, "version": 2})


@shape("txt")
def asv_printed(n):
    return "· Running 2 total benchmarks\n[  0.00%] ·· Benchmarking virtualenv-py3.6\n" + "".join(
        f"[ 50.00%] ··· b.T.time_{i}          1.5±0.1ms\n" for i in range(n)) + (
            "[ 50.00%] ··· b.T.time_c      ok\n[ 50.00%] ··· ======== ============\n                 n\n"
            "              -------- ------------\n" + "".join(f"                 {i}     1.5±0.1ms\n" for i in range(n)) +
            "              ======== ============\n")


@shape("json")
def bencher_measures(n):
    return json.dumps({"a": {f"m{i}": {"value": 1.0, "lower_value": 0.5} for i in range(n)}})


@shape("json")
def bencher_benchmarks(n):
    return json.dumps({f"b{i}": {"latency": {"value": 1.0}} for i in range(n)})


@shape("json")
def benchmarkdotnet(n):
    return json.dumps({"Title": "x", "HostEnvironmentInfo": {"BenchmarkDotNetCaption": "BenchmarkDotNet"}, "Benchmarks": [
        {"Namespace": "N", "Type": "T", "Method": f"M{i}", "Parameters": f"N{i}=1&P={i}", "FullName": f"N.T.M{i}(N: 1)",
         "Statistics": {"OriginalValues": [100.0, 200.0], "Mean": 150.0},
         "Metrics": [{"Value": 64, "Descriptor": {"Id": f"m{i % 100}", "Unit": "B"}}]} for i in range(n)]})


@shape("txt")
def benchmarkjs(n):
    return "".join(f"f{i} x 1,431,759 ops/sec ±0.74% (93 runs sampled)\n" for i in range(n))


@shape("txt")
def benchmarkjs_line(n):
    """A line of what might be names."""
    return "f x 1 ops/sec ±0.74% (93 runs sampled)\n" + "a x " * n + "1 ops/sec ±1.70% (69 runs sampled)\n"


@shape("txt")
def cargo_bench(n):
    return "running 2 tests\n" + "".join(f"test t{i} ... bench:  1 ns/iter (+/- 9) = 1 MB/s\n" for i in range(n)) + "".join(
        f"g{i}    time:   [320.62 ps 323.90 ps 327.55 ps]\n        thrpt:  [1.1 GiB/s 1.2 GiB/s 1.3 GiB/s]\n"
        for i in range(n))


@shape("json")
def custom_benchmark(n):
    return json.dumps([{"name": f"b{i}", "unit": f"u{i}", "value": 1.5, "range": 0.5} for i in range(n)])


@shape("json")
def jmh(n):
    return json.dumps([{"jmhVersion": "1.37", "benchmark": "a.B.get", "mode": "thrpt", "params": {f"p{i % 100}": str(i)},
                        "primaryMetric": {"score": 2.5, "scoreUnit": "ops/ms", "rawData": [[2.0, 3.0]]},
                        "secondaryMetrics": {f"m{i % 100}": {"score": 1, "scoreUnit": "B/op", "rawData": [[1.0]]}}}
                       for i in range(n)])


@shape("json")
def julia(n):
    group = {f"b{i}": ["Trial", {"allocs": 0, "memory": 0, "times": [1.0, 2.0]}] for i in range(n)}
    return json.dumps([{"Julia": "1.7.0", "BenchmarkTools": "1.0.0"}, [["BenchmarkGroup", {"data": group, "tags": []}]]])


@shape("json")
def nanobench(n):
    return json.dumps({"results": [{"title": "t", "name": f"b{i}", "unit": "op", "batch": 1, "median(elapsed)": 2e-06,
                                    "measurements": [{"iterations": 1, "elapsed": 2e-06}] * 2} for i in range(n)]})


@shape("json")
def pyperf(n):
    return json.dumps({"benchmarks": [{"runs": [{"metadata": {f"m{i}": i}, "values": [0.1, 0.2]}],
                                       "metadata": {"name": f"b{i}"}} for i in range(n)],
                       "metadata": {"unit": "second", "python_version": "3"}, "version": "1.0"})


@shape("json")
def pyperf_runs(n):
    return json.dumps({"benchmarks": [{"runs": [{"metadata": {f"m{i}": i}, "values": [0.1]} for i in range(n)]}],
                       "metadata": {"name": "b" * n, "unit": "second", "python_version": "3"}, "version": "1.0"})


@shape("txt")
def perf_stat(n):
    return "\n Performance counter stats for 'ls':\n\n" + "".join(
        f"        1,234      e{i}      #    0.98  insn per cycle\n" for i in range(n)) + "\n   0.1 seconds time elapsed\n"


@shape("json")
def perf_stat_equal(n):
    return '{"counter-value" : "1.5", "unit" : "msec", "event" : "task-clock"}\n' * n


@shape("csv")
def table_rows(n):
    """Rows below headings that are long."""
    return f"name,{'k' * n * 10},time (ms)\n" + "".join(f"b{i % 9},{i % 7},{i}\n" for i in range(n))


@shape("csv")
def table_keys(n):
    """Columns that are parts of the name, as many as there may be."""
    return ",".join(f"k{i}" for i in range(1000)) + ",value\n" + "".join(
        "x," * 1000 + f"{i}\n" for i in range(max(2, n // 100)))


@shape("jsonl")
def table_lines(n):
    return "".join('{"test":"t%d","k%d":"x","latency_ns":%d}\n' % (i, i % 900, i) for i in range(n))


@shape("txt")
def console(n):
    return "".join(f"b{i}: a: {i % 900}.5ms - timer ended\n" for i in range(n))


@shape("json")
def vitest(n):
    return json.dumps({"files": [{"filepath": "a.ts", "groups": [{"fullName": f"g{i}", "benchmarks": [
        {"name": f"b{i}", "mean": 1.5, "rme": 2, "samples": [1.0, 2.0]}]} for i in range(n)]}]})


@shape("json")
def extrap_json_references(n):
    """The older lists of things with ids; every call path at every point."""
    m = int(n ** 0.5)
    return json.dumps({"parameters": [{"id": 1, "name": "x"}], "callpaths": [{"id": i, "name": f"c{i}"} for i in range(m)],
                       "metrics": [{"id": 1, "name": "time"}],
                       "coordinates": [{"id": i, "parameter_value_pairs": [{"parameter_id": 1, "parameter_value": i + 1}]}
                                       for i in range(m)],
                       "measurements": [{"id": i * m + k, "callpath_id": i, "metric_id": 1, "coordinate_id": k, "value": 1}
                                        for k in range(m) for i in range(m)]})


@shape("json")
def extrap_json_of_one(n):
    """As many measurements of one call path at one point."""
    return json.dumps({"parameters": [{"id": 1, "name": "x"}], "callpaths": [{"id": 1, "name": "c"}],
                       "metrics": [{"id": 1, "name": "time"}],
                       "coordinates": [{"id": 1, "parameter_value_pairs": [{"parameter_id": 1, "parameter_value": 1}]}],
                       "measurements": [{"id": i, "callpath_id": 1, "metric_id": 1, "coordinate_id": 1, "value": i}
                                        for i in range(n)]})


# ---- experiments in directories and databases: a shape returns its files ----


def cubex(nodes, metrics, locations=1, names=(), compressed=b""):
    """An archive of Cube: `metrics` of them, each with values of the last node alone."""
    import io
    import tarfile
    regions = "".join(f'<region id="{i}"><name>{name}</name></region>' for i, name in enumerate(names))
    anchor = ('<cube version="4.4"><metrics>' + "".join(
        f'<metric id="{i}" type="EXCLUSIVE"><uniq_name>m{i}</uniq_name><dtype>UINT8</dtype></metric>'
        for i in range(metrics)) + f"</metrics><program>{regions}{nodes}</program><system>" +
        "<location/>" * locations + "</system></cube>")
    count = nodes.count("<cnode")
    members = {"anchor.xml": anchor.encode()}
    for i in range(metrics):
        members[f"{i}.index"] = b"CUBEX.INDEX" + struct.pack("<I", 1) + b"\0\0\0" + struct.pack("<II", 1, count - 1)
        members[f"{i}.data"] = b"CUBEX.DATA" + b"\1" * locations
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def cubex_of_all(nodes, name):
    """An archive with one metric of which every node has a value."""
    import io
    import tarfile
    count = nodes.count("<cnode")
    anchor = ('<cube version="4.4"><metrics><metric id="0" type="EXCLUSIVE"><uniq_name>m</uniq_name><dtype>UINT8</dtype>'
              f'</metric></metrics><program><region id="0"><name>{name}</name></region>{nodes}</program><system>'
              "<location/></system></cube>")
    members = {"anchor.xml": anchor.encode(), "0.data": b"CUBEX.DATA" + b"\1" * count,
               "0.index": b"CUBEX.INDEX" + struct.pack("<I", 1) + b"\0\0\0" + struct.pack("<I", count) +
               b"".join(struct.pack("<I", i) for i in range(count))}
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def two_points(name, data):
    return {f"run.p{p}/{name}": data for p in (1, 2)}


@shape("cube")
def cube_metrics(n):
    """Many metrics, each with one value, and a wide call tree."""
    nodes = '<cnode id="0" calleeId="0">' + '<cnode id="1" calleeId="0"></cnode>' * (n * 8) + "</cnode>"
    return two_points("profile.cubex", cubex(nodes, n, 1, ["main"]))


@shape("cube")
def cube_locations(n):
    """Many nodes and locations, of which one node has values."""
    nodes = '<cnode id="0" calleeId="0">' + '<cnode id="1" calleeId="0"></cnode>' * n + "</cnode>"
    return two_points("profile.cubex", cubex(nodes, 2, n, ["main"]))


@shape("cube")
def cube_arrows(n):
    """A region whose name looks like a long path, which one point has; its callers are looked for."""
    made = two_points("profile.cubex", cubex('<cnode id="0" calleeId="0"></cnode>', 1, 1, ["main"]))
    made["run.p1/profile.cubex"] = cubex('<cnode id="0" calleeId="0"></cnode>', 1, 1, ["a" + "->a" * n])
    return made


@shape("cube")
def cube_lost(n):
    """A deep call path, none of whose nodes is there at both points."""
    def chain(name):
        return cubex_of_all('<cnode calleeId="0">' * min(n, 9000) + "</cnode>" * min(n, 9000), name)
    return {"run.p1/profile.cubex": chain("a"), "run.p2/profile.cubex": chain("b")}


@shape("cube")
def cube_deep(n):
    """A call path as long as it gets, and many below it."""
    depth = min(n, 9000)
    nodes = '<cnode calleeId="0">' * depth + '<cnode calleeId="0"></cnode>' * n + "</cnode>" * depth
    return two_points("profile.cubex", cubex(nodes, 1, 1, ["x" * 100]))


@shape("criterion")
def criterion(n):
    sample = {"sampling_mode": "Linear", "iters": [1.0] * 2, "times": [5.0] * 2}
    return {f"b{i}/new/{name}": json.dumps(data) for i in range(n) for name, data in
            (("benchmark.json", {"group_id": "g", "full_id": f"b{i}"}), ("sample.json", sample))}


@shape("extrap3")
def extrap3(n):
    """Paths, each below the one before, and metrics and points that are looked for by their numbers."""
    out = bytearray(struct.pack("<h", 1))

    def numbers(*values):
        out.extend(b"".join(struct.pack("<q", value) for value in values))

    def texts(*values):
        out.extend(b"".join(struct.pack("<I", len(v)) + v.encode() for v in values))

    texts("EXTRAP_EXPERIMENT", "1.0", "Parameter")
    numbers(7)
    texts("p")
    for i in range(n):
        texts("Metric")
        numbers(n - i)
        texts(f"m{i}", "s", "Region")
        numbers(i)
        texts(f"r{i}", "a.c")
        numbers(3)
        texts("Callpath")
        numbers(i, i, -1 if i % 100 == 0 else i - 1)
        texts("Coordinate")
        numbers(i, 1)
        texts("p")
        out.extend(struct.pack("<d", i))
    texts("ModelComment")
    numbers(0)
    texts("a comment")
    for i in range(n):
        texts("ExperimentPoint")
        numbers(i, 1)
        out.extend(struct.pack("<9d", *[1.0] * 9))
        numbers(n - i, i)
    return bytes(out)


@shape("afperf")
def afperf(n):
    """Regions within regions, of as many names."""
    import os
    import subprocess
    with open("afperf.folded", "w") as file:
        file.writelines(f"{'a;' * (i % 60)}f{i} {i + 1}\n" for i in range(n))
    subprocess.run([os.environ.get("PERUN", "perun"), "convert", "--to", "afperf", "afperf.folded", "afperf.out"], check=True)
    with open("afperf.out", "rb") as file:
        return file.read()


def nsight_of(rows, path):
    import os
    import sqlite3
    if os.path.exists(path):
        os.remove(path)
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA page_size = 512")
        db.execute("CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)")
        db.executemany("INSERT INTO StringIds VALUES (?, ?)", ((i, f"call{i}") for i in range(rows)))
        db.execute("CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT,"
                   " globalTid INTEGER, domainId INTEGER, uint32Value INTEGER)")
        db.execute("INSERT INTO NVTX_EVENTS VALUES (1, NULL, 75, 'de.tu-darmstadt.parallel.extra_prof', 5, 1, NULL)")
        db.executemany("INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, ?, 5, 1, ?)",
                       ((10 + i, 10 * rows - i, "main" + "->f" * (i % 60), i) for i in range(rows)))
        db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER,"
                   " correlationId INTEGER, nameId INTEGER, callchainId INTEGER)")
        db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 5, ?, ?, 6)",
                       ((11 + i, 9 * rows, i, i) for i in range(rows)))
        db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, correlationId INTEGER,"
                   " shortName INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER,"
                   " blockY INTEGER, blockZ INTEGER)")
        db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, ?, ?, 1, 1, 1, 1, 1, 1)",
                       ((12 + i, 8 * rows, i, i) for i in range(rows)))
    db.close()
    with open(path, "rb") as file:
        return file.read()


@shape("nsight")
def nsight(n):
    """Ranges within ranges, calls and kernels that all overlap."""
    return {f"app.p{p}/rank0.sqlite": nsight_of(n, "nsight.sqlite") for p in (1, 2)}


def nsight_database(ranges, calls, kernels=(), copies=(), syncs=()):
    """ranges: start, end, text; calls and syncs: start, end, correlation; kernels and copies: the same."""
    import os
    import sqlite3
    path = "nsight.sqlite"
    if os.path.exists(path):
        os.remove(path)
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA page_size = 512")
        db.execute("CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)")
        db.execute("INSERT INTO StringIds VALUES (1, 'cudaCall')")
        db.execute("CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT,"
                   " globalTid INTEGER, domainId INTEGER, uint32Value INTEGER)")
        db.execute("INSERT INTO NVTX_EVENTS VALUES (1, NULL, 75, 'de.tu-darmstadt.parallel.extra_prof', 5, 1, NULL)")
        db.executemany("INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, ?, 5, 1, ?)", ranges)
        db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER,"
                   " correlationId INTEGER, nameId INTEGER, callchainId INTEGER)")
        db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 5, ?, 1, 6)", calls)
        db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, correlationId INTEGER,"
                   " shortName INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER,"
                   " blockY INTEGER, blockZ INTEGER)")
        db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, ?, 1, 1, 1, 1, 1, 1, 1)", kernels)
        db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, correlationId INTEGER,"
                   " copyKind INTEGER, bytes INTEGER, srcKind INTEGER, dstKind INTEGER)")
        db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?, ?, ?, 1, 8, 1, 1)", copies)
        db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER,"
                   " correlationId INTEGER, syncType INTEGER)")
        db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (?, ?, ?, 1)", syncs)
    db.close()
    with open(path, "rb") as file:
        data = file.read()
    os.remove(path)
    return {f"app.p{p}/rank0.sqlite": data for p in (1, 2)}


@shape("nsight")
def nsight_together(n):
    """Ranges that begin together, and calls that belong to each of them."""
    return nsight_database([(10, 9 * n + 100 + i, f"r{i}", i) for i in range(n)],
                           [(20 + i, 21 + i, i) for i in range(n)])


@shape("nsight")
def nsight_paths(n):
    """Many paths of two depths."""
    return nsight_database([(10 + 4 * i, 12 + 4 * i, f"r{i}", 1 + i % 2) for i in range(n)], [])


@shape("nsight")
def nsight_calls(n):
    """Calls one after the other, each of which starts a kernel or a copy."""
    return nsight_database([(10 + 1000 * i, 990 + 1000 * i, f"main->r{i % 100}", 1) for i in range(n // 20 + 1)],
                           [(20 + 50 * i, 30 + 50 * i, i) for i in range(n)],
                           kernels=[(32 + 50 * i, 45 + 50 * i, i) for i in range(0, n, 2)],
                           copies=[(32 + 50 * i, 45 + 50 * i, i) for i in range(1, n, 2)])


@shape("nsight")
def nsight_overlaps(n):
    """Copies and kernels that all go on at once."""
    return nsight_database([(1, 99 * n, "main", 1)], [(10 + i, 20 + i, i) for i in range(n)],
                           copies=[(100 + i, 50 * n + i, i) for i in range(n)],
                           kernels=[(100 + i, 50 * n + i, i) for i in range(n)])


@shape("nsight")
def nsight_waits(n):
    """Synchronizations that wait for all copies."""
    return nsight_database([(1, 99 * n, "main", 1)], [(10 + i, 20 + i, i) for i in range(n)],
                           copies=[(100 + i, 50 * n + i, i) for i in range(n)],
                           syncs=[(20 + i, 70 * n + i, i) for i in range(n)])


def write(path, made):
    with open(path, "wb") as file:
        file.write(made.encode() if isinstance(made, str) else made)


def main():
    import os
    import shutil
    if sys.argv[1] == "--list":
        print("\n".join(f"{name} {suffix}" for name, (_, suffix) in shapes.items()))
        return
    for name, n, path in zip(*[iter(sys.argv[1:])] * 3):
        made = shapes[name][0](int(n))
        if not isinstance(made, dict):
            write(path, made)
            continue
        shutil.rmtree(path, ignore_errors=True)
        for member, content in made.items():
            os.makedirs(os.path.dirname(f"{path}/{member}"), exist_ok=True)
            write(f"{path}/{member}", content)


if __name__ == "__main__":
    main()
