# SPDX-License-Identifier: BSD-3-Clause
# The format cube: directories of measurements, made here byte by byte.
. "${top_srcdir:-.}/tests/cli/lib.sh"
perun plugin list format 2>/dev/null | grep -q cube || skip_all 'the plugin was not built'

# le32 NUMBER...: four bytes each, the least significant first.
le32() {
	local n
	for n; do printf '%b' "$(printf '\\%03o\\%03o\\%03o\\%03o' $((n & 255)) $((n >> 8 & 255)) $((n >> 16 & 255)) $((n >> 24 & 255)))"; done
}

# cubex FILE A B C D: inclusive costs of main at two locations, and those of main->f.
cubex() {
	local file=$1
	shift
	rm -rf tree && mkdir tree
	cat >tree/anchor.xml <<'XML'
<?xml version="1.0" encoding="UTF-8"?>
<cube version="4.4"><metrics title="t">
 <metric id="0" type="INCLUSIVE"><disp_name>T</disp_name><uniq_name>ticks</uniq_name><dtype>INT32</dtype>
  <metric id="1" type="INCLUSIVE"><uniq_name>below</uniq_name><dtype>INT32</dtype></metric></metric>
 <metric id="2" type="EXCLUSIVE"><uniq_name>visits</uniq_name><dtype>UINT32</dtype></metric>
 <metric id="3" type="EXCLUSIVE"><uniq_name>absent</uniq_name><dtype>DOUBLE</dtype></metric></metrics>
 <program><region id="7" mod="a.c"><name>main</name></region><region id="4"><name>f&lt;T&gt;</name></region>
  <cnode id="0" calleeId="7"><cnode id="1" calleeId="4"></cnode></cnode></program>
 <system><systemtreenode Id="0"><name>m</name><locationgroup Id="0"><location Id="0"><name>x</name></location>
  <location Id="1"/></locationgroup></systemtreenode></system></cube>
XML
	for metric in 0 2; do
		{ printf 'CUBEX.INDEX'; le32 1; printf '\0\0\0'; le32 2 0 1; } >tree/$metric.index
	done
	{ printf 'CUBEX.DATA'; le32 "$@"; } >tree/0.data
	{ printf 'CUBEX.DATA'; le32 1 1 "$3" "$4"; } >tree/2.data
	tar -C tree -cf "$file" anchor.xml 0.index 0.data 2.index 2.data
}
mkdir m
for p in 1 2 4 8 16; do
	mkdir m/run.p$p.q3.r1
	cubex m/run.p$p.q3.r1/profile.cubex $((10 + 20 * p)) $((12 + 20 * p)) $((20 * p)) $((20 * p))
done
cp -r m/run.p16.q3.r1 m/run.p16.q3.r2
touch m/run.p1.q3.r1/.hidden.cubex m/notes.txt

expect_status 0 perun model --json m
expect_out '"parameters": ["p"], "coordinates": [[1.0], [2.0], [4.0], [8.0], [16.0]]'
expect_out '"callpaths": ["main", "main->f<T>"], "metrics": ["ticks", "visits"]'
expect_out '{"callpath": "main", "metric": "ticks", "points": [{"coordinate": [1.0], "mean": 11.0, "median": 11.0, "min": 10.0, "max": 12.0, "std": 1.0, "repetitions": 1}'
expect_out '{"coordinate": [16.0], "mean": 11.0, "median": 11.0, "min": 10.0, "max": 12.0, "std": 1.0, "repetitions": 2}'
expect_out ' * p^(1)"'
expect_status 0 perun model --json --scaling strong m
expect_out '{"callpath": "main", "metric": "ticks", "points": [{"coordinate": [1.0], "mean": 22.0'
expect_status 0 perun model --json --format cube --format-option inclusive=yes m
expect_out '{"callpath": "main", "metric": "ticks", "points": [{"coordinate": [1.0], "mean": 31.0'

# One run: a file, or the directory in which Score-P leaves it, with the costs of both locations together.
cubex run.cubex 50 52 40 41
mkdir run && cp run.cubex run/profile.cubex && touch run/scorep.cfg
for run in run.cubex run; do
	expect_status 0 perun convert --to collapsed "$run" -
	expect_text $'main 21\nmain;f<T> 81' "$out" "costs of $run"
done
expect_status 0 perun convert --to perun run -
check 'visits are counted, all else is measured' grep -q '"metrics":{"ticks":{"noise":"timed"},"visits":{"noise":"exact"}}' <<<"$(tr -d ' \n' <<<"$out")"
expect_status 0 perun show run tree
expect_out 'ticks of run: 102'
expect_status 0 perun show run.cubex top --metric visits
expect_out '81  97.6 %'
mv tree/anchor.xml tree/other.xml
tar -C tree -cf none.cubex other.xml 0.index
expect_status 3 perun show none.cubex
expect_err 'none.cubex: there is no anchor.xml in it'
printf 'no archive\n' >text.cubex
expect_status 3 perun show text.cubex

