# SPDX-License-Identifier: BSD-3-Clause
# perun pprof -disasm and -weblist: machine code, with what its instructions cost.
. "${top_srcdir:-.}/tests/cli/lib.sh"
perun postprocessby --help 2>/dev/null | grep -q symbolize || skip_all 'the postprocessor symbolize is not built'
command -v cc >/dev/null && command -v nm >/dev/null && command -v objdump >/dev/null || skip_all 'cc, nm and objdump are needed'

cat >program.c <<'END'
static int squared(int x)
{
	return x * x;
}
int inner(int x)
{
	return squared(x) + 1;
}
int other(int x)
{
	return x;
}
int main(int argc, char **argv)
{
	return inner(argc) + other(3) + !argv;
}
END
cc -g -O2 -fno-ipa-cp -fno-ipa-icf -fno-inline-functions-called-once -fPIE -pie program.c -o program 2>/dev/null ||
	skip_all 'cannot compile'

# The second instruction of inner, where the program was loaded far from where its file says.
start=$((0x555500000000))
symbol=$((0x$(nm program | awk '$3 == "inner" { print $1 }')))
second=$(objdump -d --start-address=$symbol program | sed -n 's/^ *\([0-9a-f]*\):.*/\1/p' | sed -n 2p)
printf 'heap_v2/1\n  t*: 4: 800 [0: 0]\n@ 0x%x\n  t*: 2: 600 [0: 0]\n@ 0x%x\n  t*: 2: 200 [0: 0]\n\nMAPPED_LIBRARIES:\n%x-%x r-xp 00000000 08:01 1 %s\n' \
	$((start + symbol + 1)) $((start + 0x$second + 1)) "$start" $((start + $(wc -c <program) + 4096)) "$PWD/program" >heap.txt

expect_status 0 perun pprof -inuse_space -disasm=inner heap.txt
expect_out 'ROUTINE ======================== inner'
expect_out '100% of Total'
costs=$(grep -E "^ +[0-9]+B +[0-9]+B +[0-9a-f]+: " <<<"$out" | awk '{ print $1, $2, $3 }' | xargs)
expect_text "$(printf '600B 600B %x: 200B 200B %s:' "$symbol" "$second")" "$costs" 'what each instruction costs'
expect_text 1 "$(grep -c ROUTINE <<<"$out")" 'no function without samples'
expect_out 'program.c:7'

# By address, by all that matches, in the other syntax.
expect_status 0 perun pprof -inuse_space -disasm="$(printf '0x%x' "$symbol")" heap.txt
expect_out 'ROUTINE ======================== inner'
expect_status 0 perun pprof -inuse_space -intel_syntax -disasm=. heap.txt
expect_out 'ret'
case $(uname -m) in x86_64) expect_no_out '%eax' ;; esac
cp program moved
expect_status 0 perun pprof -inuse_space -disasm=inner moved heap.txt
expect_out 'ROUTINE ======================== inner'

# A page: lines that open to their code.
expect_status 0 perun pprof -inuse_space -weblist='inner|squared' -output=page.html heap.txt
check 'lines open' grep -q '<details><summary>.*return squared(x) + 1' page.html
check 'code has its cost' grep -qE "<b> +600B +600B <i> +$(printf %x "$symbol")</i>" page.html
expect_text "$(grep -c '<details>' page.html)" "$(grep -c '</code></details>' page.html)" 'all close'

# What is not there.
expect_status 2 perun pprof -inuse_space -disasm=nosuch heap.txt
expect_err 'no function matches -disasm=nosuch'
expect_one_line
mkdir empty
expect_status 4 perun pprof -inuse_space -tools="$PWD/empty" -disasm=inner heap.txt
expect_err '-disasm needs objdump and nm'
expect_one_line
expect_status 0 perun pprof -inuse_space -tools="$PWD/empty" -weblist=inner -output=plain.html heap.txt
check 'a page without code' test "$(grep -c '<details>' plain.html)" = 0
check 'but with lines' grep -q 'return squared(x) + 1' plain.html
rm program moved
expect_status 2 perun pprof -inuse_space -disasm=inner heap.txt
expect_err 'cannot be read'

# Both kinds of objdump, and names that several symbols and demanglers have.
cc -g -O2 -fno-ipa-cp -fno-ipa-icf -fno-inline-functions-called-once -fPIE -pie program.c -o program 2>/dev/null
mkdir tools
cat >tools/nm <<END
#!/bin/sh
case \$1 in
-n) printf '%x T _ZN1a1fIiEEvT_\n%x T alias\n%x T _end\n' $symbol $symbol $((symbol + 64)) ;;
-nC) printf '%x T void a::f<int>(int)\n%x T alias\n%x T _end\n' $symbol $symbol $((symbol + 64)) ;;
esac
END
cat >tools/objdump <<END
#!/bin/sh
case \$1 in
--version) echo 'GNU objdump 2.40' ;;
*) printf '\nprogram:     file format elf64\n\n%016x <void a::f<int>(int)>:\nvoid a::f<int>(int):\n/src/f.cc:12 (discriminator 3)\n %x:\tfirst\n\n %x:\tsecond %s\n' $symbol $symbol $((0x$second)) 'with operands so long that they leave no room' ;;
esac
END
sed -e "s/GNU objdump 2.40/LLVM version 14/; s/nvoid a::f<int>(int):/n; void a::f<int>(int)():/; s|/src/f.cc:12 (discriminator 3)|; /src/f.cc:12|" tools/objdump >tools/llvm-objdump
chmod +x tools/*
for objdump in llvm-objdump objdump; do
	expect_status 0 perun pprof -inuse_space -tools="$PWD/tools" -disasm='a::f' heap.txt
	expect_out 'ROUTINE ======================== void a::f<int>(int)'
	expect_out "$(printf '%10x: first                                   ;void a::f<int>(int) f.cc:12' "$symbol")"
	expect_out "$(printf '%74s;inner program.c:7' '')"
	for name in _ZN1a1fIiEEvT_ '^a::f$' '^a::f<int>$' alias; do
		run perun pprof -inuse_space -tools="$PWD/tools" -disasm="$name" heap.txt
		expect_text "ROUTINE ======================== ${name//[$^]/}" "$(grep ROUTINE <<<"$out")" "$objdump: $name"
	done
	run perun pprof -inuse_space -tools="nm:$PWD/tools,objdump:$PWD/tools" -disasm="$(printf '0x%x' "$symbol")" heap.txt
	expect_out '    AKA ======================== alias'
	rm tools/llvm-objdump 2>/dev/null
done
finish
