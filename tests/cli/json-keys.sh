# SPDX-License-Identifier: BSD-3-Clause
# Every key that a command prints with --json is described in perun-json(7).
. "${top_srcdir:-.}/tests/cli/lib.sh"

page=$top_srcdir/doc/man/perun-json.7
run perun plugin list
expect_out git
expect_out time

# undescribed_keys: the keys of the last output that the page does not name.
undescribed_keys() {
	grep -o '^ *"[a-z_]*": ' "$work/.result/stdout" | tr -d ' ":' | sort -u | while read -r key; do
		grep -q "^\.\(Va\|It Va\) \(.*[ ,]\)\{0,1\}$key\( \|\$\)" "$page" || echo "$key"
	done
}

# described WANTED-STATUS COMMAND...: it prints JSON, and the page knows its keys.
described() {
	local keys
	expect_status "$@"
	shift
	check "prints an object: $*" test "$(head -c 1 "$work/.result/stdout")" = '{'
	keys=$(undescribed_keys)
	[ -z "$keys" ] || diag "not in the page: $keys"
	check "perun-json(7) has all keys of: $*" test -z "$keys"
}

git init -q .
git commit -q --allow-empty -m one
described 0 perun init --json
expect_out '"existed": false'
mkdir detect
printf 'p: x\n\tcc -o p x\nbench:\n' >detect/Makefile
described 0 perun init --detect --json detect
expect_out '"active": true'
rm -r detect
described 0 perun recover --json
expect_out '"recovered": null'
described 0 perun version --json
described 0 perun plugin list --json
described 0 perun plugin show --json time
described 0 perun plugin check --json time
described 0 perun collect --json -c true time --warmup 0 --repeat 1
described 0 perun status --json
described 0 perun postprocessby --json 0@p normalizer
described 0 perun add --json 0@p-1@p
git commit -q --allow-empty -m two
described 0 perun run --json job -b true -c time -cp time '{warmup: 0, repeat: 2}'
described 0 perun add --json 0@p
run perun check --json --unchanged --method average-amount-threshold head
described "$status" perun check --json --unchanged --method average-amount-threshold head
check 'something was compared' grep -q '"result"' "$work/.result/stdout"
described 0 perun log --json
described 0 perun config get --json vcs.type
perun config set cmds '[true]' >/dev/null
described 0 perun trust --json
expect_out '"state": "trusted"'
described 0 perun rm --json 0@i
described 0 perun gc --json --older-than 0s
printf 'commit,value\nHEAD~1,1\n' >history.csv
described 0 perun import --history history.csv --json
described 0 perun fsck --json

# An error is an object as well, with the place in a file where there is one.
described 2 perun log --json nosuch
expect_out '"exit": 2'
printf 'name,value\na,1\nb\n' >bad.csv
described 3 perun import --json bad.csv
cp .perun/local.yml kept.yml
printf 'a: [b\n' >.perun/local.yml
described 3 perun status --json
expect_out '"line": 2'
expect_out 'local.yml"'
cp kept.yml .perun/local.yml

printf 'PARAMETER p\nPOINTS 4 8 16 32 64\nREGION a\nMETRIC time\nDATA 10\nDATA 13\nDATA 19\nDATA 26\nDATA 51\n' >e.txt
described 0 perun model --json --at 100 e.txt
check 'a rival was found' grep -q runner_up "$work/.result/stdout"
described 0 perun model --json --compare e.txt e.txt

finish
