#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A configuration of the Python program, with all that its collectors and postprocessors take, runs unchanged.
. "${top_srcdir:-.}/tests/cli/lib.sh"
cc=${CC:-cc}
new_repo
cat >prog.c <<'C'
#include <stdlib.h>
__attribute__((noinline)) static int work(int n) { volatile int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
int main(void) { void *b = malloc(10); int s = 0; for (int i = 0; i < 100; i++) s += work(1000 * i); free(b); return s == 1; }
C
$cc -g -o prog prog.c || skip_all 'cannot compile'
echo x >input
git add . && git commit -qm program
expect_status 0 perun init
cat >.perun/local.yml <<YAML
vcs:
  type: git
  url: $PWD

cmds:
  - ./prog
args:
  - -v
workloads:
  - input
  - numbers
generators:
  workload:
    - id: numbers
      type: integer
      min_range: 1
      max_range: 3
      step: 1
collectors:
  - name: time
    params:
      warmup: 0
      repeat: 2
  - name: memory
    params:
      sampling: 1
      all: false
      no_func: [main]
      no_source: [foo.c]
  - name: complexity
    params:
      target_dir: target
      files: [prog.c]
      rules: [work]
      sampling:
        - func: work
          sample: 2
      internal_data_filename: trace.log
      internal_storage_size: 20000
      internal_direct_output: false
      strategy: userspace
      engine: stap
postprocessors:
  - name: normalizer
    params: {}
  - name: filter
    params: {}
profiles:
  register_after_run: true
format:
  status: "\u2503 %type% \u2503 %collector%  \u2503 (%time%) \u2503 %source% \u2503"
  shortlog: "%checksum:6% (%stats%) %desc% %changes%"
  output_profile_template: "%collector%-of-%cmd%-%workload%-%date%"
  output_show_template: "%collector%-%cmd%-%workload%-%date%"
  sort_profiles_by: time
degradation:
  apply: first
  collect_before_check: true
  log_collect: true
  strategy:
    - type: mixed
      postprocessor: regression_analysis
      method: bmoe
    - method: aat
  location_filter: "*"
  cutoff: 0.0
execute:
  pre_run:
    - echo hi
selection_method: best-model
YAML
expect_status 0 perun trust --yes
expect_status 0 perun run matrix
expect_err 'internal-data-filename, internal-storage-size, strategy: accepted as the Python program had it'
expect_err 'filter: without --where every row is kept'
check 'a warning for each measurement, no more' test "$(grep -c 'internal-data-filename' <<<"$err")" -le 4
expect_status 0 perun log --json -n 1
expect_text 6 "$(grep -c '"source"' <<<"$out")" 'each collector measured each workload, and its profile is registered'
expect_status 0 perun status

# Sub-commands are chosen by a parameter.
cat >.perun/local.yml <<YAML
vcs: {type: git, url: ..}
cmds: [./prog]
collectors: [{name: time, params: {warmup: 0, repeat: 4}}]
postprocessors:
  - name: moving_average
    params: {moving_method: smm, window_width: 3, per_key: order}
  - name: kernel_regression
    params: {kernel_mode: smoothing, kernel_type: normal, per_key: order}
YAML
expect_status 0 perun trust --yes
expect_status 0 perun run matrix
perun convert 0@p one.perf
run python3 -c 'import json
p = json.load(open("one.perf"))
print([(u["params"].get("moving_method"), u["params"].get("kernel_mode")) for u in p["postprocessors"]])
print(sorted({m.get("moving_method", m.get("kernel_mode")) for m in p["models"]}))'
expect_out "[('smm', None), (None, 'kernel-smoothing')]"
expect_out "['smm', 'smoothing']"

# Another variant is refused with the word.
sed -i 's/moving_method: smm/moving_method: smq/' .perun/local.yml
expect_status 0 perun trust --yes
expect_status 2 perun run matrix
expect_err 'moving-average has no variant smq'
finish
