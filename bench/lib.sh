# SPDX-License-Identifier: BSD-3-Clause
# What scripts of bench/ begin with: $perun of the build tree, a home of its own in $work, which is removed at the end.
set -eu
top_builddir=${top_builddir:-$(pwd)}
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
export PERUN_PLUGIN_PATH=${PERUN_PLUGIN_PATH-$top_builddir/plugins-built}
perun=$top_builddir/perun
work=$(mktemp -d "${TMPDIR:-/tmp}/perun-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
export HOME=$work GIT_CONFIG_GLOBAL=/dev/null XDG_CONFIG_HOME=$work/.config XDG_CACHE_HOME=$work/.cache PERUN_PAGER=cat
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
fail=0

# best RUNS COMMAND...: microseconds of the fastest run; the exit status 1 (found something) is no failure.
best() {
	local least=999999999 runs=$1 start took
	shift
	while [ "$((runs -= 1))" -ge 0 ]; do
		start=${EPOCHREALTIME/./}
		"$@" >/dev/null || test $? = 1
		took=$((${EPOCHREALTIME/./} - start))
		[ "$took" -ge "$least" ] || least=$took
	done
	echo "$least"
}
