#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""readers.py SHAPE: prints a file of which nearly each line is a place of its own, about 10 MB.
readers.py TOOL FILE EMPTY LIMIT: reads a file, or a directory, with tests/tools/format-pairs; the largest resident memory beyond
that of an empty file must be at most LIMIT times the file."""
import importlib.util
import os
import random
import struct
import subprocess
import sys

def varint(number):
    return bytes([number]) if number < 128 else bytes([number & 127 | 128]) + varint(number >> 7)


def field(number, data):
    """A field of a message of pprof."""
    return bytes([number << 3 | 2]) + varint(len(data)) + data


def lines():
    """callgrind: each line of each function."""
    yield "# callgrind format\nversion: 1\nevents: Ir\n\n"
    chance = random.Random(1)
    for function in range(12500):
        yield f"fl=({function // 50 + 1})" + (f" file_{function // 50}.c\n" if function % 50 == 0 else "\n")
        yield f"fn=({function + 1}) function_{function + 1}\n"
        yield "".join(f"+1 {chance.randrange(10000)}\n" for _ in range(100)) + "\n"


def addresses():
    """callgrind: each instruction, as of a large program without debug information."""
    yield "# callgrind format\nversion: 1\npositions: instr line\nevents: Ir\n\nob=(1) /usr/lib/program\nfl=(1) ???\n"
    chance = random.Random(2)
    address = 0x400000
    for function in range(20000):
        address += 16
        yield f"fn=({function + 1}) 0x{address:016x}\n0x{address:x} 0 {chance.randrange(1, 100)}\n"
        for _ in range(chance.randrange(20, 80)):
            step = chance.choice((2, 3, 4, 5, 7, 8))
            address += step
            yield f"+{step} 0 {chance.choice((1, 2, 9, 40, 1300))}\n"


def folded():
    """Folded stacks whose frames are functions of their own."""
    name = 0
    for _ in range(62000):
        yield ";".join(f"function_number_{name + i}" for i in range(7)) + " 1\n"
        name += 7


def massif():
    """massif: trees of random calls."""
    yield "desc: --massif-out-file=x\ncmd: ./prog\ntime_unit: i\n"
    chance = random.Random(3)

    def tree(depth, size, out):
        below = chance.randrange(1, 5) if depth < 12 and chance.random() < 0.85 else 0
        out.append(f"{' ' * depth}n{below}: {size} 0x{0x400000 + chance.randrange(1 << 23):X}: f{chance.randrange(3000)} "
                   f"(a{chance.randrange(100)}.c:{chance.randrange(900)})\n")
        for _ in range(below):
            tree(depth + 1, max(size // (below + 1), 1), out)

    number = written = 0
    while written < 10_000_000:
        out = []
        tree(0, 10_000_000, out)
        text = "".join(out)
        written += len(text)
        yield f"#-----------\nsnapshot={number}\n#-----------\ntime={number * 1000}\nmem_heap_B=10000000\n" \
              f"mem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=detailed\n" + text
        number += 1


def threads():
    """perf script: a thread of its own in each sample."""
    for i in range(150000):
        yield f"comm {i} [000] 1.{i:06}: 1 cycles: \n\t  7f f{i}+0x1 (/lib/x)\n\n"


def modules():
    """VTune: each function in a module of its own."""
    yield "Function Stack,CPU Time:Self,Module\n"
    for i in range(200000):
        yield f"{' ' * (i % 60)}f{i},1,m{i}\n"


def heap():
    """jemalloc: each address in a library of its own."""
    yield "heap_v2/1\n  t*: 3: 300 [0: 0]\n"
    for i in range(120000):
        yield f"@ 0x{i * 4096:x} 0x1\n  t*: 2: 200 [5: 500]\n"
    yield "\nMAPPED_LIBRARIES:\n"
    for i in range(120000):
        yield f"{i * 4096:x}-{i * 4096 + 99:x} r-xp 00000000 08:01 12 /bin/a{i}\n"


def regions():
    """Caliper: each row a place of its own, fifty deep."""
    yield "__rec=node,id=38,attr=10,data=65,parent=5\n__rec=node,id=36,attr=8,data=time,parent=38\n"
    yield "__rec=node,id=40,attr=10,data=276,parent=3\n__rec=node,id=41,attr=8,data=region,parent=40\n"
    for i in range(120000):
        yield f"__rec=node,id={i + 100},attr=41,data=v{i}{f',parent={i + 99}' if i % 50 else ''}\n"
        yield f"__rec=ctx,ref={i + 100},attr=36,data=1\n"


def maps():
    """bpftrace: 200 maps by turns, each stack of a function of its own."""
    yield "Attaching 1 probe...\n"
    for i in range(130000):
        yield f"@map_number_{i % 200}[\n    app::server::handle_request_{i}+163\n    app::server::main_loop+98\n    main+21\n]: {i}\n"


def sparse():
    """bpftrace: 200 maps in turn, and one of all of their stacks."""
    yield "Attaching 1 probe...\n"
    yield from (f"@map_number_{i % 200}[\n    f{i}+163\n    main+21\n]: {i}\n" for i in range(100000))
    yield from (f"@all[\n    f{i}+163\n    main+21\n]: {i}\n" for i in range(100000))


def names():
    """Folded: each line a function of a short name."""
    for i in range(1012000):
        yield f"f{i} 1\n"


def callers():
    """pmcstat: callers 200 deep, each in a module of its own."""
    yield "@ e [9 samples]\n\n"
    for i in range(80000):
        yield f"{' ' * (i % 200)}50.00%  [{80000 - i}]  f{i} @ m{i}\n"


def allocations():
    """heaptrack: each allocation of a size of its own, made and freed."""
    yield "v 1 3\ns 1 f\ni 1 0 1\nt 1 0\n"
    yield from (f"a {i:x} 1\n" for i in range(300000))
    yield from (f"+ {i:x}\n- {i:x}\n" for i in range(300000))


def places():
    """gperftools: a sample at each address."""
    yield "heap profile: 1: 1 [1: 1] @ heapprofile\n"
    yield from (f"1: 1 [1: 1] @ 0x{i * 5:x}\n" for i in range(400000))


def units():
    """go test: a benchmark and a unit of its own in each line."""
    yield "goos: linux\n"
    for i in range(222000):
        yield f"BenchmarkX{i} \t 1 \t 1 ns/op \t 1 u{i}/op\n"


def rates():
    """go test: a benchmark and a rate of its own in each line."""
    yield "goos: linux\n"
    for i in range(222000):
        yield f"BenchmarkX{i} \t 1 \t 1 ns/op \t 1 u{i}/s\n"


def failures():
    """go test: a benchmark of its own that failed in each line."""
    yield "goos: linux\nBenchmarkX \t 1 \t 1 ns/op\n"
    for i in range(300000):
        yield f"--- FAIL: BenchmarkX{i} (0.00s)\n"


def deviations():
    """asv: a benchmark and its deviation in each line."""
    yield "\u00b7 Running 2 total benchmarks\n[  0.00%] \u00b7\u00b7 Benchmarking virtualenv-py3.6\n"
    for i in range(200000):
        yield f"[ 50.00%] \u00b7\u00b7\u00b7 b.T.time_{i}          {i % 97 + 1}.5\u00b10.{i % 9 + 1}ms\n"


def levels():
    """Visual Studio: functions of their own, 60 deep."""
    yield "Level,Function Name,Number of Calls,Elapsed Exclusive Time %\n"
    for i in range(566000):
        yield f"{i % 60 + 1},f{i},1,0.01\n"


def rows():
    """Lines of JSON, each with a name and a key of its own."""
    for i in range(250000):
        yield f'{{"test":"t{i}","k{i}":"x","latency_ns":{i}}}\n'


def experiment():
    """Extra-P 3: metrics, regions, call paths and coordinates of their own."""
    def record(name, *parts):
        packed = [struct.pack("<I", len(part)) + part.encode() if isinstance(part, str) else
                  struct.pack("<d" if isinstance(part, float) else "<q", part) for part in (name, *parts)]
        return b"".join(packed)

    yield b"\1\0" + record("EXTRAP_EXPERIMENT", "1.0") + record("Parameter", 0, "p")
    for i in range(40000):
        yield record("Metric", i, f"m{i}", "s") + record("Region", i, f"r{i}", "a.c", 1)
        yield record("Callpath", i, i, -1) + record("Coordinate", i, 1, "p", float(i))
        yield record("ExperimentPoint", i, 1, *[1.0] * 9, i, i)


def snapshots():
    """massif: snapshots without a tree."""
    yield "desc: --massif-out-file=x\ncmd: ./prog\ntime_unit: i\n"
    for i in range(100000):
        yield f"#-----------\nsnapshot={i}\n#-----------\ntime={i * 1000}\nmem_heap_B={i * 77}\nmem_heap_extra_B={i % 7}\n" \
              "mem_stacks_B=0\nheap_tree=empty\n"


def values():
    """Extra-P's text: repetitions, in a line of a megabyte for each point."""
    yield "PARAMETER p\nPOINTS 1 2 3 4 5 6 7 8 9 10\nREGION r\nMETRIC m\n"
    yield from ("DATA" + " 1.5" * 250000 + "\n" for _ in range(10))


