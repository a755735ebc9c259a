# SPDX-License-Identifier: BSD-3-Clause
"""Stacks as `perf script` prints them: a random call tree, the same for the same arguments.

usage: flamegraph-stacks.py ROWS NODES [changed]

Node 1 is "main"; some names try to be markup. With `changed`, every node whose number is 7 modulo 11
has three times the samples, those 5 modulo 13 have none.
"""

import random
import sys

rows, nodes = int(sys.argv[1]), int(sys.argv[2])
changed = len(sys.argv) > 3
random.seed(4)
names = ["main", "<script>alert(1)</script>", "x</script><b>\"'&", "caf\u00e9 \u2028\u202e y", "`${1}`"]
parts = ["net/http.(*conn).", "runtime.", "std::vector<int>::", "core::fmt::", "java.util.HashMap.", "", "zip."]
names += [random.choice(parts) + random.choice(["read", "write", "parse", "walk", "sort", "copy", "find"]) +
          str(i) for i in range(max(40, nodes // 40))]
parents, functions, depths = [-1], [0], [1]
for i in range(1, nodes):
    parent = 0 if i < 12 else max((random.randrange(i) for _ in range(4)), key=lambda k: depths[k] if depths[k] < 30 else 0)
    parents.append(parent)
    functions.append(1 + (i % 4) if i < 40 else random.randrange(5, len(names)))
    depths.append(depths[parent] + 1)
names += ["java/util/HashMap.get", "example.org/user/pkg.(*T).f", "int ns::part::Foo<a::b>::bar(x::y)",
          "__libc_start.part.0", "operator()", "a..b", "ruby block (2 levels) in <main>", "<lambda>.run",
          "/opt/x.so", "[unknown]", "org.Acme.Shop.Cart.add(java.util.List)", "~Foo", "_ZN3foo3barEv", "::f",
          "alloc::vec::Vec<T,A>::push", "std::operator<< <char>", "x.y.", "<[alloc::string::String]>::sort",
          "<&mut a::b::C<d::e::F> as core::fmt::Debug>::fmt", "<u64>::wrapping_mul", "core::mem::swap::<a::b::C>"]
functions[50:71] = range(len(names) - 21, len(names))
weights = [random.paretovariate(1.2) for _ in range(nodes)]
if changed:
    weights = [0 if i % 13 == 5 else w * (3 if i % 11 == 7 else 1) for i, w in enumerate(weights)]
leaves = random.choices(range(nodes), weights, k=rows)
lines = [f"\t 1000 {name}+0x4 (/usr/bin/prog{i % 3})\n" for i, name in enumerate(names)]
frames = [lines[function] for function in functions]
out = []
for k, leaf in enumerate(leaves):
    out.append(f"prog 7/7 {k // 1000}.{k % 1000:03d}000: 1 cycles:u:\n")
    node = leaf
    while node >= 0:
        out.append(frames[node])
        node = parents[node]
    out.append("\n")
    if len(out) > 100000:
        sys.stdout.write("".join(out))
        out = []
sys.stdout.write("".join(out))
