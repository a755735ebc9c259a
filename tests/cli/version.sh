# SPDX-License-Identifier: BSD-3-Clause
# The wrapper of the build tree runs the command.
. "${top_srcdir:-.}/tests/cli/lib.sh"

expect_status 0 perun version
expect_out 'perun 0.'

finish
