# SPDX-License-Identifier: BSD-3-Clause
# Completion: what is offered where, that nothing offered is refused, and that bash, zsh and fish complete as a user
# sees it.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"

# offers WORD...: the candidates, without explanations, in $out, a line each.
offers() {
	local candidates
	run perun complete-words "$@"
	mapfile -t candidates <"$work/.result/stdout"
	printf -v out '%s\n' "${candidates[@]%%$'\t'*}"
}
is_offered() { case $'\n'$out in *$'\n'"$1"$'\n'*) ;; *) return 1 ;; esac; }
is_not_offered() { ! is_offered "$1"; }
# offered CANDIDATE WORD...: it is among them.
offered() {
	local wanted=$1
	shift
	offers "$@"
	check "offers $wanted: perun $*" is_offered "$wanted"
}
not_offered() {
	local wanted=$1
	shift
	offers "$@"
	check "does not offer $wanted: perun $*" is_not_offered "$wanted"
}

new_repo project
perun init >/dev/null
profile p0.perf 1 && perun add p0.perf >/dev/null
measured_commit 1 1.0
git tag v1.0
git branch topic
git remote add hub ../hub.git
measured_commit 2 1.1
profile .perun/jobs/waiting.perf 1.2
printf 'main;work 3\n' >stacks.folded
echo 'perun*' >.git/info/exclude

for words in 'log' 'status -C' 'add -m' 'rm -m' 'show -m' 'collect -m' 'run -m' 'check head' 'check all' 'ci' 'ci HEAD' \
	'compare' 'compare HEAD~1' 'bisect' 'bisect HEAD~1' 'showdiff' 'showdiff HEAD~1' 'changes ack' 'import -m'; do
	[ "$words" != 'status -C' ] || continue
	# shellcheck disable=SC2086
	offered HEAD~1 $words HEA
	# shellcheck disable=SC2086
	offered v1.0 $words v
done
offered topic log to
offered HEAD~1~1 log 'HEAD~1~'
offered topic..HEAD~1 history x topic..H
for words in 'run -m' 'collect -m' 'bisect --lines'; do
	# shellcheck disable=SC2086
	offered topic..HEAD~1 $words topic..H
done
offered v1.0..topic check series --from v1.0..
offered 'HEAD~1^0@i' show 'HEAD~1^'
offered 'HEAD~1^p1.perf' show 'HEAD~1^p'
offered 0@i show ''
offered 0@p show ''
offered waiting.perf show w
not_offered top show ''
offered top show --label service=api ''
offered --minimum show --label service=api top --by self --m
offered 0@p add ''
not_offered 0@i add ''
offered 0@i convert ''
offered 0@i pprof -top ''
offered '<file>' pprof -base=
offered -topproto pprof -top
offered -focus= pprof -fo
offered -http= pprof -h
offered 'time(real)' history ''
offered 'time(real)' blame ''
offered 'time(real)' check series --metric ''
offered 'time(real)' changes ack HEAD --metric ''
offered amount show 0@i table --by ''
offered uid show 0@i tableof resources --sort-by ''
offered --by=amount,uid show 0@i table --by=amount,
offered uid postprocessby 0@p regression-analysis --per-key ''
offered 'time(real)' show 0@i top --metric t
offered main history --location ''
offered main changes ack HEAD --location ''
# Only what is acknowledged can be taken back, with the metric that it was acknowledged for.
perun changes ack HEAD~1 && perun changes ack --metric 'time(real)' HEAD
taken=$(git rev-parse --short=8 HEAD~1) other=$(git rev-parse --short=8 HEAD)
offered "$taken" changes ack --undo ''
not_offered "$other" changes ack --undo ''
not_offered HEAD changes ack --undo ''
offered "$other" changes ack --undo --metric 'time(real)' ''
expect_status 0 perun changes ack --undo "$taken"
expect_status 0 perun changes ack --undo --metric 'time(real)' "$other"
not_offered "$taken" changes ack --undo ''
offered hub push ''
offered hub sync h
offered local run --executor ''
expect_status 0 perun run --executor local --plan-only job -b true -c time
for words in show status wait resume cancel collect; do
	offered "$(basename .perun/runs/2*)" run "$words" 2
	not_offered --executor run "$words" --
