cli_tests += \
	tests/cli/version.sh

EXTRA_DIST += tests/cli/lib.sh
