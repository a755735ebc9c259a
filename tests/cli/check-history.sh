# SPDX-License-Identifier: BSD-3-Clause
# perun check series --from, perun changes: the changes of a stored history, and which are known.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"

# amounts: thirty values about 1, from the 19th on 30 % more.
amounts() {
	awk 'BEGIN { x = 17; for (i = 0; i < 30; i++) {
		x = (x * 16807) % 2147483647
		printf "%.5f\n", (1 + x / 2147483647 / 50) * (i >= 18 ? 1.3 : 1) } }'
}

at 0
new_repo
perun init >/dev/null
n=0
amounts | while read -r amount; do
	n=$((n + 1))
	at $n
	if [ $n = 10 ]; then commit 'not measured'; fi
	message="change $n"
	profile "p$n.perf" "$amount"
	printf 'x%s\n' $n >>file
	git add file
	git commit -q -m "$message"
	touch -d "2020-02-01T00:$(printf %02d $n):00Z" "p$n.perf"
	"$PERUN" add "p$n.perf" >/dev/null
done
guilty=$(git log --format=%H --grep='^change 19$')
first=$(git log --format=%H --grep='^change 1$')

expect_status 1 perun check --json series --from "$first~1..HEAD"
expect_json '[(c["version"], c["result"], c["known"]) for c in d["series"][0]["change_points"]]' "[('$guilty', 'Degradation', None)]"
expect_json '[(s["metric"], s["location"], s["command"], s["count"]) for s in d["series"]]' "[('time(real)', 'main', './prog in.txt', 31)]"
expect_status 1 perun check series --from HEAD --metric 'time(real)'
expect_out 'at main, time(real) ($ ./prog in.txt):'
expect_out 'change 19'
expect_status 0 perun check series --from "$first~1..$first"
expect_status 2 perun check series --from HEAD --metric nonsense
expect_err 'none of the 32 versions has a profile with the metric nonsense; there are time(real)'
expect_status 2 perun check series --from HEAD --location nowhere
expect_err "no profile has values of 'nowhere'"
expect_status 2 perun check series
expect_err 'expected a file'
expect_status 0 perun check series --from HEAD --better higher
expect_status 0 perun check series --from HEAD
expect_status 0 perun history --json 'time(real)'
expect_json 'd["series"][0]["better"]' higher
expect_status 1 perun check series --from HEAD --better lower
expect_status 1 perun check --method changepoint series --from HEAD

# A change that moved, and one that vanished since they were found.
sed -i "s/$guilty/$(git rev-parse "$guilty~2")/" .perun/found.json
expect_status 1 perun check --json series --from HEAD
expect_json '[c["moved_from"] for c in d["series"][0]["change_points"]]' "['$(git rev-parse "$guilty~2")']"
check 'what is found is kept' grep -q "$guilty" .perun/found.json
sed -i "s/$guilty/$(git rev-parse "$guilty~15")/" .perun/found.json
expect_status 1 perun check series --from HEAD
expect_out "the change at $(git rev-parse "$guilty~15" | cut -c1-8) is not found any more"
expect_status 1 perun check --json series --from HEAD
expect_json '(lambda s: (s["vanished"], [c["moved_from"] for c in s["change_points"]]))(d["series"][0])' '([], [None])'

expect_status 1 perun check --method t-test series --from HEAD
expect_no_out 'not found any more'
# Other versions show how much runs differ, so the last version alone may show it, and the first.
expect_status 1 perun check series --from "HEAD~21..$guilty"
expect_status 1 perun check series --from "$guilty~2..HEAD"
# Fewer versions do not show it, which says nothing.
expect_status 0 perun check series --from "HEAD~21..$guilty~1"
expect_no_out 'not found any more'
expect_status 0 perun check series --from "$guilty~1..HEAD"
expect_no_out 'not found any more'
expect_status 1 perun check --json series --from HEAD
expect_json '(lambda s: (s["vanished"], [c["moved_from"] for c in s["change_points"]]))(d["series"][0])' '([], [None])'

