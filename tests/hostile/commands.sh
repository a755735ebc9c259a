# SPDX-License-Identifier: BSD-3-Clause
# Every command of the program, run in a project whose store tries to run something: nothing runs, and nothing outside
# of the project changes. Commands, sub-commands and options are those that the program itself offers to a shell's
# completion, so a new one is covered by being there.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"
. "$top_srcdir/tests/hostile/lib.sh"
command -v python3 >/dev/null || skip_all 'needs Python 3'

# ---- command lines ---------------------------------------------------------------------------

offers() { "$PERUN" complete-words "$@" 2>/dev/null | cut -f1; }

# What most commands take for arguments.
plausible=('' 'HEAD~1 HEAD' '0@i' '0@p' 'p.perf' 'p.perf q.perf' 'HEAD~1 HEAD -- ./prog' 'time' './prog')

# What they need to get far. A command that is not here has the above, and each of its options.
known='
add p.perf
bisect --repeat 4 --most 4 --warmup 0 HEAD~1 HEAD -- ./prog
blame --json
changes ack HEAD~1 main
check all
check all HEAD --compute-missing
check head HEAD
check profiles p.perf q.perf
check profiles 1@i 0@i
ci HEAD~1 HEAD
ci --base HEAD~1
collect time
collect -c ./prog time --repeat 1 --warmup 0
collect -c ./prog -w made time --repeat 1 --warmup 0
collect -m HEAD -c ./prog time --repeat 1 --warmup 0
collect -m HEAD --in-place -c ./prog time --repeat 1 --warmup 0
compare --repeat 4 --most 4 --warmup 0 HEAD~1 HEAD
compare --repeat 4 --most 4 --warmup 0 HEAD~1 HEAD -- ./prog
config edit
config --local edit
config get hooks.on_degradation
config set format.sort_profiles_by time
config set vcs.url ..
config add cmds ./prog
config reset user
convert --to pprof p.perf out.pb.gz
history --json
init --configure
init --detect
model p.perf
postprocessby 0@i normalizer
run matrix
run -m HEAD matrix
run -m HEAD~1..HEAD --in-place matrix
run job -b ./prog -c time -cp time repeat:\ 1
run job -b ./prog -w made -c time
serve 0@i
show 0@i
show 0@i bars --view-in-browser
show 0@i flamegraph
showdiff HEAD~1 HEAD
site out
trust
trust --show
'

# words COMMAND...: its sub-commands or modules.
words() { offers "$@" '' | grep '^[a-z][a-z0-9-]*$'; }

# briefly COMMAND...: what keeps those short that measure until they know.
briefly() { offers "$@" -- | grep -qx -- --most && echo "$* --repeat 4 --most 4 --warmup 0" || echo "$*"; }

# lines_of COMMAND...: with none, with plausible arguments, and with each option alone. In a short test two of the arguments,
# which all have their turn.
turn=0
lines_of() {
	local index option brief
	brief=$(briefly "$@")
	turn=$((turn + 1))
	for index in "${!plausible[@]}"; do
		is_long || [ "$index" -eq 0 ] || [ $((index % 4)) -eq $((turn % 4)) ] || continue
		echo "$brief ${plausible[index]}"
	done
	for option in $(offers "$@" --); do
		case $option in
		--yes | --say-yes | --serve) ;; # the user's own word; serving does not end
		--*) echo "$brief $option" ;;
		esac
	done
}

# of_each_option: in a short test each option once, and of those that more commands have each eighth.
of_each_option() { if is_long; then cat; else awk '!/ --[a-z-]+$/ || !seen[$NF]++ || ++more % 8 == 0'; fi; }

lines() {
	local command word
	echo "$known" | grep .
	for command in $(words | grep -vx serve); do # which does not end: the line above is enough
		lines_of "$command"
		for word in $(words "$command"); do
			case $command in
			check | changes | config | run | plugin) lines_of "$command" "$word" ;;
			help | completion | plugin) echo "$command $word" ;;
			*)
				turn=$((turn + 1))
				if is_long || [ $((turn % 3)) -eq 0 ]; then echo "$command $word"; fi
				if is_long || [ $((turn % 3)) -eq 1 ]; then echo "$command 0@i $word"; fi
				if is_long || [ $((turn % 3)) -eq 2 ]; then echo "$command $word p.perf"; fi
				;;
			esac
		done
	done
}

# ---- running ---------------------------------------------------------------------------------

