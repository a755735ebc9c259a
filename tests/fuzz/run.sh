#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh PROGRAM KIND [TARGET...]: `make fuzz`. Each target for FUZZ_SECONDS, starting from the inputs in
# tests/fuzz/corpus and, with libFuzzer (KIND is libfuzzer), from what earlier runs found: ./fuzz-corpus.
# What ends a target is left in ./fuzz-TARGET.*; the exit code is 1 then, and the others run all the same.
set -u
program=$1 kind=$2
shift 2
seconds=${FUZZ_SECONDS:-60} seed=${FUZZ_SEED:-$(date +%s)} top=${top_srcdir:-.} status=0
here=$PWD

# libFuzzer's own limits are a net below those of the program (fuzz_run()), which count processor time.
with_libfuzzer() {
	local dictionary=$top/tests/fuzz/dictionaries/$2.dict
	mkdir -p "fuzz-corpus/$1"
	FUZZ_TARGET=$1 "$program" -max_total_time="$seconds" -seed="$seed" -max_len=65536 -timeout=120 \
		-rss_limit_mb=2560 -close_fd_mask=3 -print_final_stats=1 -verbosity=0 \
		-artifact_prefix="$here/fuzz-$1." ${dictionary:+$([ ! -f "$dictionary" ] || echo "-dict=$dictionary")} \
		"$here/fuzz-corpus/$1" "$top/tests/fuzz/corpus/$1"
}

while read -r target dictionary; do
	[ $# -eq 0 ] || [[ " $* " == *" $target "* ]] || continue
	echo "$target, $seconds s, seed $seed"
	if [ "$kind" = libfuzzer ]; then
		with_libfuzzer "$target" "$dictionary" >"fuzz-$target.log" 2>&1
	else
		"$program" -n 1000000000 -t "$seconds" -s "$seed" "$target" >"fuzz-$target.log" 2>&1
	fi || { status=1 && grep -v '^ok' "fuzz-$target.log" && echo "$target: see fuzz-$target.*"; }
	grep -h 'number_of_executed_units\|changed inputs' "fuzz-$target.log"
done < <(if [ "$kind" = libfuzzer ]; then "$program" -list; else "$program" -l; fi)
exit "$status"
