# SPDX-License-Identifier: BSD-3-Clause
# perun site: what is written, that it is right, and that only what changed is written again.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"

command -v python3 >/dev/null || skip_all 'needs Python 3'

# chunk FILE EXPRESSION: what Python's expression of a file of data `d` prints.
chunk() {
	python3 - "$1" "$2" <<'PYTHON'
import json, re, sys
text = open(sys.argv[1], encoding="utf-8").read()
d = json.loads(re.fullmatch(r'perun\("[^"]*",(.*)\);\n', text, re.S).group(1))
print(eval(sys.argv[2]))
PYTHON
}
# facts FILE EXPRESSION: the same of the facts in a page.
facts() {
	python3 - "$1" "$2" <<'PYTHON'
import json, re, sys
text = open(sys.argv[1], encoding="utf-8").read()
d = json.loads(re.search(r'<script type="application/json" id="facts">(.*?)</script>', text, re.S).group(1))
print(eval(sys.argv[2]))
PYTHON
}
expect_chunk() { expect_text "$3" "$(chunk "$1" "$2" 2>&1)" "$1: $2 is $3"; }
expect_facts() { expect_text "$3" "$(facts "$1" "$2" 2>&1)" "${1%%/*}: $2 is $3"; }
# tree DIR: names and sums of all files.
tree() { (cd "$1" && find . -type f ! -path './.perun-site/*' | sort | xargs cksum); }

new_repo
expect_status 2 perun site out
expect_one_line
run perun init
expect_status 0 perun site empty
expect_chunk empty/data/catalog.js 'd["metrics"]' '[]'

evil='</script><script>alert(1)</script>'
for i in $(seq 1 44); do
	amount=$((100 + i % 3))
	[ "$i" -lt 23 ] || amount=$((150 + i % 3))
	measured_commit "$i" "$amount" "workload=in$((i % 2)).txt"
done
at 45
commit "message with $evil & \"quotes\""
profile evil.perf 7 "uid=$evil" 'workload=in0.txt'
run perun add evil.perf
head=$(head_of)

expect_status 0 perun site out --title "Project $evil"
expect_out 'out/index.html: 2 metrics, 46 versions'
check 'a page of the version' test -f "out/version/$head.html"
expect_chunk out/data/catalog.js 'd["latest"]["version"] == "'"$head"'"' True
expect_chunk out/data/catalog.js '[m["workload"] for m in d["metrics"]]' "['in0.txt', 'in1.txt']"
expect_chunk out/data/versions-0.js 'len(d)' 46
expect_chunk out/data/versions-0.js 'd[0][1:2] + d[0][4:]' "['first commit', 0]"
expect_chunk out/data/versions-0.js 'd[45][1].count("</script>")' 2

page=$(basename "$(chunk out/data/catalog.js 'd["metrics"][1]["id"]')")
expect_facts "out/metric/$page.html" 'd["workload"], d["metric"]' "('in1.txt', 'time(real)')"
strand=$(facts "out/metric/$page.html" 'd["places"][0]["id"]')
run perun history 'time(real)' --json
python3 - "$work/.result/stdout" "out/data/$strand/0.js" "out/metric/$page.html" <<'PYTHON' && ok 'values and changes are those of perun history' || not_ok 'values and changes are those of perun history'
import json, re, sys
series = [s for s in json.load(open(sys.argv[1]))["series"] if s["command"].endswith("in1.txt") and s["location"] == "main"][0]
data = json.loads(re.search(r',(.*)\);', open(sys.argv[2]).read(), re.S).group(1))
facts = json.loads(re.search(r'id="facts">(.*?)</script>', open(sys.argv[3]).read(), re.S).group(1))
assert data["m"] == [v["median"] for v in series["values"]], data["m"]
changes = [(c["index"], c["before"], c["after"], c["p"]) for c in series["change_points"]]
assert changes and changes == [(c["at"], c["before"], c["after"], c["p"]) for c in facts["places"][0]["changes"]], changes
PYTHON
expect_chunk out/data/changes.js 'len(d) > 0 and all(c["worse"] and not c["known"] for c in d)' True

# Names are data: nowhere markup, and no page may load anything from elsewhere.
check 'no hostile markup in pages' test -z "$(grep -rl '<script>alert' out --include='*.html')"
check 'nor in files of data' test -z "$(grep -rl '</script>' out/data)"
check 'a policy in each page' test -z "$(grep -rL 'http-equiv="Content-Security-Policy"' out --include='*.html')"
check 'no addresses elsewhere' test -z "$(grep -rhoE '(src|href|url)[=(]["'\'']?(https?:)?//[^ ]*' out --include='*.html' --include='*.css')"
expect_facts "out/version/$head.html" 'd["values"][0][1].count("script")' 3