# The same as a picture.
expect_status 0 perun history 'time(real)'
expect_out 'main, time(real) ($ ./prog in.txt)'
expect_out 'change 19'
expect_out '  slower  '
expect_out '1 change in 30 measured versions; noise '
expect_status 0 env COLUMNS=60 "$PERUN" history 'time(real)'
check 'COLUMNS is the width of a file, too' test "$(printf '%s\n' "$out" | grep -c -E '^.{61}')" -eq 0
expect_status 0 perun history 'time(real)' --last 3
expect_no_out 'change 19'
expect_out 'change 30'
expect_out '1 change in 30 measured versions, the first not drawn (--last 30); noise '
expect_status 0 perun history 'time(real)' "$first~1..HEAD" --json
expect_json '(lambda s: (len(s["values"]), s["values"][0]["subject"], s["values"][0]["runs"], len(s["change_points"])))(d["series"][0])' "(31, 'change 1', 1, 1)"
# Without a metric it is the elapsed time, of which "time" is short.
whole=$out
expect_status 0 perun history "$first~1..HEAD" --json
expect_text "$whole" "$out" 'the leading metric'
expect_status 0 perun history time "$first~1..HEAD" --json
expect_text "$whole" "$out" 'the short name of a metric'
expect_status 1 perun check --json series --from "$first~1..HEAD" --metric 'time(real)'
whole=$out
expect_status 1 perun check --json series --from "$first~1..HEAD" --metric time
expect_text "$whole" "$out" 'and by check series'
run perun blame
leading=$out
run perun blame 'time(real)'
expect_text "$out" "$leading" 'blame alike'
expect_no_out 'finds the lines'
expect_status 2 perun history nonsense
expect_status 0 perun history 'time(real)' --form svg
expect_out '<svg xmlns'
expect_out 'class="worse"><title>Regression at'
check 'each value says its version' [ "$(grep -c 'class="dots s0".*<title>[0-9a-f]\{8\} ' "$work/.result/stdout")" = 30 ]
expect_status 0 perun history 'time(real)' --output h.html
check 'the page is written' grep -q '</html>' h.html
check 'it has a policy' grep -q "default-src 'none'" h.html
check 'it lists the change' grep -q 'class="n worse">' h.html
expect_status 2 perun history 'time(real)' --output h.txt
if command -v python3 >/dev/null; then
	perun history 'time(real)' --form svg >h.svg
	check 'the picture is XML' python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("h.svg")'
fi

# A check is what it declares: one of another name gets the sessions of both sides and what the history says of them, and
# is not asked where the history decides.
modules=$top_builddir/tests/abi/.libs
if [ -e "$modules/perun-check-decides.so" ]; then
	cp -r . ../decides
	mkdir ../plugins && cp "$modules/perun-check-decides.so" ../plugins/
	(
		cd ../decides || exit
		profile one.perf 1.01
		"$PERUN" add -m "$guilty~1" one.perf
		profile two.perf 1.31
		"$PERUN" add -m "$guilty" two.perf
	) >/dev/null
	# by METHOD COMMAND...: there, with the plugin, and the method as that of the store.
	by() {
		(
			cd ../decides || exit 9
			"$PERUN" config --local set degradation.strategies "[{\"method\": \"$1\"}]" >/dev/null
			PERUN_PLUGIN_PATH="$(realpath ../plugins):$PERUN_PLUGIN_PATH" "$PERUN" check --json "${@:2}"
		)
	}
	expect_status 1 by decides head "$guilty"
	expect_json '[(f["location"], f["from_baseline"], f["to_target"], f["method"]) for f in d["changes"]]' "[('followed', '2', '2', 'decides')]"
	expect_status 1 by decides all
	decided=$out
	expect_json '[(f["metric"], f["method"]) for f in d["changes"]]' "[('time(real)', 'decides')]"
	expect_status 1 by shift all
	expect_text "$decided" "$(printf '%s' "$out" | sed 's/"shift"/"decides"/')" 'a history is judged alike for both'
else
	skip 'a check of another name: its plugin is not built'
fi

# An acknowledged change is reported, but is no news; also when it is found a version earlier or later.
expect_status 0 perun changes list
expect_text 'no change is acknowledged' "$out"
expect_status 0 perun changes ack "$guilty~1" --metric 'time(real)' --reason 'more work is done'
expect_status 0 perun check series --from HEAD
expect_out 'known: more work is done'
expect_status 0 perun changes list
expect_out 'time(real): more work is done'
expect_status 0 perun changes list --json
expect_json '[(a["metric"], a["location"], a["reason"]) for a in d["acknowledged"]]' "[('time(real)', '', 'more work is done')]"
# A rebase gives the version another checksum; author, author's time and subject stay.
sed -i "s/$(git rev-parse "$guilty~1")/0123456789012345678901234567890123456789/" .perun/acknowledged.json
expect_status 0 perun check series --from HEAD
expect_out 'known: more work is done'
expect_status 2 perun changes ack --undo "$guilty"
expect_err 'no such acknowledgement'
expect_status 0 perun changes ack --undo "$guilty~1" --metric 'time(real)'
expect_status 1 perun check series --from HEAD
expect_status 0 perun changes ack "$guilty" --location other
expect_status 1 perun check series --from HEAD
expect_status 0 perun fsck

