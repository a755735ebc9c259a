# SPDX-License-Identifier: BSD-3-Clause
# What a verdict must not depend on, and what it must: files of every format that is read, changed in ways whose effect is known.
. "${top_srcdir:-.}/tests/cli/lib.sh"
perun plugin show check-shift >/dev/null 2>&1 || skip_all 'the check is not built'
python3 -c 'import sqlite3' 2>/dev/null || skip_all 'there is no python3 with sqlite3'

perun plugin list format | awk '{ print $2 }' >formats
while read -r result what; do
	case $result in
	ok) ok "$what" ;;
	*) not_ok "${what#ok }" ;;
	esac
done < <(
	python3 "$top_srcdir/tests/cli/metamorphoses.py" "$PERUN" $(cat formats) 2>&1
	python3 "$top_srcdir/tests/cli/check-kinds.py" "$top_srcdir" 2>&1
)
check 'formats are read' test "$tap_count" -gt "$(wc -l <formats)"

# One file at a commit, and what it holds in two files at the next.
git init -q repo && cd repo || exit 1
git commit -q --allow-empty -m one
git commit -q --allow-empty -m two
perun init >/dev/null
# imported WHAT ARGUMENT...
imported() {
	run perun import -w split "${@:2}"
	check "$1" test "$status" = 0
}
imported 'files of each format at one commit' -m HEAD~1 $(for part in ../*.part0; do printf '%s\n' "${part%.part0}.base"; done)
imported 'in two files each at the next' ../*.part0 ../*.part1
run perun check --json --unchanged head
check 'files split in two are one version' test "$status" = 0
differing=$(python3 -c '
import json, sys
document = json.load(sys.stdin)
changes = document["changes"]
print(*{c["command"] + " " + c["result"] for c in changes if c["result"] not in ("NoChange", "Inconclusive")})
print(document["not_compared"] or len(changes) < 4 * int(sys.argv[1]))' "$(ls ../*.part0 | wc -l)" <<<"$out")
check "no format differs, and all were compared: $differing" test "$differing" = $'\nFalse'
finish
