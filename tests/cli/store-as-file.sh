# SPDX-License-Identifier: BSD-3-Clause
# What is stored answers as the file does: the same bytes for each format of stacks, view, filter and label. The view raw shows
# the document, in which the store keeps where a profile comes from. With STORE_AS_FILE=all: all files of the fuzz corpus.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"
command -v git >/dev/null || skip_all 'needs git'
corpus=$(cd "$top_srcdir" && pwd)/tests/fuzz/corpus

views=('top' 'tree --focus main' 'callers --ignore main' 'top --label thread=w' 'tableof' 'flamegraph')
reports=('-top -lines' '-traces' '-tags' '-peek=.' '-top -tagfocus=w')
files=(pprof/full pprof-legacy/heap-v2 collapsed/one speedscope/sampled callgrind/places perf-script/fields firefox/gecko dhat/two perf-data/plain perf-data/group)
if [ "${STORE_AS_FILE:-}" = all ]; then
	views+=('flamegraph --html -' 'callees' 'summary' 'callers --focus main' 'tree --hide main' 'top -m samples' 'top -m cpu')
	reports+=('-raw' '-tree' '-dot' '-list=.' '-top -cum -focus=main' '-top -sample_index=0' '-top -tagignore=w' '-comments')
	files=()
	for format in pprof pprof-legacy collapsed speedscope callgrind perf-data perf-script firefox v8 trace-event ghc-prof stackprof dhat \
		massif heaptrack jemalloc caliper tau dtrace bpftrace instruments sample vtune vsprof pmcstat gprof; do
		for file in "$corpus/$format"/*; do
			# What such a recording lacks was said when it was imported.
			[ ! -f "$file" ] || [ "$format/${file##*/}" = perf-data/cut ] || files+=("$format/${file##*/}")
		done
	done
fi

# same WORD... of the file and of the store: statuses, outputs and errors.
same() {
	"$PERUN" "${@//SUBJECT/../$file}" >../file.out 2>../file.err
	local status=$?
	"$PERUN" "${@//SUBJECT/0@i}" 2>&1 >../store.out | sed "s|^perun: 0@i:|perun: ../$file:|; s|^perun: $file:|perun: ../$file:|" >../store.err
	[ "${PIPESTATUS[0]}" -eq $status ] && cmp -s ../file.out ../store.out && cmp -s ../file.err ../store.err || echo "$file: $*; "
}

cd "$work" && rm -rf repo && new_repo && perun init >/dev/null
asked=0 unlike=''
for name in "${files[@]}"; do
	# Beside the project, where its name is a path and no stored profile's.
	file=${name##*/}
	cp "$corpus/$name" "../$file"
	rm -rf .perun && "$PERUN" init >/dev/null
	# What is not recognized is shown from neither.
	"$PERUN" import "../$file" >/dev/null 2>&1 || continue
	for words in "${views[@]}"; do
		unlike+=$(same show SUBJECT $words)
		asked=$((asked + 1))
	done
	for words in "${reports[@]}"; do
		unlike+=$(same pprof $words SUBJECT)
		asked=$((asked + 1))
	done
	rm -f "../$file"
done
check 'most files can be imported' [ "$asked" -ge $((${#files[@]} * (${#views[@]} + ${#reports[@]}) * 2 / 3)) ]
expect_text '' "$unlike" "the same bytes from the store, $asked times"
finish
