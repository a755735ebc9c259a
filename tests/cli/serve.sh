# SPDX-License-Identifier: BSD-3-Clause
# perun serve: what it refuses to serve; tests/cli/serve.py asks what it serves.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"
command -v python3 >/dev/null || skip_all 'needs Python 3'
run perun plugin list command
expect_out serve || skip_all 'this build has no libmicrohttpd'

new_repo
mkdir src
printf 'int work(void);\n\n\tint work(void)\n{ return parse(); }\n\n\nint main(void)\n{\n\treturn work();\n}\n' >src/app.c
echo secret >../secret.c
python3 "$top_srcdir/tests/cli/serve-profile.py" cpu.pb || exit 1
python3 "$top_srcdir/tests/cli/serve-profile.py" 'old one.pb' old || exit 1
git add src && commit first
expect_status 2 perun serve
expect_err 'perun init'
perun init >/dev/null
expect_status 3 perun serve absent.pb
expect_err absent.pb
expect_status 2 perun serve --metric heap cpu.pb
expect_err 'no metric heap'
expect_status 3 perun serve --base absent.pb cpu.pb
expect_err absent.pb
expect_status 2 perun serve --address 0.0.0.0 cpu.pb
expect_err token-file
expect_status 2 perun serve --address here cpu.pb
echo '0123456789abcdef-token' >token
chmod 644 token
expect_status 3 perun serve --token-file token cpu.pb
expect_err 'chmod 600'
chmod 600 token
echo short >few && chmod 600 few
expect_status 3 perun serve --token-file few cpu.pb
run perun add --keep cpu.pb
# Of a version that several collectors measured those are shown that can be added up.
new_repo several && perun init >/dev/null
echo 'BenchmarkA 100 10 ns/op' >go.txt
for part in 1 2; do printf 'main;part%s 10\n' $part >part$part.folded; done
perun import go.txt part1.folded part2.folded >/dev/null
expect_status 2 perun serve --metric heap
expect_err 'perun: 2 of 3 profiles are shown, those by collapsed: go.txt has no stacks to merge'
expect_err 'no metric heap'
cd ..

servers=
# served NAME OPTION...: starts one; its port is in the file NAME.
served() {
	"$PERUN" serve --port 0 "${@:2}" >"$1" 2>&1 &
	servers="$servers $!"
}
trap 'kill $servers 2>/dev/null; rm -rf "$work"' EXIT
served plain cpu.pb
served guarded --token-file token --address 0.0.0.0 --host perun.example cpu.pb
served store HEAD
served pair --base 'old one.pb' cpu.pb
# The same by pprof's words.
"$PERUN" pprof -http=localhost: -diff_base='old one.pb' -focus='work|a b' -lines -noinlines -normalize -tagfocus=service -mean cpu.pb >http 2>&1 &
servers="$servers $!"
for wrong in '-http=8080 cpu.pb' '-http=: -top cpu.pb' '-http=:' '-http=: -focus=( cpu.pb'; do
	# shellcheck disable=SC2086 # words
	expect_status 2 perun pprof $wrong
done
expect_status 2 perun serve --focus '(' cpu.pb
expect_err 'missing closing parenthesis'
run python3 "$top_srcdir/tests/cli/serve.py" plain guarded store pair
printf '%s\n' "$out" | grep -v '^1\.\.' >results
while read -r line; do
	case $line in "ok "*) ok "${line#ok * - }" ;; "not ok "*) not_ok "${line#not ok * - }" ;; *) diag "$line" ;; esac
done <results
check 'all of it was asked' test "$status" -lt 2 -a "$(grep -c '^ok\|^not ok' results)" -gt 50
# shellcheck disable=SC2086
kill -INT $servers
# shellcheck disable=SC2086
wait $servers
check 'an interruption ends them' test "$?" -eq 0
expect_text '/?base-profile=old%20one.pb&normalize=1&by=line&no-inlines=1&focus=work%7Ca%20b' \
	"$(sed -n 's|.*http://.*:[0-9]*/|/|; s|^\(/[^ ]*\) shows.*|\1|p' http)" 'what pprof -http was asked for'
check 'what the page does not do is said' test "$(grep -c 'counts for nothing' http)" -eq 2

# What was sent is in the store with its labels, and what was refused left nothing.
expect_status 0 perun convert sent.pb sent.perf
expect_text "{'service': 'api', 'region': 'eu:1'}" "$(python3 -c 'import json; print(json.load(open("sent.perf"))["header"]["labels"])')" 'its labels'
run perun status
expect_out '2 tracked profiles'

# Whatever was acknowledged is there after a kill.
"$PERUN" serve --port 0 --token-file token HEAD >killed 2>&1 &
python3 "$top_srcdir/tests/cli/serve.py" --kill killed "$!" >kept
wait "$!" 2>/dev/null
check 'some were acknowledged' test "$(wc -l <kept)" -ge 10
expect_status 0 perun fsck
missing=0
for checksum in $(cat kept); do
	[ -e ".perun/objects/${checksum:0:2}/${checksum:2}" ] || missing=$((missing + 1))
done
expect_text 0 "$missing" 'all of them are stored'
run perun status
count=$(printf '%s\n' "$out" | sed -n 's/^\([0-9]*\) tracked.*/\1/p' | head -n 1)
check "all of them are registered (${count:-none})" test "${count:-0}" -ge "$(($(wc -l <kept) + 2))"
finish
