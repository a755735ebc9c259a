# SPDX-License-Identifier: BSD-3-Clause
# The command on a terminal: colours, pager, questions, progress, interruption.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"
command -v python3 >/dev/null || skip_all 'needs Python 3'

# terminal [-i TEXT] [-c SECONDS] COMMAND...: run on a terminal of its own, type TEXT when it waits, or
# press Control-C after SECONDS, with -w on one of so many columns; prints what was shown, the status is the command's.
cat >"$work/terminal.py" <<'PYTHON'
import fcntl, os, pty, select, struct, sys, termios, time
arguments, text, cancel, columns = sys.argv[1:], None, None, 0
while arguments[0] in ("-i", "-c", "-w"):
    if arguments[0] == "-w":
        columns = int(arguments[1])
    elif arguments[0] == "-i":
        text = arguments[1].encode() + b"\n"
    else:
        cancel = float(arguments[1])
    arguments = arguments[2:]
child, terminal = pty.fork()
if child == 0:
    if columns:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    os.execvp(arguments[0], arguments)
start, shown = time.time(), b""
while time.time() - start < 60:
    if select.select([terminal], [], [], 0.1)[0]:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        shown += data
    if text and b"[y/N]" in shown:
        os.write(terminal, text)
        text = None
    if cancel and time.time() - start > cancel:
        os.write(terminal, b"\x03")
        cancel = None
