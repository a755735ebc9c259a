# SPDX-License-Identifier: BSD-3-Clause
# For tests of the plugin vcs git; after lib.sh. Sets up `vcs` and what compares work trees.

# vcs DIRECTORY OPERATION ARGUMENT...: one function of the VCS interface.
vcs() { "$top_builddir/tests/tools/vcs-drive" git "$@"; }
vcs / discover >/dev/null 2>&1 || skip_all 'the plugin vcs git is not built'
git config --global protocol.file.allow always

# snapshot DIRECTORY: where HEAD is, the state of every path, and the content of every file.
snapshot() {
	snapshot_all "$1" 2>/dev/null # a bare repository has no status
}
snapshot_all() {
	git -C "$1" symbolic-ref -q HEAD
	git -C "$1" rev-parse HEAD
	git -C "$1" status --porcelain=v2 --untracked-files=all --ignored
	git -C "$1" stash list
	git -C "$1" worktree list
	git -C "$1" for-each-ref
	(cd "$1" && find . -name .git -prune -o -type f -print0 | sort -z | xargs -0 sha1sum &&
		find . -name .git -prune -o -type l -printf '%p %l\n' | sort)
	find "$1/.git" -name 'perun*' -type f 2>/dev/null
}

# three_versions DIR: a repository with three commits, and changes of every kind on top.
three_versions() {
	git init -q "$1" && (
		cd "$1" || exit 1
		mkdir d
		for i in 1 2 3 4 5 6 7 8 9; do echo "$i" >"f$i" && echo "$i" >"d/g$i"; done
		echo build/ >.gitignore
		git add . && git commit -q -m one
		echo 2 >>f1 && rm f8 && echo new >n && git add -A && git commit -q -m two
		echo 3 >>f2 && git commit -q -a -m three
	)
}
change_everything() (
	cd "$1" || exit 1
	echo work >>f3
	echo staged >>f4 && git add f4
	echo staged >>f5 && git add f5 && echo work >>f5
	git rm -q f6
	rm f7
	echo added >added && git add added
	echo added >both && git add both && echo more >>both
	git mv d/g1 d/moved
	chmod +x d/g2
	ln -s f1 link && git add link
	echo untracked >untracked
	mkdir build .perun && echo o >build/o && echo p >.perun/profile
)
