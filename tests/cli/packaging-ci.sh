#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# action.yml and packaging/ci: what a pull request and a merge request run.
. "${top_srcdir:-.}/tests/cli/lib.sh"
command python3 -c 'import yaml' 2>/dev/null || skip_all 'python3-yaml is missing'
# perun says of each plugin that has a package of its own which one, and each package has the files of its plugins.
if [ -d "$top_srcdir/debian" ]; then
	listed=$(sed -n '/^#/d; /^command record /d; p' "$top_srcdir/debian/plugin-packages" | sort)
	packaged=$(cd "$top_srcdir/debian" && for file in perun-plugin-*.install; do
			sed -n "s|.*/perun-\([a-z]*\)-\([a-z0-9-]*\)\.\*\$|\1 \2 ${file%.install}|p" "$file"
		done | sort)
	expect_text "$packaged" "$listed" 'debian/plugin-packages'
	for package in $(printf '%s\n' "$listed" | cut -d ' ' -f 3 | sort -u); do
		check "debian/control has $package" grep -qx "Package: $package" "$top_srcdir/debian/control"
	done
fi

new_repo project
mkdir ../bin && printf '#!/bin/sh\nexec "%s" "$@"\n' "$PERUN" >../bin/perun && chmod +x ../bin/perun
PATH=$(realpath ../bin):$PATH
git branch -q -M main
printf 'sleep 0.005\n' >prog.sh && git add . && git commit -q -m base
git checkout -q -b slow && printf 'sleep 0.02\n' >prog.sh && git commit -q -a -m slow
git checkout -q -b same && echo note >note && git add note && git commit -q -m same
act() { command python3 "$top_srcdir/tests/tools/act.py" "$top_srcdir/action.yml" "$PWD" "command=sh prog.sh" build=: budget=8s "$@"; }

expect_status 1 act base=main head=slow site=../site
expect_out 'slower'
expect_out "uses actions/upload-artifact@v4 {'name': 'perun-site', 'path': '../site'}"
check 'a comment' grep -q '^### Performance: slower' performance.md
check 'the site' test -s ../site/index.html
expect_status 0 act base=main head=slow fail=false
expect_out 'output result slower'
expect_status 0 act base=slow head=same
expect_out 'output result unchanged'
# What cannot be built is no answer.
expect_status 1 act base=main head=slow build=false
check 'the reason is in the comment' grep -q 'false' performance.md

job() { # NAME: of gitlab.yml
	command python3 -c 'import os, shlex, sys, yaml
job = yaml.safe_load(open(sys.argv[1]))[".perun"]
for name, value in job["variables"].items(): print("export %s=%s" % (name, os.path.expandvars(shlex.quote(str(value)).replace("$", "$"))))
print("\n".join(job["script"]))' "$top_srcdir/packaging/ci/gitlab.yml" |
		sed "s|/usr/share/perun/ci/|$top_srcdir/packaging/ci/|; s|^export BUILD=.*|export BUILD=: COMMAND='sh prog.sh'|; s|^export BUDGET=.*|export BUDGET=8s|"
}
export CI_MERGE_REQUEST_DIFF_BASE_SHA CI_COMMIT_SHA
CI_MERGE_REQUEST_DIFF_BASE_SHA=$(git rev-parse main) CI_COMMIT_SHA=$(git rev-parse slow)
job >../job
expect_status 1 bash -e ../job
check 'what GitLab keeps' test -s performance.md -a -s site/index.html
finish
