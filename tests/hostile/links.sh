# SPDX-License-Identifier: BSD-3-Clause
# Links planted in a store, a site and an output directory, at every depth, and forged lists of what is to be removed:
# whatever command is run, nothing outside changes. Commands are those that the program itself lists.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"
export PERUN_TRUST=yes TMPDIR=$work/temporary
mkdir "$TMPDIR" "$work/outside"

# ---- a project with all that a store may hold --------------------------------------------------------

new_repo project
printf '#!/bin/sh\nexit 0\n' >prog && chmod +x prog && git add prog
perun init >/dev/null
measured_commit 1 1
measured_commit 2 5
measured_commit 3 9
profile pending.perf 7 && cp pending.perf .perun/jobs/pending.perf
{
	perun collect -c ./prog time --repeat 1 --warmup 0
	perun history 'time(real)'
	perun compare HEAD~1 HEAD --build true --repeat 4 --most 4 --warmup 0 -- ./prog
	perun run -m HEAD job -b ./prog -c time
	perun site .perun/cache/site
	perun site out
} >"$work/made" 2>&1
[ -e .perun/acknowledged.json ] || echo '[]' >.perun/acknowledged.json
mkdir -p .perun/cache/site/view && echo drawn >.perun/cache/site/view/page.html
# The last run was interrupted, and another one left a part of a measurement.
run=$(ls -d .perun/runs/2* | tail -n 1)
mv "$run/cells/1/done.json" "$run/cells/1/saving.json" && echo 1 >"$run/measuring"
echo >"$(ls -d .perun/runs/2* | head -n 1)/cells/1/part-0.perf"
for part in objects jobs logs cache/builds cache/site runs; do
	check "the store has $part" [ -n "$(ls -A ".perun/$part")" ]
done
cd ..

# ---- commands ----------------------------------------------------------------------------------------

writers='
add --keep %p.perf
add 0@p
rm 0@i
collect -c ./prog time --repeat 1 --warmup 0
run -m HEAD job -b ./prog -c time
run --resume -m HEAD job -b ./prog -c time
run resume
run cancel
compare HEAD~1 HEAD --build true --repeat 4 --most 4 --warmup 0 --rebuild -- ./prog
changes ack HEAD --reason known
config --local set format.sort_profiles_by time
config --local edit
config --local reset user
init
site out
site .perun/cache/site
fsck --adopt
history time(real)
blame
export --history csv
import %p.perf
postprocessby 0@p normalizer
show 0@p
convert 0@p --to perun .perun/jobs/made.perf
recover
gc --older-than 0s
'
# Besides, every command by its name alone and with the profile that all have; doctor only measures, for long, and serve
# does not end.
others() {
	"$PERUN" complete-words '' 2>/dev/null | cut -f1 | grep '^[a-z][a-z0-9-]*$' | while read -r word; do
		printf '%s\n' "$word" "$word 0@p"
	done | sed '/^help/d; /^doctor/d; /^serve/d'
}

outside() {
	(cd "$work/outside" && find . -printf '%p %y %m %l\n' | sort && find . -type f -print0 | sort -z | xargs -0 -r sha256sum)
}

# run_all LINES: in the copy of the project; what they say does not matter, only that they end.
run_all() {
	local line
	while IFS= read -r line; do
		profile new.perf "$RANDOM"
		line=${line//%p/new}
		# shellcheck disable=SC2086
		timeout -k 2 20 "$PERUN" $line </dev/null >/dev/null 2>"$work/said"
		case $? in 124 | 134 | 136 | 137 | 139) echo "$line: $(head -c 300 "$work/said")" >>"$work/crashed" ;; esac
	done <<<"$1"
}

# link PATH...: each becomes a link to itself outside; what is not there, to what is not there either.
link() {
	local path to
	for path in "$@"; do
		to=$work/outside/$((++number))
		if [ -e "$path" ]; then mv "$path" "$to"; fi
		ln -s "$to" "$path"
	done
}

# pipe PATH...: each becomes a FIFO that nobody writes to.
pipe() {
	rm -rf "$@" && mkfifo "$@"
}

# try WHAT LINES PATH...: with links in place of these, or with what $plant makes.
try() {
	local what=$1 lines=$2
	shift 2
	number=0
	rm -rf "$work/outside" "$work/copy" && mkdir "$work/outside" && cp -a "$work/here/project" "$work/copy"
	cd "$work/copy" || exit 1
	# Without a store that is found here, another one must not be.
	echo mine >"$work/outside/file"
	${plant-link} "$@"
	outside >"$work/before"
	run_all "$lines"
	outside >"$work/after"
	if cmp -s "$work/before" "$work/after"; then ok "${plant-link} in place of $what"; else
		not_ok "${plant-link} in place of $what"
		diff "$work/before" "$work/after" | head -n 20 | sed 's/^/# /'
	fi
	cd "$work/here" || exit 1
}