def wide():
    """A table of 20 columns of small numbers."""
    chance = random.Random(4)
    yield "name," + ",".join(f"m{i}_ns" for i in range(20)) + "\n"
    for i in range(100000):
        yield f"n{i}," + ",".join(f"{chance.randrange(1000, 9999)}" for _ in range(20)) + "\n"


def events():
    """callgrind: 250 events of one digit."""
    chance = random.Random(5)
    yield "# callgrind format\nversion: 1\nevents: " + " ".join(f"e{i}" for i in range(250)) + "\n\nfl=(1) a\nfn=(1) f\n"
    yield from ("+1 " + " ".join(str(chance.randrange(10)) for _ in range(250)) + "\n" for _ in range(20000))


def kinds():
    """pprof: 1,000 sample types of small values."""
    chance = random.Random(6)
    yield from (field(1, b"\x08" + varint(i + 1) + b"\x10" + varint(1001)) for i in range(1000))
    yield from (field(2, field(2, bytes(chance.randrange(10) for _ in range(1000)))) for _ in range(10000))
    yield from (field(6, text.encode()) for text in ["", *(f"t{i}" for i in range(1000)), "u"])


def calls():
    """pprof: stacks of random functions, 240 deep."""
    chance = random.Random(5)

    yield field(1, b"\x08\1\x10\1")
    for _ in range(40000):
        yield field(2, field(1, bytes(chance.randrange(1, 100) for _ in range(240))) + field(2, b"\1"))
    for i in range(1, 100):
        yield field(4, bytes([8, i, 0x22, 2, 8, 1]))
    yield field(5, b"\x08\1\x10\1") + field(6, b"") + field(6, b"u")


