# SPDX-License-Identifier: BSD-3-Clause
# What perun run measures at versions is built once for all runs, of executors as well, whatever is killed and whatever the
# programs write.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"
perun plugin show collect-time >/dev/null 2>&1 || skip_all 'the collector is not built'
command -v python3 >/dev/null || skip_all 'needs Python 3'

export PERUN_TRUST=yes
new_repo
export TRACE=$work/trace TMPDIR=$work/tmp
mkdir "$TMPDIR" && chmod 777 "$work" "$TMPDIR"
cat >build.sh <<'SH'
#!/bin/sh
echo "build $(cat number)" | tee -a "$TRACE"
[ ! -e "$TRACE.no-build-$(cat number)" ] || exit 7
[ ! -e "$TRACE.wait-build" ] || { : >half; echo $$ >"$TRACE.waits"; exec sleep 60; }
[ ! -e half ] || exit 8
sed "s/NUMBER/$(cat number)/" prog.in >built && chmod +x built
SH
# It writes into the directory that it runs in, over a file of the version and into a new directory.
cat >prog.in <<'SH'
#!/bin/sh
echo "run NUMBER $1" >>"$TRACE"
mkdir -p made && echo "$1" >>made/out && echo "$1" >>number && rm -f other || exit 5
[ ! -e "$TRACE.wait-$1" ] || { echo $$ >"$TRACE.waits"; exec sleep 60; }
SH
chmod +x build.sh
for number in 1 2 3; do
	echo "$number" | tee number >other
	git add . && git commit -q -m "version $number" && git tag "v$number"
done
perun init >/dev/null
cat >>.perun/local.yml <<'YAML'
cmds: [./built]
workloads: [a, b]
collectors:
  - {name: time, params: {repeat: 1, warmup: 0}}
execute: {pre_run: [./build.sh]}
YAML
builds=.perun/runs/builds
traced() { paste -sd, "$TRACE"; }
kept() { (cd "$1" && find . -not -name used -exec stat -c '%n %f %s %Y' {} + | sort; find . -type f -not -name used -exec cksum {} + | sort); }
job() { "$PERUN" run "${@:2}" -m "$1" job -b ./built -w a -c time -cp time 'repeat: 1' -cp time 'warmup: 0'; }

expect_status 0 perun run -m v1..v3 matrix
expect_text 'build 3,run 3 a,run 3 b,build 2,run 2 a,run 2 b' "$(traced)" 'a version is built once for its cells'
check 'with logs apart' test "$(cat "$builds/$(git rev-parse v2)"-*/log)" = 'build 2'
check 'what was built is read-only' test -z "$(find "$builds" -path '*/tree*' -not -type l -perm /222)"
expect_text "$(git rev-parse v2)" "$(git -C "$(ls -d "$builds/$(git rev-parse v2)"-*/tree)" rev-parse HEAD)" 'and is a work tree of that version'
before=$(kept "$builds")

# Other workloads, and an executor, build nothing; what programs write is gone.
: >"$TRACE"
expect_status 0 perun run -m v2 -m v3 job -b ./built -w c -c time -cp time 'repeat: 2' -cp time 'warmup: 0'
expect_text 'run 2 c,run 2 c,run 3 c,run 3 c' "$(traced)" 'nothing is built again'
expect_text "$before" "$(kept "$builds")" 'what was built is as it was'
check 'the log has what the build printed' grep -q '^build 2$' ".perun/logs/$(git rev-parse v2)-precollect.log"
check 'and when that was' grep -q '^perun: built before, in /' ".perun/logs/$(git rev-parse v2)-precollect.log"
check 'no copy is left' [ -z "$(ls "$TMPDIR")" ]
: >"$TRACE"
expect_status 0 perun run --jobs 1 -m v3 job -b true -w c -c time
expect_text '' "$(traced)" 'nor do cells of an executor'
: >"$TRACE"
expect_status 0 perun run --jobs 1 -m v1 job -b true -w c -c time
expect_status 0 job v1
expect_text 'build 1,run 1 a' "$(traced)" 'nor is built again what an executor had built'

