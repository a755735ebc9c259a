# perun show with the view flamegraph: all forms, one profile and two.
. "${top_srcdir:-.}/tests/cli/lib.sh"

# sample TIME COUNT FRAME...: COUNT rows of perf script, the leaf first.
sample() {
	local time=$1 count=$2 frame
	shift 2
	while [ "$count" -gt 0 ]; do
		printf 'prog 7/7 %s.%06d: 10 cycles:u:\n' "$time" "$count"
		for frame; do printf '\t 1000 %s+0x4 (/usr/bin/prog)\n' "$frame"; done
		printf '\n'
		count=$((count - 1))
	done
}
{
	sample 1 6 inner work main
	sample 2 2 other main
	sample 3 1 work inner work main
	sample 4 1 '<script>alert(1)</script>' main
} >one.perf
{
	sample 1 9 inner work main
	sample 2 1 fresh main
} >two.perf

expect_status 0 perun show one.perf flamegraph -w 60
check 'terminal: rows' test "$(printf '%s\n' "$out" | sed -n '4,5p')" = \
'│all 100 %
│main 100 %'
expect_out '
│work 70.0 %                              │other      │' 'terminal: boxes as wide as their values'
expect_status 0 perun show one.perf flamegraph -w 60 --flame
check 'terminal: a flame has its root below' test "$(printf '%s\n' "$out" | tail -n 1)" = '│all 100 %'
expect_status 0 perun show one.perf flamegraph -w 60 --callers --depth 2
expect_out '│inner 60.0 %' 'terminal: callers begin with the leaf'
expect_status 0 perun show one.perf flamegraph -w 60 --sandwich inner
expect_out '│inner 70.0 %' 'sandwich: a function that calls itself counts once'
# A long name is shortened once for each width.
long=$(printf 'a%.0s' {1..300})
printf '%s 4\n' "$long;$long;b" "$long;$long;$long;$long" "$long;c;$long" >long.folded
expect_status 0 perun show long.folded flamegraph -w 60
narrow=${long:0:6}…${long:0:12}
check 'terminal: a long name in boxes of several widths' test "$(printf '%s\n' "$out" | tail -n 4)" = \
	"│${long:0:19}…${long:0:39}
│${long:0:12}…${long:0:26}│c 33.3 %
│b 33.3 %           │$narrow│$narrow
                    │$narrow│"
expect_status 2 perun show one.perf flamegraph --sandwich nothing
expect_err 'no function nothing'
expect_status 2 perun show one.perf flamegraph --metric nothing
expect_err 'no metric nothing, only: cycles'
expect_status 2 perun show one.perf flamegraph --focus '('
expect_status 3 perun show one.perf flamegraph --ignore .
expect_err 'nothing to show'
printf '{"header": {"type": "time"}, "global": {"resources": [{"amount": 1, "uid": "f"}]}}' >flat.perf
expect_status 3 perun show flat.perf flamegraph

# Values, as a program reads them.
value() { # FILE NAME KEY: of all nodes of the name
	python3 - "$@" <<'PYTHON'
import json, sys
nodes = json.load(open(sys.argv[1]))["nodes"]
print(*(str(node.get(sys.argv[3])) for node in nodes if node["name"] == sys.argv[2]))
PYTHON
}
expect_status 0 perun show -o one.json one.perf flamegraph
expect_text '[100]' "$(value one.json all values)" 'json: the total'
expect_text '[70] [10]' "$(value one.json work values)" 'json: each box'
expect_text '[0] [10]' "$(value one.json work own)" 'json: own values'
expect_status 0 perun show -o time.json one.perf flamegraph --order recorded
expect_text '[60] [10]' "$(value time.json inner values)" 'json: time order'
expect_status 0 perun show -o diff.json one.perf two.perf flamegraph
expect_text '[90] [70]' "$(value diff.json inner values) $(value diff.json inner base_values)" \
	'json: base and new'
expect_text '[10] [0]' "$(value diff.json fresh values) $(value diff.json fresh base_values)" 'json: new'
expect_text '[0] [20]' "$(value diff.json other values) $(value diff.json other base_values)" 'json: gone'
expect_status 0 perun show -o small.json one.perf flamegraph --minimum-share 0.15
expect_text '1 [10]' "$(value small.json '(1 small boxes)' merged | cut -d' ' -f1) [10]" \
	'json: small boxes are put together'
expect_status 2 perun show one.perf two.perf flamegraph --order recorded

# Filters, and what a box is.
expect_status 0 perun show -o x.json one.perf flamegraph --focus inner
expect_text '[70]' "$(value x.json all values)" '--focus'
expect_status 0 perun show -o x.json one.perf flamegraph --ignore inner
expect_text '[30]' "$(value x.json all values)" '--ignore'
expect_status 0 perun show -o x.json one.perf flamegraph --hide '^work$'
expect_text '[70]  [70]' "$(value x.json inner values) $(value x.json work values) $(value x.json inner own)" \
	'--hide: callees are below the callers of what is hidden'
expect_status 0 perun show -o x.json one.perf flamegraph --show-from work
expect_text '[70] [70]' "$(value x.json all values) $(value x.json work values | cut -d' ' -f1)" '--show-from'
expect_status 0 perun show -o x.json one.perf flamegraph --by module
expect_text '[100]' "$(value x.json '[prog]' values | cut -d' ' -f1)" '--by module'
expect_status 0 perun show -o x.json one.perf flamegraph --where 'time < 2000000000'
expect_text '[60]' "$(value x.json all values)" '--where'
expect_status 0 perun show -o x.json two.perf one.perf flamegraph --ignore work --normalize
expect_text '[30] [30]' "$(value x.json all values) $(value x.json fresh base_values)" '--normalize'

