# The JSON engine against Python's json module.
check_PROGRAMS += tests/json/normalize
tests_json_normalize_SOURCES = tests/json/normalize.c

TESTS += tests/json/python.sh
EXTRA_DIST += tests/json/python.sh tests/json/cases.py tests/data/json-cases.jsonl
