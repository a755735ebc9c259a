# SPDX-License-Identifier: BSD-3-Clause
# What a file may cost: time and memory grow with its size, a lack of memory is one line, and a signal ends
# every command. Times are generous, so that only what is quadratic or never ends fails.
. "${top_srcdir:-.}/tests/cli/lib.sh"
command -v python3 >/dev/null || skip_all 'python3 is not installed'
hostile=$top_srcdir/tests/hostile

shapes=$(python3 "$hostile/costly.py" --list)
limited() { (ulimit -t 10 && exec "$@"); }
# costs SHAPE N ARGUMENT...: the command ends on this shape within 10 s of processor time, with 0 or 3.
costs() {
	local shape=$1 n=$2 suffix status=0
	shift 2
	suffix=$(sed -n "s/^$shape //p" <<<"$shapes")
	rm -rf "in.$suffix"
	[ -e "made/$shape.$n" ] || PERUN=$PERUN python3 "$hostile/costly.py" "$shape" "$n" "made/$shape.$n" || exit 1
	cp -r "made/$shape.$n" "in.$suffix"
	run limited "$PERUN" "$@" "in.$suffix"
	case $status in 0 | 3) ok "$shape of $n: $*" ;; *) not_ok "$shape of $n: $* (status $status)" ;; esac
}
# Python starts once for those that are named here, which takes as long as to make most of them.
mkdir made
sed -nE 's/^\t?costs ([a-z0-9_]+) ([0-9]+) .*/\1 \2 made\/\1.\2/p' "$hostile/cost.sh" >wanted
sort -u wanted | PERUN=$PERUN xargs python3 "$hostile/costly.py"
check 'inputs are made' test "$(ls made | wc -l)" -gt 40
costs pprof_equal_types 6000 show
costs pprof_equal_types 6000 convert --to pprof
costs pprof_many_types 6000 convert --to perun
costs pprof_label_keys 6000 convert --to perun
expect_err key-limit
costs pprof_inlined_often 20000 convert --to perun
costs pprof_mappings 20000 convert --to firefox
costs pprof_regex 10000 show
costs pprof_regex 10000 pprof -top
costs perun_header 20000 convert --to pprof
costs extrap_text 2000 convert --to extrap-json
costs extrap_jsonl 20000 convert --to extrap-text
costs collapsed_deep 60000 convert --to speedscope
costs speedscope_leaves 20000 convert --to pprof
expect_err frame-limit
costs extrap_jsonl_points 8000 model
costs trace_nested 40000 convert --to collapsed
expect_err frame-limit
costs trace_ends 40000 convert --to collapsed
costs v8_chain 40000 convert --to collapsed
costs firefox_prefixes 40000 convert --to collapsed
costs heaptrack_chain 40000 convert --to collapsed
costs vtune_deep 4000 convert --to collapsed
costs vsprof_deep 4000 convert --to collapsed
costs art_enters 4000 convert --to collapsed
costs pyinstrument_deep 4000 show
costs pyinstrument_wide 20000 convert --to collapsed
for shape in gprof_functions gprof_calls gprof_indexes; do
	costs $shape 40000 show
done
costs papyrus_millisecond 4000 convert --to collapsed
costs v8_roots 40000 show
costs v8_collisions 40000 show
costs firefox_one_name 20000 show
costs asv_parameters 60000 show
expect_err expansion-limit
costs pprof_equal_types_with_samples 40000 show
costs extrap_jsonl_metrics 20000 convert --to extrap-jsonl
costs extrap_jsonl_points 20000 convert --to extrap-jsonl
costs perun_types 20000 convert --to afperf
costs extrap_text_points 300000 model
costs extrap_text_metrics 12000 check profiles in.txt

costs caliper_references 40000 show
expect_err frame-limit
costs caliper_keys 4000 show
costs speedscope_metrics 16000 show
expect_err zero-limit
costs speedscope_columns 16000 show
costs speedscope_names 40000 show
costs go_bench_rising 128000 check profiles in.txt
costs perun_postprocessors 60000 check profiles in.perf
costs perf_data_maps 40000 show
costs perf_data_forks 40000 show
costs perf_script_inlined 600000 show
costs perf_script_periods 200000 show
python3 "$hostile/costly.py" v8_alternating 20000 alternating.cpuprofile
expect_status 3 perun show alternating.cpuprofile timeline
expect_err bar-limit
costs legacy_threads 40000 show
costs legacy_maps 100000 show
costs legacy_collisions 60000 show
costs legacy_deleted 50000 show
costs legacy_variables 2000 show
expect_err expansion-limit
costs perfetto_slices 40000 show
costs perfetto_nested 40000 show
expect_err frame-limit
costs perfetto_sequences 40000 show
costs perfetto_stacks 60000 show
costs perfetto_bomb 1100 show
expect_err unpacked-limit
costs afperf 20000 show
costs talpas 20000 convert --from talpas --to extrap-json
if perun plugin list format 2>/dev/null | grep -q nsight; then
	costs nsight 3000 convert --to extrap-json
	expect_err piece-limit
	for shape in nsight_together nsight_overlaps nsight_waits; do
		costs "$shape" 4000 show
		expect_err expansion-limit
	done
