# Benchmarks: EXTRA_PROGRAMS += bench/NAME and its variables; `make bench` builds and runs them.
bench_programs =

bench_programs += bench/profile
bench_profile_SOURCES = bench/profile.c
bench_programs += bench/stacks
bench_stacks_SOURCES = bench/stacks.c
.PHONY: bench-profile bench-stacks
bench-profile: bench/profile
	$<
bench-stacks: bench/stacks
	$<

EXTRA_PROGRAMS += $(bench_programs)
CLEANFILES += $(bench_programs)
