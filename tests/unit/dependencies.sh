# SPDX-License-Identifier: BSD-3-Clause
# Dependencies point one way: cli -> public headers <- core; plugins, those of commands as well -> public headers and
# what plugins share (folders called common) only; within cli: commands -> print -> base. Nowhere is a circle. Read from
# the #include lines and from the symbols that libperun.so exports.
. "${top_srcdir:-.}/tests/cli/lib.sh"
cd "$top_srcdir" || exit 1

# files DIRECTORY...: C sources and headers below.
files() { find "$@" -name '*.[ch]' 2>/dev/null | sort; }

# What all files include, "name" and <name> alike, in lines "FILE NAME".
plugins='executors vcs collectors postprocessors views formats checks commands'
# shellcheck disable=SC2046,SC2086
awk '/^[ \t]*#[ \t]*include[ \t]*["<]/ { split($0, part, /["<>]/); print FILENAME, part[2] }' \
	$(files cli core $plugins plugins) >"$work/included"

# forbid WHAT PATTERN FILES: no file whose name the extended pattern FILES matches includes a name that PATTERN matches.
forbid() {
	local what=$1 bad
	bad=$(PATTERN=$2 FILES="^($3)" awk '$1 ~ ENVIRON["FILES"] && $2 ~ ENVIRON["PATTERN"] { print $1 ":" $2 }' "$work/included")
	if [ -z "$bad" ]; then ok "$what"; else not_ok "$what"; diag "$bad"; fi
}

any_plugin='(executors|vcs|collectors|postprocessors|views|formats|checks|commands)/'
forbid 'public headers include public headers only' '^(core|cli|tests)/|jansson|git2|yaml|ltdl' 'plugins/include/'
forbid 'headers that are stable include none that grow' '^perun/lib/' 'plugins/include/perun/[^/]*$'
forbid 'the core includes no plugin and no command' "^cli/|^$any_plugin|git2" 'core/'
forbid 'plugins include no core and nothing of the command' '(^|/)(core|cli)/' "$any_plugin"
forbid 'example plugins include public headers only' '(^|/)(core|cli|vcs|formats)/|config\.h' 'plugins/example-'
forbid 'only the git plugin knows libgit2' 'git2' '(cli|core|executors|collectors|postprocessors|views|formats|checks|commands)/'
forbid 'the command includes public headers of the library only' '^core/' 'cli/'
forbid 'cli/base includes nothing of cli/print and cli/commands' '^cli/(print|commands)/' 'cli/base/'
forbid 'cli/print includes nothing of cli/commands' '^cli/commands/' 'cli/print/'

# The command includes what plugins share, and nothing else of theirs.
bad=$(grep '^cli/' "$work/included" | grep -E " $any_plugin" | grep -v ' [a-z]*/common/')
check 'the command includes no plugin' test -z "$bad"
[ -z "$bad" ] || diag "$bad"

check 'all files of cli are in base, print and commands' test -z "$(find cli -maxdepth 1 -name '*.[ch]')"
lines=$(cat $(files cli) | wc -l)
check 'the command without its plugins has at most 10,000 lines' test "$lines" -le 10000

check 'each example program has less than 80 lines' \
	test -z "$(awk 'FNR == 80 { print FILENAME }' plugins/example-program/*.c)"

# Circles of includes. A header and the source of its name are one: what either includes, both do.
# shellcheck disable=SC2046,SC2086
files cli core $plugins plugins/include >"$work/files"
awk '
	FNR == NR { exists[$1] = 1; next }
	$1 in exists {
		directory = $1; sub(/[^\/]*$/, "", directory)
		place = directory $2 in exists ? directory $2 : $2 in exists ? $2 : "plugins/include/" $2
		one = $1; sub(/\.[ch]$/, "", one)
		other = place; sub(/\.[ch]$/, "", other)
		if (place in exists && one != other)
			print one, other
	}' "$work/files" "$work/included" >"$work/includes"
