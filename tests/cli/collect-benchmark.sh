# SPDX-License-Identifier: BSD-3-Clause
# The collector benchmark: what a program prints or writes of itself becomes a profile, of other versions, too.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"

new_repo project
perun init >/dev/null
# bench NANOSECONDS: a program that prints what go test -bench does.
bench() {
	printf '#!/bin/sh\n[ -z "$1" ] || exec >"$1"\necho "pkg: example.org/words"\n' >bench
	for run in 0 1 2 3 4 5; do
		printf 'printf "BenchmarkParse-8 \\t 100 \\t %s ns/op \\t 16 B/op\\n"\n' $(($1 + run)) >>bench
	done
	chmod +x bench
	git add bench && git commit -q -m "parse in $1 ns"
}
bench 1000
bench 2000

expect_status 0 perun collect -c ./bench benchmark
expect_out '2.00 µs'
expect_out 'B/op        16  (all 6)'
expect_status 0 perun convert --to perun 0@p -
expect_text 'example.org/words benchmark ./bench' \
	"$(python3 -c 'import json, sys; p = json.load(sys.stdin); print(p["header"]["package"], p["collector_info"]["name"], p["header"]["cmd"])' <"$work/.result/stdout")" 'the words of the results, and the command'
expect_status 0 perun -c profiles.register_after_run=true run -m HEAD~2..HEAD job -b ./bench -c benchmark
expect_status 1 perun check head
expect_out 'slower  example.org/words.BenchmarkParse-8  time(real)'

# A file instead, which this run must have written.
expect_status 0 perun collect -c './bench out.txt' benchmark --file out.txt --format go-bench
expect_out '2.00 µs'
expect_status 3 perun collect -c true benchmark --file out.txt
expect_err 'it is as old as before the run'
expect_status 3 perun collect -c true benchmark --file none.txt
expect_err 'the program wrote no '
printf 'main;work 3\n' >stacks.folded
expect_status 0 perun -c profiles.register_after_run=true collect -c 'cat stacks.folded' benchmark --format collapsed
# What cannot be read, a failure, and what takes too long.
expect_status 3 perun collect -c 'echo hello' benchmark
expect_err 'what the program printed'
expect_status 3 perun collect -c true benchmark
expect_status 3 perun collect -c 'sh -c "echo 1 test failed; exit 4"' benchmark
expect_err 'exited with 4 (--ignore-status accepts that); its output ends with: 1 test failed'
expect_status 3 perun collect -c 'sleep 20' benchmark --timeout 0.2
expect_status 4 perun collect -c ./bench benchmark --format nosuch
check 'nothing was kept of those' test "$(ls .perun/jobs | grep -c perf)" -eq 2

finish