# A metric below another one.
mkdir below
for p in 1 2 4; do
	mkdir below/run.p$p
	cubex below/run.p$p/profile.cubex 10 10 4 $p
	cp tree/0.index tree/1.index
	cp tree/0.data tree/1.data
	tar -C tree -cf below/run.p$p/profile.cubex anchor.xml 0.index 0.data 1.index 1.data 2.index 2.data
done
expect_status 0 perun model --json below
expect_out '"metrics": ["ticks", "visits"]'
expect_status 0 perun model --json --format cube --format-option all-metrics=yes below
expect_out '"metrics": ["ticks", "below", "visits"]'
expect_out '{"callpath": "main->f<T>", "metric": "below", "points": [{"coordinate": [1.0], "mean": 2.5'

# Compressed: the whole archive, its anchor, its data.
gzip -c m/run.p4.q3.r1/profile.cubex >z && mv z m/run.p4.q3.r1/profile.cubex
expect_status 0 perun model --json m
expect_out ' * p^(1)"'

# A call path that is not there at a point is counted to its caller.
cp -r m some
cubex some/run.p2.q3.r1/profile.cubex 50 50 40 40
{ printf 'CUBEX.INDEX'; le32 1; printf '\0\0\0'; le32 1 0; } >tree/2.index
{ printf 'CUBEX.DATA'; le32 1 1; } >tree/2.data
tar -C tree -cf some/run.p2.q3.r1/profile.cubex anchor.xml 0.index 0.data 2.index 2.data
expect_status 0 perun model --json some
expect_out '{"callpath": "main", "metric": "visits", "points": [{"coordinate": [1.0], "mean": 21.0'

# damage FILE ERROR: in place of the file of one point.
damage() {
	cp "$1" bad/run.p8.q3.r1/profile.cubex
	expect_status 3 perun model bad
	expect_err "run.p8.q3.r1/profile.cubex: $2"
}
cp -r m bad
printf 'no archive' >f; damage f 'expected a tar archive'
head -c 700 m/run.p8.q3.r1/profile.cubex >f; damage f ''
cubex f 1 2 3 4
printf '<cube>' >tree/anchor.xml; tar -C tree -cf f anchor.xml 0.index 0.data; damage f 'anchor.xml: line 1: '
cubex f 1 2 3 4
tar -C tree -cf f 0.index 0.data; damage f 'there is no anchor.xml in it'
cubex f 1 2 3
damage f '0.data: expected CUBEX.DATA or ZCUBEX.DATA and 16 bytes of values, found 22 bytes'
cubex f 1 2 3 4
{ printf 'CUBEX.INDEX'; le32 1; printf '\0\0\0'; le32 2 0 9; } >tree/0.index
tar -C tree -cf f anchor.xml 0.index 0.data; damage f 'the index of metric ticks names node 9 of 2'
mv bad/run.p8.q3.r1 bad/run.p8.z3.r1
expect_status 3 perun model bad
expect_err 'run.p8.z3.r1: its parameters are not those of run.p'

# What is written is read back the same.
cat >e.json <<'J'
{"parameters": ["n", "ranks"], "measurements": {
 "main": {"time": [{"point": [1, 0.5], "values": [1, 2]}, {"point": [2, 0.5], "values": [3]}, {"point": [2, 4], "values": [5, 6, 7]}]},
 "main->f<\"&>": {"time": [{"point": [1, 0.5], "values": [0.1]}, {"point": [2, 0.5], "values": [1e-9]}, {"point": [2, 4], "values": [-3]}]},
 "other->a->b": {"visits": [{"point": [1, 0.5], "values": [1]}, {"point": [2, 0.5], "values": [1e300]}, {"point": [2, 4], "values": [2]}]}}}
J
expect_status 0 perun convert --to cube e.json written
expect_text 'perun.n1ranks0.5.r1 perun.n1ranks0.5.r2 perun.n2ranks0.5.r1 perun.n2ranks4.r1 perun.n2ranks4.r2 perun.n2ranks4.r3' \
	"$(echo $(ls written))" 'a directory for each point and repetition'
expect_status 0 perun convert --from cube --to extrap-json written back.json
perun model --json e.json >a
perun model --json written >b
check 'the same models' cmp a b
check 'there are some' grep -q '"callpath": "other->a->b", "metric": "visits"' b
sed 's/ranks/x1y/' e.json >named.json
expect_status 3 perun convert --to cube named.json other
expect_err 'the directory perun.n1x1y0.5.r1 would not name the point'
check 'nothing is left of it' test ! -e other
sed 's/0\.5/-1/' e.json >negative.json
expect_status 3 perun convert --to cube negative.json other
# More files than a process may open.
python3 -c 'import json
print(json.dumps({"parameters": ["n"], "measurements": {"f": {"time": [{"point": [n], "values": [1, 2]} for n in range(1, 60)]}}}))' >many.json
expect_status 0 bash -c 'ulimit -n 64; exec "$@"' - "$PERUN" convert --to cube many.json many
check 'all of them' test "$(ls many | wc -l)" -eq 118
expect_status 0 bash -c 'ulimit -n 64; exec "$@"' - "$PERUN" convert --to extrap-json many many-back.json
mkdir empty empty/a.p1 empty/a.p2
expect_status 3 perun model empty
expect_err 'there are no *.cubex files'
finish
