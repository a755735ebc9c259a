# SPDX-License-Identifier: BSD-3-Clause
# Every key that a command prints with --json is described in perun-json(7), and every document fits its schema in
# doc/json; the page and the schemas name the same keys.
. "${top_srcdir:-.}/tests/cli/lib.sh"

page=$top_srcdir/doc/man/perun-json.7
run perun plugin list
expect_out git
expect_out time

# The words of the lines of the page that name keys, one each.
sed -nE 's/^\.(It Va|Va|Pf \( Va) //p' "$page" | tr ' ,' '\n\n' | sort -u >"$work/page-keys"
# undescribed_keys: the keys of the last output that the page does not name.
undescribed_keys() {
	grep -o '^ *"[A-Za-z_]*": ' "$work/.result/stdout" | tr -d ' ":' | sort -u | comm -23 - "$work/page-keys"
}

# described WANTED-STATUS SCHEMA COMMAND...: it prints JSON, the page knows its keys, and it is kept for the schema.
mkdir "$work/documents"
documents=0
described() {
	local keys schema=$2
	set -- "$1" "${@:3}"
	expect_status "$@"
	shift
	check "prints an object: $*" test "$(head -c 1 "$work/.result/stdout")" = '{'
	keys=$(undescribed_keys)
	[ -z "$keys" ] || diag "not in the page: $keys"
	check "perun-json(7) has all keys of: $*" test -z "$keys"
	documents=$((documents + 1))
	cp "$work/.result/stdout" "$work/documents/$schema.$documents"
}

git init -q .
git commit -q --allow-empty -m zero
git commit -q --allow-empty -m one
described 0 init perun init --json
expect_out '"existed": false'
mkdir detect
printf 'p: x\n\tcc -o p x\nbench:\n' >detect/Makefile
described 0 init perun init --detect --json detect
expect_out '"active": true'
rm -r detect
described 0 recover perun recover --json
expect_out '"recovered": null'
mkdir -p .perun/stats/ab/cdef0123456789abcdef0123456789abcdef01 && echo 1 >.perun/stats/ab/cdef0123456789abcdef0123456789abcdef01/sizes
described 0 utils perun utils stats list-files --json
expect_out '"size": 2'
described 0 version perun version --json
described 0 plugin-list perun plugin list --json
described 0 plugin-show perun plugin show --json time
described 0 plugin-check perun plugin check --json time
described 0 plugin-create perun plugin create view mine --dir mine --json
described 0 collect perun collect --json -c true time --warmup 0 --repeat 1
described 0 status perun status --json
described 0 postprocessby perun postprocessby --json 0@p normalizer
described 0 add perun add --json 0@p-1@p
git commit -q --allow-empty -m two
described 0 run perun run --json job -b true -c time -cp time '{warmup: 0, repeat: 2}'
described 0 add perun add --json 0@p
run perun check --json --unchanged --method average-amount-threshold head
described "$status" check perun check --json --unchanged --method average-amount-threshold head
check 'something was compared' grep -q '"result"' "$work/.result/stdout"
described 0 log perun log --json
described 0 config-get perun config get --json vcs.type
perun config set cmds '[true]' >/dev/null
described 0 trust perun trust --json
expect_out '"state": "trusted"'
described 0 rm perun rm --json 0@i
described 0 gc perun gc --json --older-than 0s
printf 'commit,value\nHEAD~1,1\n' >history.csv
described 0 import-history perun import --history history.csv --json
described 0 fsck perun fsck --json

# An error is an object as well, with the place in a file where there is one.
described 2 log perun log --json nosuch
expect_out '"exit": 2'
printf 'name,value\na,1\nb\n' >bad.csv
described 3 import perun import --json bad.csv
cp .perun/local.yml kept.yml
printf 'a: [b\n' >.perun/local.yml
described 3 status perun status --json
expect_out '"line": 2'
expect_out 'local.yml"'
cp kept.yml .perun/local.yml