all=$(others)
check 'the program lists its commands' [ "$(wc -l <<<"$all")" -gt 50 ]
level() { (cd project && find .perun -mindepth "$1" -maxdepth "$1" ! -path '*/tree/*' ! -path '.perun/objects/*/*' | sort); }
# In a short test each command that only reads is tried at one of the depths.
at_depth() { if is_long; then echo "$all"; else awk -v depth="$1" 'NR % 5 == depth' <<<"$all"; fi; }
for depth in 0 1 2 3 4; do
	mapfile -t paths < <(level "$depth")
	try "everything at depth $depth of the store" "$writers$(at_depth "$depth")" "${paths[@]}"
done

# writers_of PATH: in a short test those that may come to it: of sites, of what is built, of what is measured and kept. Only
# those that build and measure are dear.
writers_of() {
	case $1 in
	*) ! is_long || { echo "$writers"; return; } ;;&
	out/*) grep -E '^(site|gc|fsck)' <<<"$writers" ;;
	.perun/cache/site/*) grep -E '^(site|gc|fsck|add|convert)' <<<"$writers" ;;
	.perun/cache/builds*) grep -E '^(compare|run|collect|gc|recover|fsck)' <<<"$writers" ;;
	.perun/objects* | .perun/jobs* | .perun/a* | temporary | pipes) grep -Ev '^(compare|site .perun|blame)' <<<"$writers" ;;
	*) echo "$writers" ;;
	esac
}

# in_turn LINES: in a short test every second, in the next place the others.
place=0
in_turn() { if is_long; then echo "$1"; else awk -v place="$place" 'NR % 2 == place % 2' <<<"$1"; fi; }

# One at a time, so that nothing else stops a command before it comes to it.
index=$(cd project && head=$(head_of) && echo ".perun/objects/${head:0:2}/${head:2}")
for path in .perun/lock .perun/local.yml .perun/acknowledged.json .perun/objects .perun/jobs .perun/jobs/.index \
	.perun/jobs/pending.perf "${index%/*}" "$index" .perun/cache .perun/cache/builds .perun/cache/site/data \
	.perun/cache/site/.perun-site .perun/logs .perun/runs "$run" "$run/plan.json" "$run/measuring" "$run/cells" "$run/cells/1" out/data out/.perun-site \
	out/.perun-site/files out/.perun-site/lock; do
	check "there is $path" [ -e "project/$path" ]
	place=$((place + 1))
	case $path in
	out/* | .perun/cache/*) try "$path" "$(writers_of "$path")" "$path" ;;
	*) try "$path" "$(in_turn "$(writers_of "$path")")" "$path" ;;
	esac
done
try 'builds' "$(writers_of .perun/cache/builds)" $(cd project && find .perun/cache/builds -mindepth 1 -maxdepth 1)
try 'parts of builds' "$(writers_of .perun/cache/builds)" $(cd project && find .perun/cache/builds -mindepth 2 -maxdepth 2)
try 'logs' "$writers" $(cd project && find .perun/logs -type f)
try 'objects' "$(writers_of .perun/objects)" $(cd project && find .perun/objects -type f)
# What git keeps of Perun: journals and exports, as links to files, to directories and to nothing.
versions='
run -m HEAD job -b ./prog -c time
run -m HEAD --in-place job -b ./prog -c time
collect -m HEAD~1 --in-place -c ./prog time --repeat 1 --warmup 0
compare HEAD~1 HEAD --build true --repeat 4 --most 4 --warmup 0 -- ./prog
recover
gc --older-than 0s
status
'
digits=00000000000000aa
in_git=".git/perun-state .git/perun-state.lock .git/perun-state.new-$digits .git/perun-exports/$digits
	.git/perun-exports/.$digits .git/perun-exports/$digits.new-$digits .git/refs/perun .git/refs/perun/saved-state/main"
mkdir -p project/.git/perun-exports project/.git/refs/perun/saved-state
# So that there is something to put aside.
cp project/prog "$work/prog" && echo '# changed' >>project/prog
try 'exports' "$versions" .git/perun-exports
try 'what git keeps' "$versions" $in_git
# Not what is below another of them, which is a file now.
in_git=${in_git% *}
for path in $in_git; do
	rm -rf "project/$path" && printf 'perun-export 1\n%s\n' "$work/outside/0" >"project/$path"
done
try 'files that git keeps' "$versions" $in_git
for path in $in_git; do rm -rf "project/$path" && mkdir -p "project/$path" && echo mine >"project/$path/file"; done
try 'directories that git keeps' "$versions" $in_git
rm -rf project/.git/perun-* project/.git/refs/perun
cp "$work/prog" project/prog

# Names of temporary files that can be guessed.
try 'temporary files' "$(writers_of temporary)" .perun/local.yml.new out/index.html.new out/data/catalog.js.new out/.perun-site/files.new \
	.perun/.new-1-0

# FIFOs: nobody waits for one. Objects and settings by themselves, since nothing is read without them.
plant=pipe
readers='status
log
check all
ci HEAD~1 HEAD'
for what in 'f -path */objects/*' 'f -name local.yml' 'f ( -name .index -o -name history-values -o -name files -o -path */logs/* )' \
	'f ! -path */objects/* ! -path */jobs/* ! -path */tree/* ! -name local.yml ! -name history-values ! -name files'; do
	mapfile -t paths < <(set -f && cd project && find .perun out -type $what | sort)
	check "files: $what" [ "${#paths[@]}" -gt 0 ]
	place=$((place + 1))
	try "$what" "$(in_turn "$(writers_of pipes)")
$readers" "${paths[@]}"
done
unset plant
expect_text '' "$(cat "$work/crashed" 2>/dev/null)" 'no command crashes or hangs'

# A file with another name elsewhere is not written in place.
rm -rf "$work/copy" && cp -a project "$work/copy" && cd "$work/copy" || exit 1
echo mine >"$work/outside/hard"
rm -f .perun/lock && ln "$work/outside/hard" .perun/lock
for log in .perun/logs/*; do ln -f "$work/outside/hard" "$log"; done
profile new.perf 3
expect_status 3 perun add new.perf
expect_err lock
rm .perun/lock
run perun run -m HEAD job -b ./prog -c time
expect_text mine "$(cat "$work/outside/hard")" 'what has another name elsewhere is not overwritten'

# ---- the store is a link -----------------------------------------------------------------------------

cd "$work/here" && mkdir linked && cd linked || exit 1
git init -q . && commit one && ln -s ../project/.perun .perun
expect_status 3 perun status
expect_err '.perun is a symbolic link'
expect_one_line
cd ../project && git worktree add -q ../tree HEAD && cd ../tree || exit 1
expect_status 0 perun status
cd ../project && git worktree remove --force ../tree

# ---- forged lists ------------------------------------------------------------------------------------

# Of a site: what it lists goes only as it was written.
mkdir -p out/data out/version && echo mine >out/data/mine.js && : >out/data/empty.js && echo mine >"$work/outside/mine"
stamp=$(head -n 1 out/.perun-site/files)
{
	cat out/.perun-site/files
	for path in data/mine.js data/empty.js data/../../file ../file "$work/outside/mine" data/; do
		printf '1 1 %s\n0 %s\n' "$path" "$path"
	done
} >forged && mv forged out/.perun-site/files
old=$(ls out/version | head -n 1)
expect_status 0 perun site out
expect_text 'mine ' "$(cat out/data/mine.js out/data/empty.js | tr '\n' ' ')" 'a listed file that is not the output stays'
check 'also an empty one' test -e out/data/empty.js
check 'and one elsewhere' test -e file -a -e "$work/outside/mine"
# What is the output, goes.
sed -n "s/^\([0-9a-f]* [0-9a-f]*\) version\/$old\$/\1 data\/old.js/p" out/.perun-site/files >line
cp "out/version/$old" out/data/old.js && cat line >>out/.perun-site/files
expect_status 0 perun site out
check 'what was written is removed when it is no longer needed' test ! -e out/data/old.js
expect_text "$stamp" "$(head -n 1 out/.perun-site/files)" 'the list is of the same form'

# Of work trees that a run left: those of the user stay, and so does everything else.
git worktree add -q ../mine HEAD && echo precious >../mine/precious
mkdir -p ../dressed .git/perun-exports/.00000000000000aa && echo precious >../dressed/precious
exports=$(realpath .git/perun-exports)
printf 'gitdir: %s/.00000000000000aa\n' "$exports" >../dressed/.git
for place in mine dressed; do
	printf 'perun-export 1\n%s\n' "$work/here/$place" >".git/perun-exports/00000000000000aa"
	expect_status 0 perun recover
	check "$place stays" test -e "../$place/precious"
done
rm -rf .git/perun-exports && mkdir ../letters && echo dear >../letters/0123456789abcdef && echo dear >../letters/letter
ln -s ../../letters .git/perun-exports
expect_status 0 perun recover
expect_text 2 "$(ls ../letters | wc -l)" 'a link in place of the list leads nowhere'
rm .git/perun-exports && mkdir .git/perun-exports && echo dear >.git/perun-exports/letter
ln ../letters/letter .git/perun-exports/00000000000000ab
expect_status 0 perun recover
expect_text 'dear dear ' "$(cat ../letters/* | tr '\n' ' ')" 'what is no list stays as it is'
git worktree remove --force ../mine

# ---- outputs that the user names ---------------------------------------------------------------------

mkdir "$work/outside/dir" && echo mine >"$work/outside/out.perf"
ln -s "$work/outside/out.perf" out.perf && ln -s "$work/outside/dir" public && ln -s out inside
cp .perun/jobs/pending.perf in.perf
for target in out.perf public/new.perf ./public/new.perf "$PWD/public/new.perf"; do
	expect_status 3 perun convert in.perf --to perun "$target"
	expect_err 'leads out of'
done
expect_status 3 perun site public
expect_status 3 perun site public/site
expect_text mine "$(cat "$work/outside/out.perf")" 'a file that a link in a project leads to is not replaced'
expect_text '' "$(ls -A "$work/outside/dir")" 'and nothing is written behind one'
# Who says where it goes, may.
mkdir ../way && ln -s way ../linked-way
for target in ../linked-way/new.perf "$work/outside/dir/new.perf" inside/new.perf; do
	expect_status 0 perun convert in.perf --to perun "$target"
	check "$target is written" test -s "$target"
done

finish
