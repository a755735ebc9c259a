#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A short run of the JSON fuzz target: always the same inputs.
exec "${top_builddir:-.}/tests/fuzz/fuzz-json" -n "${FUZZ_ROUNDS:-30000}" -s "${FUZZ_SEED:-1}" \
	"${top_srcdir:-.}/tests/fuzz/corpus/json"
