#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The demonstration: a small C program with a history of eight commits, each built and measured through
# perun; then perun says which commit made it slower. Nothing here knows the answer.
#
#   PERUN=./perun demo/run.sh [DIRECTORY]
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
PERUN=${PERUN:-perun}
case $PERUN in */*) PERUN=$(cd "$(dirname "$PERUN")" && pwd)/$(basename "$PERUN") ;; esac
directory=${1:-${TMPDIR:-/tmp}/perun-demo}

if [ -e "$directory" ] && [ ! -e "$directory/.perun-demo" ]; then
	echo "demo: $directory exists and is not an earlier demonstration; name another directory" >&2
	exit 2
fi
rm -rf "$directory"
mkdir -p "$directory"
touch "$directory/.perun-demo"
cd "$directory"

bold= normal=
if [ -t 1 ] && [ -z "${NO_COLOR-}" ]; then
	bold=$(printf '\033[1m') normal=$(printf '\033[0m')
fi
title() { printf '\n%s== %s%s\n' "$bold" "$*" "$normal"; }
# show COMMAND...: print a command as the user would type it, then run it.
show() { printf '%s$ perun %s%s\n' "$bold" "$*" "$normal"; "$PERUN" --no-pager "$@"; }

title 'A project: wordcount, a C program with eight commits'
bash "$here/project.sh" wordcount
cd wordcount
git log --oneline

title 'Each commit is built, measured (2 warm-up runs, 20 counted) and its profile kept with it'
"$PERUN" init >/dev/null
for commit in $(git rev-list --reverse HEAD); do
	git checkout -q "$commit"
	make -s clean 2>/dev/null || rm -f wordcount
	make -s
	"$PERUN" --no-pager collect -c './wordcount ../words.txt' time --warmup 2 --repeat 20 >/dev/null
	"$PERUN" --no-pager add 0@p >/dev/null
	git log -1 --format='measured %h %s'
done
git checkout -q main

title 'What is stored'
show log --short

title 'Which commit made it slower?'
"$PERUN" --no-pager check all >../check.txt && status=0 || status=$?
[ "$status" -le 1 ] || exit "$status" # 1: a degradation was found
grep -v '  slower  ' ../check.txt

title 'The answer'
grep '  slower  ' ../check.txt || echo 'No commit made it slower: the machine was too busy to tell. Try again.'

cat <<TEXT

Look at it yourself:
  cd $directory/wordcount
  $PERUN history 'time(real)'     # the same, with all medians
  $PERUN blame 'time(real)'       # the functions behind it
  $PERUN log                      # commits, profiles and changes
  $PERUN show 0@i tableof resources
  git show COMMIT                 # the one named above

In your own repository:
  perun init
  perun collect -c ./your-program -w your-input time && perun add 0@p     # now, and after each commit
  perun check all
TEXT
