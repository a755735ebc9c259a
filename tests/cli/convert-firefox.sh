# SPDX-License-Identifier: BSD-3-Clause
# perun convert --to firefox: threads, the tables, and what is reported to be lost.
. "${top_srcdir:-.}/tests/cli/lib.sh"

{
	printf 'a 1/1 [000] 1.5: 250000 cpu-clock:\n\t10 in</script>+0x1 (inlined)\n  f.h:12\n'
	printf '\t10 out+0x1 (/bin/a)\n\t20 main (/bin/a)\n\n'
	printf 'a 1/1 [000] 1.502: 500000 cpu-clock:\n\t30 [unknown] ([unknown])\n\t20 main (/bin/a)\n\n'
	printf 'b 1/2 [001] 1.501: 250000 cpu-clock:\n\t20 main (/bin/a)\n\n'
} >p.txt
expect_status 0 perun convert --to firefox p.txt p.json
expect_err 'samples with further labels (3)' 'the processor is reported to be lost'

# member THREAD NAME: a member of a thread, which must be JSON.
member() { perun_json "$1" "$2" <p.json; }
perun_json() {
	awk -v thread="$1" -v name="$2" '{
		sub(/.*"threads":\[/, ""); n = split($0, part, /\{"processType":/)
		text = part[thread + 1]; at = index(text, "\"" name "\":")
		print substr(text, at + length(name) + 3, 400)
	}'
}
starts() { case $2 in "$1"*) true ;; *) printf '%s\n' "# found: $2"; false ;; esac; }
check 'samples of the first thread' starts '{"length":2,"stack":[2,3],"time":[0.0,2.0],"weight":[0.25,0.5],"weightType":"tracing-ms"}' "$(member 1 samples)"
check 'samples of the second thread' starts '{"length":1,"stack":[0],"time":[1.0],"weight":[0.25],' "$(member 2 samples)"
check 'the tree of stacks' starts '{"length":4,"frame":[0,1,2,3],"prefix":[null,0,1,0],' "$(member 1 stackTable)"
check 'frames' starts '{"length":4,"address":[32,16,16,48],"inlineDepth":[0,0,1,0],' "$(member 1 frameTable)"
check 'functions' starts '{"length":4,"name":[1,2,3,5],' "$(member 1 funcTable)"
check 'strings' starts '["/bin/a","main","out","in</script>","f.h","0x30"]' "$(member 1 stringArray)"
check 'the thread' starts '"b","isMainThread":false,"processName":"b","pid":"1","tid":2,' "$(member 2 name)"
# What is written can be parsed as JSON.
check 'JSON' sh -c 'python3 -c "import json; json.load(open(\"p.json\"))" 2>/dev/null || ! command -v python3 >/dev/null'

expect_status 2 perun convert --to firefox --format-option metric=bytes p.txt q.json
expect_err 'no metric bytes'
check 'nothing was written' test ! -e q.json
expect_status 3 perun convert --strict --to firefox p.txt q.json
check 'nothing was written with --strict' test ! -e q.json
cat >flat.perf <<'PROFILE'
{"header": {"type": "time", "cmd": "", "workload": "", "units": {}}, "collector_info": {"name": "t", "params": {}},
 "postprocessors": [], "global": {"time": "1", "resources": [{"amount": 8, "type": "t", "uid": "f"}]}}
PROFILE
expect_status 3 perun convert --to firefox flat.perf q.json
expect_err 'no stacks'
expect_status 0 perun convert --from firefox p.json q.perf

# Times of any unit, and the names of processes.
cat >chrome.json <<'TRACE'
[{"ph":"M","pid":7,"tid":1,"name":"process_name","args":{"name":"Browser"}},{"ph":"X","pid":7,"tid":1,"ts":0,"dur":1500,"name":"a"},
 {"ph":"X","pid":7,"tid":1,"ts":2500,"dur":250.5,"name":"b"}]
TRACE
expect_status 0 perun convert --strict --to firefox chrome.json p.json
check 'times of microseconds' starts '{"length":2,"stack":[0,1],"time":[0.0,2.5],"weight":[1.5,0.2505],' "$(member 1 samples)"
check 'the process' grep -q '"processName":"Browser' p.json
finish