# try PROJECT LINES WHAT [FOLDER]: all of them; nothing runs, nothing outside changes.
try() {
	local what=$3
	rm -rf "$work/places" "$canary"
	mkdir "$work/places"
	outside >"$work/before"
	python3 "$top_srcdir/tests/hostile/lines.py" "$PERUN" "$1" "${4-.}" "$work/places" <"$2" >"$work/ran"
	outside >"$work/after"
	[ -z "$what" ] || expect_text '' "$(head -n 20 "$canary" 2>/dev/null)" "$what: nothing ran"
	expect_text "$(wc -l <"$2")" "$(wc -l <"$work/ran")" "${what:-trusted}: every line was tried"
	expect_text '' "$(grep -E "^(134|136|${what:+137|}139) " "$work/ran")" "${what:-trusted}: none crashed or hung"
	expect_same "$work/before" "$work/after" "${what:-trusted}: nothing outside has changed, nothing is trusted"
}

mkdir "$work/project" && cd "$work/project" || exit 1
hostile_project
lines | of_each_option | sort -u >"$work/lines"
words | while read -r command; do briefly "$command"; done >"$work/bare"
{ echo "$known" | grep .; cat "$work/bare"; } >"$work/some"
# In most other places a short test has what gets far, and a third of the rest.
{ echo "$known" | grep .; some 3 <"$work/bare"; } >"$work/most"
check 'the program lists its commands' [ "$(words | wc -l)" -gt 30 ]
diag "$(wc -l <"$work/lines") command lines, $(wc -l <"$work/some") in other places"

# The bait is good: whoever trusts it is bitten by every kind.
export PERUN_TRUST=yes
try "$work/project" "$work/some" ''
unset PERUN_TRUST
for key in hooks.pre_run hooks.pre_job hooks.post_job hooks.post_run hooks.on_degradation execute.pre_run cmds \
	generators workloads general.editor; do
	check "$key runs where it is trusted" grep -q "^$key: " "$canary"
done
if [ -e "$work/project/plugins/perun-check-evil.so" ]; then
	check 'a plugin that lies in the project is not even loaded then' [ "$(grep -c '^plugin: ' "$canary")" -eq 0 ]
else
	skip 'needs a compiler'
fi

try "$work/project" "$work/lines" 'a copy'

# A clone: git tracks the store.
git add -f .perun
git commit -q -m store
git clone -q . "$work/clone"
try "$work/clone" "$work/some" 'a clone'

# Another repository, with a configuration of its own, that the store leads to.
mkdir "$work/outside/other" && cd "$work/outside/other" || exit 1
git init -q .
commit other
git config core.fsmonitor "$(bait fsmonitor)"
cp -a "$work/project" "$work/elsewhere"
some 3 <"$work/some" >"$work/fewer"
lines=$work/most
for url in "$work/outside/other" ../../../../outside/other; do
	sed -i "s|^  url: .*|  url: $url|" "$work/elsewhere/.perun/local.yml"
	try "$work/elsewhere" "$lines" "vcs.url $url"
	lines=$work/fewer
done
cp -a "$work/elsewhere" "$work/places/0/" && cd "$work/places/0/elsewhere" || exit 1
PERUN_TRUST=yes run perun run -m HEAD --in-place job -b ./prog -c time
check 'git there runs what its configuration says' grep -q '^fsmonitor: ' "$canary"

# A directory above where everybody may write, from a directory and from a repository in it.
mkdir "$work/shared" "$work/shared/plain" && chmod 1777 "$work/shared" || exit 1
cp -a "$work/project/.perun" "$work/shared/"
cp "$work"/project/p* "$work"/project/q* "$work/shared/plain/" 2>/dev/null
cp -a "$work/shared/plain" "$work/shared/own" && cd "$work/shared/own" || exit 1
git init -q . && commit one && commit two
# A store that init makes there is the user's own, and trusted.
grep -v '^init' "$work/most" >"$work/without-init"
try "$work/shared" "$work/without-init" 'a shared directory above' plain
some 3 <"$work/without-init" >"$work/fewer"
try "$work/shared" "$work/fewer" 'and above a repository' own

# A store of another user; root alone can make one.
if [ "$(id -u)" -eq 0 ]; then
	chown -R 12345 "$work/project/.perun"
	try "$work/project" "$work/most" "another user's"
else
	skip 'needs root'
fi

finish
