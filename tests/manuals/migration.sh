# SPDX-License-Identifier: BSD-3-Clause
# Each command line of doc/migration.md does what the page says of it.
command -v python3 >/dev/null && command -v git >/dev/null && ${CC:-cc} --version >/dev/null ||
	{ echo '1..0 # SKIP needs python3, git and a C compiler'; exit 0; }
. "${top_srcdir:-.}/tests/cli/lib.sh"
: "${PERUN_PLUGIN_PATH=$top_builddir/plugins-built}"
export PERUN_PLUGIN_PATH
if python3 "$top_srcdir/tests/manuals/migration.py" "$top_srcdir/doc/migration.md" "$top_builddir/perun" "$work" >found; then
	ok "$(cat found)"
else
	not_ok 'the lines of the page'
	diag "$(cat found)"
fi
finish