# Values whose difference no double holds, those that a step of the grid does not distinguish, and tiny ones.
for values in '1e308 -1.7e308' '10000000000000000 10000000000000002' '5e-324 1e-323'; do
	new_repo "../far-${values%% *}"
	perun init >/dev/null
	n=0
	for amount in $values $values; do
		n=$((n + 1))
		at $n
		commit "far $n"
		profile p.perf "$amount"
		perun add --force p.perf >/dev/null
	done
	for form in terminal svg html json; do
		expect_status 0 timeout 5 "$PERUN" history 'time(real)' --form $form
		check "$form has numbers alone" [ "$(grep -ciE '[^a-z](nan|inf)[^a-z]' "$work/.result/stdout")" = 0 ]
	done
done

# So is one that the commit announced.
new_repo
perun init >/dev/null
n=0
amounts | while read -r amount; do
	n=$((n + 1))
	at $n
	profile "p$n.perf" "$amount"
	printf 'x%s\n' $n >>file
	git add file
	trailer=
	[ $n != 19 ] || trailer='

Perun-Expected: time(real) checks everything twice'
	git commit -q -m "change $n$trailer"
	touch -d "2020-02-01T00:$(printf %02d $n):00Z" "p$n.perf"
	"$PERUN" add "p$n.perf" >/dev/null
done
expect_status 0 perun check --json series --from HEAD
expect_json '[c["known"] for c in d["series"][0]["change_points"]]' "['checks everything twice']"
perun changes ack HEAD~3 --reason 'something else'
expect_status 0 perun check --json series --from HEAD
expect_json '[c["known"] for c in d["series"][0]["change_points"]]' "['checks everything twice']"
echo broken >.perun/acknowledged.json
expect_status 3 perun check series --from HEAD
expect_err 'acknowledged.json'

# A commit that was merged announces as well; what is acknowledged nearby is another change.
new_repo merged
perun init >/dev/null
branch=$(git symbolic-ref --short HEAD)
n=0
while [ $n -lt 36 ]; do
	n=$((n + 1))
	at $n
	case $n in
	19)
		git checkout -q -b topic
		printf 'y\n' >>other
		git add other
		git commit -q -m 'twice

Perun-Expected: time(real) in the branch'
		git checkout -q "$branch"
		git merge -q --no-ff -m 'change 19' topic
		;;
	*) commit "change $n" ;;
	esac
	profile "p$n.perf" "$(awk -v n=$n 'BEGIN { print (n < 19 ? 1 : n < 23 ? 1.3 : 1.7) + n * n % 7 / 1000 }')"
	"$PERUN" add "p$n.perf" >/dev/null
done
second=$(git log --format=%H --grep='^change 23$')
expect_status 1 perun check --json series --from HEAD
expect_json '[c["known"] for c in d["series"][0]["change_points"]]' "['in the branch', None]"
perun changes ack "$second~1" --reason 'one before'
expect_status 0 perun check --json series --from HEAD
expect_json '[c["known"] for c in d["series"][0]["change_points"]]' "['in the branch', 'one before']"
expect_status 0 perun changes ack --undo "$second~1"
perun changes ack "$second~3" --reason 'nearer to the first'
expect_status 1 perun check --json series --from HEAD
expect_json '[c["known"] for c in d["series"][0]["change_points"]]' "['nearer to the first', None]"

# Who did it: the commits since the last measured version, the functions by their shares.
new_repo blame
perun init >/dev/null
n=0
while [ $n -lt 24 ]; do
	n=$((n + 1))
	at $n
	[ $n != 15 ] || commit 'not measured either'
	hot=$(awk -v n=$n 'BEGIN { printf "%.4f", (n >= 15 ? 2 : 1) + n % 3 / 100 }')
	cold=$(awk -v n=$n 'BEGIN { printf "%.4f", (n >= 15 ? 2.8 : 3) + n % 2 / 100 }')
	profile "p$n.perf" "$hot" uid=hot
	# Renamed somewhere else: no part of what happened here.
	read=$([ $n -lt 20 ] && echo read || echo fetch)
	sed -i "s/}\]}}$/}, {\"amount\": $cold, \"uid\": \"cold\", \"type\": \"time\", \"subtype\": \"real\"}, \
		{\"amount\": 0.5, \"uid\": \"$read\", \"type\": \"time\", \"subtype\": \"real\"}]}}/" "p$n.perf"
	echo $n >>file
	git add file
	git commit -q -m "blamed $n"
	"$PERUN" add "p$n.perf" >/dev/null
