#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Faults at each call of commands, and power cuts: some of them, all with FAULTS=all (`make faults`).
if ! command -v python3 >/dev/null 2>&1 || ! command -v git >/dev/null 2>&1; then
	echo '1..0 # SKIP no python3 or no git'
	exit 0
fi
exec python3 "${top_srcdir:-.}/tests/faults/faults.py" ${FAULTS:+--all} "$@"
