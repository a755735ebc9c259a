#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The plugin vcs git: walks, ranges, merge bases, names of versions, texts.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/vcs-lib.sh"

# random_history DIR COMMITS SEED SKEW: merges, and dates that are equal, in or out of order.
random_history() {
	rm -rf "$1" && git init -q "$1" && awk -v n="$2" -v seed="$3" -v skew="$4" '
	BEGIN {
		srand(seed)
		for (i = 1; i <= n; i++) {
			d = 1000000000 + i * 60
			if (skew)
				d = 1000000000 + int(i / 4) * (skew == 1 ? 60 : 0) + int((rand() - .5) * skew * 3000)
			printf "commit refs/heads/main\nmark :%d\n", i
			printf "author A <a@x> %d +0000\ncommitter C <c@x> %d +0100\n", d, d
			printf "data <<M\nnumber %d\n\nbody\nM\n", i
			if (i > 1) {
				p = i - 1 - int(rand() * 4)
				if (p < 1)
					p = 1
				printf "from :%d\n", p
				q = i - 1 - int(rand() * 8)
				if (rand() < .3 && q != p && q > 0)
					printf "merge :%d\n", q
			}
			print ""
		}
	}' | git -C "$1" fast-import --quiet --force
}

bad=0
for seed in 1 2 3 4 5 6; do
	random_history h 200 $seed $((seed % 3))
	for head in HEAD HEAD~5 HEAD~20; do
		cmp -s <(git -C h log --format='%H %ct %an <%ae> %P %s' $head | sed 's/>  /> /') \
			<(vcs h walk $head) || { bad=$((bad + 1)); diag "walk $seed $head"; }
		for other in HEAD~7 HEAD~30 HEAD~3^2 HEAD~90; do
			git -C h rev-parse -q --verify $other >/dev/null || continue
			cmp -s <(git -C h log --format=%H $other..$head) \
				<(vcs h range $other $head | cut -c 1-40) ||
				{ bad=$((bad + 1)); diag "range $seed $other..$head"; }
			[ "$(git -C h merge-base $other $head)" = "$(vcs h base $other $head)" ] ||
				{ bad=$((bad + 1)); diag "merge base $seed $other $head"; }
		done
	done
done
expect_text 0 "$bad" 'walks, ranges and merge bases are those of git'
expect_text 20 "$(vcs h walk HEAD 20 | wc -l)" 'a visitor ends the walk'

# ---- names -------------------------------------------------------------------------------------
three_versions names
cd names || exit 1
git tag -a -m annotated v1 HEAD~1
git tag light HEAD~2
git branch topic HEAD~1
head=$(git rev-parse HEAD)
for name in HEAD HEAD~1 HEAD^ HEAD^0 HEAD~~ HEAD^1~1 "$head^" main main~2 v1 'v1^{commit}' 'v1^{}' light topic "$head" "${head:0:8}" ':/two' \
	'main@{0}' '@' 'v1-0-gabcdef' 'HEAD^{/one}' refs/heads/topic heads/topic; do
	want=$(git rev-parse --verify -q "$name^{commit}" || git rev-parse --verify -q "$name")
	run vcs . massage "$name"
	expect_text "$want" "$out" "massage $name"
done
expect_text "$head" "$(vcs . massage '')" 'no name is the head'
for name in nosuch HEAD~77 HEAD^2 "HEAD~1^9" 'HEAD^{tree}' main:f1 -- --all main..topic 0000000000000000000000000000000000000000; do
	expect_status 2 vcs . massage "$name"
	expect_one_line
done
run vcs . massage $'a\e[31m\nb'
check 'a name with control characters' test "$status" -eq 2
expect_one_line
expect_status 2 vcs . valid "$(git rev-parse HEAD:f1)"
expect_status 0 vcs . valid "$head"
expect_text "$head" "$(vcs . head)" head
expect_text main "$(vcs . major)" 'the branch'
expect_text "$(git for-each-ref --format='%(objectname) %(refname:short)' refs/heads)" "$(vcs . branches)" branches
git checkout -q --detach HEAD~1
expect_text "$(git rev-parse HEAD)" "$(vcs . major)" 'a detached head has its checksum'
git checkout -q main