done
expect_status 0 perun blame 'time(real)' --json
expect_json '[([v["subject"] for v in c["commits"]], [(f["location"], round(f["share"], 1)) for f in c["functions"]]) for c in d["changes"]]' \
	"[(['not measured either', 'blamed 15'], [('hot', 1.0)]), (['not measured either', 'blamed 15'], [('cold', 1.0)])]"
amounts=$(printf '%s\n' "$out" | python3 -c 'import json, sys; print(sorted((c["version"], c["location"], c["before"], c["after"]) for c in json.load(sys.stdin)["changes"]))')
run perun history 'time(real)' --json
expect_text "$amounts" "$(printf '%s\n' "$out" | python3 -c '
import json, sys
print(sorted((c["version"], s["location"], c["before"], c["after"]) for s in json.load(sys.stdin)["series"] for c in s["change_points"]))')" 'the amounts of history'
expect_status 0 perun blame 'time(real)' --functions 1
expect_out 'blamed 15'
expect_no_out ' %  hot: '
expect_out '  slower  hot  '
expect_out '  faster  cold  '
expect_status 0 perun blame 'time(real)' HEAD~4..HEAD
expect_out 'no changes found'

# Of sixty functions that only vary, none is blamed for what one did; stacks show the way to it.
python3 - <<'EOF'
import json, random
chance = random.Random(7)
for version in range(24):
    rows = [{"amount": 1 + chance.random(), "uid": "main;idle;f%d" % f, "type": "time", "subtype": "real"}
            for f in range(60)]
    rows += [{"amount": (5 if version >= 12 else 1) + chance.random() / 9, "uid": uid, "type": "time",
              "subtype": "real"} for uid in ("main;parse;copy", "main;print;copy")]
    rows[-1]["amount"] = 1 + chance.random() / 9
    json.dump({"header": {"type": "time", "cmd": "./prog", "workload": "in.txt",
                          "units": {"time(real)": "s"}},
               "collector_info": {"name": "time", "params": {}}, "postprocessors": [],
               "global": {"time": "0", "resources": rows}}, open("q%02d.perf" % version, "w"))
EOF
new_repo many
perun init >/dev/null
n=0
for file in ../q*.perf; do
	n=$((n + 1))
	at $n
	commit "version $n"
	perun add --force "$file" >/dev/null
done
expect_status 0 perun blame 'time(real)' --functions 100 --json
expect_json '[([v["subject"] for v in c["commits"]], [(f["location"], f["path"], f["p"] < 0.01) for f in c["functions"]]) for c in d["changes"]]' \
	"[(['version 13'], [('copy', 'main;parse;copy', True)])]"
expect_status 0 perun blame 'time(real)'
expect_out 'slower  main;parse;copy  time(real)'
# So do profiles of stacks whose functions are uids.
new_repo stacks
perun init >/dev/null
n=0
while [ $n -lt 20 ]; do
	n=$((n + 1))
	at $n
	commit "version $n"
	printf 'main;parse;copy %s\nmain;print;copy %s\nmain;sort %s\n' $(((n > 10 ? 300 : 150) + n % 3)) \
		$((50 + n % 2)) $((400 + n % 5)) >p.folded
	"$PERUN" convert --from collapsed p.folded p.perf
	"$PERUN" add --force p.perf >/dev/null
done
expect_status 0 perun changes ack HEAD~9 --metric samples --reason 'copies twice'
expect_status 0 perun blame samples
expect_out 'known: copies twice'
expect_status 0 perun blame samples --json
expect_json '[([v["subject"] for v in c["commits"]], [(f["location"], f["path"]) for f in c["functions"]]) for c in d["changes"]]' \
	"[(['version 11'], [('copy', 'main;parse;copy')])]"

