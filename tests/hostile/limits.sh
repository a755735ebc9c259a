# SPDX-License-Identifier: BSD-3-Clause
# What no tool writes and would take many times its size in memory is refused: one clear line, and nothing on disk changes.
. "${top_srcdir:-.}/tests/cli/lib.sh"
command -v python3 >/dev/null || skip_all 'python3 is not installed'
git init -q . && git commit -q --allow-empty -m first
perun init >/dev/null 2>&1 || exit 1
state() { find .perun .git -type f -exec sha1sum {} + | LC_ALL=C sort; }
state >before

# refuses SHAPE N NAME TEXT: a file of that shape is an error of one line that has the text.
refuses() {
	python3 "$top_srcdir/tests/hostile/costly.py" "$1" "$2" "$3" || skip_all 'a file could not be made'
	expect_status 3 "$PERUN" add "$3"
	expect_err "$4"
	check "$1: one line" test "$(wc -l <"$work/.result/stderr")" = 1
	state >after
	check "$1: nothing changed" cmp before after
}
refuses junit_attributes 300000 in.xml 'line 1, column 13: expected the end of a tag within 1048576 bytes'
refuses collapsed_deep 3000000 in.folded 'line 1: longer than 4194304 bytes'
refuses go_bench_units 400000 in.txt 'line 2: longer than 4194304 bytes'
refuses pprof_many_types 20000 in.pb 'Profile.sample_type: more than 16384 sample types'
refuses pprof_gzip_bomb 20000 in.pb.gz 'a text of 2000000 bytes, more than the 1048576 allowed'
refuses legacy_deep 100000 in.prof 'line 2: a stack of more than 65536 addresses'
refuses speedscope_profiles 20000 in.json 'more than 16384 profiles'
refuses collapsed_deep 1500000 in.folded 'a stack of 1500001 frames, more than the limit of 1048576'
object='{"header":{"type":"time","units":{}},"collector_info":{"name":"time","params":{}},"postprocessors":[],"resources":[{"amount":1,"uid":%s}]%s}'
# refuses_json TEXT PYTHON: what Python prints is an error of one line that has the text.
refuses_json() {
	python3 -c "$2" >in.json
	expect_status 3 "$PERUN" add --force in.json
	expect_err "$1"
	check "$1: one line" test "$(wc -l <"$work/.result/stderr")" = 1
	state >after
	check "$1: nothing changed" cmp before after
}
refuses_json 'an object of more than 65536 members' "print('''$object''' % (str(dict.fromkeys(map(str, range(65537)), 1)).replace(chr(39), chr(34)), ''))"
refuses_json 'a profile of more than 1024 parts' "print('''$object''' % (1, ''.join(',\"p%d\":1' % i for i in range(1022))))"
refuses_json 'results[0] has more than 65536 parameters' 'import json
print(json.dumps({"results": [{"command": "a", "mean": 1.5, "stddev": 0.1, "system": 0.5, "times": [1.5], "parameters": dict.fromkeys(map(str, range(65537)), "1")}]}))'
refuses_json 'benchmarks[0] has more than 65536 members' 'import json
print(json.dumps({"context": {"library_build_type": "release"}, "benchmarks": [
    {"name": "a", "real_time": 1, "cpu_time": 1, "time_unit": "ns", **dict.fromkeys(map(str, range(65533)), 1)}]}))'
# A text of JSON is refused where somebody looks at it, and passed over where nobody does.
long_text() {
	python3 -c 'import sys; print(sys.argv[1].replace("LONG", "x" * 3000000))' "$1" >in.json
}
long_text '{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"LONG"}]},"profiles":[{"type":"sampled","name":"p","unit":"none","startValue":0,"endValue":1,"samples":[[0]],"weights":[1]}]}'
expect_status 3 "$PERUN" add in.json
expect_err 'in.json: line 1, column 93: a string or number longer than the limit of 2097152 bytes'
state >after
check 'a long name: nothing changed' cmp before after
long_text '{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"f"}]},"profiles":[{"type":"sampled","name":"p","unit":"none","startValue":0,"endValue":1,"samples":[[0]],"weights":[1],"more":"LONG"}]}'
expect_status 0 "$PERUN" show in.json top
finish