# Pictures.
expect_status 0 perun show -o one.svg one.perf flamegraph
expect_status 0 perun show one.perf flamegraph -f python.svg -h 20
check 'svg: -f and -h as the Python program has them' grep -q 'height="19"' python.svg
expect_status 0 perun show -o diff.svg one.perf two.perf flamegraph --width-from both
expect_status 0 perun show -o sandwich.svg one.perf flamegraph --sandwich inner
for file in one python diff sandwich; do
	check "svg: $file.svg is XML" python3 -c \
		'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' $file.svg
	check "svg: $file.svg has no scripts" test "$(grep -c '<script' $file.svg)" = 0
done
check 'svg: a name is text' grep -q '&#60;script&#62;alert(1)&#60;/script&#62;' one.svg

# The page.
for options in '' '--callers' '--order recorded' '--color time' '--sandwich inner' '--metric cycles:u'; do
	# shellcheck disable=SC2086
	expect_status 0 perun show -o one.html one.perf flamegraph $options
done
expect_status 0 perun show -o diff.html one.perf two.perf flamegraph --normalize
for file in one diff; do
	check "html: no name makes markup in $file.html" test "$(grep -c '<script' $file.html)" = 2
	check "html: $file.html ends as it should" test "$(tail -n 1 $file.html)" = '</html>'
	check "html: $file.html asks for nothing outside" test "$(grep -c 'src=\|href=\|@import' $file.html)" = 0
done

# Time order is offered where there is a time, or on demand.
printf 'a;b 1\na;c 3\n' >untimed.folded
expect_status 0 perun show -o timed.html one.perf flamegraph
check 'html: samples with times have an order in time' grep -q '"moment":' timed.html
expect_status 0 perun show -o untimed.html untimed.folded flamegraph
check 'html: sums of stacks have none' test "$(grep -c '"moment":' untimed.html)" = 0
expect_status 0 perun show -o recorded.html untimed.folded flamegraph --order recorded
check 'html: but as recorded, if asked for' grep -q '"moment":' recorded.html

# A page says what its measurement cost, since it leaves the terminal where that was said.
expect_status 0 perun convert untimed.folded costly.perf
python3 - <<'PYTHON' || exit 1
import json
profile = json.load(open("costly.perf"))
profile["header"]["overhead"] = {"amount": 40000, "unit": "ns", "per": "call", "share": 0.99}
json.dump(profile, open("costly.perf", "w"))
PYTHON
expect_status 0 perun show -o costly.html costly.perf flamegraph
check 'html: the overhead of the run' grep -q 'overhead 99 % of this run' costly.html
expect_status 0 perun showdiff -o costly.html untimed.folded costly.perf flamegraph
check 'html: of one of two' grep -q 'overhead 99 % of the new run' costly.html
expect_status 0 perun showdiff -o costly.html untimed.folded costly.perf report
check 'report: the overhead of the run' grep -q 'costly.perf: overhead 99 % of this run' costly.html
expect_status 0 perun showdiff -o totals.html one.perf two.perf report
check 'report: the largest totals, the root first' test \
	"$(sed -n '/id="totals"/,/<code>/s|.*<code>\(.*\)</code>.*|\1|p' totals.html | head -n 1)" = main

# Where only ASCII can be shown, there is nothing else.
printf 'main;caf\303\251;x 3\nmain;y 5\nmain;z 1\n' >latin.folded
expect_status 0 env LC_ALL=C "$PERUN" -nc show latin.folded flamegraph
check 'only ASCII' test -z "$(tr -d '[:print:]\n' <"$work/.result/stdout")"
expect_out '|main'
expect_status 0 env LC_ALL=C "$PERUN" -nc showdiff latin.folded latin.folded flamegraph
check 'of two, too' test -z "$(tr -d '[:print:]\n' <"$work/.result/stdout")"
expect_out 'latin.folded -> latin.folded'

# Three or more are one; Go's closures have the colour of their package, whatever a compiler appended.
printf 'a;b 1\n' >first.folded
printf 'a;b 2\na;c 3\n' >second.folded
printf 'd 4\n' >third.folded
expect_status 0 perun show -o sum.json first.folded second.folded third.folded flamegraph
check 'several profiles are one' python3 -c 'import json
nodes = json.load(open("sum.json"))["nodes"]
assert {n["name"]: n["values"] for n in nodes} == {"all": [10], "a": [6], "b": [3], "c": [3], "d": [4]}'
expect_status 2 perun show first.folded second.folded third.folded top
expect_err 'the view top takes one or two profiles, got 3'
expect_status 0 perun show -o callers.json second.folded flamegraph --callers
check 'callers have what their callee has' python3 -c 'import json
nodes = json.load(open("callers.json"))["nodes"]
assert [(n["name"], n["own"]) for n in nodes[1:]] == [("c", [3]), ("a", [3]), ("b", [2]), ("a", [2])]'
printf 'main.main;main.(*T).go;main.go.func1;main.go.func1.2;other.f;foo.constprop.0;foo.cold 1\n' >go.folded
expect_status 0 perun show -o go.svg go.folded flamegraph --width 300
check 'closures are shortened by their package' python3 -c 'import re
texts = re.findall("<text x[^>]*>([^<]*)", open("go.svg").read())
assert "1" not in texts and "2" not in texts and "0" not in texts, texts'
finish
