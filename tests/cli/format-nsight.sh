# SPDX-License-Identifier: BSD-3-Clause
# The format nsight: directories of databases, made here.
. "${top_srcdir:-.}/tests/cli/lib.sh"
perun plugin list format 2>/dev/null | grep -q nsight || skip_all 'the plugin was not built'
python3 -c 'import sqlite3' 2>/dev/null || skip_all 'there is no Python with sqlite3'

# make.py FILE P KIND: `main` calls `main->f`, which copies, sets memory, starts a kernel and waits.
cat >make.py <<'P'
import os, sqlite3, sys
name, p, kind = sys.argv[1], int(sys.argv[2]), sys.argv[3]
if os.path.exists(name): os.remove(name)
db = sqlite3.connect(name)
run = db.execute
run("PRAGMA page_size = 512")
run("CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)")
texts = ["cudaMemcpyAsync_v3020", "cudaMemsetAsync_v3020", "cudaLaunchKernel_v7000", "cudaDeviceSynchronize_v3020", "work", "cudaMalloc_v3020",
         "EXTRA_PROF_SYMBOLS", "EP\x1f1a\x1fmain", "EP\x1f2b\x1fA::f->g", "EXTRA_PROF_SYMBOLS_END", "x->y"]
for i, x in enumerate(texts): run("INSERT INTO StringIds VALUES (?, ?)", (i, x))
if kind != "chains":
    run("CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, domainId INTEGER, uint32Value INTEGER)")
    event = lambda *row: run("INSERT INTO NVTX_EVENTS VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    event(1, None, 75, "de.tu-darmstadt.parallel.extra_prof" if kind != "foreign" else "other", 5, 1, None)
    main, f = ("\x1f1a", "\x1f1a\x1f2b") if kind != "lost" else ("\x1f1a", "\x1f1a\x1f77")
    if kind == "literal": main, f = "main", "main->f"
    event(1000, 1000 + 10000 * p, 59, main, 5, 1, 0)
    event(2000, 2000 + 5000 * p, 59, f, 5, 1, 1)
run("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER, callchainId INTEGER)")
for i, end in enumerate([2200, 2400, 2600, 2700 + 3000 * p]):
    run("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 5, ?, ?, 6)", (2100 + 200 * i, end, 10 + i, i))
run("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1100, 1200, 5, 20, 5, NULL)")
if kind == "column":
    run("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, correlationId INTEGER)")
else:
    run("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, correlationId INTEGER, shortName INTEGER,"
        " gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER)")
    run("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 12, 4, 2, 1, 1, 64, 1, 1)", (2700, 2700 + 2000 * p))
run("CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, correlationId INTEGER, copyKind INTEGER, bytes INTEGER, srcKind INTEGER, dstKind INTEGER)")
run("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (2150, 2650, 10, 1, ?, 1, 2)", (4096 * p,))
run("CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, correlationId INTEGER, value INTEGER, bytes INTEGER, memKind INTEGER)")
run("INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (2660, 2690, 11, 0, 512, 2)")
run("CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER, correlationId INTEGER, syncType INTEGER)")
run("INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (2710, ?, 13, 4)", (2690 + 3000 * p,))
run("CREATE TABLE TARGET_INFO_GPU (smCount INTEGER, threadsPerWarp INTEGER, maxWarpsPerSm INTEGER, computeMajor INTEGER)")
run("INSERT INTO TARGET_INFO_GPU VALUES (10, 32, 64, 6), (0, 0, 0, 0)")
if kind == "chains":
    run("CREATE TABLE CUDA_CALLCHAINS (id INTEGER, symbol INTEGER, stackDepth INTEGER, unresolved INTEGER)")
    run("INSERT INTO CUDA_CALLCHAINS VALUES (7, 10, 0, NULL), (7, 4, 1, NULL), (7, 3, 2, 1)")
db.commit()
P
# points FOLDER KIND
points() {
	rm -rf "$1"
	for p in 1 2 4 8 16; do
		mkdir -p "$1/app.p$p"
		python3 make.py "$1/app.p$p/rank0.sqlite" $p "$2"
	done
}
points m ranges
cp m/app.p1/rank0.sqlite m/app.p1/.hidden.sqlite
find m -type f -exec sha256sum {} + | sort >before
chmod -R a-w m
expect_status 0 perun model --json --format nsight m
expect_status 0 perun model --json m
chmod -R u+w m
find m -type f -exec sha256sum {} + | sort >after
check 'the databases are as they were, and alone' cmp before after
expect_out '"parameters": ["p"], "coordinates": [[1.0], [2.0], [4.0], [8.0], [16.0]]'
expect_out '"metrics": ["time", "bytes_transferred"]'
expect_out '"callpaths": ["main", "main->A::f- >g", "main->A::f- >g->GPU IDLE"'
mean() { # mean PATH METRIC VALUE: at the first point
	expect_out "{\"callpath\": \"$1\", \"metric\": \"$2\", \"points\": [{\"coordinate\": [1.0], \"mean\": $3"
}
mean main time 4.9e-06 # without the range and the allocation in it
mean 'main->A::f- >g' time 5e-06
mean 'main->A::f- >g->GPU IDLE' time 3e-06
mean 'main->A::f- >g->cudaDeviceSynchronize_v3020->CONTEXT_SYNCHRONIZE' time 1.01e-06
mean 'main->A::f- >g->cudaDeviceSynchronize_v3020->CONTEXT_SYNCHRONIZE->OVERLAP' time 1.99e-06
mean 'main->A::f- >g->cudaDeviceSynchronize_v3020->CONTEXT_SYNCHRONIZE->WAIT' time 2.98e-06
mean 'main->A::f- >g->cudaDeviceSynchronize_v3020->CONTEXT_SYNCHRONIZE->OVERLAP->work' time 1.99e-06
mean 'main->A::f- >g->cudaLaunchKernel_v7000->work' time 1e-07
mean 'main->A::f- >g->cudaLaunchKernel_v7000->work->GPU work' time 2e-06
mean 'main->A::f- >g->cudaMemcpyAsync_v3020->HOST_TO_DEVICE' time 5e-07
mean 'main->A::f- >g->cudaMemcpyAsync_v3020->HOST_TO_DEVICE' bytes_transferred 4096.0
mean 'main->A::f- >g->cudaMemsetAsync_v3020->GPU MEMSET' time 3e-08

# What other paths have as their time is marked, and costs nothing of its own.
marked() { # WHAT: the call paths of models.json that are marked
	expect_text 'A::f- >g->GPU IDLE CONTEXT_SYNCHRONIZE->OVERLAP CONTEXT_SYNCHRONIZE->OVERLAP->work CONTEXT_SYNCHRONIZE->WAIT GPU work->OVERLAP' "$(
		python3 -c 'import json
print(*sorted("->".join(m["callpath"].split("->")[-3 if "OVERLAP->" in m["callpath"] else -2:])
	for m in json.load(open("models.json"))["models"] if m.get("overlaps")))')" "$1"
}
perun model --json --format nsight m --at 32 >models.json
marked 'which overlap'
check 'they have no share' python3 -c '
import json
ranking = json.load(open("models.json"))["ranking"]
assert all(r["share"] == 0 for r in ranking if r.get("overlaps")), ranking
assert abs(sum(r["share"] for r in ranking if r["metric"] == "time") - 1) < 1e-6, ranking'
expect_status 0 perun show m top
expect_no_out OVERLAP
expect_no_out WAIT
expect_no_out 'GPU IDLE'
expect_status 0 perun show m top --metric 'time(overlap)'
expect_out 'WAIT'
expect_no_out cudaMemcpyAsync
expect_status 0 perun show m scaling
expect_no_out WAIT
expect_out 'without 5 call paths that overlap with these'
expect_status 0 perun show m scaling --callpath WAIT
expect_out '15 call paths, 5 points'
for format in extrap-experiment cube perun; do
	rm -rf again
	expect_status 0 perun convert --to $format m again
	expect_status 0 perun show again top
	expect_no_out OVERLAP
	[ $format = perun ] && continue
	perun model --json again >models.json
	marked "which overlap, through $format"
done
expect_status 0 perun convert --to extrap-text m again.txt
expect_err 'marks of call paths that overlap with others (5)'

# Several files of a point are repetitions.
cp m/app.p2/rank0.sqlite m/app.p2/rank1.sqlite
expect_status 0 perun model --json --format nsight m
expect_out '{"coordinate": [2.0], "mean": 9.9e-06, "median": 9.9e-06, "min": 9.9e-06, "max": 9.9e-06, "std": 0.0, "repetitions": 2}'

points c chains
expect_status 0 perun model --json --format nsight c
expect_out '"callpaths": ["work->x- >y->cudaDeviceSynchronize_v3020->CONTEXT_SYNCHRONIZE"'

# bad KIND ERROR: one file of that kind.
bad() {
	python3 make.py m/app.p4/rank0.sqlite 4 "$1"
	expect_status 3 perun model --format nsight m
	expect_err "m: app.p4/rank0.sqlite: $2"
}
bad foreign 'the ranges in it are not those of Extra-Prof'
bad lost 'the symbols of Extra-Prof have no name for the address 77'
bad column 'the table CUPTI_ACTIVITY_KIND_KERNEL has no column shortName'
echo 'no database' >m/app.p4/rank0.sqlite
expect_status 3 perun model --format nsight m
expect_err 'm: app.p4/rank0.sqlite: expected a database of Nsight Systems'
mkdir none none/a.p1 none/a.p2
expect_status 3 perun model --format nsight none
expect_err 'there are no *.sqlite files in its directories'
expect_status 2 perun convert --to nsight c -
finish
