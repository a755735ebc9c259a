# SPDX-License-Identifier: BSD-3-Clause
# Pages list the settings, defaults, variables and options that there are, and `perun help` finds what man finds.
. "${top_srcdir:-.}/tests/cli/lib.sh"

command -v python3 >/dev/null || skip_all 'needs python3'
run python3 "$top_srcdir/tests/manuals/agreement.py"
check 'settings, variables and options are those of the pages' test "$status" -eq 0

check 'doc/scale.md is drawn as it is' python3 "$top_srcdir/bench/scale-draw.py" "$top_srcdir/doc/scale.md" \
	"$top_srcdir/doc/pictures/scale.svg" --check

export PERUN_MANUALS=$top_builddir/manuals
for page in $manual_pages; do
	name=${page##*/}
	[ -e "$PERUN_MANUALS/man${name##*.}/$name" ] || diag "no link to $page"
	[ -e "$PERUN_MANUALS/man${name##*.}/$name" ] || missing=1
done
check 'every page is where man looks' test -z "${missing-}"
command -v man >/dev/null || { finish; }
while read -r words; do
	# shellcheck disable=SC2086
	expect_status 0 perun help $words
	check "perun help $words prints something" test -n "$out"
done <<WORDS
record
check shift
collect time
format pprof
json
revisions
config 5
store
pprof
show
WORDS
expect_status 2 perun help add nosuch
expect_status 2 perun help nosuch
expect_one_line

finish
