#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs in cells on a cluster of this machine alone: a munged, a slurmctld and two slurmd of our own, on loopback, without
# accounting. Skipped where these programs are missing; needs root, as slurmd does. With SLURM_ACCOUNTING=yes there is a slurmdbd with a
# database as well, and squeue forgets jobs after seconds.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"
for program in munged slurmctld slurmd sbatch squeue scontrol python3; do
	PATH=$PATH:/usr/sbin command -v "$program" >/dev/null || skip_all "needs $program (Debian: slurm-wlm, munge)"
done
[ "$(id -u)" -eq 0 ] || skip_all 'needs root'
PATH=$PATH:/usr/sbin
perun plugin show executor-slurm >/dev/null 2>&1 || skip_all 'the executor is not built'

cluster=$work/cluster
mkdir -p "$cluster"/{state,spool,munge}
chmod 755 "$work" "$cluster"
chmod 711 "$cluster/munge"
pids=()
end_cluster() {
	kill "${pids[@]}" 2>/dev/null
	sleep 0.3
	kill -9 "${pids[@]}" 2>/dev/null
	umount "$work/small" 2>/dev/null
	chmod -R u+w "$work" 2>/dev/null
	rm -rf "$work"
}
trap end_cluster EXIT
host=$(hostname -s)
dd if=/dev/urandom of="$cluster/munge/key" bs=128 count=1 2>/dev/null
chmod 600 "$cluster/munge/key"
export SLURM_CONF=$cluster/slurm.conf
port=$((20000 + RANDOM % 20000))
storage=none remembered=300
[ -z "${SLURM_ACCOUNTING-}" ] || storage=slurmdbd remembered=2
cat >"$SLURM_CONF" <<CONF
ClusterName=perun
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
AuthType=auth/munge
AuthInfo=socket=$cluster/munge/socket
CredType=cred/munge
SlurmUser=root
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/$storage
AccountingStoragePort=$((port + 3))
AccountingStoragePass=$cluster/munge/socket
ReturnToService=2
SlurmdTimeout=20
KillWait=3
MinJobAge=$remembered
MailProg=/bin/true
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool/%n
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd-%n.pid
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/slurmd-%n.log
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=2
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=2
PartitionName=batch Nodes=n1,n2 Default=YES MaxTime=60 State=UP
CONF
echo 'CgroupPlugin=cgroup/v1' >"$cluster/cgroup.conf"
munged --foreground --force --socket="$cluster/munge/socket" --key-file="$cluster/munge/key" --pid-file="$cluster/munge/pid" \
	--log-file="$cluster/munge/log" --seed-file="$cluster/munge/seed" >/dev/null 2>&1 &
pids+=($!)
for ((i = 0; i < 100; i++)); do [ ! -S "$cluster/munge/socket" ] || break; sleep 0.05; done
# start_accounting: a database of our own, and what writes into it.
start_accounting() {
	mkdir "$cluster/database"
	mariadb-install-db --no-defaults --user=root --datadir="$cluster/database" >/dev/null 2>&1
	mariadbd --no-defaults --user=root --datadir="$cluster/database" --socket="$cluster/database/socket" --port=$((port + 4)) \
		--bind-address=127.0.0.1 >"$cluster/database.log" 2>&1 &
	pids+=($!)
	for ((i = 0; i < 300; i++)); do [ ! -S "$cluster/database/socket" ] || break; sleep 0.1; done
	mariadb --no-defaults --socket="$cluster/database/socket" -e "create user slurm@localhost identified by 'slurm'; grant all on *.* to slurm@localhost"
	cat >"$cluster/slurmdbd.conf" <<-CONF
		AuthType=auth/munge
		AuthInfo=socket=$cluster/munge/socket
		DbdHost=localhost
		DbdPort=$((port + 3))
		SlurmUser=root
		StorageType=accounting_storage/mysql
		StorageHost=127.0.0.1
		StoragePort=$((port + 4))
		StorageUser=slurm
		StoragePass=slurm
		LogFile=$cluster/slurmdbd.log
		PidFile=$cluster/slurmdbd.pid
	CONF
	chmod 600 "$cluster/slurmdbd.conf"
	slurmdbd -D >/dev/null 2>&1 &
	pids+=($!)
	for ((i = 0; i < 300; i++)); do sacctmgr -n list cluster >/dev/null 2>&1 && break; sleep 0.1; done
	sacctmgr -i add cluster perun >/dev/null 2>&1
}
[ "$storage" = none ] || start_accounting
control() { slurmctld -D -f "$SLURM_CONF" >/dev/null 2>&1 & controller=$!; pids+=("$controller"); }
control
declare -A daemons
start_node() { slurmd -D -N "$1" -f "$SLURM_CONF" >/dev/null 2>&1 & daemons[$1]=$!; pids+=($!); }
for node in n1 n2; do start_node $node; done
for ((i = 0; i < 200; i++)); do
	[ "$(sinfo --noheader --format=%T 2>/dev/null | sort -u)" != idle ] || break
	sleep 0.1
