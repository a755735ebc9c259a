# SPDX-License-Identifier: BSD-3-Clause
# perun postprocessby symbolize: addresses of programs and libraries get names.
. "${top_srcdir:-.}/tests/cli/lib.sh"
perun postprocessby --help 2>/dev/null | grep -q symbolize || skip_all 'the postprocessor symbolize is not built'
command -v cc >/dev/null && command -v nm >/dev/null || skip_all 'cc and nm are needed'

cat >program.c <<'END'
static int squared(int x)
{
	return x * x;
}
int inner(int x)
{
	return squared(x) + 1;
}
int main(int argc, char **argv)
{
	return inner(argc) + !argv;
}
END
cc -g -O2 -fno-ipa-cp -fno-ipa-icf -fPIE -pie program.c -o program 2>/dev/null || skip_all 'cannot compile'
address=$(nm program | awk '$3 == "inner" { print $1 }')
start=$(printf '%d' 0x555500000000)
at() { printf '0x%x' $((start + 0x$address + $1)); }

# heap MAPPING: a heap profile whose stack is inner, with that mapping.
heap() {
	printf 'heap_v2/524288\n  t*: 2: 200 [0: 0]\n@ %s 0x77\n  t*: 2: 200 [0: 0]\n\nMAPPED_LIBRARIES:\n%s\n' "$(at 0)" "$1"
}
size=$(($(wc -c <program) + 4096))
mapping="555500000000-$(printf '%x' $((start + size))) r-xp 00000000 08:01 1"
heap "$mapping $PWD/program" >heap.txt
expect_status 0 perun convert --symbolize --to pprof heap.txt named.pb.gz
expect_err 'named 1 of 2 addresses; the others are of no file'
expect_text "$PWD/program.c:3" "$(perun pprof -lines -traces named.pb.gz 2>/dev/null | grep -o "$PWD/program.c:3")" 'the line'
expect_text 'inner squared' "$(perun pprof -traces named.pb.gz 2>/dev/null | grep -oE 'inner|squared' | sort -u | xargs)" 'the function, and what was inlined'
expect_status 0 perun symbolize heap.txt command.pb.gz
expect_same named.pb.gz command.pb.gz 'a command of its own'
expect_status 0 perun postprocessby --output named.perf heap.txt symbolize
expect_text squared "$(perun show named.perf top 2>/dev/null | grep -o squared | head -n 1)" 'as a postprocessor'

# Where paths of sources and folders are relative, as distributions build: the file is named from the top.
mkdir below
if (cd below && cc -g -O2 -fno-ipa-cp -fno-ipa-icf -fPIE -pie -fdebug-prefix-map="$(dirname "$PWD")=." ../program.c -o program) 2>/dev/null; then
	address=$(nm below/program | awk '$3 == "inner" { print $1 }')
	heap "$mapping $PWD/below/program" >below.txt
	expect_text 'squared program.c:3 inner program.c:7' "$(perun pprof -lines -traces below.txt 2>/dev/null |
		grep -oE '(inner|squared) program.c:[0-9]+' | xargs)" 'relative to a relative folder'
	address=$(nm program | awk '$3 == "inner" { print $1 }')
else
	skip 'the compiler has no -fdebug-prefix-map'
fi