# Only what changed.
tree out >before
run perun site out --title "Project $evil"
expect_out '; 0 of '
tree out >after
expect_same before after 'nothing changes'
measured_commit 46 152 workload=in0.txt
expect_status 0 perun site out --title "Project $evil"
check 'little is written for one commit' test "$(printf '%s' "$out" | sed 's/.*; \([0-9]*\) of.*/\1/')" -le 11
perun site fresh --title "Project $evil" >/dev/null
tree out >before
tree fresh >after
expect_same before after 'the same as written again'
run perun site out
expect_out 'versions; '
check 'another title is on all pages' test -z "$(grep -rl 'Project' out --include='*.html')"

# What was removed goes; what is damaged is written again.
run perun rm -m HEAD 0@i
perun site out >/dev/null
check 'no page without profiles' test ! -e "out/version/$(head_of).html"
rm out/data/catalog.js
perun site out >/dev/null
check 'a missing file is written again' test -s out/data/catalog.js
printf 'junk\n' >out/.perun-site/files
printf 'junk' >out/.perun-site/values-0
expect_status 0 perun site out
rm -rf fresh
perun site fresh >/dev/null
tree out >before
tree fresh >after
expect_same before after 'a damaged state does no harm'

# Known changes are not open.
first=$(chunk out/data/changes.js 'd[0]["commit"]["version"]')
run perun changes ack "$first" --reason "a <b>reason</b>"
perun site out >/dev/null
expect_chunk out/data/changes.js 'sum(c["known"] == "a <b>reason</b>" for c in d) > 0' True

# What checks found is on the page of the version.
old=$(chunk out/data/versions-0.js 'd[20][0]')
before=$(chunk out/data/versions-0.js 'd[19][0]')
before_command=$(perun log --json -n 1 "$before" | python3 -c 'import json, sys
p = json.load(sys.stdin)["minor_versions"][0]["profiles"][0]; print(p["cmd"], p["workload"])')
printf 'main<b> PerformanceChange.Degradation time 1.0s 2.0s 2.0 no 0.0 0.0 %s %s\n' "$before" "$before_command" \
	>".perun/objects/$(printf %.2s "$old")/${old#??}.changes"
perun site out >/dev/null
check 'a check on the page' grep -q 'class="narrow worse">slower</td><td>main&#60;b&#62;' "out/version/$old.html"
check 'its amounts have a blank before the unit, its baseline the length of a commit' \
	grep -q '>1.0 s<.*>2.0 s<.*>'"${before:0:8}<" "out/version/$old.html"

# Versions elsewhere have pages, and are no part of histories.
git checkout -q -b side HEAD~3
measured_commit 48 500 workload=in1.txt
side=$(head_of)
git checkout -q main
perun site out >/dev/null
expect_chunk out/data/versions-other.js '[v[0] for v in d] == ["'"$side"'"]' True
check 'with a page' test -s "out/version/$side.html"
expect_facts "out/version/$side.html" 'd["values"][0][2], "at" in d' '(500, False)'
git merge -q -s ours -m merged side
perun site out >/dev/null
expect_chunk out/data/versions-other.js 'len(d)' 1
git branch -q -D side
perun site out >/dev/null
check 'merged ones, too' test -s "out/version/$side.html"
git reset -q --hard HEAD^1
perun site out >/dev/null
check 'what nothing reaches is gone' test ! -e "out/version/$side.html"

# Of stacks: what functions cost themselves, and all together.
(
	new_repo "$PWD/stacks"
	perun init >/dev/null
	printf 'main;a;b 10\nmain;a 5\nmain;c 4\n' >s.folded
	perun add s.folded >/dev/null
	perun site out >/dev/null
)
page=$(chunk stacks/out/data/catalog.js 'd["metrics"][0]["id"]')
expect_facts "stacks/out/metric/$page.html" '[(p["place"], p["last"]) for p in d["places"]]' \
	"[('', 19), ('b', 10), ('a', 5), ('c', 4)]"
expect_chunk stacks/out/data/places.js '[p[0] for p in d]' "['a', 'b', 'c']"

# Killed at any write: what is there is whole, and the next run makes the rest.
killer=$top_builddir/tests/tools/kill-at
if [ -x "$killer" ]; then
	rm -rf fresh
	perun site fresh >/dev/null
	tree fresh >before
	for n in 2 9 30 60 90; do
		rm -rf killed
		"$killer" "$n" "$PERUN" site killed >/dev/null 2>&1
		perun site killed >/dev/null
		tree killed >after
		expect_same before after "killed at write $n"
		check 'nothing half is left' test -z "$(find killed -name '*.new')"
	done
else
	skip 'needs kill-at'
fi

# Directories of others are left alone.
mkdir other && echo mine >other/index.html
expect_status 2 perun site other
expect_one_line
check 'a page of others stays' test "$(cat other/index.html)" = mine
expect_status 2 perun site .
expect_status 2 perun site out --commit-link 'javascript:alert(%s)'
expect_status 3 perun site file
expect_status 0 perun site out --commit-link 'https://example.org/c/%s'
expect_chunk out/data/catalog.js 'd["link"]' https://example.org/c/%s

# Views: written with --full, the same ones as long as profiles stay.
expect_status 2 perun site
expect_status 0 perun site full --full
check 'views of a profile' test -n "$(ls full/view)"
check 'none that cannot show one' test ! -e "$(echo full/view/*-flamegraph.html)"
version=$(chunk full/data/catalog.js 'd["latest"]["version"]')
check 'named on the page of the version' grep -q 'data-views="[a-z ]*bars' "full/version/$version.html"
before=$(sed -n 's/.*data-comparisons="\([a-z ]*\)".*/\1/p' "full/version/$version.html" | head -n 1)
expect_text 'report table' "$before" 'what changed since the measured version before'
check 'compared with that version' test -e "$(echo full/view/*-*-report.html)"
ls full/view >full-views
run perun site full --full
expect_out '; 0 of '
perun site full >/dev/null
check 'gone without --full' test -z "$(ls full/view)"

# ask PATH [HEADER]: status and body, in the files code and body.
ask() {
	python3 - "$port" "$@" <<'PYTHON' >code
import http.client, sys
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=20)
connection.putrequest(sys.argv[4] if len(sys.argv) > 4 else "GET", sys.argv[2], skip_host=len(sys.argv) > 3 and bool(sys.argv[3]))
if len(sys.argv) > 3 and sys.argv[3]:
    connection.putheader("Host", sys.argv[3])
connection.endheaders()
answer = connection.getresponse()
open("body", "wb").write(answer.read())
print(answer.status)
PYTHON
}
expect_code() { expect_text "$1" "$(cat code)" "$2"; }

