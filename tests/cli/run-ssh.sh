# SPDX-License-Identifier: BSD-3-Clause
# Cells on other hosts: a server of ours on the loopback, whose sessions see other directories where the system lets us
# mount some. One host that works, one that nobody answers for.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"
perun plugin show executor-ssh >/dev/null 2>&1 || skip_all 'the executor is not built'
perun plugin show collect-time >/dev/null 2>&1 || skip_all 'the collector is not built'
command -v python3 >/dev/null || skip_all 'needs Python 3'
server=$(PATH=$PATH:/usr/sbin command -v sshd) || skip_all 'openssh-server is not installed'
command -v ssh >/dev/null && command -v rsync >/dev/null || skip_all 'needs ssh and rsync'

export PERUN_TRUST=yes
new_repo
repository=$PWD
keys=$work/keys
mkdir -p "$keys" "$work/there"
ssh-keygen -q -t ed25519 -N '' -f "$keys/host" && ssh-keygen -q -t ed25519 -N '' -f "$keys/user"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
cat >"$keys/session" <<'SESSION'
#!/bin/sh
echo "$SSH_ORIGINAL_COMMAND" | head -n 1 >>WORK/sessions
exec unshare -m sh -c 'mkdir -p REPOSITORY/.perun/runs && mount --bind WORK/there REPOSITORY/.perun/runs && exec sh -c "$SSH_ORIGINAL_COMMAND"'
SESSION
sed -i "s|WORK|$work|g; s|REPOSITORY|$repository|g" "$keys/session"
chmod +x "$keys/session"
separate=yes
unshare -m true 2>/dev/null || separate=no
cat >"$keys/server.conf" <<CONF
ListenAddress 127.0.0.1
Port $port
HostKey $keys/host
AuthorizedKeysFile $keys/user.pub
PidFile $keys/pid
StrictModes no
UsePAM no
$([ $separate = no ] || echo "ForceCommand $keys/session")
CONF
cat >"$keys/client.conf" <<CONF
Host near
  HostName 127.0.0.1
  Port $port
Host gone
  HostName 127.0.0.1
  Port 1
Host *
  IdentityFile $keys/user
  UserKnownHostsFile $keys/known
  StrictHostKeyChecking no
  LogLevel ERROR
CONF
[ "$(id -u)" -ne 0 ] || mkdir -p /run/sshd
"$server" -f "$keys/server.conf" || skip_all 'sshd does not start'
trap 'kill "$(cat "$keys/pid")"' EXIT
for ((i = 0; i < 100; i++)); do [ -s "$keys/pid" ] && break || sleep 0.05; done
ssh -n -F "$keys/client.conf" near true 2>/dev/null || skip_all 'nobody may log in here'

cat >prog.sh <<'PROG'
#!/bin/sh
echo "$*" >>trace 2>/dev/null
for last; do :; done
[ ! -e "$STAYS.fail-$last" ] || exit 3
[ "$last" != stay ] || { echo $$ >"$STAYS"; exec sleep 30; }
PROG
printf '#!/bin/sh\ncp prog.sh built\n' >build.sh
chmod +x prog.sh build.sh
for number in 1 2; do
	echo $number >number
	git add . && git commit -q -m "version $number"
done
perun init >/dev/null
cp .perun/local.yml "$work/initial.yml"
shared=
[ $separate = yes ] || shared='shared: true,'
# settings HOSTS WORKLOADS
settings() {
	cp "$work/initial.yml" .perun/local.yml
	cat >>.perun/local.yml <<YAML
cmds: [./built]
workloads: [$2]
collectors: [{name: time, params: {repeat: 1, warmup: 0}}]
execute: {pre_run: [./build.sh]}
executors:
  - name: ssh
    retries: 1
    params:
      host: [$1]
      $shared
      program: '$PERUN'
      option: ['-F $keys/client.conf']
      before: ['export PERUN_PLUGIN_PATH=$PERUN_PLUGIN_PATH STAYS=$work/stays']
YAML
}
profiles() { perun log --json 2>/dev/null | python3 -c 'import json,sys; print(sum(len(v["profiles"]) for v in json.load(sys.stdin)["minor_versions"]))'; }