fi
if perun plugin list format 2>/dev/null | grep -q extrap-experiment; then
	costs extrap_zip_values 4000 show
	expect_err 'more values than it holds'
fi
if perun plugin list format 2>/dev/null | grep -q criterion; then
	costs criterion 1000 show
fi
if perun plugin list format 2>/dev/null | grep -q extrap3; then
	costs extrap3 20000 convert --to extrap-json
fi
if perun plugin list format 2>/dev/null | grep -q hpctoolkit; then
	costs hpctoolkit_contexts 40000 show
	costs hpctoolkit_recursion 3000 show
	costs hpctoolkit_shared 2000 show
	expect_err 'expected values of one profile only'
fi
if perun plugin list format 2>/dev/null | grep -q cube; then
	costs cube_metrics 2000 convert --to extrap-json
	costs cube_locations 6000 convert --to extrap-json
	for shape in cube_deep cube_lost; do
		costs "$shape" 6000 convert --to extrap-json
		expect_err expansion-limit
	done
	expect_status 3 perun convert --from cube -o archive-limit=100k --to extrap-json in.cube out.json
	expect_err archive-limit
fi

# Limits are options, and the errors name them.
python3 "$hostile/costly.py" speedscope_nested 1500 nested.json
expect_status 3 perun convert --to collapsed -o frame-limit=100000 --from speedscope nested.json out.folded
expect_err frame-limit
expect_status 0 perun convert --to collapsed nested.json out.folded
# Frames that are left out are passed over once.
python3 "$hostile/costly.py" firefox_roots 1500 roots.json
expect_status 3 perun convert --to collapsed -o frame-limit=10000 --from firefox roots.json out.folded
expect_err 'no costs'
python3 "$hostile/costly.py" heaptrack_chain 1500 chain.heaptrack
expect_status 3 perun convert --to collapsed -o frame-limit=1000 --from heaptrack chain.heaptrack out.folded
expect_err frame-limit
{ echo 'Level,Function Name,Number of Calls,Elapsed Exclusive Time %'; seq -f '%.0f,f,1,0.01' 1000; } >calls.csv
expect_status 3 perun convert --to collapsed -o frame-limit=1000 --from vsprof calls.csv out.folded
expect_err frame-limit
expect_status 0 perun convert --to collapsed chain.heaptrack out.folded
python3 "$hostile/costly.py" perun_types 500 types.perf
expect_status 3 perun convert --to pprof -o zero-limit=1000 types.perf out.pb
expect_err zero-limit
expect_status 0 perun convert --to pprof types.perf out.pb
expect_status 3 perun convert --to speedscope -o copy-limit=1000 --from pprof out.pb out.json
expect_err copy-limit
expect_status 0 perun convert --to speedscope --from pprof out.pb out.json
rm out.pb out.json
python3 "$hostile/costly.py" pprof_deep_stacks 40000 deep.pb
expect_status 3 perun convert --to perun -o expansion-limit=100k deep.pb out.perf
expect_err expansion-limit
check 'nothing was written' test ! -e out.perf

