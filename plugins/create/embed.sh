#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# embed.sh EMBED FOLDER FILE...: print a source in C with the files as arrays and a list of them.
set -eu
embed=$1 folder=$2 words=
shift 2
array() { basename "$1" | sed 's/[^a-zA-Z0-9]/_/g; s/^/template_/'; }
for file; do words="$words $(array "$file")= $file"; done
# shellcheck disable=SC2086
"${SHELL:-sh}" "$embed" "$folder" plugins/create/create.h $words | sed 's/^const unsigned/static const unsigned/'
echo 'const struct template_file templates[] = {'
for file; do printf '\t{"%s", %s, &%s_size},\n' "$(basename "$file")" "$(array "$file")" "$(array "$file")"; done
printf '\t{0}};\n'
