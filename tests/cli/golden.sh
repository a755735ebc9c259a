# SPDX-License-Identifier: BSD-3-Clause
# What commands print on terminals of two widths, with and without colours; golden.py says how.
command -v python3 >/dev/null && command -v git >/dev/null && command -v make >/dev/null ||
	{ echo '1..0 # SKIP needs python3, git and make'; exit 0; }
exec python3 "${top_srcdir:-.}/tests/cli/golden.py"
