# SPDX-License-Identifier: BSD-3-Clause
# Streams of which nearly each line is a place of its own are read in twice their size: readers.py makes them, and measures.
. "${top_srcdir:-.}/tests/cli/lib.sh"
command -v python3 >/dev/null || skip_all 'python3 is not installed'
case $SANITIZE in
*address* | *thread*) skip_all 'sanitizers take memory of their own' ;;
esac
: "${PERUN_PLUGIN_PATH=$top_builddir/plugins-built}"
export PERUN_PLUGIN_PATH
echo 'a 1' >empty.folded
for shape in lines addresses folded massif threads modules heap regions maps; do
	python3 "$top_srcdir/tests/hostile/readers.py" $shape >in || skip_all 'a file could not be made'
	check "$shape: at most 2 bytes for each byte" python3 "$top_srcdir/tests/hostile/readers.py" \
		"$top_builddir/tests/tools/format-pairs" in empty.folded
done
finish
