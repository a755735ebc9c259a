#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The project of the demonstration, as anyone may have it before Perun comes: DIRECTORY becomes a git repository of
# eight commits of wordcount, a small C program, and words.txt beside it a text of 80,000 words.
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: demo/project.sh DIRECTORY" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
[ ! -e "$1" ] || { echo "$1 exists; name a new directory" >&2; exit 2; }

export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_COMMITTER_NAME='Ada Example' GIT_COMMITTER_EMAIL=ada@example.org
mkdir -p "$(dirname "$1")"
git init -q -b main "$1"
cd "$1"
git am -q --committer-date-is-author-date "$here"/commits/*.patch
awk 'BEGIN { srand(7); for (i = 0; i < 80000; i++)
	printf "w%dx%s", int(rand() * rand() * 60000), i % 12 == 11 ? ".\n" : " " }' >../words.txt
