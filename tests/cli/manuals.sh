# SPDX-License-Identifier: BSD-3-Clause
# mandoc has nothing to warn about in any manual page, written or generated.
. "${top_srcdir:-.}/tests/cli/lib.sh"

command -v mandoc >/dev/null || skip_all 'needs mandoc'
[ -n "${manual_pages-}" ] || skip_all 'make check gives the list of pages'

for page in $manual_pages; do
	file=$top_builddir/$page
	[ -e "$file" ] || file=$top_srcdir/$page
	run mandoc -Tlint -W warning "$file"
	check "$page" [ "$status" -eq 0 ]
done

finish
