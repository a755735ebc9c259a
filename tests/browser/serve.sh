# SPDX-License-Identifier: BSD-3-Clause
# The page of perun serve in a browser.
. "${top_srcdir:-.}/tests/cli/lib.sh"

browser=$top_srcdir/tests/browser
absent=$(PYTHONPATH=$browser PYTHONDONTWRITEBYTECODE=1 python3 -c 'import webdriver; print(webdriver.missing())') ||
	skip_all 'Python 3 is missing'
[ -z "$absent" ] || skip_all "$absent is missing"
perun plugin show command-serve >/dev/null 2>&1 || skip_all 'this build has no libmicrohttpd'

mkdir src && printf 'int work(void)\n{\n\n\treturn parse();\n}\n' >src/app.c
python3 "$top_srcdir/tests/cli/serve-profile.py" cpu.pb || exit 1
python3 "$top_srcdir/tests/cli/serve-profile.py" old.pb old || exit 1
# Of V8: a for the first half of the time, b for the second.
cat >times.cpuprofile <<'END'
{"nodes": [{"id": 1, "callFrame": {"functionName": "(root)", "url": "", "lineNumber": -1}, "children": [2, 3]},
	{"id": 2, "callFrame": {"functionName": "a", "url": "a.js", "lineNumber": 0}},
	{"id": 3, "callFrame": {"functionName": "b", "url": "a.js", "lineNumber": 5}}],
 "startTime": 1000, "endTime": 9000, "samples": [2, 2, 2, 2, 3, 3, 3, 3],
 "timeDeltas": [0, 1000, 1000, 1000, 1000, 1000, 1000, 1000]}
END
"$PERUN" serve --port 0 --base old.pb cpu.pb >served &
server=$!
"$PERUN" serve --port 0 times.cpuprofile >timed &
times=$!
trap 'kill "$server" "$times" 2>/dev/null; rm -rf "$work"' EXIT
for _ in $(seq 100); do grep -q http: served && grep -q http: timed && break; sleep 0.05; done
TIMES_ADDRESS=$(sed -n 's|\(http://[^ /]*/\).*|\1|p' timed) SERVE_ADDRESS=$(sed -n 's|\(http://[^ /]*/\).*|\1|p' served) PYTHONPATH=$browser PYTHONDONTWRITEBYTECODE=1 python3 "$browser/serve.py"
