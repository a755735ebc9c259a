# SPDX-License-Identifier: BSD-3-Clause
# For command scenarios: `. "${top_srcdir:-.}/tests/cli/lib.sh"` first, `finish` last.
#
# The test runs in an empty directory of its own ($work, removed at the end) with a home directory and
# a git configuration of its own. Standard output and error of the last `run` or `expect_status` are in
# $out and $err (texts) and in the files stdout and stderr of $work/.result.

top_srcdir=${top_srcdir:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
top_builddir=${top_builddir:-$(pwd)}
PERUN=${PERUN:-$top_builddir/perun}
data=$top_srcdir/tests/data

work=$(mktemp -d "${TMPDIR:-/tmp}/perun-test.XXXXXX") || exit 1
trap 'chmod -R u+w "$work" 2>/dev/null; rm -rf "$work"' EXIT
mkdir -p "$work/home" "$work/.result" "$work/here"
export HOME=$work/home XDG_CONFIG_HOME=$work/home/.config XDG_DATA_HOME=$work/home/.local/share
export XDG_STATE_HOME=$work/home/.local/state XDG_CACHE_HOME=$work/home/.cache TZ=UTC LC_ALL=C.UTF-8 NO_COLOR=1 PAGER=cat PERUN_PAGER=cat
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=$work/home/.gitconfig GIT_TERMINAL_PROMPT=0 EDITOR=true
export GIT_AUTHOR_NAME='A U Thor' GIT_AUTHOR_EMAIL=author@example.com
export GIT_COMMITTER_NAME='C O Mitter' GIT_COMMITTER_EMAIL=committer@example.com
export GIT_AUTHOR_DATE='2020-01-01T00:00:00 +0000' GIT_COMMITTER_DATE='2020-01-01T00:00:00 +0000'
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE COLUMNS VISUAL PERUN_TRUST SUDO_UID
cat >"$GIT_CONFIG_GLOBAL" <<CONFIG
[init]
	defaultBranch = main
[advice]
	detachedHead = false
[gc]
	auto = 0
[maintenance]
	auto = false
[core]
	fsync = none
CONFIG
export XDG_STATE_HOME=$work/home/.local/state
cd "$work/here" || exit 1

tap_count=0
tap_failed=0
out=
# A check that is misspelt would be none: what begins like one must be a function.
command_not_found_handle() {
	case $1 in expect_* | check_* | ok | not_ok) printf 'not ok - no such check: %s\n' "$1" ;; *) printf '%s: command not found\n' "$1" >&2 ;; esac
	return 127
}
err=
status=0

perun() { "$PERUN" "$@"; }
# Without what is installed besides, which few scripts need (`command python3`), it starts in less than half of the time.
if command -v python3 >/dev/null; then python3() { command python3 -S "$@"; }; fi

# ok WHAT / not_ok WHAT: one case.
ok() { tap_count=$((tap_count + 1)); printf 'ok %d - %s\n' "$tap_count" "$*"; }
not_ok() {
	tap_count=$((tap_count + 1))
	tap_failed=$((tap_failed + 1))
	printf 'not ok %d - %s\n' "$tap_count" "$*"
	[ ! -s "$work/.result/stdout" ] || head -n 40 "$work/.result/stdout" | sed 's/^/#   out: /'
	[ ! -s "$work/.result/stderr" ] || head -n 40 "$work/.result/stderr" | sed 's/^/#   err: /'
}
skip() { tap_count=$((tap_count + 1)); printf 'ok %d # SKIP %s\n' "$tap_count" "$*"; }
# skip_all WHY: leaves the script.
skip_all() { printf '1..0 # SKIP %s\n' "$*"; exit 0; }
diag() { printf '%s\n' "$*" | sed 's/^/# /'; }

# check WHAT COMMAND...: a case that holds when the command succeeds.
check() {
	local what=$1
	shift
	if "$@"; then ok "$what"; else not_ok "$what"; fi
}

# A short test tries a part of what there is much of, the same part every time; `make check-long` all.
is_long() { [ -n "${PERUN_LONG-}" ]; }
# some N: of the lines of standard input each N-th, from the first one on.
some() { if is_long; then cat; else sed -n "1~$1p"; fi; }

# run COMMAND...: keeps its output and status for the checks that follow.
run() {
	status=0
	"$@" >"$work/.result/stdout" 2>"$work/.result/stderr" </dev/null || status=$?
	# Bash leaves out bytes of zero, and says so; nothing is started for it.
	{
		out=$(<"$work/.result/stdout")
		err=$(<"$work/.result/stderr")
	} 2>/dev/null
}

# expect_status N COMMAND...: run, and a case that holds when the exit status is N.
expect_status() {
	local want=$1
	shift
	run "$@"
	if [ "$status" -eq "$want" ]; then ok "status $want: $*"; else not_ok "status $status, not $want: $*"; fi
}

# expect_out TEXT / expect_err TEXT [WHAT]: the last output contains the text.
expect_out() { case $out in *"$1"*) ok "${2:-prints: $1}" ;; *) not_ok "${2:-prints: $1}" ;; esac; }
expect_err() { case $err in *"$1"*) ok "${2:-says: $1}" ;; *) not_ok "${2:-says: $1}" ;; esac; }
expect_no_out() { case $out in *"$1"*) not_ok "does not print: $1" ;; *) ok "does not print: $1" ;; esac; }
expect_no_err() { case $err in *"$1"*) not_ok "does not say: $1" ;; *) ok "does not say: $1" ;; esac; }
# expect_one_line: the last command printed exactly one line on standard error.
expect_one_line() {
	local lines
	mapfile -t lines <"$work/.result/stderr"
	if [ "${#lines[@]}" -eq 1 ]; then ok "one line of error"; else not_ok "one line of error"; fi
}
# expect_same EXPECTED ACTUAL [WHAT]: two files hold the same bytes.
expect_same() {
	if cmp -s "$1" "$2"; then ok "${3:-$2 is as expected}"; else
		not_ok "${3:-$2 is as expected}"
		diff -u "$1" "$2" | head -n 40 | sed 's/^/# /'
	fi
}
# expect_text EXPECTED ACTUAL [WHAT]: two texts are equal.
expect_text() {
	if [ "$1" = "$2" ]; then ok "${3:-text is as expected}"; else
		not_ok "${3:-text is as expected}"
		diag "expected: $1"
		diag "got:      $2"
	fi
}

# new_repo [DIR]: a git repository with one commit; becomes the current directory.
new_repo() {
	mkdir -p "${1:-repo}" && cd "${1:-repo}" || exit 1
	git init -q . && echo one >file && git add file && git commit -q -m 'first commit'
	has_file[$PWD]=yes
}
# commit [MESSAGE]: one commit more, of what is staged and of this change; git is started twice only for the first one here.
declare -A has_file
commit() {
	echo "${1:-change} $RANDOM$RANDOM" >>file
	[ -n "${has_file[$PWD]-}" ] || git add file
	has_file[$PWD]=yes
	git commit -q -i file -m "${1:-change}"
}

finish() {
	printf '1..%d\n' "$tap_count"
	[ "$tap_failed" -eq 0 ]
	exit
}