# Another compiler, other flags: another build.
: >"$TRACE"
expect_status 0 env CFLAGS=-O3 "$PERUN" run -m v3 job -b true -c time
mkdir "$work/bin" && printf '#!/bin/sh\n' >"$work/bin/rustc" && chmod +x "$work/bin/rustc"
expect_status 0 env PATH="$work/bin:$PATH" "$PERUN" run -m v3 job -b true -c time
echo '# updated' >>"$work/bin/rustc"
expect_status 0 env PATH="$work/bin:$PATH" "$PERUN" run -m v3 job -b true -c time
expect_text 'build 3,build 3,build 3' "$(traced)" 'what is built with something else is built'

# A failing build fails its own cells; it is tried again.
perun run --plan-only -m HEAD matrix >/dev/null && "$PERUN" gc --older-than 0s >/dev/null
chmod -R u+w .perun && rm -rf .perun/runs
: >"$TRACE"
: >"$TRACE.no-build-2"
expect_status 3 perun run -m v1 -m v2 -m v3 matrix
expect_err "is left out: execute.pre_run: './build.sh' failed (exit status 7)"
expect_err '1 of 3 versions could not be measured'
run perun run status --json
expect_json 'd["states"]["done"], d["states"]["failed"]' '(4, 2)'
expect_text 'build 1,run 1 a,run 1 b,build 2,build 3,run 3 a,run 3 b' "$(traced)" 'and no others'
rm "$TRACE.no-build-2"
: >"$TRACE"
expect_status 0 perun run resume
expect_text 'build 2,run 2 a,run 2 b' "$(traced)" 'what failed is done again, and nothing else'

# kill -9, during the build and while measuring.
killed() {
	local i child
	rm -f "$TRACE.waits"
	"$PERUN" run "$@" >/dev/null 2>&1 &
	child=$!
	for ((i = 0; i < 1000; i++)); do [ ! -s "$TRACE.waits" ] || break; sleep 0.01; done
	kill -KILL "$child"
	wait "$child" 2>/dev/null
	kill "$(cat "$TRACE.waits")" 2>/dev/null
}
chmod -R u+w .perun && rm -rf .perun/runs
: >"$TRACE"
: >"$TRACE.wait-build"
killed -m v2 -m v3 matrix
rm "$TRACE.wait-build"
expect_text 'build 2' "$(traced)" 'killed while it was built'
expect_status 0 perun run --resume -m v2 -m v3 matrix
expect_text 'build 2,build 2,run 2 a,run 2 b,build 3,run 3 a,run 3 b' "$(traced)" 'what a killed build left is not built upon'
chmod -R u+w .perun && rm -rf .perun/runs
: >"$TRACE"
: >"$TRACE.wait-b"
killed -m v2 -m v3 matrix
rm "$TRACE.wait-b"
before=$(kept "$builds/$(git rev-parse v2)"-*)
expect_status 0 perun run --resume -m v2 -m v3 matrix
expect_text 'build 2,run 2 a,run 2 b,run 2 b,build 3,run 3 a,run 3 b' "$(traced)" 'killed while it was measured: nothing is done twice'
expect_text "$before" "$(kept "$builds/$(git rev-parse v2)"-*)" 'the build is as it was'
check 'no copy is left' [ -z "$(ls "$TMPDIR")" ]

# Two at once build it once.
chmod -R u+w .perun && rm -rf .perun/runs
: >"$TRACE"
job v1 >/dev/null 2>&1 & one=$!
job v1 >/dev/null 2>&1 & other=$!
check 'one of two at once' wait "$one"
check 'and the other' wait "$other"
expect_text 'build 1,run 1 a,run 1 a' "$(traced)" 'build a version once'

