# SPDX-License-Identifier: BSD-3-Clause
# Stored profiles of which the attachment is forged: other bytes than its name says, another format, options that move
# limits, bombs. Every reading command ends with a line and an exit code, quickly, and a canary says that nothing ran.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"
. "$top_srcdir/tests/hostile/lib.sh"
command -v python3 >/dev/null || skip_all 'python3 is not installed'

new_repo
perun init >/dev/null
mkdir plugins && bait_library plugins/perun-format-evil.so
profile good.perf 1 && perun add good.perf >/dev/null
good=$(cd .perun/objects && find . -type f ! -path "./$(head_of | cut -c1-2)/*" | tr -d ./)

# put LENGTH <BODY: the name of an object "attachment original LENGTH" that holds the body; LENGTH may be "right", and
# NAME ("right", or 40 digits) is what it is stored as.
put() {
	python3 -c '
import hashlib, os, sys, zlib
length, name = sys.argv[1:]
body = sys.stdin.buffer.read()
data = b"attachment original %s\0" % (str(len(body)) if length == "right" else length).encode() + body
name = hashlib.sha1(data).hexdigest() if name == "right" else name
os.makedirs(".perun/objects/" + name[:2], exist_ok=True)
with open(".perun/objects/%s/%s" % (name[:2], name[2:]), "wb") as file:
    file.write(zlib.compress(data, 1))
print(name)' "$1" "${2-right}"
}

# document FORMAT OBJECT [OPTIONS [FACTS]]: p.perf, whose attachment that object is.
document() {
	cat >p.perf <<JSON
{"header": {"type": "mixed", "cmd": "a", "workload": "", "units": {}}, "collector_info": {"name": "x", "params": {}},
 "postprocessors": [], "attachment": {"object": "$2", "name": "../../../outside/file", "format": "$1", "size": 3,
 "options": [${3-}], "facts": ${4-{\}}, "resources": "leading", "totals": {}},
 "resources": {}, "resource_type_map": {}, "models": []}
JSON
}

# forged: the same, registered.
forged() {
	document "$@"
	perun rm p.perf >/dev/null 2>&1
	expect_status 0 perun add --force p.perf
}

readers='show p.perf raw
show p.perf top
convert p.perf --to perun out.perf
convert p.perf --to pprof out.pb.gz
convert --original p.perf out.original
convert --original p.perf
check head
check profiles p.perf good.perf
check all
ci
compare HEAD HEAD
showdiff p.perf good.perf
history
blame
export --history csv
pprof -top p.perf
model p.perf
postprocessby p.perf normalizer
site out
fsck
gc
log
status'

# try WHAT: all of them, with 2 s of processor time and 512 MB each. In a short test each has its turn at every third time.
turn=0
try() {
	local line broken= count=0
	turn=$((turn + 1))
	while IFS= read -r line; do
		count=$((count + 1))
		is_long || [ $((count % 3)) -eq $((turn % 3)) ] || continue
		rm -rf out out.*
		export CASE=$line
		# shellcheck disable=SC2086
		run bash -c 'ulimit -t '"$seconds"'; '"$memory"' exec "$@"' sh "$PERUN" $line
		[ "$status" -le 5 ] || broken="$broken$line: $status; "
		[ "$status" -ne 3 ] || [ -n "$err$out" ] || broken="$broken$line: no reason; "
	done <<<"$readers"
	expect_text '' "$broken" "$1: every command that reads ends by itself"
	expect_text '' "$(head -n 5 "$canary" 2>/dev/null)" "$1: nothing ran"
	expect_text mine "$(cat "$work/outside/file")" "$1: nothing outside has changed"
	unset CASE
}
seconds=4 memory='ulimit -v 600000;'
case $SANITIZE in *address* | *thread*) seconds=60 memory= ;; esac

# The bytes of another file than the name says.
object=$(printf 'main;f 3\n' | put right)
forged collapsed "$object"
expect_status 0 perun show p.perf raw
printf 'main;g 3\n' | put right "$object" >/dev/null
expect_status 3 perun show p.perf raw
expect_err "object $object is damaged"
expect_one_line
run perun fsck
check 'fsck reports it' [ "$status" -ne 0 ]
try 'other bytes'

# Another format than that of the bytes, one that does not exist, a path.
printf 'main;f 3\n' | put right >/dev/null
for format in speedscope pprof extrap3 nsight cube perun; do
	forged "$format" "$object"
	expect_status 3 perun show p.perf raw
	expect_err "$format"
done
try 'another format'
for format in nosuch ../../plugins/perun-format-evil "$PWD/plugins/perun-format-evil.so"; do
	forged "$format" "$object"
	expect_status 4 perun show p.perf raw
	expect_err "no format called $format"
done
try 'a path for a format'

# The object of a profile, and a profile whose bytes name a further attachment.
document perun "$good"
expect_status 3 perun add p.perf
expect_err 'is not an attachment'
forged perun "$(sed 's/\.perf/.csv/' p.perf | put right)"
run perun show p.perf raw
check 'an attachment of an attachment is not followed' [ "$status" -le 3 ]
try 'an attachment of an attachment'

# Limits stay what they are whatever options say: the bytes need more than the limit that a store may give.
nested=$(python3 "$top_srcdir/tests/hostile/costly.py" trace_nested 40000 /dev/stdout | put right)
forged trace-event "$nested" '"frame-limit=1000000000000"'
expect_status 3 perun show p.perf raw
expect_err frame-limit
try 'a limit that an option moves'
bomb=$(python3 -c 'import gzip, sys; sys.stdout.buffer.write(gzip.compress(b"\x32\x06" + b"a" * 6 + b"\x32\x80\x80\x80\x20" + bytes(64 << 20)))' | put right)
for option in limit=1 limit=100G; do
	forged pprof "$bomb" "\"$option\""
	run perun show p.perf raw
	expect_text '' "$(printf %s "$err" | grep -i 'larger limit\|limit of 1 ')" "$option is not the store's to give"
done

# Bombs: a header that says less or more than there is, and bytes that decompress to more.
object=$(printf 'main;f 3\n' | put right)
forged collapsed "$object"
python3 -c 'import sys; sys.stdout.buffer.write(bytes(300 << 20))' | put 10 "$object" >/dev/null
expect_status 3 perun show p.perf raw
expect_err 'more bytes than its header'
try 'a header that says less'
printf 'main;f 3\n' | put 99999999999 "$object" >/dev/null
expect_status 3 perun show p.perf raw
expect_err 'than its bytes can hold'
rm ".perun/objects/${object:0:2}/${object:2}"
expect_status 3 perun show p.perf raw
expect_err 'is missing'
object=$(python3 -c 'import gzip, sys; sys.stdout.buffer.write(gzip.compress(bytes(64 << 20), 6))' | put right)
for format in pprof collapsed speedscope heaptrack firefox; do
	forged "$format" "$object"
	expect_status 3 perun show p.perf raw
done
try 'a bomb of gzip'

# Facts that take the place of other members.
object=$(printf 'main;f 3\n' | put right)
forged collapsed "$object" '' '{"attachment": {"object": "'"$object"'", "format": "evil"}, "resources": [1, {"x": []}], "header": 3,
 "collector_info": null, "postprocessors": [[[]]], "machine": "\u001b[2J"}'
try 'facts of any kind'

finish
