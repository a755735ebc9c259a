# SPDX-License-Identifier: BSD-3-Clause
# The table of all commands with JSON, completion and manual page; commands.py says how.
command -v python3 >/dev/null || { echo '1..0 # SKIP needs python3'; exit 0; }
exec python3 "${top_srcdir:-.}/tests/manuals/commands.py"