# Properties of a format that are bounded say by how much; nothing is left out in silence.
{
	printf '__rec=node,id=38,attr=10,data=65,parent=5\n__rec=node,id=36,attr=8,data=time,parent=38\n'
	printf '__rec=node,id=40,attr=10,data=276,parent=3\n__rec=node,id=41,attr=8,data=region,parent=40\n'
	for i in $(seq 300); do printf '__rec=node,id=%d,attr=41,data=place%d\n' $((i + 100)) "$i"; done
	printf '__rec=ctx,ref=%s,attr=36,data=1\n' "$(seq -s = 101 400)"
} >many.cali
expect_status 0 perun convert --to collapsed many.cali many.out
expect_text 300 "$(tr ';' '\n' <many.out | wc -l)" 'all references of a record count'
# As many columns as a file has.
{ printf 'Function Stack\tCPU Time:Self'; printf '\tc%d' $(seq 300); printf '\na\t1'; printf '\t%d' $(seq 300); echo; } >many.vtune
expect_status 0 perun convert --from vtune --to collapsed many.vtune many.out
expect_text 'a 1' "$(cat many.out)" 'a column after hundreds of others counts'
printf '|%s ns/op | op/s | title\n|---\n|%s 7 | 1 | `x`\n' "$(seq -s '|' 40)" "$(seq -s '|' 40)" >many.nanobench
expect_status 0 perun convert --from nanobench --to perun many.nanobench many.out
printf '[{"name": "a"%s},{"name": "b", "v1499": 7}]' "$(printf ', "v%d": 1' $(seq 1500))" >many.json
expect_status 0 perun convert --from table --to perun many.json many.out
expect_text 1 "$(perun show many.out tableof resources -h uid -h type -h amount -w 'uid == b' | grep -c v1499)" 'a row of few keys among many'
# The limit is of what is needed as a whole, not of what is read an element at a time.
gzip -c many.json >many.json.gz
expect_status 0 env PERUN_INPUT_LIMIT=1k "$PERUN" convert --from table --to perun many.json.gz many.out
printf '{"results": [%s{"title": "a"}]}' "$(printf '{"title": "b"},%.0s' $(seq 9000))" | gzip >whole.json.gz
expect_status 3 env PERUN_INPUT_LIMIT=1k "$PERUN" convert --from pyperf --to perun whole.json.gz many.out
expect_err PERUN_INPUT_LIMIT
expect_status 0 env PERUN_INPUT_LIMIT=1k "$PERUN" convert --from table --to perun many.json many.out

# Settings that libyaml would take the square of their size for.
settings=$HOME/.config/perun/shared.yml
mkdir -p "${settings%/*}"
for text in "'a: ' + '[' * 200000" "'- ' * 100000" "'\n'.join('k%d: &a%d 1' % (i, i) for i in range(90000))" \
	"'\n'.join('%%TAG !a%d! x' % i for i in range(60000)) + '\n--- a'"; do
	python3 -c "print($text)" >"$settings"
	run bash -c 'ulimit -t 2; exec "$@"' sh "$PERUN" config --user list
	expect_text 3 "$status" "refused at once: $text"
	expect_one_line
done
rm "$settings"

# Long first lines are recognized.
{ printf 'main'; seq -s ';' -f 'f%.0f' 0 20000 | sed 's/^/;/' | tr -d '\n'; printf ' 5\nmain;b 3\n'; } >long.txt
expect_status 0 perun show long.txt top

# Amounts of any size.
printf 'a 1e300\n' >large.folded
expect_status 0 perun show large.folded top
expect_out '1e+285 P'

# Frames of perf script with what follows them.
printf 'comm 1 [000] 1.000001: 1 cycles:  55d0c0ffee10 insn: 48 89 e5\n\n' >insn.txt
expect_status 0 perun convert --from perf-script --to collapsed insn.txt

case $SANITIZE in
*address* | *thread*) skip 'sanitizers take more memory than a limit leaves' ;;
*)
	awk 'BEGIN { for (i = 0; i < 700000; i++) print "f" i ";g" i " 1" }' >many.folded
	echo kept >kept.pb.gz
	for threads in 1 4; do
		export PERUN_THREADS=$threads
		run bash -c 'ulimit -v 120000; exec "$@"' sh "$PERUN" convert --to pprof many.folded kept.pb.gz
		expect_text 3 "$status" "too little memory is status 3 on $threads threads"
		expect_one_line
		expect_err 'out of memory'
		expect_text kept "$(cat kept.pb.gz)" 'the output is as it was'
		expect_text '' "$(find . -name '.perun-*')" 'no temporary file is left'
	done
	unset PERUN_THREADS
	# What passes a limit is refused before it is made.
	python3 "$hostile/costly.py" trace_nested 7900 nested.json
	sed -i "s/\"name\":\"/&$(printf %060d 0)/g" nested.json
	run bash -c 'ulimit -v 1000000; exec "$@"' sh "$PERUN" convert --to perun nested.json nested.perf
	expect_text 3 "$status" 'an expansion that is too large ends with status 3'
	expect_err expansion-limit
	;;
esac

run python3 "$hostile/signals.py" "$PERUN"
printf '%s\n' "$out" | sed 's/^/# /'
expect_text 0 "$status" 'a signal at any moment ends each command'

finish