def libraries():
    """pprof: a mapping, a location and a sample for each file."""
    count = range(1, 250001)
    yield field(1, b"\x08\1\x10\1")
    for i in count:
        yield field(2, field(1, varint(i)) + field(2, b"\1"))
    for i in count:
        yield field(3, b"\x08" + varint(i) + b"\x28" + varint(i + 1))
        yield field(4, b"\x08" + varint(i) + b"\x10" + varint(i) + b"\x18" + varint(i))
    yield field(6, b"") + field(6, b"u")
    yield from (field(6, f"m{i}".encode()) for i in count)


def identities():
    """pprof: locations and functions with ids of 64 bits."""
    chance = random.Random(7)
    places = [(chance.getrandbits(63) | 1 << 62, chance.getrandbits(63) | 1 << 62) for _ in range(150000)]
    yield field(1, b"\x08\1\x10\1")
    yield from (field(2, field(1, varint(place)) + field(2, b"\1")) for place, _ in places)
    yield from (field(4, b"\x08" + varint(place) + field(4, b"\x08" + varint(function))) for place, function in places)
    yield from (field(5, b"\x08" + varint(function) + b"\x10" + varint(i + 2)) for i, (_, function) in enumerate(places))
    yield field(6, b"") + field(6, b"u")
    yield from (field(6, b"f%d" % i) for i in range(150000))


def keys():
    """pprof: a key of a label for each sample."""
    yield field(1, b"\x08\1\x10\1")
    yield from (field(2, field(2, b"\1") + field(3, b"\x08" + varint(i + 2) + b"\x18" + varint(i))) for i in range(430000))
    yield field(6, b"") + field(6, b"u")
    yield from (field(6, b"k%d" % i) for i in range(430000))


