# SPDX-License-Identifier: BSD-3-Clause
# The harness of pages finds what is wrong: a page that is right passes, and fails as soon as the number of a sentence,
# an option, a line of output, an exit status or a number in an output is altered.
. "${top_srcdir:-.}/tests/cli/lib.sh"
command -v python3 >/dev/null && command -v make >/dev/null || skip_all 'needs python3 and make'

source=$work/source
mkdir -p "$source/doc"
ln -s "$(cd "$top_srcdir" && pwd)/demo" "$(cd "$top_srcdir" && pwd)/tests" "$source"
cat >"$source/doc/right.md" <<'PAGE'
A check that finds a slowdown ends with exit status 1, and the project has 8 measured commits.

<!-- says "ends with exit status 1": perun check profiles before.perf after.perf >/dev/null; echo "ends with exit status $?" -->
<!-- says "has 8 measured commits": echo "has $(perun log --json | grep -c '"profiles": \[$') measured commits" -->
```
$ perun config get vcs.type
vcs.type: git
$ perun status --short | head -n 2
On branch main, commit 7f5d497b
1 tracked profile (1 time)
```

<!-- exit: 2 -->
```
$ perun log --number x
```
PAGE
commit=$(GIT_CONFIG_GLOBAL=/dev/null bash "$top_srcdir/demo/project.sh" "$work/demo" && git -C "$work/demo" rev-parse --short=8 HEAD)
sed -i "s/7f5d497b/$commit/" "$source/doc/right.md"
# mutant NAME SED-EXPRESSION: the page with a mistake.
mutant() {
	sed "$2" "$source/doc/right.md" >"$source/doc/mutant-$1.md"
	! cmp -s "$source/doc/right.md" "$source/doc/mutant-$1.md" || not_ok "the mutant $1 differs"
}
mutant number '1s/status 1/status 3/'
mutant count '1s/has 8/has 9/'
mutant option 's/status --short/status --shrt/'
mutant output 's/vcs.type: git/vcs.type: svn/'
mutant figure 's/^1 tracked profile (1 time)/2 tracked profiles (2 time)/'
mutant exit 's/exit: 2/exit: 3/'
mutant missing '/^vcs.type: git/d'

run env top_srcdir="$source" PERUN="$(realpath "$PERUN")" \
	top_builddir="$(cd "$top_builddir" && pwd)" python3 "$top_srcdir/tests/manuals/pages.py"
check 'the page that is right passes' test -z "$(grep '^not ok .*doc/right' "$work/.result/stdout")" -a \
	-n "$(grep '^ok .*doc/right' "$work/.result/stdout")"
for page in "$source"/doc/mutant-*.md; do
	name=${page##*/}
	check "finds ${name%.md}" grep -q "^not ok .*doc/$name" "$work/.result/stdout"
done

# So does the table of numbers: one altered in a page, one altered in a source, one that is new, an option of another program.
pages=checks/shift/perun-check-shift.mdoc
foreign=formats/massif/perun-format-massif.7
numbers() { run env top_srcdir="$source" PERUN="$(realpath "$PERUN")" python3 "$source/tests/manuals/numbers.py"; }
rm "$source/tests" "$source"/doc/*.md
mkdir -p "$source/tests/manuals" "$source/tests/tools" "$source/checks/shift" "$source/formats/massif" "$source/core/statistics" "$source/plugins/include/perun/lib"
cp "$top_srcdir"/tests/manuals/*.py "$source/tests/manuals"
cp "$top_srcdir/tests/tools/restored.py" "$source/tests/tools"
cp "$top_srcdir/$pages" "$source/checks/shift"
cp "$top_srcdir/$foreign" "$source/formats/massif"
cp "$top_srcdir"/core/statistics/verdict.c "$top_srcdir"/core/statistics/randomization.c "$source/core/statistics"
awk -v pages="[$pages] [$foreign]" '/^\[/ { on = index(pages, $0) } on' "$top_srcdir/tests/manuals/numbers.txt" >"$source/tests/manuals/numbers.txt"
numbers
check 'the numbers of a page are right' test "$status" -eq 0
# altered FILE SED-EXPRESSION: a number that is another one is found.
altered() {
	cp "$source/$1" "$work/kept"
	sed -i "$2" "$source/$1"
	numbers
	check "finds the number altered by $2" test "$status" -eq 1 -a "${err#*Traceback}" = "$err"
	cp "$work/kept" "$source/$1"
}
altered $pages 's/From four runs/From five runs/'
altered $pages 's/83 %/84 %/'
altered $pages '$s/$/There are 17 ways./'
altered $foreign 's/--tool/--tol/'
altered $foreign '/^\.Cm/s/peak/paek/'
altered $foreign '/^\.Dl/s/tree/top/'
altered $pages '/^\.It/s/undecided/uncertain/'
altered core/statistics/verdict.c 's/MIN_DISJOINT 4/MIN_DISJOINT 5/'

finish
