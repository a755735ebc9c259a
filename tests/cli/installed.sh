# SPDX-License-Identifier: BSD-3-Clause
# What is installed knows nothing of the place where it was built, and has what configure says is on.
. "${top_srcdir:-.}/tests/cli/lib.sh"

installed=$top_builddir/tests/installed
[ -e "$installed/stamp" ] || skip_all 'a static build installs nothing for its tests'
command -v readelf >/dev/null || skip_all 'readelf is missing'
made() { sed -n "s/^$1 = *//p" "$top_builddir/Makefile"; }
prefix=$(made prefix)
hardening=" $(made HARDENING) "

# DESTDIR is a part of the build tree, and of no path below it.
root=$installed$prefix
for place in "$(cd "$top_builddir" && pwd)" "$(cd "$top_srcdir" && pwd)"; do
	if [ -n "$(made PATH_MAP_CFLAGS)" ] && [ "$(printf %s "${SANITIZE-}" | grep -c sanitize)" -eq 0 ]; then
		found=$(grep -rlF -e "$place" "$root" | head -5)
	else # debugging information, or what sanitizers print, names the place
		found=$(grep -rlIF -e "$place" "$root" | head -5)
	fi
	expect_text '' "$found" "no installed file names ${place##*/}"
done

elf=()
while IFS= read -r file; do
	[ "$(head -c 4 "$file" | tail -c 3)" = ELF ] && elf+=("$file")
done < <(find "$root" -type f \( -name '*.so*' -o -perm -u+x \))
check 'there are a program, a library, plugins' test "${#elf[@]}" -gt 20

# fails WHAT CONDITION...: no file may fail the condition, a function that gets the file.
none_fails() {
	local what=$1 file bad=
	shift
	for file in "${elf[@]}"; do
		"$@" "$file" || bad="$bad ${file##*/}"
	done
	expect_text '' "$bad" "$what"
}
on() { case $hardening in *" $1 "*) true ;; *) skip "$1: configure says it is off"; false ;; esac; }

# The library may be found where it is installed, if at all.
own_run_path() {
	local path
	path=$(readelf -d "$1" | sed -n 's/.*R\(UN\)\{0,1\}PATH.*\[\(.*\)\]$/\2/p')
	[ -z "$path" ] || [ "$path" = "$(made libdir | sed "s|\${exec_prefix}|$prefix|; s|\${prefix}|$prefix|")" ]
}
none_fails 'no run path but the installed library directory' own_run_path

has_relro() { readelf -lW "$1" | grep -q GNU_RELRO && readelf -dW "$1" | grep -q 'BIND_NOW\|FLAGS_1.*NOW'; }
on relro && none_fails 'full RELRO' has_relro
is_pie() { readelf -hW "$1" | grep -q 'Type: *DYN'; }
on pie && none_fails 'position-independent' is_pie
no_text_writable() { ! readelf -lW "$1" | grep -q 'GNU_STACK.*E'; }
none_fails 'no executable stack' no_text_writable

# calls FILE... PATTERN: whether one of its undefined symbols is of this name.
library=$(find "$root" -name 'libperun.so.*.*.*')
preloads=$(find "$root" -name perun-memory.so -o -name perun-trace.so)
calls() { readelf --dyn-syms -W "$1" | grep -q "UND $2"; }
if on stack-protector; then
	for file in "$library" "$root/bin/perun" $preloads; do
		check "stack protector: ${file##*/}" calls "$file" __stack_chk_fail
	done
fi
if on fortify; then
	for file in "$library" "$root/bin/perun"; do
		check "_FORTIFY_SOURCE: ${file##*/}" calls "$file" '__[a-z]*_chk'
	done
fi
# Linkers mark a file only if all that it is made of is; so the instructions themselves are looked for.
if on cet && command -v objdump >/dev/null && [ "$(uname -m)" = x86_64 ]; then
	starts_with_endbr() { objdump -d --no-show-raw-insn "$1" | sed -n '/<main>:$\|<perun_fail>:$\|<malloc>:$/{n;p;}' | grep -q endbr64; }
	check 'CET: perun' starts_with_endbr "$root/bin/perun"
	check 'CET: libperun' starts_with_endbr "$library"
	for file in $preloads; do
		case $file in
		*memory*) check 'CET: perun-memory.so' starts_with_endbr "$file" ;;
		# It changes return addresses: no shadow stack can be promised.
		*) check 'no CET: perun-trace.so' test "$(readelf -nW "$file" | grep -c SHSTK)" -eq 0 ;;
		esac
	done
fi

# The collectors' libraries are found beside the plugins.
printf '#include <stdlib.h>\nint main(void) { void *volatile p = malloc(100); free(p); return 0; }\n' >x.c
if [ -n "$preloads" ] && [ "$(printf %s "${SANITIZE-}" | grep -c sanitize)" -eq 0 ] && ${CC:-cc} -o x x.c 2>/dev/null; then
	export PERUN_PLUGIN_PATH
	PERUN_PLUGIN_PATH=$(dirname "${preloads%%
*}")
	LD_LIBRARY_PATH=$(dirname "$library") expect_status 0 "$root/bin/perun" -C "$PWD" collect --help
	new_repo project >/dev/null
	LD_LIBRARY_PATH=$(dirname "$library") run "$root/bin/perun" init --vcs-type git
	LD_LIBRARY_PATH=$(dirname "$library") expect_status 0 "$root/bin/perun" collect -c ../x memory
else
	skip 'collectors of the installed program'
fi

# What collectors load into programs is built with the packager's flags, but neither sanitized nor unoptimized.
part=$(made srcdir)/collectors/memory/preload/walk.c
if [ -n "$preloads" ]; then
	flags=$(MAKEFLAGS= make -n -C "$top_builddir" -W "$part" CPPFLAGS=-DTHEIRS 'CFLAGS=-gtheirs -O0 -fsanitize=leak' \
		LDFLAGS=-Wl,--theirs collectors/memory/perun-memory.so 2>/dev/null | grep -oE -e '-(DTHEIRS|gtheirs|O0|fsanitize=leak|Wl,--theirs)\>')
	expect_text '-DTHEIRS
-gtheirs
-Wl,--theirs' "$flags" 'flags for preloaded libraries'
fi
finish
