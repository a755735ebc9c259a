# SPDX-License-Identifier: BSD-3-Clause
# Commands that need more memory than they may have: memory.py says what they must do.
. "${top_srcdir:-.}/tests/cli/lib.sh"
command -v python3 >/dev/null || skip_all 'python3 is not installed'
command -v git >/dev/null || skip_all 'git is not installed'
case $SANITIZE in
*address* | *thread*) skip_all 'sanitizers take more memory than a limit leaves' ;;
esac
python3 "$top_srcdir/tests/hostile/memory.py" "$PERUN"