sys.stdout.buffer.write(shown.replace(b"\r\n", b"\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) % 256)
PYTHON
terminal() { python3 "$work/terminal.py" "$@"; }
escape=$(printf '\033')

at 0
new_repo
"$PERUN" init >/dev/null
measured_commit 1 1
unset NO_COLOR
export TERM=xterm

run terminal "$PERUN" status
expect_out "$escape[" 'colours on a terminal'

# Columns fit into the terminal, and wide characters take two of it.
widest() {
	printf '%s\n' "$out" | python3 -c 'import sys, unicodedata
print(max(sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in line.rstrip("\n"))
          for line in sys.stdin.buffer.read().decode().split("\n")))'
}
profile "$(printf '漢字%.0s' 1 2 3 4 5 6 7 8 9 10).perf" 1
perun add ./*.perf >/dev/null
run terminal -w 60 "$PERUN" --no-color --no-pager status
check 'status fits' [ "$(widest)" -le 60 ]
expect_out '…'
git commit -q --allow-empty -m "$(printf '漢字漢字%.0s' 1 2 3 4 5 6 7 8 9 10 11 12)"
run terminal -w 60 "$PERUN" --no-color --no-pager log --short
check 'log --short fits' [ "$(widest)" -le 60 ]
expect_out '…'
git reset -q --hard HEAD~1
run env NO_COLOR=1 python3 "$work/terminal.py" "$PERUN" status
expect_no_out "$escape["
run terminal "$PERUN" --no-color status
expect_no_out "$escape["
run terminal "$PERUN" status -nc
expect_no_out "$escape["
run env TERM=dumb python3 "$work/terminal.py" "$PERUN" status
expect_no_out "$escape["
run perun status
expect_no_out "$escape["

export PERUN_PAGER="sed s/^/paged:/"
run terminal "$PERUN" log
expect_out 'paged:' 'the log goes through the pager'
run terminal "$PERUN" status
expect_no_out 'paged:'
run terminal "$PERUN" -c general.paging=always status
expect_out 'paged:'
run terminal "$PERUN" --no-pager log
expect_no_out 'paged:'
run terminal "$PERUN" -c general.paging=never log
expect_no_out 'paged:'
run perun log
expect_no_out 'paged:'
export PERUN_PAGER=cat

# Questions.
mkdir deep && profile deep/found.perf 1
run terminal -i n "$PERUN" add found
check 'no is no' [ "$status" -eq 3 ]
check 'and changes nothing' [ -e deep/found.perf ]
run terminal -i y "$PERUN" add found
check 'yes is yes' [ "$status" -eq 0 ]
expect_out 'Use deep/found.perf?'
expect_out '  deep/found.perf'
profile other.perf 1 origin=0123456789012345678901234567890123456789
run terminal -i n "$PERUN" add --force other.perf
check 'force asks' [ "$status" -eq 2 ]
run terminal -i y "$PERUN" add --force other.perf
check 'and is reported' [ "$status" -eq 0 ]

# Interruption: the program under measurement ends, nothing is kept, no directory is left.
if perun plugin show collect-time >/dev/null 2>&1; then
	export TMPDIR=$work/tmp
	mkdir "$TMPDIR"
	run terminal -c 1 "$PERUN" collect -c 'sleep 20' time
	check 'interrupted' [ "$status" -eq 130 ]
	expect_out 'perun: interrupted'
	check 'no profile' [ -z "$(ls .perun/jobs/*.perf 2>/dev/null)" ]
	run terminal -c 1 "$PERUN" collect -m HEAD -c 'sleep 20' time
	check 'interrupted at a version' [ "$status" -eq 130 ]
	check 'no directory is left' [ -z "$(ls "$TMPDIR")" ]
	check 'no work tree is left' [ "$(git worktree list | wc -l)" -eq 1 ]
	# SIGTERM ends it as orderly, with its own status.
	"$PERUN" collect -c 'sleep 20' time >/dev/null 2>../err &
	measuring=$!
	for _ in $(seq 100); do [ -z "$(ls "$TMPDIR")" ] || break; sleep 0.05; done
	kill -TERM "$measuring"
	wait "$measuring"
	expect_text 143 "$?" 'the status of SIGTERM'
	expect_text 'perun: interrupted' "$(cat ../err)" 'is reported'
	check 'no directory is left by SIGTERM' [ -z "$(ls "$TMPDIR")" ]

	# What a killed run left goes with the next one, wherever it is; what is in use stays, and so does
	# what was not made by a run, whatever it is called.
	"$PERUN" collect -c 'sleep 20' time >/dev/null 2>&1 &
	measuring=$!
	for _ in $(seq 100); do [ -z "$(ls "$TMPDIR")" ] || break; sleep 0.05; done
	used=$(ls "$TMPDIR")
	mkdir -p "$TMPDIR/perun-collect-abcdef/deep" "$TMPDIR/perun-collect-0123456789abcdef" "$TMPDIR/target"
	ln -s target "$TMPDIR/perun-collect-0123456789abcde0"
	touch -h -d '1 hour ago' "$TMPDIR"/*
	expect_status 0 perun collect -c true time --warmup 0 --repeat 1
	expect_text "perun-collect-0123456789abcde0 perun-collect-0123456789abcdef perun-collect-abcdef target" \
		"$(ls "$TMPDIR" | grep -v "^$used$" | paste -sd ' ')" 'what is not ours stays'
	check 'and the one in use' test -d "$TMPDIR/$used"
	expect_status 0 perun recover
	expect_out 'nothing was left behind'
	kill -KILL "$measuring"
	wait "$measuring" 2>/dev/null
	mkdir elsewhere
	expect_status 0 env TMPDIR="$PWD/elsewhere" "$PERUN" recover
	expect_out 'removed 1 temporary directory of killed runs'
	check 'once its holder is killed, it goes' test ! -e "$TMPDIR/$used"
	"$PERUN" collect -c 'sleep 20' time >/dev/null 2>&1 &
	measuring=$!
	for _ in $(seq 100); do ls "$TMPDIR" | grep -v -q '^perun-collect-.*abcde\|target' && break; sleep 0.05; done
	kill -KILL "$measuring"
	wait "$measuring" 2>/dev/null
	expect_status 0 perun gc
	expect_text 4 "$(ls "$TMPDIR" | wc -l)" 'gc removes it, too'
	expect_text '' "$(ls "$XDG_STATE_HOME/perun/scratch")" 'no record is left'
	rm -rf "$TMPDIR" .perun/jobs/*.perf
	mkdir "$TMPDIR"
	# A bar for what takes longer than half a second.
	run terminal "$PERUN" collect -c 'sleep 0.15' time --warmup 0
	expect_out '[#'
	check 'and it goes away' [ "$status" -eq 0 ]
	run perun collect -c 'sleep 0.15' time --warmup 0
	check 'no bar without a terminal' eval '! printf %s "$err" | grep -q "\["'
else
	skip 'the collector is not built'
fi

# A run of several measurements says where it is.
if "$PERUN" plugin show collect-time >/dev/null 2>&1; then
	run terminal "$PERUN" run -f job -b true -w 1 -w 2 -w 3 -c time -cp time '{repeat: 1, warmup: 0}'
	expect_out '[1/3] time of true 1'
	expect_out '[3/3, about 0:0'
	# Ctrl-C ends a build, and a hook may read from the terminal.
	run terminal -c 1 "$PERUN" -c 'execute.pre_run=[sleep 30; echo no]' run -m HEAD job -b true -c time
	check 'a build is interrupted' [ "$status" -eq 130 ]
	printf 'echo "[y/N]" >/dev/tty\nread -r answer </dev/tty\ntest "$answer" = y\n' >ask.sh
	run terminal -i y "$PERUN" -c 'hooks.pre_run=sh ask.sh' run -f job -b true -c time -cp time 'repeat: 1'
	check 'a hook asks' [ "$status" -eq 0 ]
	run terminal "$PERUN" run -f --no-progress job -b true -w 1 -w 2 -c time -cp time '{repeat: 1, warmup: 0}'
	expect_no_out '[1/2]'
fi

finish
