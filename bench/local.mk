# Benchmarks: EXTRA_PROGRAMS += bench/NAME and its variables; `make bench` builds and runs them.
bench_programs =
EXTRA_PROGRAMS += $(bench_programs)
