# SPDX-License-Identifier: BSD-3-Clause
# The Content-Security-Policy of all pages: of each view, of the other commands that write HTML, of a site. In
# Chromium, where it is installed, no page of any kind breaks its own policy.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"

command -v python3 >/dev/null || skip_all 'Python 3 is missing'

{
	new_repo
	run perun init
	for i in 1 2 3 4; do measured_commit "$i" "$i"; done
} >/dev/null
perun site ../site --full >/dev/null && perun history -o ../history.html 'time(real)' &&
	perun history -o ../history.svg 'time(real)' || exit 1
"$PERUN" site --serve --port 0 >../served 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null; chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd .. || exit 1
for _ in $(seq 100); do grep -q http: served && break; sleep 0.1; done
SITE_ADDRESS=$(sed -n 's|\(http://[^ ]*\)/ .*|\1|p' served) TESTS=$top_srcdir/tests PERUN=$PERUN \
	PYTHONDONTWRITEBYTECODE=1 python3 "$top_srcdir/tests/cli/page-policy.py"
exit $?
