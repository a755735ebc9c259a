#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A short run of the fuzz target of the format perun: always the same inputs.
exec "${top_builddir:-.}/tests/fuzz/fuzz-perun" -n "${FUZZ_ROUNDS:-20000}" -s "${FUZZ_SEED:-1}" \
	"${top_srcdir:-.}/tests/fuzz/corpus/perun"
