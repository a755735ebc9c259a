#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The plugin loads, does its work once, and refuses a wrong option with exit code 2.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
PERUN=${PERUN:-perun}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PERUN_PLUGIN_PATH="$here${PERUN_PLUGIN_PATH:+:$PERUN_PLUGIN_PATH}"
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@localhost GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@localhost
cd "$work"
fail() { echo "test.sh: $1" >&2; exit 1; }
refused() { # COMMAND...: the exit code is that of wrong use
	code=0
	"$@" >out 2>&1 || code=$?
	[ "$code" = 2 ] || fail "exit code $code instead of 2: $*: $(cat out)"
}
profile() { # AMOUNT FILE
	cat >"$2" <<JSON
{"origin": "", "header": {"type": "time", "units": {"time": "s"}, "cmd": "a", "args": "", "workload": ""},
 "collector_info": {"name": "time", "params": {}}, "postprocessors": [],
 "resources": {"main#0": {"amount": [$1]}}, "resource_type_map": {"main#0": {"type": "time", "uid": "main"}}, "models": []}
JSON
}

"$PERUN" plugin check @KIND@-@NAME@ || fail 'the plugin is not valid'