# Where nothing is built nothing is kept.
chmod -R u+w .perun && rm -rf .perun/runs
expect_status 0 perun -c execute.pre_run='[]' run -m v1 job -b true -c time
check 'where nothing is built nothing is kept' [ ! -e "$builds" ]

# Elsewhere.
: >"$TRACE"
mkdir "$work/scratch"
sed -i 's/ && echo "$1" >>made.*/ || exit 5/; s/mkdir -p made/true/' prog.in
git commit -q -a -m 'It writes nothing'
expect_status 0 perun run --scratch "$work/scratch" -m HEAD matrix
expect_text 'build 3,run 3 a,run 3 b' "$(traced)" 'with --scratch'
check 'it is built there' test -x "$(ls -d "$work/scratch/$(git rev-parse HEAD)"-*/tree/built)"

# The room is limited: 24 builds, but those that an executor's run needs.
chmod -R u+w .perun && rm -rf .perun/runs
for ((i = 10; i < 38; i++)); do
	echo "$i" >number && git commit -q -a -m "version $i"
done
expect_status 0 perun run --plan-only -m HEAD~26 job -b true -w planned -c time
expect_status 0 perun run -m HEAD~28..HEAD job -b true -c time
expect_text '24 25' "$(ls "$builds"/*/used | wc -l) $(ls "$builds" | wc -l)" 'the latest are kept'
check 'so is what an executor needs' test -e "$builds/$(git rev-parse HEAD~26)"-*/complete
check 'the oldest is not' [ -z "$(find "$builds" -maxdepth 1 -name "$(git rev-parse HEAD)-*")" ]
: >"$TRACE"
expect_status 0 perun run -m HEAD job -b true -c time
expect_status 0 perun run -m HEAD~23 job -b true -c time
expect_text 'build 37' "$(traced)" 'and is built again when it is wanted'
expect_status 0 perun run --plan-only -m HEAD job -b true -w planned -c time
check 'what an executor was planned with is not counted any more' [ ! -e "$builds/$(git rev-parse HEAD)"-*/used ]
expect_status 0 perun run resume
expect_status 0 perun gc --older-than 0s
check 'gc removes builds that no run needs' [ "$(ls "$builds" | wc -l)" -le 2 ]

# Compilers of CMake and Go get absolute names of files: versions have the same functions nevertheless, wherever they were built.
compiler=${CC:-cc}
case $compiler in "ccache "*) compiler=${compiler#ccache } ;; esac
compiler=${compiler%% *}
if command -v "$compiler" >/dev/null; then
	cd "$work" && rm -rf repo && new_repo && mkdir src
	printf '#include <stdlib.h>\nint main(void) { free(malloc(100)); return 0; }\n' >src/main.c
	printf 'program:\n\t%s -g -O0 -o program $(CURDIR)/src/main.c\n' "$compiler" >Makefile
	git add . && git commit -q -m 'a program'
	commit 'another version'
	perun init >/dev/null
	printf 'execute: {pre_run: [make -s]}\nprofiles: {register_after_run: true}\n' >>.perun/local.yml
	for collector in memory instructions; do
		perun plugin show "collect-$collector" >/dev/null 2>&1 || continue
		[ $collector = memory ] || command -v valgrind >/dev/null || continue
		for jobs in '' '--jobs 1'; do
			# shellcheck disable=SC2086 # words
			expect_status 0 perun run $jobs -m HEAD~1 -m HEAD job -b ./program -c "$collector"
			expect_status 0 perun convert --to perun HEAD^0@i -
			check "a name in the tree: $collector $jobs" grep -q '"src/main.c"' <<<"$out"
			check "and none with the place of the build: $collector $jobs" eval '! grep -q "/src/main.c" <<<"$out"'
			perun --say-yes rm -m HEAD HEAD^0@i
			perun --say-yes rm -m HEAD~1 HEAD~1^0@i
		done
	done
fi

finish
