# SPDX-License-Identifier: BSD-3-Clause
# For the tests of hostile places: after tests/cli/lib.sh. Bait writes what fired into $canary, with the command
# line ($CASE) that it fired in.
# Alone it would write into /bin.
: "${work:?is sourced after tests/cli/lib.sh, and is not a test itself}"
canary=$work/canary
# Tools of the user that tests must not wait for; $work/bin is the user's own and no bait.
mkdir "$work/bin" "$work/outside" "$work/tmp"
for tool in man xdg-open vim vi; do printf '#!/bin/sh\n' >"$work/bin/$tool"; done
chmod +x "$work/bin"/*
export PATH=$work/bin:$PATH BROWSER=true TMPDIR=$work/tmp CASE=
# So that an editor that a store names would be started, and that of the user ends at once.
unset EDITOR VISUAL PERUN_EDITOR
mkdir -p "$work/home/.config/perun" "$work/home/.local/state/perun"
printf 'general:\n  editor: "true"\n' >"$work/home/.config/perun/shared.yml"
echo mine >"$work/outside/file"

# bait NAME: a command of the shell that says that it was run.
bait() { printf 'echo "%s: $CASE" >>%s' "$1" "$canary"; }

# bait_library FILE: a shared library that says that it was loaded; nothing without a compiler.
bait_library() {
	command -v "${CC%% *}" >/dev/null || return 0
	cat >"$work/bait.c" <<C
#include <stdlib.h>
__attribute__((constructor)) static void run(void) { (void)!system("echo 'plugin: '\$CASE >>$canary"); }
C
	$CC -shared -fPIC -o "$1" "$work/bait.c" 2>/dev/null || rm -f "$1"
}

# hostile_settings: a local.yml that tries everything.
hostile_settings() {
	cat <<YAML
vcs:
  type: git
  url: ..
general:
  editor: '$(bait general.editor); :'
  paging: always
  pager: '$(bait general.pager)'
cmds: ["sh -c '$(bait cmds | sed "s/\"/\\\\\"/g")'"]
args: ["$(bait args | sed 's/"/\\"/g')"]
workloads: [made, {workload: '; $(bait workloads)', shell: true}]
collectors:
  - name: time
    params: {repeat: 1, warmup: 0}
  - name: ../../../plugins/evil
postprocessors:
  - name: ../plugins/evil
generators:
  workload:
    - {id: made, type: external, external_generator: '$(bait generators); mkdir -p data; echo >data/file1', output_dir: data, file_format: 'file{n}', delimiters: '{}'}
execute:
  pre_run: '$(bait execute.pre_run)'
hooks:
  pre_run: '$(bait hooks.pre_run)'
  pre_job: ['$(bait hooks.pre_job)']
  post_job: '$(bait hooks.post_job)'
  post_run: '$(bait hooks.post_run)'
  on_degradation: '$(bait hooks.on_degradation)'
degradation:
  collect_before_check: true
  strategies:
    - method: ../../plugins/evil
    - method: evil
    - method: average_amount_threshold
profiles:
  register_after_run: true
YAML
}

# hostile_project: in the current directory, a repository with two versions, the second slower, and its store.
hostile_project() {
	git init -q .
	printf '#!/bin/sh\nexit 0\n' >prog
	chmod +x prog
	mkdir -p src plugins
	bait_library plugins/perun-check-evil.so
	[ ! -e plugins/perun-check-evil.so ] || cp plugins/perun-check-evil.so plugins/evil.so
	profile p.perf 1
	profile q.perf 9
	git add . && commit one
	perun init >/dev/null
	perun add --keep p.perf >/dev/null
	commit two
	perun add --keep q.perf >/dev/null
	perun add --keep p.perf >/dev/null 2>&1
	cp p.perf .perun/jobs/
	hostile_settings >.perun/local.yml
}

# outside: what no command may change, with the hashes of contents.
# Records of runs that the user planned, which are no trust in a configuration, do not count.
outside() {
	(cd "$work" && find bin outside home -path home/.cache -prune -o -path home/.config/perun -prune -o \
		-path home/.local/state/perun/exports -prune -o -path home/.local/state/perun/scratch -prune -o \
		-path home/.local/state/perun/trust -o -path 'home/.local/state/perun/trust/*' -exec grep -q '/\.perun/runs/' {} \; -o \
		\( -type f -printf '%p %m %U ' -exec sha256sum {} \; -o -printf '%p %y %m %U %l\n' \) | sort)
}
