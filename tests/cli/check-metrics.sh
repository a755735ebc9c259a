# SPDX-License-Identifier: BSD-3-Clause
# Checks on profiles whose metrics have columns of their own, as intervals of simulations and samples of stacks have.
. "${top_srcdir:-.}/tests/cli/lib.sh"

# simulation FACTOR: 12 intervals of two labels, those of "solve" FACTOR times as long.
simulation() {
	printf '%s\n' '# AFPerf v1     ' 'RunInfo,0,milliseconds,1000.5,1.0.0,1,sim,2.0,'
	for i in $(seq 12); do
		printf 'RegionStart,%d,1,%d,solve,\nRegionStop,%d,%d\n' $((i * 1000)) "$i" \
			$((i * 1000 + $1 * 100 + i % 3)) "$i"
		printf 'RegionStart,%d,1,%d,write,\nRegionStop,%d,%d\n' $((i * 1000 + 900)) $((i + 100)) \
			$((i * 1000 + 910 + i % 4)) $((i + 100))
	done
}
simulation 1 >base.afperf
simulation 3 >slow.afperf
expect_status 1 perun check profiles base.afperf slow.afperf --method aat
expect_out 'slower  solve'
expect_out '+198 %, 3×'
expect_out '101000000.0 ns → 301000000.0 ns'
expect_status 0 perun check profiles base.afperf base.afperf --method aat
# Without a method: intervals that come again and again are repeated measurements.
expect_status 1 perun check profiles base.afperf slow.afperf
expect_out 'slower  solve'
expect_out 'slower'
expect_out 'p = '
expect_status 0 perun check profiles base.afperf base.afperf

printf 'main;f 3\nmain;g 4\n' >base.folded
printf 'main;f 9\nmain;g 4\n' >slow.folded
expect_status 1 perun check profiles base.folded slow.folded --method aat
expect_out 'slower  main;f'
expect_out ', 3×'
finish
