#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The JSON engine against the json module of the Python that is installed.
here=${top_srcdir:-.}/tests
if ! command -v python3 >/dev/null 2>&1; then
	echo '1..0 # SKIP no python3'
	exit 0
fi
echo '1..2'
status=0
if python3 "$here/json/cases.py" --check "$here/data/json-cases.jsonl"; then
	echo 'ok 1 - the stored cases are what this Python says'
else
	echo 'not ok 1 - the stored cases are what this Python says'
	status=1
fi
if python3 "$here/json/cases.py" --random "${JSON_CASES:-8000}" \
	"${top_builddir:-.}/tests/json/normalize"; then
	echo 'ok 2 - random texts'
else
	echo 'not ok 2 - random texts'
	status=1
fi
exit $status
