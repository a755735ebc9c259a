# SPDX-License-Identifier: BSD-3-Clause
# Streams of which nearly each line is a place of its own are read in about twice their size, and JSON of which one element is nearly
# the whole file in three times: readers.py makes them, and measures.
. "${top_srcdir:-.}/tests/cli/lib.sh"
command -v python3 >/dev/null || skip_all 'python3 is not installed'
case $SANITIZE in
*address* | *thread*) skip_all 'sanitizers take memory of their own' ;;
esac
: "${PERUN_PLUGIN_PATH=$top_builddir/plugins-built}"
export PERUN_PLUGIN_PATH
echo 'a 1' >empty.folded
# The goal is 2, of JSON 3, of 10 MB; what holds more is in doc/performance.md. Where it is near, up to 0.2 are the machine's.
for shape in lines=1.8 addresses=2.1 folded=2.1 massif=1.6 threads=1.2 modules=1.6 heap=2 regions=1.9 maps=1.3 sparse=1.5 names=2.1 callers=0.8 \
	allocations=1.4 places=2 units=2.35 rates=2.35 failures=1.4 deviations=1.7 levels=2.1 wide=1.5 events=1.2 kinds=2 calls=1.8 libraries=2 identities=2.45 keys=3.15 \
	rows=1 experiment=1.2 snapshots=0.5 values=1.5 counters=3.05 shuffled=2.1 context=1.9 members=1.7 label=2 measures=2.1 runs=1.2 columns=0.8 dimensions=2.3 \
	forks=1.9 parameters=1.5 descriptors=1.4 trials=1.2 header=1.2 \
	columns_of_samples=2.5 columns_of_stacks=0.6 raw=1.8 repetitions=0.8 files=0.4 component=0.2 model=2.7 trace=2.7 stacks=1.5 nodes=3 slices=2.2 late=1.7 intervals=3.1; do
	limit=${shape#*=} shape=${shape%=*}
	python3 "$top_srcdir/tests/hostile/readers.py" $shape >in || skip_all 'a file could not be made'
	check "$shape: at most $limit bytes for each byte" python3 "$top_srcdir/tests/hostile/readers.py" \
		"$top_builddir/tests/tools/format-pairs" in empty.folded $limit
done
if perun plugin list format 2>/dev/null | grep -q perf-data; then
	for shape in chains=2.2 mapped=2.4; do
		python3 "$top_srcdir/tests/hostile/readers.py" ${shape%=*} >in
		check "${shape%=*}: at most ${shape#*=} bytes for each byte" python3 "$top_srcdir/tests/hostile/readers.py" \
			"$top_builddir/tests/tools/format-pairs" in empty.folded ${shape#*=}
	done
fi
# Directories, less what a small one takes, for which more plugins are loaded than for a file.
for shape in tau_threads=1.5 nsight_paths=2.3 nsight_calls=1.8; do
	limit=${shape#*=} shape=${shape%=*}
	case $shape in
	nsight*) perun plugin list format 2>/dev/null | grep -q nsight || continue ;;
	esac
	python3 "$top_srcdir/tests/hostile/costly.py" $shape 160000 directory $shape 3 small || skip_all 'a directory could not be made'
	check "$shape: at most $limit bytes for each byte" python3 "$top_srcdir/tests/hostile/readers.py" \
		"$top_builddir/tests/tools/format-pairs" directory small $limit
done
finish