done
expect_status 2 perun run list --executor local
expect_status 2 perun run --executor local list
expect_err 'unknown option --executor'
offered general.paging config get g
offered only-status config set general.paging ''
offered true config set profiles.register_after_run ''
offered git config set vcs.type ''
offered workloads config add ''
not_offered vcs.type config add ''
offered general.paging= -c general.p
offered general.paging=never -c general.paging=n
offered step check series --method ''
not_offered integral-comparison check series --method ''
offered integral-comparison check head --method ''
offered perf-script import --format ''
offered perf-script convert --from ''
not_offered perf-script convert -t ''
offered --to=collapsed convert --to=
offered '<file>' collect -w ''
offered '<file>' run job -b ''
offered top showdiff HEAD~1 HEAD ''
not_offered tableof showdiff HEAD~1 HEAD ''
offered time help collect ''
offered head help check ''
offered pprof help format ''
offered collect help ''
if [ -d "${PERUN_MANUALS:-$top_builddir/manuals}" ]; then
	export PERUN_MANUALS=${PERUN_MANUALS:-$top_builddir/manuals}
	offered json help ''
	offered revisions help ''
fi

# Nothing offered is refused: each candidate, in place of @, is a word that the command takes (2 is a usage error); of many, in
# a short test, each fifth.
while IFS='	' read -r line command; do
	# shellcheck disable=SC2086
	offers $line ''
	refused= count=0
	step=5
	! is_long && [ "$(wc -l <<<"$out")" -gt 12 ] || step=1
	while read -r word; do
		case $word in -* | '<file>' | '') continue ;; esac
		count=$((count + 1))
		[ $((count % step)) -eq 0 ] || [ "$count" -eq 1 ] || continue
		eval "set -- ${command//@/\"\$word\"}"
		"$PERUN" "$@" >"$work/refused" 2>&1 </dev/null
		[ $? -ne 2 ] || refused="$refused $word: $(head -n 1 "$work/refused")"
	done <<<"$out"
	[ -z "$refused" ] || diag "$refused"
	check "takes what it offers, $count words: $command" test -z "$refused" -a "$count" -gt 0
done <<'LINES'
log	log @ --short
show	show @ tableof
show 0@i	show 0@i @ --help
show 0@i table --by	show 0@i table --by @
show 0@i table --of	show 0@i table --of @
show 0@i tableof resources --sort-by	show 0@i tableof resources --sort-by @
showdiff	showdiff @ stacks.folded top
showdiff HEAD~1 HEAD	showdiff stacks.folded stacks.folded @
history	history @
check series --from	check series --from @
check series --method	check series --from HEAD --method @
check head --method	check head --method @
config get	config get @
config add	-c 'vcs.url=.' config get @ --help
convert --to	convert --to @ 0@i out.@
import --format	import --format @ --help
help	help @
help collect	help --text collect @
changes ack	changes ack @ --reason fine
plugin show	plugin show @
run show	run show @
run status	run status @
init --vcs-type	plugin show vcs-@
completion	completion @
LINES

# The shells themselves.
command -v python3 >/dev/null || { skip 'the shells need python3'; finish; }
cat >"$work/lines" <<'LINES'
log --sh	<log><--short>
log HEAD~1	<log><HEAD~1>
log top	<log><topic>
show HEAD~1^0	<show><HEAD~1^0@i>
history time\(r	<history><time(real)>
config set general.paging al	<config><set><general.paging><always>
-c general.paging=al	<-c><general.paging=always>
convert --to=pprof stacks.fo	<convert><--to=pprof><stacks.folded>
collect -w stac	<collect><-w><stacks.folded>
pprof -base=stac	<pprof><-base=stacks.folded>
check series --from v1.0..top	<check><series><--from><v1.0..topic>
showdiff HEAD~1 HEAD rep	<showdiff><HEAD~1><HEAD><report>
show wait	<show><waiting.perf>
show 0@i table --by=am	<show><0@i><table><--by=amount>
check series --method ste	<check><series><--method><step>
import --format perf-sc	<import><--format><perf-script>
help revi	<help><revisions>
pprof -foc	<pprof><-focus=>
blame time\(r	<blame><time(real)>
LINES
for shell in bash zsh fish; do
	command -v "$shell" >/dev/null || { skip "$shell is not installed"; continue; }
	timeout 120 python3 "$top_srcdir/tests/cli/completion.py" "$shell" "$PERUN" <"$work/lines" >"$work/shell" 2>&1
	status=$?
	grep -v '^ok\|^1\.\.' "$work/shell" | sed 's/^not ok/# not ok/'
	check "$shell completes $(grep -c '^ok' "$work/shell") of $(wc -l <"$work/lines") lines as they should be" \
		test "$status" -eq 0
done

finish
