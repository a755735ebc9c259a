# SPDX-License-Identifier: BSD-3-Clause
# Control sequences in names, messages, paths, units and settings never reach a terminal, whatever the command: those
# that the program offers to a shell's completion, so a new one is covered by being there.
. "${top_srcdir:-.}/tests/cli/lib.sh"
command -v python3 >/dev/null || skip_all 'python3 is not installed'

offers() { "$PERUN" complete-words "$@" 2>/dev/null | cut -f1 | grep '^[a-z][a-z0-9-]*$'; }

lines() {
	local command word
	for command in $(offers ''); do
		case $command in
		completion | help | man | complete-words) echo "$command"; continue ;;
		site) echo 'site out'; continue ;;
		doctor) echo '--no-pager doctor --repeat 4 --most 4'; continue ;;
		esac
		for word in '' 0@i p.perf 'p.perf q.perf' s.folded bad.perf experiment.jsonl HEAD 'HEAD~1 HEAD' nothing; do
			echo "--no-pager $command $word"
		done
		case $command in
		show | showdiff | check | changes | config | plugin | postprocessby | run)
			for word in $(offers "$command" ''); do
				printf -- '--no-pager %s\n' "$command $word" "$command 0@i $word" "$command p.perf $word" "$command s.folded $word" \
					"$command q.perf $word"
			done
			;;
		esac
	done
	for command in $(offers '' | grep -vx 'completion\|help\|man\|complete-words\|site\|doctor'); do
		for word in $("$PERUN" complete-words "$command" -- 2>/dev/null | cut -f1 | grep '^--[a-z]'); do
			printf -- '--no-pager %s\n' "$command $word" "$command $word p.perf"
		done
	done
	for word in $(offers show ''); do
		for option in $("$PERUN" complete-words show q.perf "$word" -- 2>/dev/null | cut -f1 | grep '^--[a-z]'); do
			printf -- '--no-pager %s\n' "show q.perf $word $option" "show s.folded $word $option raw"
		done
	done
}

always() {
	printf -- '--no-pager %s\n' 'log --short' 'log -n 2' 'history --json' 'changes list' 'check all' 'check head' 'check profiles p.perf q.perf' \
		'check profiles 1@i 0@i' 'config get cmds' 'config get hooks.on_degradation' 'trust --show' 'convert --to pprof p.perf o.pb' \
		'convert --to collapsed p.perf -' 'convert --to collapsed s.folded -' 'pprof -top s.folded' 'pprof -traces s.folded' \
		'plugin list' 'model experiment.jsonl' 'fsck' 'status' 'status --short' 'ci HEAD~1 HEAD' 'compare HEAD~1 HEAD' 'trust --yes'
}
# In a short test each option once, and of what more commands have a sixth; of arguments and of words each third, so that
# every command and module is run with some of them.
chosen() {
	if is_long; then cat; else
		awk '{ option = ""; for (i = 2; i <= NF; i++) if ($i ~ /^--[a-z]/) option = $i }
			option != "" ? !seen[option]++ || ++more % 6 == 0 : !first[$2]++ || NF == 3 && $3 !~ /[.@~]/ || ++others % 3 == 0'
	fi
}
mkdir project && cd project || exit 1
{
	# What is trusted runs, and programs print what they like: here a shell names the commands that it does not find.
	lines | sort -u | grep -v 'trust .*--yes' | chosen
	always
} >../lines
run python3 "$top_srcdir/tests/hostile/escapes.py" "$PERUN" ../lines
printf '%s\n' "$out" "$err" | cut -c1-500 | sed 's/^/# /' | cat -v
expect_text 0 "$status" 'no sequence reaches the terminal'
finish