# On the loopback address, for pages of this machine only.
expect_status 2 perun site --serve 99999
"$PERUN" site --serve 0 >served 2>&1 &
server=$!
for _ in $(seq 100); do grep -q http: served && break; sleep 0.1; done
port=$(sed -n 's|http://127.0.0.1:\([0-9]*\)/.*|\1|p' served)
ask / && expect_code 200 'the overview is served'
check 'as it is' cmp -s body .perun/cache/site/index.html
ask /data/catalog.js && check 'views are offered' grep -q 'perun("views",.*"bars"' body
profile=$(sed -n 's/.*data-profile="\([0-9a-f]*\)".*/\1/p' ".perun/cache/site/version/$version.html" | head -n 1)
ask "/view/$profile-bars.html" && expect_code 200 'a view on request'
check 'which is a page' grep -q '<canvas\|uPlot' body
ask "/view/$profile-flamegraph.html" && expect_code 404 'a view that cannot show the profile'
check 'says why' grep -q stacks body
other=$(sed -n 's/[0-9a-f]*-\([0-9a-f]\{40\}\)-report.html/\1/p' full-views | head -n 1)
ask "/view/$profile-$other-report.html" && expect_code 200 'what changed since another version, on request'
check 'both are named' grep -q "${other:0:8} → ${profile:0:8}" body
ask "/view/$profile-$profile-report.html" && expect_code 404 'not since what is not a version'
ask / evil.example:80 && expect_code 403 'not by another name of this machine'
ask /.perun-site/files && expect_code 404 'not its state'
ask /../../local.yml && expect_code 404 'nothing outside'
ask /%2e%2e/%2e%2e/local.yml && expect_code 404 'however it is written'
ask '/view/<script>-bars.html' && check 'names are no markup' test -z "$(grep '<script>' body)"
ask / '' POST && expect_code 405 'only reading'
measured_commit 47 153 workload=in1.txt
ask "/version/$(head_of).html" && expect_code 200 'a new version is there at once'
first=$(chunk .perun/cache/site/data/versions-0.js 'd[0][0]')
ask "/version/$first.html" && expect_code 404 'a version without profiles has no page'
profile first.perf 90 workload=in1.txt
run perun add -m "$first" first.perf
ask "/version/$first.html" && expect_code 200 'as soon as it has one, it has'
check 'only here' test -z "$(ss -ltnH "sport = :$port" 2>/dev/null | awk '{print $4}' | grep -v '^127\.')"
kill -INT "$server"
wait "$server"
check 'an interruption ends it' test "$?" -ne 127

finish
