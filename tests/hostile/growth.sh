# SPDX-License-Identifier: BSD-3-Clause
# How work grows with the size of an input: instructions, counted, and every command and format has its place in the tables.
. "${top_srcdir:-.}/tests/cli/lib.sh"
command -v python3 >/dev/null || skip_all 'python3 is not installed'
command -v valgrind >/dev/null || skip_all 'valgrind is not installed'
case $SANITIZE in
*address* | *thread* | *undefined*) skip_all 'valgrind does not count what sanitizers instrument' ;;
esac
run python3 "$top_srcdir/bench/growth.py" "$PERUN" --counted
printf '%s\n' "$out" | sed 's/^/# /'
expect_text '' "$(grep '^!' <<<"$out")" 'no command takes more than its share of 16 times as much'
expect_text 0 "$status" 'and all were counted'
finish
