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

# Parameters as a list of maps, as its documents write them; several keys to sort by; what its tests give to trace.
for i in 1 2 3; do perun rm 0@p >"$work/rm.out" 2>&1; done
cat >.perun/local.yml <<YAML
vcs: {type: git, url: ..}
cmds: [./prog]
args: ["1", "2 3"]
collectors:
  - name: time
    params:
      - warmup: 0
      - repeat: 2
  - name: trace
    params:
      files: [prog.c]
      method: custom
      func: [main]
      func_sampled:
        - ['work', 2]
      static: ['BEFORE_CYCLE', 'BEFORE_CYCLE_end']
      usdt_sampled: [['INSIDE_CYCLE', 2]]
profiles: {overwrite: false}
format:
  output_profile_template: "%label%-%collector%-%counter%"
  sort_profiles_by: [collector, time]
  sort_profiles_order: asc
YAML
expect_status 0 perun trust --yes
expect_status 0 perun run matrix
expect_err 'method, static, usdt-sampled: accepted as the Python program had it, without effect'
collectors() {
	perun status --json | python3 -c 'import json, sys
print(*[p["collector"] for p in json.load(sys.stdin)["untracked"]])'
}
expect_text 'time time trace trace' "$(collectors)" 'sorted by the collector, the smallest first'
check 'a name without a label has an underscore' test -f .perun/jobs/_-time-0.perf
perun convert 0@p one.perf
expect_text '2' "$(python3 -c 'import json
print(json.load(open("one.perf"))["collector_info"]["params"]["repeat"])')" 'the list of parameters counts'
perun convert 2@p one.perf
expect_text "['main', 'work']" "$(python3 -c 'import json
print(sorted({r["uid"] for r in json.load(open("one.perf"))["resource_type_map"].values()}))')" 'a sampled function is traced'
sed -i 's/sort_profiles_order: asc/sort_profiles_order: [desc, asc]/' .perun/local.yml
expect_status 0 perun trust --yes
expect_text 'trace trace time time' "$(collectors)" 'an order for each key'
expect_text 'format.sort_profiles_by: ["collector", "time"]' "$(perun config get format.sort_profiles_by)" 'the list is shown'
sed -i 's/\[desc, asc\]/[desc, up]/' .perun/local.yml
expect_status 0 perun trust --yes
expect_status 2 perun status
expect_err "format.sort_profiles_order: expected asc or desc, not 'up'"
sed -i 's/\[desc, up\]/desc/; s/\[collector, time\]/[collector, colour]/' .perun/local.yml
expect_status 0 perun trust --yes
expect_status 2 perun status
expect_err "profiles cannot be sorted by 'colour' (format.sort_profiles_by)"

# A text is no parameters: an empty one runs, what old files propose in a comment is refused before anything is measured.
cat >.perun/local.yml <<YAML
vcs: {type: git, url: ..}
cmds: [./prog]
collectors: [{name: time, params: {warmup: 0, repeat: 2}}]
postprocessors: [{name: normalizer, params: ""}]
YAML
expect_status 0 perun trust --yes
expect_status 0 perun run matrix
profiles=$(find .perun/jobs -name '*.perf' | wc -l)
sed -i 's/params: ""/params: --remove-zero/' .perun/local.yml
expect_status 0 perun trust --yes
expect_status 2 perun run matrix
expect_err "parameters of normalizer: expected names and values such as 'repeat: 5', found the text '--remove-zero'"
expect_text "$profiles" "$(find .perun/jobs -name '*.perf' | wc -l)" 'nothing was measured'
# What trace reads from a configuration alone.
cat >.perun/local.yml <<YAML
vcs: {type: git, url: ..}
cmds: [./prog]
collectors: [{name: trace, params: {func: [work], generate_dynamic_cg: true, no_profile: false, timeout: 5}}]
YAML
expect_status 0 perun trust --yes
expect_status 0 perun run matrix
expect_err 'generate-dynamic-cg: accepted as the Python program had it, without effect'

# Two values of one option as a list.
cat >.perun/local.yml <<YAML
vcs: {type: git, url: ..}
cmds: [./prog]
collectors: [{name: time, params: {warmup: 0, repeat: 6}}]
postprocessors:
  - {name: moving_average, params: {moving_method: ema, decay: [com, 3], per_key: order}}
  - {name: kernel_regression, params: {kernel_mode: ridge, gamma_range: [0.01, 0.1], gamma_step: 0.01, per_key: order}}
YAML
expect_status 0 perun trust --yes
expect_status 0 perun run matrix
perun convert 0@p one.perf
run python3 -c 'import json
units = json.load(open("one.perf"))["postprocessors"]
print(units[0]["params"]["decay"], units[0]["params"]["window_width"], units[1]["params"]["gamma_range"])'
expect_out 'com 3.0 [0.01, 0.1]'
# What its command line calls --fixed-window-width and --relative-window-height are these keys.
cat >.perun/local.yml <<YAML
vcs: {type: git, url: ..}
cmds: [./prog]
collectors: [{name: time, params: {warmup: 0, repeat: 6}}]
postprocessors:
  - name: clusterizer
    params: {strategy: sliding_window, window_width: 2, width_measure: absolute, window_height: 1000, height_measure: relative}
YAML
expect_status 0 perun trust --yes
expect_status 0 perun run matrix
perun convert 0@p one.perf
run python3 -c 'import json
print(sorted(json.load(open("one.perf"))["resources"]["./prog#0"]["cluster"]))'
expect_out '[1, 1, 2, 2, 3, 3]'

# Another variant is refused with the word.
cat >.perun/local.yml <<YAML
vcs: {type: git, url: ..}
cmds: [./prog]
collectors: [{name: time, params: {warmup: 0, repeat: 4}}]
postprocessors: [{name: moving_average, params: {moving_method: smm, per_key: order}}]
YAML
sed -i 's/moving_method: smm/moving_method: smq/' .perun/local.yml
expect_status 0 perun trust --yes
expect_status 2 perun run matrix
expect_err 'moving-average has no variant smq'
finish