done
if [ "$(sinfo --noheader --format=%T 2>/dev/null | sort -u)" != idle ]; then
	tail -n 5 "$cluster"/*.log | sed 's/^/# /'
	skip_all 'no cluster can be started here'
fi

export PERUN_TRUST=yes TRACE=$work/trace
new_repo
printf '#!/bin/sh\necho "$*" >>"$TRACE"\nfor last; do :; done\n[ ! -e "$TRACE.wait-$last" ] || { rm "$TRACE.wait-$last"; echo "$PPID ${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID $SLURMD_NODENAME $$" >"$TRACE.new" && mv "$TRACE.new" "$TRACE.waits"; exec sleep 200; }\n' >prog.sh
printf '#!/bin/sh\necho build >>"$TRACE"\n[ "$(cat number)" != broken ]\n' >build.sh
chmod +x prog.sh build.sh
for number in 1 broken 3; do echo $number >number; git add . && git commit -q -m "$number"; done
perun init >/dev/null
cat >>.perun/local.yml <<'YAML'
cmds: [./prog.sh, ./prog.sh -x]
workloads: [a, b, c]
args: ['{size}']
parameters: {size: [1, 2]}
collectors: [{name: time, params: {repeat: 1, warmup: 0}}]
execute: {pre_run: [./build.sh]}
executors: [{name: slurm, params: {partition: batch, time: 1m}}]
YAML
wait_for() { for ((i = 0; i < 600; i++)); do [ ! -e "$1" ] || return 0; sleep 0.05; done; }
counts() { echo "$(grep -vc build "$TRACE") $(grep -c build "$TRACE")"; }

# Three versions, one of which cannot be built, a step that is killed, a job that is requeued, and a controller that starts again.
: >"$TRACE.wait-b"
expect_status 0 perun run --executor slurm -m HEAD~2 -m HEAD~1 -m HEAD matrix
expect_out '36 cells handed to slurm'
wait_for "$TRACE.waits"
read -r step _ <"$TRACE.waits"
kill -9 "$step" 2>/dev/null
kill "$controller"
wait "$controller" 2>/dev/null
expect_status 0 perun run collect
control
expect_status 3 perun run wait
run perun run status --json
expect_json 'd["states"]["done"], d["states"]["failed"], d["states"]["lost"]' '(23, 12, 1)'
expect_json '[(c["cell"] > 12, c["cell"] <= 24) for c in d["incomplete"] if c["state"] == "failed"] == [(True, True)] * 12' True
expect_text '24 3' "$(counts)" 'each cell is measured and each version built once'
expect_status 0 perun run resume
expect_status 3 perun run wait
run perun run status --json
expect_json 'd["states"]["done"], d["collected"]' '(24, 24)'
expect_status 0 perun run collect
expect_out '0 profiles registered'
expect_status 0 perun fsck

# ---- a job that is requeued, a limit of time, a scratch that is full, collecting meanwhile ----
echo 1 >number && git add . && git commit -q -m 'requeued and late'
: >"$TRACE"
rm -f "$TRACE.waits"
: >"$TRACE.wait-a"
expect_status 0 perun run --executor slurm --parameter size=1 -m HEAD job -b ./prog.sh -w a -w b -w c -c time -cp time '{repeat: 1, warmup: 0}'
wait_for "$TRACE.waits"
read -r _ job _ <"$TRACE.waits"
check 'scontrol requeue' scontrol requeue "$job"
expect_status 0 perun run collect
expect_status 0 perun run wait
expect_out '3 done'
expect_text '4 1' "$(counts)" 'only what was taken back is measured twice'
expect_status 0 perun run collect
expect_out '0 profiles registered'
rm -f "$TRACE.waits"
: >"$TRACE"
: >"$TRACE.wait-b"
expect_status 0 perun run --executor slurm --parameter size=1 -m HEAD job -b ./prog.sh -w a -w b -c time -cp time '{repeat: 1, warmup: 0}'
expect_status 0 perun run wait
expect_out '2 done'
expect_text '3 0' "$(counts)" 'a limit of a minute is doubled once, and what was finished is kept'
run perun run status --json
expect_json 'd["states"]["done"], d["states"]["lost"]' '(2, 0)'
mkdir "$work/small"
if mount -t tmpfs -o size=192k tmpfs "$work/small" 2>/dev/null; then
	head -c 40k /dev/zero >filler && git add . && git commit -q -m 'larger than the scratch'
	head -c 188k /dev/zero >"$work/small/full" 2>/dev/null
	run perun run --executor slurm --scratch "$work/small" --wait --parameter size=1 -m HEAD job -b ./prog.sh -w a -c time -cp time '{repeat: 1, warmup: 0}'
	expect_text 3 "$status" 'a full scratch'
	expect_err 'No space left'
	rm "$work/small/full"
	expect_status 0 perun run --resume --executor slurm --scratch "$work/small" --wait --parameter size=1 -m HEAD job -b ./prog.sh -w a -c time -cp time '{repeat: 1, warmup: 0}'
	expect_out '1 done'
else
	skip 'a full scratch: a file system cannot be mounted here'
fi

# ---- a node that dies: its daemon, the one of the step and the step are killed ----
: >"$TRACE"
rm -f "$TRACE.waits"
: >"$TRACE.wait-c"
expect_status 0 perun run --executor slurm --parameter size=1 -m HEAD job -b ./prog.sh -w a -w b -w c -w d -c time -cp time '{repeat: 1, warmup: 0}'
wait_for "$TRACE.waits"
read -r step _ node program <"$TRACE.waits"
for ((i = 0; i < 100; i++)); do [ "$(ls .perun/runs/*/cells/[124]/done.json 2>/dev/null | wc -l)" -lt 3 ] || break; sleep 0.1; done
stepd=$(ps -o ppid= -p "$step" | tr -d ' ')
check 'the step belongs to Slurm' grep -q slurmstepd "/proc/$stepd/comm"
kill -9 "${daemons[$node]}" "$stepd" "$step" "$program" 2>/dev/null
wait "${daemons[$node]}" 2>/dev/null
expect_status 0 perun run wait
expect_out '4 done'
expect_text 5 "$(grep -vc build "$TRACE")" 'what a node lost is measured on another one'
start_node "$node"
expect_status 0 perun fsck

