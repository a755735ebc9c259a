#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# embed.sh NAME FILE...: the files, one behind the other, as an array of bytes in C. Comments that take
# whole lines, and blanks at the beginning of lines, are left out of those that are our own.
set -eu
name=$1
shift
printf '/* Made of %s by embed.sh. */\n' "$(for file; do printf '%s ' "${file##*/}"; done)"
printf 'const unsigned char %s[] = {\n' "$name"
for file; do
	case $file in
	*/uplot/*) cat "$file" ;;
	*) LC_ALL=C sed -e 's/^[	 ]*//' -e '/^\/\*[^*]*\*\/$/d' -e '/^\/\*$/,/\*\/$/d' -e '/^$/d' "$file" ;;
	esac
	echo
done | od -An -v -tu1 | sed -e 's/^ *//' -e 's/  */,/g' -e 's/$/,/'
printf '};\nconst unsigned long %s_size = sizeof %s;\n' "$name" "$name"