tsort "$work/includes" >/dev/null 2>"$work/circles"
check 'no circle of includes' test -s "$work/includes" -a ! -s "$work/circles"
sed 's/^/# /' "$work/circles"

# Nor is there one of folders of the core: each is built on those that come before it in the order of tsort.
sed -n 's|^\(core/[^ ]*\)/[^/ ]* \(core/[a-z]*\)/.*|\1 \2|p' "$work/included" | awk '$1 != $2' | sort -u >"$work/folders"
tsort "$work/folders" >/dev/null 2>"$work/circles"
check 'no circle of folders of the core' test -s "$work/folders" -a ! -s "$work/circles"
sed 's/^/# /' "$work/circles"

# No plugin includes a file of another: a name with a directory is a public header or its own.
bad=$(grep -E "^$any_plugin" "$work/included" | awk '
	{ split($1, part, "/"); own = part[1] "/" part[2] "/" }
	part[2] != "common" && $2 ~ /\// && index($2, own) != 1 &&
		$2 !~ /^((perun|sys|linux|curl)\/|(executors|views|checks|collectors|formats|commands)\/common\/)/' |
	while read -r file name; do [ -e "/usr/include/$name" ] || echo "$file:$name"; done)
check "no plugin includes another's file" test -z "$bad"
[ -z "$bad" ] || diag "$bad"