def recording(kind):
    spec = importlib.util.spec_from_file_location("recordings", os.path.join(os.path.dirname(__file__), "../tools/perf-data.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Recording([kind])


def chains():
    """perf.data: chains of 4,000 addresses of their own."""
    made, base = recording("chain"), 0x7f0000000000
    records = [made.comm(1, 1, "work"), made.map(1, base, 1 << 40, 0, "/gone/work")]
    for i in range(325):
        chain = range(base + 32000 * i + 16, base + 32000 * (i + 1) + 16, 8)
        records.append(made.sample(chain[0], 1, 1, i, 1, chain=(-512, *chain)))
    yield made.file([("cycles", 0, 0)], records, [])


def mapped():
    """perf.data: a file of its own for each sample."""
    made, base = recording("plain"), 0x7f0000000000
    records = [made.comm(1, 1, "work")]
    for i in range(60000):
        records += [made.map(1, base + 4096 * i, 4096, 0, f"/lib/{i}", i), made.sample(base + 4096 * i + 5, 1, 1, i, 1)]
    yield made.file([("cycles", 0, 0)], records, [])


def counters():
    """Google Benchmark: counters of their own of each benchmark."""
    yield '{"context":{"library_build_type":"release"},"benchmarks":['
    for i in range(13):
        yield f'{"," * (i > 0)}{{"name":"a{i}","real_time":1.0,"cpu_time":1.0,"time_unit":"ns"'
        yield from (f',"c{i * 65000 + k}":{k % 10}' for k in range(65000))
        yield "}"
    yield "]}"


def shuffled():
    """Google Benchmark: counters of names that other benchmarks have in another order."""
    chance = random.Random(3)
    yield '{"context":{"library_build_type":"release"},"benchmarks":['
    for i in range(18):
        yield f'{"," * (i > 0)}{{"name":"a{i}","real_time":1.0,"cpu_time":1.0,"time_unit":"ns"'
        yield from (f',"c{k}":{k % 10}' for k in chance.sample(range(100000), 50000))
        yield "}"
    yield "]}"


def context():
    """Google Benchmark: what is said of the machine is the file."""
    yield '{"benchmarks":[{"name":"a","real_time":1.0,"cpu_time":1.0,"time_unit":"ns"}],"context":{"library_build_type":"release"'
    yield from (f',"c{i}":"x{i}"' for i in range(500000))
    yield "}}"


def members():
    """pyperf: members of the document that no reader knows."""
    yield '{"version":"1.0","benchmarks":[{"metadata":{"name":"a"},"runs":[{"values":[1.5]}]}]'
    yield from (f',"p{i}":{i}' for i in range(650000))
    yield "}"


def label():
    """Google Benchmark: long texts."""
    yield '{"context":{"library_build_type":"release"},"benchmarks":['
    yield ",".join(f'{{"name":"a{i}","real_time":1.0,"cpu_time":1.0,"label":"{chr(97 + i) * 2_000_000}","time_unit":"ns"}}' for i in range(5))
    yield "]}"


def measures():
    """Bencher: measures of one benchmark."""
    yield '{"a":{"latency":{"value":1}'
    yield from (f',"m{i}":{{"value":{i % 97}.5}}' for i in range(400000))
    yield "}}"


def runs():
    """pyperf: runs of one benchmark, of a value each."""
    yield '{"benchmarks":[{"metadata":{"name":"a"},"runs":[{"values":[1.5]}'
    yield from (f',{{"values":[{i % 97}.5]}}' for i in range(500000))
    yield ']}],"version":"1.0"}'


def columns():
    """asv: columns of one result."""
    yield '{"commit_hash":"a","env_name":"e","results":{"b":[[1.5],[]' + ",[1]" * 2500000 + ']},"version":2}'


def dimensions():
    """asv: parameters of one result, of a value each."""
    yield '{"commit_hash":"a","env_name":"e","results":{"b":[[1.5],[["a"]' + ',["b"]' * 1600000 + ']]},"version":2}'


def forks():
    """JMH: forks of one benchmark, of a value each."""
    yield '[{"benchmark":"a","mode":"avgt","primaryMetric":{"score":1.5,"scoreUnit":"ns/op","rawData":[[1.5]'
    yield from (f",[{i % 97}.5]" for i in range(1400000))
    yield "]}}]"


def parameters():
    """hyperfine: parameters of their own of each command."""
    yield '{"results":['
    for i in range(8):
        yield f'{"," * (i > 0)}{{"command":"a{i}","mean":1.5,"stddev":0.1,"system":0.5,"times":[1.5],"parameters":{{"a":"1"'
        yield from (f',"p{k}":"{k}"' for k in range(i * 65000, i * 65000 + 65000))
        yield "}}"
    yield "]}"


def descriptors():
    """BenchmarkDotNet: metrics of one benchmark."""
    yield '{"Title":"t","HostEnvironmentInfo":{},"Benchmarks":[{"FullName":"m","Statistics":{"N":1,"Mean":1.5},"Metrics":['
    yield ",".join(f'{{"Value":{i % 97},"Descriptor":{{"Id":"m{i}","Unit":"B"}}}}' for i in range(200000)) + "]}]}"


def trials():
    """BenchmarkTools: settings of one trial."""
    yield '[{"Julia":"1.9.0","BenchmarkTools":{"major":1}},[["BenchmarkTools.BenchmarkGroup",{"data":{"a":["BenchmarkTools.Trial",'
    yield '{"allocs":1,"memory":2,"params":["BenchmarkTools.Parameters",{"evals":1'
    yield from (f',"p{i}":"{i}"' for i in range(550000))
    yield '}],"times":[1.5],"gctimes":[0.0]}]},"tags":[]}]]]'


def header():
    """Perun's own: units of the header."""
    yield '{"header":{"type":"time","cmd":"c","args":"","workload":"w","units":{"time":"s"'
    yield from (f',"p{i}":"{i}"' for i in range(550000))
    yield '}},"collector_info":{"name":"time","params":{}},"postprocessors":[],'
    yield '"resources":[{"amount":1.5,"uid":"a","type":"time","subtype":"real"}]}'


def digits(count, seed):
    return ",".join(random.Random(seed).choices("0123456789", k=count))


FIREFOX = '{"meta":{"interval":1,"version":30},"threads":[{"name":"t","stringArray":["a","b","c"],"funcTable":{"name":[0,1,2]}'


def columns_of_samples():
    """Firefox: samples that wait for tables that follow."""
    columns = ",".join(f'"{name}":[{digits(1666000, i)}]' for i, name in enumerate(("stack", "weight", "timeDeltas")))
    yield FIREFOX + ',"samples":{' + columns + '},"frameTable":{"func":[0,1,2]},"stackTable":{"prefix":[null,0],"frame":[0,1]}}]}'


def columns_of_stacks():
    """Firefox: stacks and frames that no sample names."""
    yield FIREFOX + f',"frameTable":{{"func":[{digits(2500000, 1)}]}},"stackTable":{{"prefix":[null],"frame":[{digits(2500000, 2)}]}}'
    yield ',"samples":{"stack":[1,2]}}]}'


def raw():
    """stackprof: stacks of a frame, and deltas."""
    yield '{"mode":"wall","interval":1000,"gc_samples":0,"frames":{"1":{"name":"a","samples":1}},"raw":[1,1,1' + ",1,1,1" * 1250000
    yield f'],"raw_timestamp_deltas":[{digits(1250000, 1)}]}}'


def repetitions():
    """Extra-P's JSON: one measurement, and lists that no reader knows."""
    yield f'{{"parameters":["p"],"measurements":{{"r":{{"m":[{{"values":[{digits(3500000, 1)}],"point":[1]}}]}}}}'
    yield from (f',"p{i}":[]' for i in range(250000))
    yield "}"


def files():
    """vitest: files without groups."""
    yield '{"files":[{"groups":[{"fullName":"g","benchmarks":[{"name":"b","mean":1.5,"rme":1}]}]}'
    yield ',{"groups":[]}' * 750000 + "]}"


def component():
    """timemory: members of a component."""
    yield '{"timemory":{"wall_clock":{"type":"wall","unit_repr":"s","ranks":[{"graph":[{"prefix":"f","depth":0,"entry":{"repr_data":1}}]}]'
    yield from (f',"p{i}":{i}' for i in range(650000))
    yield "}}}"


def model():
    """Perun's own: numbers of one model."""
    yield '{"header":{"type":"time","cmd":"c","args":"","workload":"w","units":{"time":"s"}},"collector_info":{"name":"time","params":{}},'
    yield '"postprocessors":[],"resources":[{"amount":1.5,"uid":"a","type":"time","subtype":"real"}],'
    yield f'"models":[{{"uid":"a","model":"kernel","r_square":1,"kernel_stats":[{",".join(repr(i / 7) for i in range(550000))}]}}]}}'


def trace():
    """Perun's own: one trace."""
    yield '{"header":{"type":"memory","cmd":"c","args":"","workload":"w","units":{"memory":"B"}},"collector_info":{"name":"memory","params":{}},'
    yield '"postprocessors":[],"resources":[{"amount":1,"uid":"a","type":"memory","subtype":"malloc","trace":[{"function":"f","source":"s"}'
    yield from (f',{{"function":"f{i}","source":"s","line":1}}' for i in range(230000))
    yield "]}]}"


def stacks():
    """pprof's older text: stacks of thousands of addresses of their own."""
    yield "t profile: total 1\n"
    yield from ("1 @" + "".join(f" {k * 50000 + i + 0x7f0000000000:#x}" for i in range(50000)) + "\n" for k in range(13))


def nodes():
    """V8: samples of nine nodes, and deltas of one digit."""
    call = '"callFrame":{"functionName":"f","scriptId":"1","url":"","lineNumber":1,"columnNumber":1}'
    yield '{"nodes":[' + ",".join(f'{{"id":{i},{call}}}' for i in range(10)) + '],"startTime":0,"endTime":9'
    yield f',"samples":[{digits(2500000, 1)}],"timeDeltas":[{digits(2500000, 2)}]}}'


def slices():
    """Perfetto: slices after each other, each with a name of its own."""
    tail = b"\x50\1"  # the sequence
    yield field(1, varint(59 << 3 | 2) + b"\7" + varint(58 << 3) + b"\6" + field(11, b"\x58\2") + b"\x68\1" + tail)
    for i in range(277000):
        time, name = b"\x40" + varint(2 * i + 1), varint(i + 1)
        interned = field(12, field(2, b"\x08" + name + field(2, b"f%d" % i)))
        yield field(1, time + interned + field(11, b"\x48\1\x50" + name) + tail)
        yield field(1, b"\x40" + varint(2 * i + 2) + b"\x5a\2\x48\2" + tail)


def late():
    """perf script: 200 events, each of which comes after the last one of those before."""
    for i in range(200000):
        yield f"c 1 [000] 1.{i:06}: 1 e{i // 1000}: \n\t  7f f{i % 9}+0x1 (/lib/x)\n\n"


def intervals():
    """AFPerf: regions, each with a name of its own."""
    yield "# AFPerf v1     \nRunInfo,0,nanoseconds,0.0,1.0.0,1,,,\n"
    for i in range(170000):
        yield f"RegionStart,{i},1,{i + 1},f{i},\nRegionStop,{i + 1},{i + 1}\n"


def resident(tool, file):
    """What the tool says of itself: a child begins with the memory of its parent, which the system takes for the child's."""
    printed = subprocess.run([tool, "=" + file, "--"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                             env={**os.environ, "PERUN_PEAK": "1"})
    if printed.returncode:
        sys.exit(f"{tool} of {file}: {printed.returncode}")
    return int(printed.stdout.split()[-1])


def main():
    if len(sys.argv) == 2:
        sys.stdout.buffer.writelines(part if isinstance(part, bytes) else part.encode() for part in globals()[sys.argv[1]]())
        return 0
    tool, file, empty, limit = sys.argv[1:]
    files = [os.path.join(folder, name) for folder, _, names in os.walk(file) for name in names] or [file]
    size = sum(map(os.path.getsize, files))
    ratio = (resident(tool, file) - resident(tool, empty)) / size
    print(f"# {ratio:.2f} bytes for each of {size}")
    return ratio > float(limit)


sys.exit(main())
