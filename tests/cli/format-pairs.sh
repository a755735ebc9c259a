# SPDX-License-Identifier: BSD-3-Clause
# Each file of the fuzz corpus through each format of profiles that is written, and back: the same profile, or the loss was
# reported, and no loss that is none.
. "${top_srcdir:-.}/tests/cli/lib.sh"
corpus=$top_srcdir/tests/fuzz/corpus

# Names that are no UTF-8 become other ones in JSON, line breaks in names become blanks; a number beyond 64 bits is a text.
odd=" perf-script/instructions-long perf-script/no-name pprof/duplicate-strings afperf/later perun/odd.perf "
files=()
for format in $(perun plugin list format | awk '$1 == "format" { print $2 }'); do
	for file in "$corpus/$format"/*; do
		[ ! -e "$file" ] || [[ $odd == *" ${file#"$corpus"/} "* ]] || files+=("$format=$file")
	done
done
: "${PERUN_PLUGIN_PATH=$top_builddir/plugins-built}"
export PERUN_PLUGIN_PATH
# Some files of the corpus are wrong, which the readers say.
"$top_builddir/tests/tools/format-pairs" "${files[@]}" -- perun pprof speedscope collapsed callgrind firefox afperf cube extrap-experiment \
	extrap-json extrap-jsonl extrap-text talpas >pairs 2>wrong
check 'most files can be read' test "$(wc -l <wrong)" -lt 30
if python3 "$top_srcdir/tests/cli/format-pairs.py" <pairs >faults; then
	ok "$(cat faults)"
else
	not_ok 'what a conversion changes is what it reports'
	diag "$(cat faults)"
fi
finish
