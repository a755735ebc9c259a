# SPDX-License-Identifier: BSD-3-Clause
# What a start costs, counted: libraries and files; and the index of the plugins' texts, which follows its directory.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"

new_repo
perun init >/dev/null
measured_commit 1 1.5
plugins=$top_builddir/plugins-built

# loads WHAT COMMAND...: whether a library of that name is loaded.
loads() {
	local what=$1
	shift
	LD_DEBUG=files perun "$@" 2>&1 >/dev/null | grep -q "calling init: .*$what"
}
if ldd "$top_builddir/cli/.libs/perun" 2>/dev/null | grep -q libperun; then
	check 'the probe sees libraries' loads libperun status
	for command in 'status' 'log -n 1' 'log --short'; do
		# shellcheck disable=SC2086
		check "$command does without libgit2" eval "! loads libgit2 $command"
	done
	git pack-refs --all && git repack -qad
	check 'so it does with packed commits and references' eval '! loads libgit2 status'
	git config extensions.preciousObjects true && git config core.repositoryFormatVersion 1
	check 'a repository with extensions is read by libgit2' loads libgit2 status
	git config --unset extensions.preciousObjects && git config core.repositoryFormatVersion 0
else
	skip 'plugins are linked in'
fi

# What is read without libgit2 is what git says.
same() { [ "$(perun log --short 2>/dev/null | grep -oE "\b$(head_of | cut -c1-8)" | head -n 1)" = "$(head_of | cut -c1-8)" ]; }
git checkout -q --detach && check 'a detached HEAD' same
git checkout -q -b a/b && git commit -q --allow-empty -m other && check 'a branch with a slash' same
git replace --graft HEAD && run perun log --json && check 'replaced commits' eval '[[ $out == *$(head_of)* ]]'
git replace -d HEAD >/dev/null
printf x >.git/refs/heads/a/b && expect_status 2 perun status || true
check 'a broken reference is an error' [ "$status" != 0 ]

# The index.
ls "$XDG_CACHE_HOME"/perun/plugins-* >/dev/null 2>&1 && rm -f "$XDG_CACHE_HOME"/perun/plugins-*
if [ -e "$plugins/perun-view-top.so" ]; then
	mkdir "$work/mine" && cp -L "$plugins"/perun-view-top.* "$work/mine/" && sleep 3
	export PERUN_PLUGIN_PATH=$work/mine
	list() { env -u HOME XDG_CACHE_HOME="$XDG_CACHE_HOME" "$top_builddir/cli/.libs/perun" plugin list 2>&1; }
	index=$(list >/dev/null; ls "$XDG_CACHE_HOME"/perun/plugins-* 2>/dev/null)
	check 'a directory gets an index' test -n "$index"
	check 'only the user can write it' [ "$(stat -c %a "${index%%$'\n'*}")" = 600 ]
	before=$(list)
	check 'and it says the same' [ "$(list)" = "$before" ]
	# Of an index that is damaged nothing is taken.
	cp "$index" "$work/whole"
	for size in 0 10 100 150 200 -1; do
		{ head -c "$size" "$work/whole"; [ $size != 200 ] || head -c 1000 /dev/urandom; } >"$index"
		check "an index of $size bytes is not believed" [ "$(list)" = "$before" ]
	done
	python3 - "$work/whole" "$index" <<-'EOF'
		import sys
		text = open(sys.argv[1], "rb").read()
		open(sys.argv[2], "wb").write(text.replace(b"perun-plugin 1", b"perun-plugin 9"))
	EOF
	check 'nor a text in it that cannot be read' [ "$(list)" = "$before" ]
	cp "$work/whole" "$index"
	sed -i 's/^summary .*/summary other words/' "$work/mine/perun-view-top.plugin"
	check 'a text that changes is read' eval '[[ $(list) == *"other words"* ]]'
	cp -L "$plugins"/perun-view-tree.* "$work/mine/"
	check 'so is one that is new' eval '[[ $(list) == *tree* ]]'
	chmod o+w "$work/mine/perun-view-top.so"
	check 'what others may write is still refused' eval '[[ $(list) == *"every user can write"* ]]'
fi
finish