settings 'near, near' 'a, b, c'
expect_status 0 perun run --executor ssh -m HEAD~2..HEAD matrix
expect_out '6 done'
expect_text 6 "$(profiles)" 'what hosts measured is registered here'
[ $separate = no ] || {
	check 'the cells were there' test -s "$(echo "$work"/there/2*/cells/1/done.json)"
	check 'what was built was copied' test -x "$(echo "$work"/there/builds/*/tree/built | cut -d' ' -f1)"
	check 'each host is prepared once for a batch' test "$(grep -c '^mkdir' "$work/sessions")" -le 4
}
node=$(python3 -c 'import glob, json; print({json.load(open(f))["node"] for f in glob.glob(".perun/runs/2*/cells/*/done.json")})')
expect_text "{'near'}" "$node" 'the outcome names the host'

# What failed is measured again, by a host that remembers that it failed; of a generator only what is missing.
mkdir "$work/made"
settings near 'a'
cat >>.perun/local.yml <<YAML
generators:
  workload:
    - {id: made, type: external, external_generator: 'touch $work/made/in_1 $work/made/in_2', output_dir: $work/made, file_format: 'in_{size}', profile_for_each_workload: yes}
YAML
sed -i 's/^for last.*/&; last=${last##*\/}; echo "$last" >>"$STAYS.trace"/' prog.sh
git commit -q -a -m 'version 3'
: >"$work/stays.fail-in_2"
expect_status 3 perun run --executor ssh -m HEAD job -b ./built -w made -c time
expect_out 'failed: workload in_2'
expect_text 7 "$(profiles)" 'what went well is registered'
rm "$work/stays.fail-in_2"
: >"$work/stays.trace"
expect_status 0 perun run resume
expect_text in_2 "$(sort -u "$work/stays.trace")" 'only what failed is measured again'
expect_text 8 "$(profiles)" 'and is registered, too'
git reset -q --hard HEAD~1
rm -rf .perun/runs/2* && perun init >/dev/null 2>&1

# A host that does not answer: its cell goes to another one. None that answers: the run ends, and nothing is lost.
settings 'gone, near' 'd, e'
expect_status 0 perun run --executor ssh -m HEAD job -b ./built -w d -w e -c time
expect_err 'gone cannot be reached'
expect_text 8 "$(profiles)" 'the others measure its cells'
settings gone f
expect_status 4 perun run --executor ssh -m HEAD job -b ./built -w f -c time
expect_err 'none of the hosts can be reached'
sed -i "s/Port 1$/Port $port/" "$keys/client.conf"
expect_status 0 perun run resume
expect_text 9 "$(profiles)" 'resume measures them'

# Interrupted here, the cell ends there.
settings near stay
"$PERUN" run --executor ssh -m HEAD job -b ./built -w stay -c time >/dev/null 2>&1 &
perun=$!
for ((i = 0; i < 500; i++)); do [ -s "$work/stays" ] && break || sleep 0.02; done
kill -KILL $perun
wait $perun 2>/dev/null
process=$(cat "$work/stays")
for ((i = 0; i < 250; i++)); do kill -0 "$process" 2>/dev/null || break; sleep 0.02; done
check 'a cell whose connection is lost ends' test ! -e "/proc/$process"

# What is wrong in the settings.
settings "'-oProxyCommand=x'" a
expect_status 2 perun run --executor ssh -m HEAD job -b ./built -w a -c time
expect_err "'-oProxyCommand=x' is not the name of a host"
settings '' a
expect_status 2 perun run --executor ssh -m HEAD job -b ./built -w a -c time
expect_err 'no host is named'
[ $separate = no ] || {
	settings near a
	expect_status 2 perun run --executor ssh job -b ./prog.sh -w a -c time
	expect_err 'hosts measure versions'
}
finish
