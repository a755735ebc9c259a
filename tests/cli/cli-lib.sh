# SPDX-License-Identifier: BSD-3-Clause
# For scenarios of the command with a store: profiles and histories of known content.

# profile FILE AMOUNT [NAME=VALUE...]: a small profile. Names: uid type cmd args workload collector
# origin posts (words) machine (model of its processor).
profile() {
	local file=$1 amount=$2 uid=main type=time cmd=./prog args= workload=in.txt collector=time origin= posts= machine=
	local word list= sep=
	shift 2
	for word in "$@"; do local "${word%%=*}=${word#*=}"; done
	for word in $posts; do
		list="$list$sep{\"name\": \"$word\", \"params\": {}}"
		sep=', '
	done
	{
		printf '{'
		[ -z "$origin" ] || printf '"origin": "%s", ' "$origin"
		printf '"header": {"type": "%s", "cmd": "%s", ' "$type" "$cmd"
		[ -z "$args" ] || printf '"args": "%s", ' "$args"
		printf '"workload": "%s", "units": {"%s": "s"}}, ' "$workload" "$type"
		[ -z "$machine" ] || printf '"machine": {"architecture": "x86_64", "cpu": {"model": "%s", "total": 4}}, ' "$machine"
		printf '"collector_info": {"name": "%s", "params": {}}, ' "$collector"
		printf '"postprocessors": [%s], ' "$list"
		printf '"global": {"time": "0.0", "resources": ['
		printf '{"amount": %s, "uid": "%s", "type": "%s", "subtype": "real"}]}}' "$amount" "$uid" "$type"
	} >"$file"
}

# at N: the date of the N-th commit, so that histories are the same in every run.
at() {
	export GIT_AUTHOR_DATE="2020-01-01T00:$(printf %02d "$1"):00 +0000"
	export GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE
}

# measured_commit N AMOUNT [NAME=VALUE...]: a commit with a profile registered with it.
measured_commit() {
	local number=$1 amount=$2
	shift 2
	at "$number"
	commit "change $number"
	profile "p$number.perf" "$amount" "$@"
	touch -d "2020-02-01T00:$(printf %02d "$number"):00Z" "p$number.perf"
	"$PERUN" add "p$number.perf" >/dev/null || not_ok "add p$number.perf"
}

# json EXPRESSION: what Python's expression of the last output `d` prints.
json() { python3 -IS -c 'import json,sys; d = json.load(sys.stdin); print(eval(sys.argv[1]))' "$1" <"$work/.result/stdout"; }
# expect_json EXPRESSION TEXT
expect_json() {
	local got
	if ! command -v python3 >/dev/null; then skip 'needs Python 3'; return; fi
	got=$(json "$1" 2>&1) || true
	expect_text "$2" "$got" "$1 is $2"
}
head_of() { git rev-parse "${1:-HEAD}"; }
