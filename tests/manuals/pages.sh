# SPDX-License-Identifier: BSD-3-Clause
# Every example of the manual runs and prints what its page says; pages.py says how.
command -v python3 >/dev/null && command -v git >/dev/null && command -v make >/dev/null ||
	{ echo '1..0 # SKIP needs python3, git and make'; exit 0; }
exec python3 "${top_srcdir:-.}/tests/manuals/pages.py"
