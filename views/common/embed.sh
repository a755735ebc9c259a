#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# embed.sh FOLDER HEADER {NAME= FILE...}...: print a source in C that includes HEADER and has the FILEs after each NAME=,
# below FOLDER, one after the other, as an array of bytes NAME. Comments that take whole lines, and blanks at the beginning
# of lines, are left out of those that are our own.
set -eu
folder=$1 name=
printf '/* Written by embed.sh. */\n#include "%s"\n' "$2"
shift 2
end() { [ -z "$name" ] || printf '};\nconst unsigned long %s_size = sizeof %s;\n' "$name" "$name"; }
for part; do
	case $part in *=)
		end
		name=${part%=}
		printf 'const unsigned char %s[] = {\n' "$name"
		continue
		;;
	esac
	case $part in
	*/uplot/* | */templates/* | COPYING) cat "$folder/$part" ;;
	*) LC_ALL=C sed -e 's/^[	 ]*//' -e '/^\/\*[^*]*\*\/$/d' -e '/^\/\*$/,/\*\/$/d' -e '/^$/d' "$folder/$part" ;;
	esac | od -An -v -tu1 | sed -e 's/^ *//' -e 's/  */,/g' -e 's/$/,/'
done
end