# The model class of a function before and after: profiles with models.
models_of() {
	sed -i "s/\"postprocessors\": \[\]/\"postprocessors\": [{\"name\": \"regression_analysis\", \"params\": {}}]/; s/}\]}}$/}], \"models\": [{\"uid\": \"hot\", \"model\": \"$2\", \"method\": \"full\", \"r_square\": 0.99, \"x_start\": 1, \"x_end\": 9, \"coeffs\": [{\"name\": \"b0\", \"value\": 1}, {\"name\": \"b1\", \"value\": 2}, {\"name\": \"b2\", \"value\": 3}]}]}}/" "$1"
}
new_repo classes
perun init >/dev/null
n=0
while [ $n -lt 16 ]; do
	n=$((n + 1))
	at $n
	profile "p$n.perf" "$(awk -v n=$n 'BEGIN { printf "%.4f", (n >= 9 ? 2 : 1) + n % 3 / 100 }')" uid=hot
	# A power of 2.
	models_of "p$n.perf" "$([ $n -ge 9 ] && echo power || echo linear)"
	echo $n >>file
	git add file
	git commit -q -m "blamed $n"
	"$PERUN" add "p$n.perf" >/dev/null
done
expect_status 0 perun blame 'time(real)'
expect_out ', linear -> quadratic'
expect_status 0 perun blame 'time(real)' --json
expect_json '[(f["model_before"], f["model_after"]) for f in d["changes"][0]["functions"]]' "[('linear', 'quadratic')]"

# A new version is added to what is known of the past: the answer is that of everything read again.
same_as_anew() { # OPTIONS...
	"$PERUN" history 'time(real)' --json "$@" >warm.json
	rm -f .perun/cache/history-*
	"$PERUN" history 'time(real)' --json "$@" >again.json
	check "the answer after $n versions is that of reading all ($*)" cmp -s warm.json again.json
}
rm -f .perun/cache/history-*
while [ $n -lt 22 ]; do
	n=$((n + 1))
	at $n
	"$PERUN" history 'time(real)' --json >/dev/null # of the version before
	profile "p$n.perf" "$(awk -v n=$n 'BEGIN { printf "%.4f", (n >= 19 ? 3 : 2) + n % 3 / 100 }')" uid=hot
	echo $n >>file
	git add file
	git commit -q -m "more $n"
	"$PERUN" add "p$n.perf" >/dev/null
	case $n in
	17 | 21) same_as_anew --method e-divisive --threshold 3 ;;
	18) same_as_anew --method step ;;
	*) same_as_anew ;;
	esac
done
kept=$(echo .perun/cache/history-*)
check 'the values are kept in one file' test -f "$kept"
# The site has the same values.
expect_status 0 perun site out
"$PERUN" history 'time(real)' --json >history.json
check 'the site and history have the same values' python3 -B - <<'END'
import glob, json, re
medians = [value["median"] for value in json.load(open("history.json"))["series"][0]["values"]]
shown = [json.loads(re.sub(r"^perun\([^,]*,|\);\s*$", "", open(file).read()))["m"]
         for file in glob.glob("out/data/*/0.js")]
assert medians in shown, (medians, shown)
END
rm -r out
# What is known of the past is not read again; what is damaged counts for nothing.
inode=$(stat -c %i "$kept")
expect_status 0 perun history 'time(real)' --json
expect_text "$inode" "$(stat -c %i "$kept")" 'nothing new is written'
"$PERUN" history 'time(real)' --json >good.json
printf 'x' | dd of="$kept" bs=1 seek=700 conv=notrunc status=none
"$PERUN" history 'time(real)' --json >damaged.json
check 'a damaged file counts for nothing' cmp -s good.json damaged.json
printf 'perun-history 1' >"$kept"
"$PERUN" history 'time(real)' --json >damaged.json
check 'a short file counts for nothing' cmp -s good.json damaged.json
expect_status 0 perun fsck
expect_status 0 perun gc
check 'gc removes it' test ! -e "$kept"
chmod -w .perun/cache
expect_status 0 perun history 'time(real)' --json
chmod +w .perun/cache

# A repository without a commit.
cd "$work/here" && git init -q unborn && cd unborn || exit 1
perun init >/dev/null
for command in history blame 'check head' 'log HEAD' 'add 0@p'; do
	# shellcheck disable=SC2086
	expect_status 2 perun $command
	expect_err 'no commit yet: commit something first'
	expect_one_line
done
expect_status 0 perun log
expect_out 'no commit yet'
expect_status 0 perun log --json
expect_out '"minor_versions": []'
perun config set profiles.register_after_run true >/dev/null
expect_status 0 perun collect -c true time --repeat 2
expect_status 0 perun status
expect_out 'On branch main, no commit yet'
expect_out '1 pending profile (1 time)'
expect_status 0 perun status --json
expect_out '"minor_version": null'
git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one
expect_status 0 perun add 0@p
expect_out 'registered with'

finish
