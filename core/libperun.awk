# SPDX-License-Identifier: BSD-3-Clause
# The version script of libperun from the public headers: what these declare is exported, nothing else is. The stable part
# is promised within a major version, see perun/plugin.h; the growing part has a node for each PERUN_LIB_VERSION.
# usage: awk -f libperun.awk -v major=N -v lib=N HEADER...

FNR == 1 {
	growing = FILENAME ~ /\/perun\/lib\//
	declaration = ""
}

/^PERUN_EXPORT / { declaration = " " }

# A declaration ends with the bracket of its parameters or, of a variable, with a semicolon.
declaration != "" {
	declaration = declaration $0 " "
	if (match(declaration, /[a-z0-9_]+[ \t]*(\(|\[|;)/)) {
		name = substr(declaration, RSTART, RLENGTH - 1)
		sub(/[ \t]+$/, "", name)
		if (growing)
			growing_names = growing_names "\t\t" name ";\n"
		else
			stable_names = stable_names "\t\t" name ";\n"
		declaration = ""
	}
}

END {
	printf "PERUN_%d.0 {\n\tglobal:\n%s\tlocal:\n\t\t*;\n};\n", major, stable_names
	printf "PERUN_LIB_%d {\n\tglobal:\n%s};\n", lib, growing_names
}
