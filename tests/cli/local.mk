# One line for each scenario, sorted (git merges lines that are added here at once).
EXTRA_DIST += tests/cli/lib.sh

cli_tests += tests/cli/version.sh
