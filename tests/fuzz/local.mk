# Damaged input for the readers. A target is tests/fuzz/X.c with LLVMFuzzerTestOneInput(), a corpus in
# tests/fuzz/corpus/X and a script that runs it briefly; driver.c runs it without libFuzzer.
check_PROGRAMS += tests/fuzz/fuzz-json
tests_fuzz_fuzz_json_SOURCES = tests/fuzz/json.c tests/fuzz/driver.c

TESTS += tests/fuzz/json.sh
EXTRA_DIST += tests/fuzz/json.sh tests/fuzz/corpus

check_PROGRAMS += tests/fuzz/fuzz-perun
tests_fuzz_fuzz_perun_SOURCES = tests/fuzz/perun.c tests/fuzz/driver.c

TESTS += tests/fuzz/perun.sh
EXTRA_DIST += tests/fuzz/perun.sh