# What snprintf() returns exceeds the room when the text was cut: it is a length only where it is compared.
# shellcheck disable=SC2046,SC2086
bad=$(awk '
	FNR == 1 { if (waiting) print place; waiting = 0 }
	waiting && /(<|>=|^)[ \t]*(\((int|size_t)\) *)?(sizeof|room|[A-Z_]*(ROOM|MAX|SIZE))/ { waiting = 0 }
	waiting && FNR > line + 8 { print place; waiting = 0 }
	END { if (waiting) print place }
	FILENAME !~ /context.numbers|installed/ && /snprintf\(/ && !/^[ \t]*(perun_)?v?snprintf\(/ && !/\(void\)|snprintf\(NULL, 0,|^[ \t]*(\/?\*|\/\/)/ {
		if (waiting)
			print place
		if (!/(<|>=) *(\((int|size_t)\) *)?(sizeof|room|[A-Z_]*(ROOM|MAX|SIZE))/) {
			waiting = 1; line = FNR; place = FILENAME ":" FNR
		}
	}' $(files core cli tests bench $plugins))
check 'the result of snprintf is compared before it is a length' test -z "$bad"
[ -z "$bad" ] || diag "$bad"

# Numbers never follow the locale: what formats or reads them are the functions of perun/context.h.
# shellcheck disable=SC2046,SC2086
bad=$(grep -nE '(^|[^a-z_"])(strtod|v?asprintf|vsnprintf|setlocale)\(' $(files core $plugins) |
	grep -Ev 'core/context/numbers\.c|core/json/parse-number\.c|:[0-9]+:[[:space:]]*(/\*|\*[ /]|\*$)')
check 'the library and plugins format and read numbers by perun_ functions' test -z "$bad"
[ -z "$bad" ] || diag "$bad"

check 'each public header says which threads may call it' \
	test -z "$(grep -Lis thread plugins/include/perun/*.h plugins/include/perun/lib/*.h)"

# A struct of the stable headers begins with its size, or says how its layout is settled: it is fixed, or the stride of
# its arrays is beside them. Operations of plugins are sized by ops_size. In no header is one with a size part of another.
bad=$(awk '
	FNR == 1 || /^\/\* ---- / { section = 0 }
	/^\/\*/ { comment = "" }
	/^(\/\*| \*)/ { comment = comment $0 }
	/layouts of this section are fixed/ { section = 1 }
	/^struct perun_[a-z_]+ \{$/ {
		name = $2; getline line
		if (line !~ /uint32_t struct_size;/ && name !~ /_ops$/ && !section && comment !~ /fixed|stride/)
			print FILENAME ": struct " name
		comment = ""
	}' plugins/include/perun/*.h
	cat plugins/include/perun/*.h plugins/include/perun/lib/*.h | awk '
	/^struct perun_[a-z_]+ \{$/ { name = $2; getline line; if (line ~ /struct_size/) sized[name] = 1 }
	/^\tstruct perun_[a-z_]+ [a-z_]+(\[.*)?;/ { part[name " has a struct " $2] = $2 }
	END { for (place in part) if (part[place] in sized) print "struct " place }')
check 'each struct of the public headers can grow, or says that it is fixed' test -z "$bad"
[ -z "$bad" ] || diag "$bad"

# The library knows neither commands nor options: what its user can do about a message is perun/lib/advice.h's. The words
# after "perun" that are commands; and options, but for those of the tools that build projects or write profiles.
# shellcheck disable=SC2046
{
	commands=$(sed -n 's/^\t{\.name = "\([a-z]*\)".*/\1/p; s/^\t{"\([a-z]*\)", .*/\1/p' \
		cli/commands/table.c commands/*/*.c | grep . | sort -u | paste -sd '|')
	# Lines with text, each text whole: what goes on in the next line is one with it.
	said=$(awk 'function say(from) { from = index(held, "\""); if (from && held !~ /^[ \t]*\/*\*/) print file ": " substr(held, from) }
		FNR > 1 && held ~ /"$/ && /^[ \t]*"/ { sub(/"$/, "", held); sub(/^[ \t]*"/, ""); held = held $0; next }
		{ say(); held = $0; file = FILENAME }
		END { say() }' $(find core -name '*.c' ! -path 'core/options/*'))
}
bad=$(printf '%s\n' "$said" | grep -E "\\bperun (--|($commands)\\b)"
	printf '%s\n' "$said" | grep -E '(^|[^a-zA-Z])--[a-z]' |
		grep -vE '^core/(detect|format/nearest)|\./program --option|"--(no-)?%s"|/\*')
check 'the library names no command and no option of the front end' test -z "$bad" -a -n "$commands"
[ -z "$bad" ] || diag "$bad"

# Nor does it name a plugin that it calls, but the format in which profiles are stored.
# shellcheck disable=SC2046
bad=$(grep -nE 'perun_(collect|postprocess|check|registry_load|registry_find)\([^;]*"[a-z]' $(files core))
check 'the library names no plugin that it calls' test -z "$bad"
[ -z "$bad" ] || diag "$bad"

# perun_ is the prefix of what the public headers and those of the core declare.
# shellcheck disable=SC2046,SC2086
bad=$(grep -nE '^static [^=]*\<perun_[a-z0-9_]+\(' $(files core cli $plugins | grep '\.c$'))
check 'no static function has the name of a public one' test -z "$bad"
[ -z "$bad" ] || diag "$bad"

# Nor does it print; core/registry/describe-main.c is a program.
bad=$(grep -nE '(^|[^a-z_])(printf|puts|putchar|perror)\(|\<(stdout|stderr)\>' $(files core) |
	grep -vE '^core/registry/describe-main\.c:|:[0-9]+:[[:space:]]*(/\*|\*)')
check 'the library never prints' test -z "$bad"
[ -z "$bad" ] || diag "$bad"

# All public headers at once, as a program in C11 or C++17 would include them.
for header in plugins/include/perun/*.h plugins/include/perun/lib/*.h; do
	printf '#include <%s>\n' "${header#plugins/include/}"
done >"$work/all.h"
echo 'int main(void) { return 0; }' >>"$work/all.h"
together() { "$@" -Wall -Wextra -Werror -pedantic -fsyntax-only -I plugins/include "$work/all.h"; }
check 'the public headers compile together as C11' together ${CC:-cc} -std=c11 -x c
if command -v g++ >/dev/null; then
	check 'the public headers compile together as C++17' together g++ -std=c++17 -x c++
else
	skip 'the public headers compile together as C++17: no g++'
fi

# What doc/architecture.md names is there: paths from the first level, files by their names.
# shellcheck disable=SC2086
find $plugins core cli plugins tests -name '*.[ch]' -printf '%f\n' >"$work/names"
# shellcheck disable=SC2046,SC2086
bad=$(grep -o '`[^`]*`' doc/architecture.md | tr -d '`' | while read -r name; do
	case $name in
	core/* | cli/* | commands/* | vcs/* | collectors/* | formats/* | views/* | checks/* | tests/* | m4/* | doc/* | bench/*)
		for path in $(eval "echo $name"); do [ -e "$path" ] || [ -e "$path.c" ] || echo "$path"; done ;;
	perun/*) [ -e "plugins/include/$name" ] || echo "$name" ;;
	*[!a-z0-9.-]*) ;;
	*.c | *.h) grep -qxF "$name" "$work/names" || echo "$name" ;;
	esac
done)
check 'the files that doc/architecture.md names are there' test -z "$bad"
[ -z "$bad" ] || diag "$bad"

# Files of a trial that were committed by mistake are large, or new in the first level.
if git rev-parse --is-inside-work-tree >/dev/null 2>&1 && [ "$(git rev-parse --show-toplevel)" = "$PWD" ]; then
	bad=$(git ls-files -s | awk '$1 != 160000 { print $2 }' | git cat-file --batch-check='%(objectname) %(objectsize)' |
		awk '$2 > 200000 { print $1 }' | while read -r object; do git ls-files -s | grep "$object"; done)
	check 'no tracked file has more than 200 KB' test -z "$bad"
	[ -z "$bad" ] || diag "$bad"
	bad=$(git ls-files | grep -E '\.(a|o|lo|la|so)$')
	check 'no tracked file was built' test -z "$bad"
	[ -z "$bad" ] || diag "$bad"
	names='.ci .reuse LICENSES bench checks cli collectors commands core debian demo doc executors formats m4 packaging plugins postprocessors tests vcs views
		.clang-format .gitattributes .gitignore CONTRIBUTING.md COPYING Makefile.am NEWS README.md action.yml bootstrap
		configure.ac perun.in'
	# shellcheck disable=SC2086
	bad=$(git ls-files | sed 's|/.*||' | sort -u | grep -vxF "$(printf '%s\n' $names)")
	check 'each name of the first level is a known one' test -z "$bad"
	[ -z "$bad" ] || diag "$bad"
	if command -v reuse >/dev/null; then
		bad=$(reuse lint 2>&1) && bad=
		check 'each file has a licence and a holder of its rights' test -z "$bad"
		[ -z "$bad" ] || diag "$bad"
	else
		skip 'licences of files: no reuse'
	fi
else
	skip 'tracked files: not a checkout of git'
fi

library=$top_builddir/core/.libs/libperun.so
if [ -e "$library" ] && command -v nm >/dev/null; then
	nm -D --defined-only "$library" | awk '$2 != "A" {print $3}' | sed 's/@.*//' |
		grep -Ev '^(_init|_fini|_edata|_end|__bss_start)$' | sort >"$work/exported"
	check 'libperun.so exports perun_ names only' test -z "$(grep -v '^perun_' "$work/exported")"
	# What the public headers promise is exported, and nothing else.
	sed -n '/^static inline[^(]*$/{ N; d; }
		s/^PERUN_EXPORT[^(]*[ *]\(perun_[a-z0-9_]*\)(.*/\1/p; s/^\(perun_[a-z0-9_]*\)(.*/\1/p' \
		plugins/include/perun/*.h plugins/include/perun/lib/*.h | sort -u >"$work/promised"
	check 'libperun.so exports what the public headers declare, and nothing else' \
		cmp -s "$work/exported" "$work/promised"
	diff "$work/promised" "$work/exported" | sed -n 's/^[<>]/# &/p'
	nodes=$(nm -D --defined-only --with-symbol-versions "$library" 2>/dev/null | grep -c '@@*PERUN_1\.0$')
	check 'the stable part has a version of its own' test "$nodes" -gt 100
else
	skip 'exported symbols: no shared library in this build'
fi

finish
