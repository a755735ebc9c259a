# SPDX-License-Identifier: BSD-3-Clause
# The format speedscope: sampled and evented profiles, several in a file, and what is written.
. "${top_srcdir:-.}/tests/cli/lib.sh"

folded() { perun convert --to collapsed "$@" -; }

cat >sampled.json <<'FILE'
{"profiles": [{"type": "sampled", "name": "one", "unit": "milliseconds", "startValue": 0, "endValue": 4.5,
  "samples": [[0, 1], [0], [0, 1]], "weights": [1, 2.5, 1]}],
 "$schema": "https://www.speedscope.app/file-format-schema.json", "activeProfileIndex": 0,
 "shared": {"frames": [{"name": "main", "file": "m.c", "line": 3, "col": 2}, {"name": "f;</script>"}]}}
FILE
run folded sampled.json
check 'samples; frames may follow' test "$out" = 'main 2.5
main;f:</script> 2'
cat >evented.json <<'FILE'
{"$schema": "https://www.speedscope.app/file-format-schema.json",
 "shared": {"frames": [{"name": "a"}, {"name": "b"}]},
 "profiles": [{"type": "evented", "name": "t", "unit": "none", "startValue": 0, "endValue": 20, "events": [
  {"type": "O", "frame": 0, "at": 0}, {"type": "O", "frame": 1, "at": 3}, {"type": "O", "frame": 1, "at": 5},
  {"type": "C", "frame": 1, "at": 6}, {"type": "C", "frame": 1, "at": 10}, {"type": "C", "frame": 0, "at": 10},
  {"type": "O", "frame": 1, "at": 12}, {"type": "C", "frame": 1, "at": 20}]}]}
FILE
run folded evented.json
check 'events' test "$out" = 'a 3
a;b 6
a;b;b 1
b 8'
expect_status 0 perun show evented.json tableof resources -h start,end,samples
check 'intervals keep their times' test "$(printf '%s\n' "$out" | sed -n 3p | tr -s ' ')" = ' 0 3 3'
cat >several.json <<'FILE'
{"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": "a"}]},
 "profiles": [{"type": "sampled", "name": "x", "unit": "bytes", "samples": [[0]], "weights": [7]},
  {"type": "sampled", "name": "y", "unit": "seconds", "samples": [[0]], "weights": [8]}]}
FILE
expect_status 0 perun show several.json tableof resources -h labels,x,y
check 'profiles of units of their own are metrics, labelled' test "$(printf '%s\n' "$out" | tail -n 2 | tr -s ' ')" = 'x 7
y 8'
expect_status 0 perun convert -o profile=y several.json y.perf
run folded y.perf
check 'one of several' test "$out" = 'a 8'
expect_status 0 perun convert -o profile=0 several.json x.perf
run folded x.perf
check 'one by its number' test "$out" = 'a 7'
expect_status 2 perun convert -o profile=z several.json z.perf
expect_err "no profile 'z' among the 2"

# Two metrics are two profiles, and come back as they were.
printf 'main;f 3 5\nmain;g 0 2\n' >d.folded
expect_status 0 perun convert --strict --to speedscope d.folded d.json
run cat d.json
expect_out '"activeProfileIndex":0,"shared":{"frames":[{"name":"f"},{"name":"main"},{"name":"g"}]}'
expect_out '{"type":"sampled","name":"base","unit":"none","startValue":0,"endValue":3,"samples":[[1,0],[1,2]],"weights":[3,0]}'
expect_status 0 perun convert --to collapsed -o base=base -o metric=new d.json -
check 'there and back' test "$out" = "$(cat d.folded)"
expect_status 0 perun convert --to speedscope evented.json e.json
run cat e.json
expect_out '"type":"evented"'
expect_status 0 perun convert --strict --to speedscope e.json e2.json
check 'events are written as they were read' cmp e.json e2.json
cat >threads.json <<'JSON'
{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"},{"name":"b"}]},"profiles":[
{"type":"evented","name":"T1","unit":"milliseconds","startValue":0,"endValue":10,"events":[{"type":"O","frame":0,"at":0},{"type":"O","frame":1,"at":2},{"type":"C","frame":1,"at":5},{"type":"C","frame":0,"at":10}]},
{"type":"sampled","name":"T2","unit":"milliseconds","startValue":0,"endValue":3,"samples":[[0],[0,1]],"weights":[1,2]}]}
JSON
expect_status 0 perun convert --strict --to speedscope threads.json -
expect_out '{"type":"evented","name":"T1","unit":"milliseconds","startValue":0,"endValue":10,"events":[{"type":"O","frame":0,"at":0},{"type":"O","frame":1,"at":2},{"type":"C","frame":1,"at":5},{"type":"C","frame":0,"at":10}]}'
expect_out '{"type":"sampled","name":"T2","unit":"milliseconds","startValue":0,"endValue":3,"samples":[[0],[0,1]],"weights":[1,2]}'

head='{"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": "a"}, {"name": "b"}]}, "profiles": [{"unit": "none", '
bad() {
	printf '%s%s}]}' "$head" "$1" >bad.json
	expect_status 3 perun convert bad.json bad.perf
	expect_err "$2"
}
bad '"type": "sampled", "samples": [[2]], "weights": [1]' 'profiles[0]: frame 2 is named, but there are only 2 frames'
bad '"type": "sampled", "samples": [[0], [1]], "weights": [1]' 'a profile of 2 samples and 1 weight'
bad '"type": "sampled", "samples": [[-1]], "weights": [1]' 'expected the number of a frame'
bad '"type": "evented", "events": [{"type": "C", "frame": 0, "at": 1}]' 'frame 0 is closed, but none is open'
bad '"type": "evented", "events": [{"type": "O", "frame": 0, "at": 1}]' '1 frame is never closed'
bad '"type": "evented", "events": [{"type": "O", "frame": 0, "at": 2}, {"type": "C", "frame": 0, "at": 1}]' \
	'an event earlier than the one before it'
bad '"type": "evented", "events": [{"type": "O", "frame": 0, "at": 2}, {"type": "C", "frame": 1, "at": 3}]' \
	'frame 1 is closed, but frame 0 was opened after it'
bad '"name": "none"' 'a profile with neither'

# Samples of one thread are not in the others, with weights of 0.
cat >threads.json <<'JSON'
{"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": "a"}]}, "profiles": [
 {"type": "sampled", "name": "t1", "unit": "milliseconds", "startValue": 0, "endValue": 3, "samples": [[0]], "weights": [3]},
 {"type": "sampled", "name": "t2", "unit": "bytes", "startValue": 0, "endValue": 7, "samples": [[0], [0]], "weights": [3, 4]}]}
JSON
expect_status 0 perun convert threads.json --to speedscope -
expect_out '"samples":[[0]],"weights":[3]}'
expect_out '"samples":[[0],[0]],"weights":[3,4]}'

# Lines and columns of frames; where a function has several lines, its frame has none, which is reported.
cat >lines.json <<'JSON'
{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a","file":"x.c","line":3,"col":4},
{"name":"b","line":1},{"name":"b","line":2}]},"profiles":[{"type":"sampled","name":"t","unit":"milliseconds","startValue":0,"endValue":2,
"samples":[[0,1],[0,2]],"weights":[1,1]}]}
JSON
expect_status 0 perun convert --to speedscope lines.json lines.out.json
expect_err 'lost: lines of places (2)'
check 'lines and columns of frames' grep -qF '[{"name":"a","file":"x.c","line":3,"col":4},{"name":"b"}]' lines.out.json
finish