# Abbreviations of a commit and a blob alike: git takes the commit.
git replace "$(git rev-parse HEAD)" "$(git rev-parse HEAD~1)"
cmp -s <(git log --format=%H) <(vcs . walk HEAD | cut -c 1-40)
check 'replaced commits are shown as git shows them' test $? -eq 0
git replace -d "$head" >/dev/null
cd ..

# ---- texts -------------------------------------------------------------------------------------
git init -q texts
cd texts || exit 1
git -c i18n.commitEncoding=ISO-8859-1 -c user.name=x commit -q --allow-empty \
	--author="$(printf 'J\xfcrgen <j@x>')" -m "$(printf 'Gr\xfc\xdfe\n\nzweite Zeile')" 2>/dev/null
run vcs . info HEAD
expect_out 'Jürgen <j@x>' 'latin1 author'
expect_out $'\nGrüße\n\nzweite Zeile' 'latin1 message'
printf 'tree %s\nauthor B\xe4d <b@x> 1 +0000\ncommitter B\xe4d <b@x> 2 +0000\n\nbr\xe4ch \xf0\x9f\x98\x80 \xed\xa0\x80\n' \
	"$(git mktree </dev/null)" >raw
bad=$(git hash-object -t commit -w --stdin <raw)
run vcs . info "$bad"
expect_out 'B�d <b@x>' 'bad bytes are replaced'
expect_out 'br�ch 😀 ���' 'good ones are kept'
printf '%s' "$out" | iconv -f UTF-8 -t UTF-8 >/dev/null
check 'valid UTF-8' test $? -eq 0
odd=$(printf 'tree %s\nauthor nobody\ncommitter\nencoding nonsense\n\n' "$(git mktree </dev/null)" |
	git hash-object -t commit -w --literally --stdin)
expect_status 0 vcs . info "$odd"
huge=$({ printf 'tree %s\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n\n' "$(git mktree </dev/null)" &&
	head -c 68000000 /dev/zero | tr '\0' x; } | git hash-object -t commit -w --stdin)
expect_status 3 vcs . info "$huge"
expect_err 'bytes; more than'
expect_one_line
broken=$(printf 'no commit' | git hash-object -t commit -w --literally --stdin)
expect_status 3 vcs . info "$broken"
expect_one_line
cd ..

# ---- no commit yet -----------------------------------------------------------------------------
git init -q unborn
expect_status 2 vcs unborn head
expect_err 'no commit yet: commit something first'
expect_one_line
expect_status 2 vcs unborn walk HEAD
expect_text main "$(vcs unborn major)" 'a branch without a commit has its name'
expect_text '' "$(vcs unborn branches)" 'no branches'
expect_text clean "$(vcs unborn dirty)" 'clean'

# ---- shallow clones ----------------------------------------------------------------------------
random_history deep 60 4 0
git clone -q --depth 5 "file://$PWD/deep" shallow
cmp -s <(git -C shallow log --format=%H) <(vcs shallow walk HEAD | cut -c 1-40)
check 'a walk ends at the boundary' test $? -eq 0
boundary=$(head -n 1 shallow/.git/shallow)
expect_text yes "$(vcs shallow boundary "$boundary")" boundary
expect_text no "$(vcs shallow boundary HEAD)" 'not the boundary'
expect_text no "$(vcs deep boundary HEAD~10)" 'a full history has none'
cmp -s <(git -C shallow log --format=%H HEAD~2..HEAD) <(vcs shallow range HEAD~2 HEAD | cut -c 1-40)
check 'a range in a shallow clone' test $? -eq 0
expect_text "$(git -C shallow merge-base HEAD HEAD~2)" "$(vcs shallow base HEAD HEAD~2)" 'a merge base in a shallow clone'
expect_text "$(git -C shallow merge-base HEAD "$boundary")" "$(vcs shallow base HEAD "$boundary" | sed 's/(none)//')" 'or none'
expect_status 2 vcs shallow massage HEAD~30
expect_err 'git fetch --unshallow'

# A missing parent without a boundary is damage.
random_history damaged 20 5 0 # few enough to be loose objects
object=$(git -C damaged rev-parse HEAD~1)
rm -f "damaged/.git/objects/${object:0:2}/${object:2}"
expect_status 3 vcs damaged walk HEAD
expect_err "$object is missing"
expect_one_line
finish