printf 'PARAMETER p\nPOINTS 4 8 16 32 64\nREGION a\nMETRIC time\nDATA 10\nDATA 13\nDATA 19\nDATA 26\nDATA 51\n' >e.txt
described 0 model perun model --json --at 100 e.txt
described 0 model perun model --json --next 2 --at 100 e.txt
described 0 model perun model --json --scaling weak --at 100 e.txt
check 'a rival was found' grep -q runner_up "$work/.result/stdout"
described 0 model-compare perun model --json --compare e.txt e.txt
cell() { # COMMAND SIZE
	printf '{"origin": "", "header": {"type": "time", "cmd": "%s", "args": "", "workload": "%s", "units": {"time": "s"}}, ' "$1" "$2"
	printf '"collector_info": {"name": "time", "params": {}}, "postprocessors": [], "resources": {"r": {"amount": [%s], "order": [1]}}, ' "$2"
	printf '"resource_type_map": {"r": {"type": "time", "subtype": "real", "uid": "f"}}, "models": []}'
}
commit 'two commands'
for size in 1 2 4 8; do cell ./a $size >a$size.perf && cell ./b $size >b$size.perf; done
perun add --force a?.perf b?.perf >/dev/null
described 0 model perun model --json HEAD
expect_out '"experiments"'
described 0 model-compare perun model --json HEAD --compare HEAD
described 0 model-parse-point perun model --json --parse-point p4.n5

# The others: what compares, converts, and lists.
profile() { printf '{"header": {"type": "time", "cmd": "c", "workload": "", "units": {"time": "s"}}, "collector_info": {"name": "time", "params": {}}, "postprocessors": [], "global": {"time": "0", "resources": [{"amount": %s, "uid": "m", "type": "time", "subtype": "real"}]}}' "$2" >"$1"; }
profile one.perf 1
profile two.perf 2
perun add -m HEAD~1 one.perf >/dev/null
perun add two.perf >/dev/null
printf 'main;work 3\nmain;rest 5\n' >stacks.folded
run perun check --json profiles one.perf two.perf
described "$status" check perun check --json profiles one.perf two.perf
described 0 history perun history --json 'time(real)'
described 0 blame perun blame --json 'time(real)'
described 1 check-series perun check series --json --from HEAD~2..HEAD
seq 1 12 | sed '6,$s/^/1/' | paste -sd, | sed 's/.*/[&]/' >series.json
run perun check series --json series.json
described "$status" check-series-file perun check series --json series.json
run perun ci --json HEAD~1
described "$status" ci perun ci --json HEAD~1
described 0 changes-ack perun changes ack --json HEAD --reason fine
described 0 changes-list perun changes list --json
expect_status 0 perun config list --json # values of settings have keys of their own
cp "$work/.result/stdout" "$work/documents/config-list.1"
described 0 convert perun convert --json stacks.folded out.pb.gz
described 0 merge perun merge --json -o merged.pb.gz stacks.folded stacks.folded
described 0 symbolize perun symbolize --json stacks.folded named.pb.gz
described 2 convert perun convert --json stacks.folded
described 0 export perun export --history csv --json history-out.csv
described 0 export perun export --json --csv tables-out
git init -q --bare "$work/hub.git" && git remote add hub "$work/hub.git"
described 0 push perun push --json hub
described 0 gc-remote perun gc --json --remote hub --older-than 1d
described 0 install-hooks perun install-hooks --json
perun run --plan-only --parameter size=1,2 -m HEAD job -b 'true {size}' -c time >out
described 0 run-cells perun run list --json
described 0 run-cells perun run show --json
described 0 run-cells perun run status --json
described 0 run-cells perun run resume --json
described 0 run-cells perun run collect --json
described 0 fetch perun fetch --json hub
described 0 sync perun sync --json hub
described 0 query perun query --json 'SELECT *, NULL FROM history'
described 0 pprof perun pprof -top -json stacks.folded
described 2 pprof perun pprof -tree --json stacks.folded
described 2 pprof perun pprof -top -json nosuch
described 0 import perun import --json stacks.folded
described 0 help perun help --json
described 0 help perun help --json check
described 0 site perun site --json public
mkdir bisect
for seconds in 0.005 0.03; do
	printf 'sleep %s\n' "$seconds" >bisect/run
	git add bisect/run
	git commit -q -m "sleep $seconds"
done
described 0 bisect perun bisect --json --build : --budget 20s HEAD~1 HEAD -- sh bisect/run
described 1 bisect-lines perun bisect --lines --json --build : --budget 20s HEAD -- sh bisect/run
described 0 doctor perun doctor --json --budget 1s -- true
echo 1 >one-input
described 0 fuzz perun fuzz --json -w one-input -o fuzzed -t 20 -e 3 -- cat
run perun compare --json --build : --budget 1s HEAD~1 HEAD -- true
described "$status" compare perun compare --json --build : --budget 1s HEAD~1 HEAD -- true
run perun record --json -- sh -c 'i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done'
if [ "$status" -eq 0 ]; then cp "$work/.result/stdout" "$work/documents/record.1"; else
	skip 'perun record does not work here'
	skipped=record
