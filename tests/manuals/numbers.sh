# SPDX-License-Identifier: BSD-3-Clause
# The numbers in the sentences of the manual are those of the program, or have a reason; numbers.py says how.
command -v python3 >/dev/null || { echo '1..0 # SKIP needs python3'; exit 0; }
exec python3 "${top_srcdir:-.}/tests/manuals/numbers.py"
