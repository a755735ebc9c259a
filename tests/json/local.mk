# The JSON engine against Python's json module.
check_PROGRAMS += tests/json/normalize
tests_json_normalize_SOURCES = tests/json/normalize.c

TESTS += tests/json/python.sh
EXTRA_DIST += tests/json/schema.py
EXTRA_DIST += tests/json/python.sh tests/json/cases.py tests/data/json-cases.jsonl

# For hours without hurry: many more random numbers and texts, each time the same.
.PHONY: soak-json
soak-json: $(check_PROGRAMS)
	tests/unit/test-json-number 20000000
	top_srcdir=$(top_srcdir) tests/fuzz/fuzz -n 5000000 -t 100000 json
	top_srcdir=$(top_srcdir) JSON_CASES=300000 $(srcdir)/tests/json/python.sh
