# SPDX-License-Identifier: BSD-3-Clause
# The plugin vcs hg, built as a third party builds it, on a Mercurial repository: names, walks, measurements of past
# versions beside the working directory and in it, and what a killed run leaves.
. "${top_srcdir:-.}/tests/cli/lib.sh"
command -v hg >/dev/null || skip_all 'Mercurial is missing'
command -v pkg-config >/dev/null || skip_all 'pkg-config is missing'
[ -e "$top_builddir/core/.libs/libperun.so" ] || skip_all 'a static build has no library to link with'
installed=$top_builddir/tests/installed
pc=$(find "$installed" -name perun.pc 2>/dev/null | head -n 1)
[ -n "$pc" ] || skip_all 'needs an installed tree'

cp -r "$(find "$installed" -type d -path '*/examples/vcs-hg')" "$work/hg" && chmod -R u+w "$work/hg"
expect_status 0 env MAKEFLAGS= PKG_CONFIG_PATH="${pc%/*}" make -s -C "$work/hg" PERUN="$PERUN" ${CC:+CC="$CC"} \
	PKG_CONFIG='pkg-config --define-prefix' CFLAGS="-O1 -Wall -Wextra -Werror ${SANITIZE-}"
export PERUN_PLUGIN_PATH=$work/hg:$top_builddir/plugins-built HGPLAIN=1 HGRCPATH= HGUSER='A U Thor <author@example.com>'
vcs() { "$top_builddir/tests/tools/vcs-drive" hg . "$@"; }

# Each start of hg costs a fifth of a second; Mercurial's own command server saves most of that.
if command -v chg >/dev/null; then
	CHGHG=$(command -v hg) CHGSOCKNAME=$work/chg
	mkdir "$work/bin" && ln -s "$(command -v chg)" "$work/bin/hg"
	export CHGHG CHGSOCKNAME PATH=$work/bin:$PATH
	trap 'chg --kill-chg-daemon; chmod -R u+w "$work" 2>/dev/null; rm -rf "$work"' EXIT
fi

# Nothing is there: perun makes the repository, and works before the first commit.
mkdir project && cd project || exit 1
expect_status 0 perun init --vcs-type hg
expect_status 0 perun status
expect_out 'On branch default, no commit yet'
printf '#!/bin/sh\nexit 0\n' >run && chmod +x run
for i in 1 2 3 4 5; do echo "$i" >"f$i"; done
hg commit -q --addremove -d '0 0' -m 'first
second line' && hg rename -q f1 moved && echo more >>f2 && hg commit -q -d '60 0' -m second
hg bookmark -q topic
expect_text '' "$(hg status)" '.perun is ignored'

# Names.
one=$(hg log -r 0 -T '{node}') two=$(hg log -r 1 -T '{node}')
for name in HEAD tip topic default "${two:0:9}" 'children(0)'; do
	expect_text "$two" "$(vcs massage "$name")" "$name is the second version"
done
for name in HEAD~ 'topic^' 'HEAD~1^0'; do expect_text "$one" "$(vcs massage "$name")" "$name is the first"; done
for name in HEAD~2 none null -1 "it's" 'all()'; do expect_status 2 vcs massage "$name"; done
expect_status 0 vcs info "$one"
expect_text "$one 0 A U Thor <author@example.com>
first
second line" "$out" 'a version is what hg has of it'
expect_text "$two 60 A U Thor <author@example.com> $one second
$one 0 A U Thor <author@example.com> first" "$(vcs walk HEAD)" 'children come before their parents'
expect_text "$two 60 A U Thor <author@example.com> $one second" "$(vcs range "$one" HEAD)" 'a range'
expect_text "$one" "$(vcs base "$one" topic)" 'the common ancestor'
expect_text "$two default
$two topic" "$(vcs branches)" 'branches and bookmarks'
expect_status 0 vcs diff "$one" "$two"
expect_out 'rename from f1'
expect_out '+more'

# Beside the working directory; then in it, with changes of every kind, killed halfway.
expect_status 0 perun collect -m HEAD~1 -c 'sh -c "test -e f1"' time --warmup 0 --repeat 1
snapshot() { hg status -AC -X .perun && hg log -r 'wdir()' -T '{p1node} {branch} {activebookmark}' && hg shelve --list && cat f2; }
echo work >>f2 && rm f3 && hg remove -q f4 && hg rename -q f5 new && chmod -x run && echo u >untracked && hg branch -q later
snapshot >../before
"$PERUN" run -m HEAD~1 --in-place job -b 'sh -c "ls >../seen; sleep 30"' -c time >/dev/null 2>&1 &
victim=$!
while kill -0 $victim 2>/dev/null && [ ! -s ../seen ]; do sleep 0.05; done
kill -KILL $victim
wait $victim 2>/dev/null
check 'the first version was there' grep -qx f1 ../seen
expect_status 0 perun recover
expect_out 'is back'
snapshot >../after
expect_same ../before ../after 'the working directory is as it was'
expect_text dirty "$(vcs dirty)" 'and it is dirty'
finish