fi

command -v python3 >/dev/null || { skip 'schemas need python3'; finish; }
python3 -u -m http.server 0 --bind 127.0.0.1 >files 2>&1 &
files=$!
for _ in $(seq 100); do grep -q port files && break; sleep 0.05; done
if perun plugin show command-fetch-profile >/dev/null 2>&1; then
	described 0 fetch-profile perun fetch-profile --json "http://127.0.0.1:$(sed -n 's/.* port \([0-9]*\) .*/\1/p' files)/stacks.folded"
else
	skip 'this build has no libcurl'
	: >"$work/documents/fetch-profile.none"
fi
kill "$files" 2>/dev/null

# Documents that are served: they have no form of their own for people, so they are printed here.
"$PERUN" serve --port 0 stacks.folded >serving 2>&1 &
server=$!
for _ in $(seq 100); do grep -q http: serving && break; sleep 0.05; done
ask() {
	python3 -c 'import http.client, json, sys
_, _, host, path = sys.argv[1].split("/", 3)
connection = http.client.HTTPConnection(host)
connection.request("GET", "/" + path)
answer = connection.getresponse()
sys.exit(1) if answer.status != 200 else print(json.dumps(json.load(answer), indent=1))' "$@"
}
address=$(sed -n 's|\(http://[^ ]*\) .*|\1|p' serving)
if [ -n "$address" ]; then
	function=$(perun show stacks.folded top --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["rows"][0]["name"])')
	for what in about tree top labels times "peek?function=$function" "source?function=$function" \
		'tree?base-where=samples%3E0' 'top?base-where=samples%3E0' "peek?base-where=samples%3E0&function=$function"; do
		described 0 "serve-${what%%\?*}" ask "${address}api/$what"
	done
	if command -v dot >/dev/null; then
		described 0 serve-graph ask "${address}api/graph"
		described 0 serve-graph ask "${address}api/graph?base-where=samples%3E0"
	else
		skip 'no graphviz'
		: >"$work/documents/serve-graph.none"
	fi
else
	skip 'this build has no libmicrohttpd'
	for what in about tree top labels times peek source graph; do : >"$work/documents/serve-$what.none"; done
fi
kill "$server" 2>/dev/null

schemas=$top_srcdir/doc/json
run python3 "$top_srcdir/tests/json/schema.py" "$schemas" "$work"/documents/*
[ "$status" -eq 0 ] || diag "$out"
check "$documents documents fit their schemas" test "$status" -eq 0
printf '{"version": "1", "abi": {"major": 1}}' >"$work/documents/version.bad"
expect_status 1 python3 "$top_srcdir/tests/json/schema.py" "$schemas" "$work/documents/version.bad"
if command python3 -c 'import jsonschema' 2>/dev/null; then
	check 'python3-jsonschema accepts the schemas themselves' command python3 -c 'import glob, json, jsonschema, sys
for name in glob.glob(sys.argv[1] + "/*.json"): jsonschema.validators.validator_for(json.load(open(name))).check_schema(json.load(open(name)))' "$schemas"
else
	skip 'python3-jsonschema is not installed'
fi
python3 "$top_srcdir/tests/json/schema.py" "$schemas" --keys | sort -u >"$work/keys"
expect_text '' "$(comm -23 "$work/keys" "$work/page-keys")" 'perun-json(7) has every key of the schemas'
sed -n 's/^\.\(It \)\{0,1\}Va //p' "$page" | tr -d , | sed 's/ P[qf] .*//' | tr ' ' '\n' | grep -xE '[A-Za-z_]+' | sort -u >"$work/named"
expect_text '' "$(comm -23 "$work/named" "$work/keys")" 'the schemas have every key of perun-json(7)'
for schema in "$schemas"/*.schema.json; do
	name=${schema##*/}
	case $name in error.* | afperf-info.* | "${skipped-none}".*) continue ;; esac # errors of other commands; the tests of afperf
	ls "$work/documents/${name%.schema.json}".* >/dev/null 2>&1 || untested="${untested-} ${name%.schema.json}"
done
check "every schema has a document in this test${untested-}" test -z "${untested-}"

finish
