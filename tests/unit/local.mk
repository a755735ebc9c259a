# Link the library by default; a test of hidden functions sets
# tests_unit_test_X_LDADD = $(core_internal).
unit_tests += \
	tests/unit/test-context \
	tests/unit/test-json \
	tests/unit/test-json-number \
	tests/unit/test-options

EXTRA_DIST += tests/unit/check.h tests/data/json-cases.jsonl tests/json/cases.py
