# The format perun against what the Python program does.
check_PROGRAMS += tests/format/convert
tests_format_convert_SOURCES = tests/format/convert.c

TESTS += tests/format/random.sh
EXTRA_DIST += tests/format/random.sh tests/format/random-profiles.py tests/format/reference.py