# What was found is kept by the build id, and whatever happens to it, the same is found again.
cc -g -O2 -fno-ipa-cp -fno-ipa-icf -fPIE -pie -Wl,--build-id program.c -o kept 2>/dev/null
address=$(nm kept | awk '$3 == "inner" { print $1 }')
heap "$mapping $PWD/kept" >kept.txt
found_in() { XDG_CACHE_HOME=$1 perun pprof -lines -traces kept.txt 2>/dev/null; }
found_in "$PWD/symbols" >first
kept=$(echo symbols/perun/symbols/*-readable)
check 'it is kept' test -s "$kept"
check 'nobody else reads it' test "$(stat -c %a "$kept")" = 600
found_in "$PWD/symbols" >second
expect_same first second 'from what was kept'
sed -i 's/inner/INNER/' "$kept"
found_in "$PWD/symbols" >third
check 'it is used' grep -q INNER third
for damage in '' 'perun symbols 2' 'perun symbols 1' 'nothing of ours' "perun symbols 1
$(printf '%x' $((0x$address)))"; do
	printf '%s\n' "$damage" >"$kept"
	found_in "$PWD/symbols" >damaged
	expect_same first damaged "kept: '${damage%%$'\n'*}'"
done
printf 'perun symbols 1\nffffffffffffffff\ta\tb\n%x\ta\tb\t1\n1\tx\n' $((0x$address)) >"$kept"
found_in "$PWD/symbols" >damaged
expect_same first damaged 'kept: out of order, and cut'
found_in /proc/nowhere >nowhere
expect_same first nowhere 'no place to keep it'
address=$(nm program | awk '$3 == "inner" { print $1 }')

# Debugging information beside the program: .dwo files, and a file that dwz makes for several programs.
names_of() { perun pprof -lines -traces "$1" 2>/dev/null | grep -oE '(inner|squared) .*program.c:[0-9]+' | sed 's! .*/! !' | xargs; }
expect_text 'squared program.c:3 inner program.c:7' "$(names_of named.pb.gz)"
mkdir split && cp program.c split/
if (cd split && cc -g -gsplit-dwarf -O2 -fno-ipa-cp -fno-ipa-icf -fPIE -pie program.c -o program 2>/dev/null && ls ./*.dwo) >/dev/null 2>&1; then
	address=$(nm split/program | awk '$3 == "inner" { print $1 }')
	heap "$mapping $PWD/split/program" >split.txt
	expect_status 0 perun convert --symbolize --to pprof split.txt split.pb.gz
	expect_text "$(names_of named.pb.gz)" "$(names_of split.pb.gz)" 'gcc -gsplit-dwarf: functions, lines and what was inlined'
	rm split/*.dwo
	expect_status 0 perun convert --symbolize --to pprof split.txt lines.pb.gz
	expect_err 'named 1 of 2 addresses'
	address=$(nm program | awk '$3 == "inner" { print $1 }')
else
	skip 'the compiler has no -gsplit-dwarf'
fi
if command -v dwz >/dev/null; then
	mkdir common && cp program common/one && cp program common/two && (cd common && dwz -m debug one two) 2>/dev/null
	heap "$mapping $PWD/common/one" >common.txt
	expect_status 0 perun convert --symbolize --to pprof common.txt common.pb.gz
	expect_text "$(names_of named.pb.gz)" "$(names_of common.pb.gz)" '.gnu_debugaltlink: the same'
else
	skip 'dwz is not installed'
fi

# In a store, what becomes of a file without a command has the file's name.
git init -q . && perun init >/dev/null && cp heap.txt 'he%ap.txt'
expect_status 0 perun postprocessby 'he%ap.txt' symbolize
expect_out '/he_ap.txt-'

heap "$mapping /gone/program" >gone.txt
expect_status 0 perun convert --symbolize --to pprof gone.txt gone.pb.gz
expect_err 'named 0 of 2 addresses; 1 of the others in /gone/program, which was not found (--binary PATH)'
expect_status 0 perun convert --symbolize --binary program --to pprof gone.txt given.pb.gz
expect_err 'named 1 of 2 addresses'
mkdir -p folder && cp program folder/
export PPROF_BINARY_PATH="/nowhere:$PWD/folder"
expect_status 0 perun convert --symbolize --to pprof gone.txt path.pb.gz
expect_err 'named 1 of 2 addresses'
unset PPROF_BINARY_PATH
mkfifo fifo
heap "$mapping $PWD/fifo" >fifo.txt
expect_status 0 timeout 20 "$PERUN" convert --symbolize --to pprof fifo.txt fifo.pb.gz
expect_err "$PWD/fifo, which was not found"

# A build id decides: another program of the name is not it.
id=$(readelf -n program 2>/dev/null | sed -n 's/.*Build ID: //p')
if [ -n "$id" ] && command -v python3 >/dev/null; then
	# pprof BUILD-ID: a profile of the address, in protocol buffers.
	pprof() {
		python3 - "$1" "$(at 0)" "$start" "$size" <<'END'
import sys
build, address, start, size = sys.argv[1], int(sys.argv[2], 16), int(sys.argv[3]), int(sys.argv[4])
def number(n):
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])
def field(key, value):
    if isinstance(value, int):
        return number(key << 3) + number(value)
    return number(key << 3 | 2) + number(len(value)) + value
texts = ["", "cpu", "seconds", "/gone/program", build]
sys.stdout.buffer.write(field(1, field(1, 1) + field(2, 2)) + field(2, field(1, 1) + field(2, 5))
    + field(3, field(1, 1) + field(2, start) + field(3, start + size) + field(5, 3) + field(6, 4))
    + field(4, field(1, 1) + field(2, 1) + field(3, address)) + b"".join(field(6, t.encode()) for t in texts))
END
	}
	pprof "$id" >same.pb
	expect_status 0 perun convert --symbolize --binary program same.pb same.folded
	expect_text 'inner;squared 5' "$(cat same.folded)" 'the same build'
	pprof 00112233 >other.pb
	expect_status 0 perun convert --symbolize --binary program other.pb other.folded
	expect_err 'which was not found'
	export PPROF_BINARY_PATH=$PWD/cache
	mkdir -p "cache/$id" && cp program "cache/$id/"
	expect_status 0 perun convert --symbolize same.pb cached.folded
	expect_text 'inner;squared 5' "$(cat cached.folded)" 'a folder of build ids'
fi

# Views and pprof look names up by themselves, and report what stays without one.
expect_status 0 perun show heap.txt top
expect_out squared
expect_err '1 of 2 addresses have no name; their files are not known'
expect_status 0 perun show gone.txt top
expect_err '2 of 2 addresses have no name; 1 of them is in /gone/program, which was not found (perun convert --symbolize --binary PATH names them)'
expect_status 0 perun show named.pb.gz summary
expect_status 0 perun pprof -traces heap.txt
expect_out squared
expect_status 0 perun pprof -symbolize=none -traces heap.txt
check 'pprof: nothing is looked up' test -z "$(grep squared out)"
expect_status 0 perun pprof -traces program gone.txt
expect_out squared

# Code that was generated: names are those of the process, by its number.
map=/tmp/perf-$$.map
if (set -C && printf '7f0000001000 100 jitted\n' >"$map") 2>/dev/null; then
	printf 'heap_v2/524288\n  t*: 2: 200 [0: 0]\n@ 0x7f0000001010\n  t*: 2: 200 [0: 0]\n\nMAPPED_LIBRARIES:\n7f0000001000-7f0000002000 r-xp 00000000 00:00 0 %s\n' "$map" >jit.txt
	expect_status 0 perun convert --symbolize --to collapsed jit.txt jit.folded
	check 'generated code' grep -q '^jitted ' jit.folded
	rm -f "$map"
fi

# The same of a dump with lines, from a process that is gone: f at 0x1000 and moved to 0x3000, g of V8 at 0x2000.
cp "$top_srcdir/tests/fuzz/corpus/generated/jit.dump" jit-4194303.dump
printf 'heap_v2/1\n  t*: 6: 600 [0: 0]\n@ 0x1009\n  t*: 2: 200 [0: 0]\n@ 0x2003\n  t*: 2: 200 [0: 0]\n@ 0x3005\n  t*: 2: 200 [0: 0]\n\nMAPPED_LIBRARIES:\n1000-4000 r-xp 00000000 00:00 0 %s\n' \
	"$PWD/jit-4194303.dump" >dumped.txt
expect_text 'JS:*g b.js:9 b.js:9 f f a.c:4' "$(perun pprof -inuse_space -lines -traces dumped.txt 2>/dev/null | sed -n 's/^ *[0-9]*B *//p' | sort | xargs)" \
	'generated code: names, lines, what was moved'

# Names of C++, as pprof's modes shorten them.
cat >names.c <<'END'
int f(int x) __asm__("_ZN1aILi3EE1fIiEEvT_");
int __attribute__((noinline)) f(int x)
{
	return x + 1;
}
int main(int argc, char **argv)
{
	return f(argc) + !argv;
}
END
cc -O1 -fPIE -pie names.c -o names 2>/dev/null
address=$(nm names | awk '$3 ~ /^_ZN1a/ { print $1 }')
if [ -n "$address" ] && ldconfig -p 2>/dev/null | grep -q 'libstdc++.so.6'; then
	heap "$mapping $PWD/names" >names.txt
	while read -r mode name; do
		expect_status 0 perun postprocessby --output names.perf names.txt symbolize --demangle "$mode"
		check "names: $mode" grep -qF "0x77;$name " <(perun convert --to collapsed names.perf - 2>/dev/null)
	done <<-'END'
		full void a<3>::f<int>(int)
		templates a<3>::f<int>
		short a::f
		none _ZN1aILi3EE1fIiEEvT_
	END
	expect_status 0 perun pprof -traces names.txt
	expect_out ' a::f'
	expect_status 0 perun pprof -symbolize=demangle=templates -traces names.txt
	expect_out ' a<3>::f<int>'
	expect_status 0 perun pprof -symbolize=demangled -traces names.txt
	expect_err "-symbolize: ignored 'demangled'"
fi
# ---- names of other languages, as their compilers make them ----
# named SYMBOL: what the function of that symbol is called.
named() {
	printf 'int other(int x) __asm__("%s");\nint other(int x) { return x * 3; }\nint main(int argc, char **argv) { return other(argc) + !argv; }\n' "$1" >named.c
	cc -O1 -fno-inline -fPIE -pie named.c -o named 2>/dev/null || return
	address=$(nm named | awk -v symbol="$1" '$3 == symbol { print $1 }')
	heap "$mapping $PWD/named" >named.txt
	perun convert --symbolize --to collapsed named.txt - 2>/dev/null | sed -n '1s/^.*;//; 1s/ [0-9]*$//p'
}
expect_text 'space::f(int)' "$(named _ZN5space1fEi)" 'C++'
if [ "$(named _RNvNtCs1234_7mycrate3foo3bar)" = 'mycrate::foo::bar' ]; then
	ok 'Rust'
	expect_text 'core::fmt::write' "$(named _ZN4core3fmt5write17h0123456789abcdefE)" 'Rust, with the hash of a build'
	expect_text 'mycrate::foo::bar' "$(named _RNvNtCs1234_7mycrate3foo3bar.llvm.1234)" 'Rust, a copy of a function'
	expect_text 'h23456789abcdefgh::f' "$(named _ZN17h23456789abcdefgh1f17h0123456789abcdefE)" 'Rust, a part that looks like a hash'
else
	expect_text _RNvNtCs1234_7mycrate3foo3bar "$(named _RNvNtCs1234_7mycrate3foo3bar)" 'Rust, without libiberty'
fi
expect_text _RNvNtCs "$(named _RNvNtCs)" 'no name of Rust'
# nested LEVELS: a symbol of Rust in which each type names the one before it twice.
nested() {
	python3 - "$1" <<'P'
import sys
digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
def back(n):
    text, n = "", n - 1
    while True:
        text, n = digits[n % 62] + text, n // 62
        if n == 0:
            return "B" + text + "_"
name, last = "INvC1a1f", None
for _ in range(int(sys.argv[1])):
    at = len(name)
    name += "TaaE" if last is None else "T" + back(last) * 2 + "E"
    last = at
print("_R" + name + "E")
P
}
if [ "$(named _RNvC1a1f)" = a::f ]; then
	expect_text 'a::f::<(i8, i8), ((i8, i8), (i8, i8))>' "$(named "$(nested 2)")" 'a name of Rust with parts of itself'
fi
bomb=$(nested 40)
expect_text "$bomb" "$(named "$bomb")" 'a name of Rust that would be longer than memory'
expect_text '_$s4main3fooyyF' "$(named '_$s4main3fooyyF')" 'Swift, without its library'
cat >swift.c <<'END'
#include <string.h>
char *swift_demangle(const char *name, size_t length, char *out, size_t *size, unsigned flags)
{
	return length == 15 && !out && !size && !flags && name[2] == 's' ? strdup("main.foo()") : NULL;
}
END
if cc -shared -fPIC swift.c -o libswiftDemangle.so 2>/dev/null; then
	expect_text 'main.foo()' "$(LD_LIBRARY_PATH=$PWD${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} named '_$s4main3fooyyF')" 'Swift, with it'
else
	skip 'the compiler makes no libraries'
fi

# ---- a store keeps the names, in each form that reports have ----
if command -v git >/dev/null; then
	expect_text 'space::f(int)' "$(named _ZN5space1fEi)"
	printf 'heap profile: 2: 200 [2: 200] @ heapprofile\n2: 200 [2: 200] @ %s 0x77\n\nMAPPED_LIBRARIES:\n%s\n' "$(at 1)" "$mapping $PWD/named" >named.txt
	mkdir project && cd project && git init -q && git commit -q --allow-empty -m one && perun init >/dev/null 2>&1
	expect_status 0 perun import ../named.txt
	same() { cmp -s <("$PERUN" "${@//SUBJECT/../named.txt}" 2>/dev/null) <("$PERUN" "${@//SUBJECT/0@i}" 2>/dev/null); }
	for report in -traces -raw -tree -dot -disasm=other '-weblist=other' '-top -inuse_space' '-symbolize=demangle=full -top -inuse_space' '-symbolize=demangle=templates -traces'; do
		# shellcheck disable=SC2086
		check "pprof $report: as of the file" same pprof $report SUBJECT
	done
	check 'reports have the short name' grep -q 'space::f$' <(perun pprof -top -inuse_space 0@i 2>/dev/null)
	check 'views the whole' grep -qF 'space::f(int)' <(perun show 0@i top 2>/dev/null)
	rm ../named
	check 'when the program is gone, too' grep -q 'space::f$' <(perun pprof -top -inuse_space 0@i 2>/dev/null)
	check 'and views' grep -qF 'space::f(int)' <(perun show 0@i top 2>/dev/null)
	cd ..
fi
finish
