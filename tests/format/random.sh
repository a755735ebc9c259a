#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Random profiles, the same each time: the plugin's bytes against those of a reference in Python.
here=${top_srcdir:-.}/tests/format
if ! command -v python3 >/dev/null 2>&1; then
	echo '1..0 # SKIP no python3'
	exit 0
fi
folder=$(mktemp -d "${TMPDIR:-/tmp}/perun-format.XXXXXX") || exit 99
trap 'rm -rf "$folder"' EXIT
PYTHONDONTWRITEBYTECODE=1 python3 "$here/random-profiles.py" "${top_builddir:-.}/tests/format/convert" "$folder" \
	"${FORMAT_SEED:-1}" "${FORMAT_CASES:-500}"
