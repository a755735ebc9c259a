# SPDX-License-Identifier: BSD-3-Clause
# All views in all forms on profiles of each kind: whatever names are, they stay text, and no line is too wide.
. "${top_srcdir:-.}/tests/cli/lib.sh"

command -v python3 >/dev/null || skip_all 'Python 3 is missing'
export -n COLUMNS 2>/dev/null || :
PERUN=$PERUN python3 "$top_srcdir/tests/cli/views-names.py"
status=$?
exit $status
