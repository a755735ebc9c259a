#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# insert-options.sh PAGE.mdoc BUILD-DIRECTORY: print a manual page, with the lists of options made from
# the program's own tables in place of the lines
#   .\" @OPTIONS plugin KIND NAME@     (from BUILD-DIRECTORY/plugins-built)
#   .\" @OPTIONS command NAME@         (from `perun help --mdoc NAME`)
set -eu
while IFS= read -r line; do
	case $line in
	'.\" @OPTIONS '*'@')
		words=${line#'.\" @OPTIONS '}
		# shellcheck disable=SC2086
		set -- "$1" "$2" ${words%@}
		case $3 in
		plugin)
			file=$2/plugins-built/perun-$4-$5.options
			if [ -f "$file" ]; then cat "$file"; fi
			;;
		command) "$2/perun" help --mdoc "$4" ;;
		*) echo "$1: do not understand: $line" >&2; exit 1 ;;
		esac
		;;
	*) printf '%s\n' "$line" ;;
	esac
done <"$1"