# ---- a comparison: all pairs in one allocation on one node ----
printf '#!/bin/sh\necho "$SLURM_JOB_ID $SLURMD_NODENAME $(cat number)" >>"$TRACE"\nsleep "0.0$(cat number)"\n' >pair.sh
chmod +x pair.sh
for number in 1 4; do echo $number >number; git add . && git commit -q -m "takes $number"; done
: >"$TRACE"
expect_status 1 perun compare HEAD~1 HEAD --executor slurm --build true --repeat 8 --warmup 0 -- ./pair.sh
check 'slower' grep -qE '^slower  real .*confirmed by a second session' "$work/.result/stdout"
expect_text 1 "$(cut -d' ' -f1,2 "$TRACE" | sort -u | wc -l)" 'one job on one node'
expect_text '' "$(paste -d' ' - - <"$TRACE" | awk '$3 == $6')" 'pairs are interleaved'
[ "$storage" != none ] || { finish; exit; }

# ---- what squeue has forgotten: a limit of time that only the accounts know ----
: >"$TRACE"
rm -f "$TRACE.waits"
: >"$TRACE.wait-b"
expect_status 0 perun run --executor slurm --parameter size=1 -m HEAD job -b ./prog.sh -w a -w b -c time -cp time '{repeat: 1, warmup: 0}'
for ((i = 0; i < 1200; i++)); do squeue --me --noheader | grep -q . || break; sleep 0.1; done
for ((i = 0; i < 1200; i++)); do squeue --me --noheader --states=all | grep -q . || break; sleep 0.1; done
check 'Slurm has forgotten the job' test -z "$(squeue --me --noheader --states=all)"
check 'but the accounts have it' grep -q 'TIMEOUT' <<<"$(sacct --noheader --allocations --format=State)"
expect_status 0 perun run wait
expect_out '2 done'
finish
