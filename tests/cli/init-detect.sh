# SPDX-License-Identifier: BSD-3-Clause
# perun init --detect: what the build files of a project offer to be measured.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"

# project NAME: a new directory, which becomes the current one.
project() {
	cd "$work/here" && mkdir "$1" && cd "$1" || exit 1
	git init -q .
}
# put FILE: from standard input.
put() { mkdir -p "$(dirname "$1")" && cat >"$1"; }
# setting KEY: its value; says nothing where there is none.
setting() { perun config get "$1" 2>/dev/null | sed 's/^[^:]*: //'; }
detected() {
	expect_status 0 perun init --detect
	expect_out "This is a $1 project"
}

# First without the tools, where there are any: files are read then.
mkdir "$work/none"
for tool in cargo go meson; do printf '#!/bin/sh\nexit 1\n' >"$work/none/$tool"; done
chmod +x "$work/none"/*
path=$PATH
PATH=$work/none:$PATH

project cmake
put CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(sorter C)
# add_executable(forgotten forgotten.c)
add_subdirectory(src)
enable_testing()
add_test(NAME big COMMAND sorter --size 1000)
add_test(NAME other COMMAND ${SOMETHING} x)
CMAKE
put src/CMakeLists.txt <<'CMAKE'
add_executable(${PROJECT_NAME}
  main.c # the program
  sort.c)
add_executable ( "sort_bench" bench.c )
ADD_EXECUTABLE(unit_tests tests.c)
add_executable(imported IMPORTED)
add_executable(${name}_x x.c)
add_library(sort sort.c)
add_executable(renamed_exe renamed.c)
set_target_properties(sort renamed_exe PROPERTIES
  POSITION_INDEPENDENT_CODE YES
  OUTPUT_NAME "renamed")
add_executable(moved moved.c)
set_property(TARGET moved PROPERTY RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
CMAKE
put third_party/lib/CMakeLists.txt <<'CMAKE'
add_executable(foreign foreign.c)
CMAKE
put inputs/small.txt <<<one
put inputs/README.md <<<two
detected CMake
expect_out 'build/src/sort_bench  (add_executable in src/CMakeLists.txt)'
check 'a test is a comment' grep -q '^#.*"build/src/unit_tests"  # add_executable in src/CMakeLists.txt' .perun/local.yml
expect_text '["build/src/sort_bench", "build/src/sorter", "build/src/renamed", "build/bin/moved"]' "$(setting cmds)" 'the programs, benchmarks first'
expect_text '["inputs/small.txt"]' "$(setting workloads)" 'the inputs'
expect_text '["cmake -S . -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo", "cmake --build build --parallel"]' \
	"$(setting execute.pre_run)" 'how it is built'
expect_text true "$(setting profiles.register_after_run)" 'what is measured is kept'
check 'profiles are said once' test "$(grep -c 'register_after_run' .perun/local.yml)" -eq 1
check 'how a test runs it' grep -q '^#.*"build/src/sorter --size 1000"' .perun/local.yml
check 'nothing of others' [ "$(grep -c 'foreign\|forgotten\|imported\|SOMETHING' .perun/local.yml)" -eq 0 ]
# A second time nothing is overwritten.
echo '# mine' >>.perun/local.yml
expect_status 0 perun init --detect
expect_out 'stays as it is'
check 'the configuration stays' grep -q '^# mine$' .perun/local.yml
expect_status 2 perun init --detect -t user

# Programs with Google Benchmark measure themselves, whatever they are called.
project cmake-benchmark
put CMakeLists.txt <<'CMAKE'
project(sorter CXX)
find_package(benchmark REQUIRED)
add_executable(sorter main.cpp)
add_executable(speed speed.cpp)
target_link_libraries(speed PRIVATE benchmark::benchmark_main)
add_executable(unit_tests tests.cpp)
target_link_libraries(unit_tests benchmark)
CMAKE
put inputs/small.txt <<<one
detected CMake
expect_text '["build/speed --benchmark_repetitions=5 --benchmark_format=json"]' "$(setting cmds)" 'it alone'
expect_text '[{"name": "benchmark"}]' "$(setting collectors)" 'with the collector that reads its results'
check 'inputs are comments' grep -q '^#   - "inputs/small.txt"' .perun/local.yml
check 'and so are programs and tests' test "$(grep -cE '^#   - "build/(sorter|unit_tests)"' .perun/local.yml)" = 2

project cmake-output
put CMakeLists.txt <<'CMAKE'
project(one)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
add_executable(one one.c)
CMAKE
detected CMake
expect_text '["build/bin/one"]' "$(setting cmds)" 'where programs go'

# Files are read as CMake reads them: what is built by default is proposed.
project cmake-script
put CMakeLists.txt <<'CMAKE'
project(many C)
option(WITH_TOOLS "tools" OFF)
option(WITH_EXTRA "extra" ON)
set(names one two)
list(APPEND names three)
if(WITH_TOOLS OR WIN32)
  add_executable(tool tool.c)
elseif(NOT WITH_EXTRA)
  add_executable(lean lean.c)
else()
  foreach(name IN LISTS names)
    add_executable(${name} ${name}.c)
  endforeach()
endif()
if(CMAKE_C_COMPILER_ID STREQUAL "Clang")
  add_executable(only_clang c.c)
endif()
macro(add_demo name)
  add_executable(${name} examples/${name}.c)
endmacro()
add_demo(show)
add_executable(late EXCLUDE_FROM_ALL late.c)
add_subdirectory(fuzz)
if(PROJECT_IS_TOP_LEVEL AND BUILD_TESTING)
  add_executable(never never.c)
endif()
CMAKE
put fuzz/CMakeLists.txt <<<'add_executable(parse parse.c)'
put unused/CMakeLists.txt <<<'add_executable(unused x.c)'
detected CMake
expect_text '["build/one", "build/two", "build/three"]' "$(setting cmds)" 'what is built by default'
expect_text 4 "$(grep -c '^#.*"build/\(only_clang\|late\|show\|fuzz/parse\)"' .perun/local.yml)" 'the rest are comments'
check 'nothing else' [ "$(grep -c 'tool\|lean\|never\|unused' .perun/local.yml)" -eq 0 ]
project cmake-tests
put CMakeLists.txt <<'CMAKE'
add_executable(test_one test/one.c)
add_executable(test_two test/two.c)
CMAKE
detected CMake
expect_text '["build/test_one"]' "$(setting cmds)" 'a test where there is nothing else'

project meson
put meson.build <<'MESON'
project('tool', 'c')
# executable('old', 'old.c')
subdir('src')
benchmark('speed', find_program('speed.sh'))
MESON
put src/meson.build <<'MESON'
exe = executable('tool',
  ['main.c', 'util.c'],
  install : true)
executable(name, 'x.c')
my_executable('wrapped', 'x.c')
MESON
detected Meson
expect_text '["build/src/tool"]' "$(setting cmds)" 'the program'
check 'a benchmark of Meson' grep -q '^#.*"meson test -C build --benchmark"  # 1 benchmark() in meson.build' .perun/local.yml

project make
put Makefile <<'MAKE'
CFLAGS = -O2
PROG := prog
OBJS = main.o \
	util.o
.PHONY: all clean bench
all: $(PROG) docs.html
$(PROG): $(OBJS)
	cp prog.in $@
second: second.c
	$(CC) -o $@ second.c
%.o: %.c
	$(CC) -c -o $@ $<
libx.so: x.c
	$(CC) -shared -o $@ x.c
bench: all
	./prog
clean:
	rm -f prog
MAKE
printf '#!/bin/sh\nexit 0\n' >prog.in && chmod +x prog.in
touch main.o util.o docs.html
detected Make
expect_text '["./prog"]' "$(setting cmds)" 'what is made by default'
check 'what is not made by default' grep -q '^#.*"./second"  # a target in Makefile, not made by default' .perun/local.yml
check 'a target' grep -q '^#.*"make bench"  # a target in Makefile; make itself is measured, too' .perun/local.yml
# The proposal works.
if perun plugin show collect-time >/dev/null 2>&1 && command -v make >/dev/null; then
	git add . && git commit -q -m one
	expect_status 0 perun run -m HEAD matrix
	expect_out 'time of ./prog'
	check 'nothing was built here' [ ! -e prog ]
fi

# Programs that have other names than the targets whose commands link them.
project make-links
put Makefile <<'MAKE'
OUT = app
all: helper
	$(CC) -O2 -o $(OUT) app.c
	$(CC) -o ./bin/tool tool.c && echo done
helper:
	$(CC) -o $@ helper.c
other:
	$(CC) -o second second.c
MAKE
detected Make
expect_text '["./helper", "./app", "./bin/tool"]' "$(setting cmds)" 'what the default target links'
check 'what another one links' grep -q '^#.*"./second"  # a target in Makefile, not made by default' .perun/local.yml

# A program that make links by itself, and one of a makefile that is called.
project make-below
put Makefile <<'MAKE'
DIR = programs
default: words lib
words: words.c
lib:
	$(MAKE) -C $(DIR) $@
MAKE
put programs/Makefile <<'MAKE'
all: none
lib: packer
packer: packer.o
	$(CC) packer.o -o $@$(EXT)
MAKE
detected Make
expect_text '["./words", "programs/packer"]' "$(setting cmds)" 'programs of both'

# The trial: what is not built, what does not run by itself and what nobody described.
project trial
put Makefile <<'MAKE'
all: works fails waits benched
works fails waits benched:
	cp $@.in $@ && chmod +x $@
absent: all
	$(CC) -o absent absent.c
.PHONY: all
MAKE
for name in works fails waits benched; do printf '#!/bin/sh\nexit 0\n' >$name.in; done
printf '#!/bin/sh\nexit 2\n' >fails.in
printf '#!/bin/sh\nexec cat\n' >waits.in
expect_status 2 perun init --run
expect_status 2 perun init --detect --run
check 'nothing was made without a commit' [ ! -e .perun ]
git add . && git commit -q -m one
expect_status 0 perun -y init --detect
expect_out 'This is a Make project (Makefile):'
rm -r .perun
expect_status 0 perun init --detect --run
expect_out 'This is a Make project (Makefile), built and tried:'
expect_text '["./benched", "./works", "./waits"]' "$(setting cmds)" 'what runs without arguments and input'
check 'what fails' grep -q '^#.*"./fails"  # exit status 2' .perun/local.yml
check 'nothing was built here' [ ! -e works ]
rm -r .perun && printf 'all:\n\techo broken >&2; exit 3\n' >Makefile && git commit -q -a -m two
expect_status 3 perun init --detect --run
expect_err "the proposed build does not work: 'make -j\"\$(nproc)\"' failed (exit status 2)"
expect_err broken
check 'the store is made' [ -e .perun/local.yml ]

project autotools
put configure.ac <<<'AC_INIT([x], [1])'
put Makefile.am <<'AM'
SUBDIRS = src
AM
put src/Makefile.am <<'AM'
bin_PROGRAMS = one \
	two
noinst_PROGRAMS = three_benchmark
check_PROGRAMS = t1
AM
detected Autotools
expect_text '["./src/three_benchmark", "./src/one", "./src/two"]' "$(setting cmds)" 'programs of Automake'

project cargo
put Cargo.toml <<'TOML'
[package]
name = "crunch" # the name
version = "0.1.0"
[dependencies.name]
name = "no"
[[bench]]
name = "speed"
harness = false
[[bin]]
name = "extra"
path = "src/bin/extra.rs"
TOML
put src/main.rs <<<'fn main() {}'
put src/bin/extra.rs <<<'fn main() {}'
put src/bin/several/main.rs <<<'fn main() {}'
put tools/Cargo.toml <<'TOML'
[package]
name = "tools"
[[bin]]
path = "x.rs"
name = "helper"
TOML
detected Cargo
expect_text '["target/release/extra", "target/release/crunch", "target/release/helper", "target/release/several"]' "$(setting cmds)" 'the programs'
expect_text '["cargo build --release"]' "$(setting execute.pre_run)" 'how it is built'
expect_out 'perun import target/criterion'

project go
put go.mod <<'GO'
module example.com/group/tool/v2

go 1.21
GO
printf '// A tool.\npackage main\n\nfunc main() {}\n' >main.go
mkdir -p cmd/serve internal/x
printf 'package main\n\nfunc main() {}\n' >cmd/serve/serve.go
printf 'package x\n' >internal/x/x.go
detected Go
expect_text '["bin/serve", "bin/tool"]' "$(setting cmds)" 'packages main'
expect_out 'perun config set workloads'
expect_text '["go build -o bin/serve ./cmd/serve", "go build -o bin/tool ."]' "$(setting execute.pre_run)" 'how they are built'
rm -r .perun
printf 'package x\n\nimport "testing"\n\nfunc BenchmarkX(b *testing.B) {}\n' >internal/x/x_test.go
detected Go
expect_no_out 'config set workloads'
expect_text '["go test -run=NONE -bench=. -benchtime=0.1s -count=10 ./..."]' "$(setting cmds)" 'benchmarks before programs'
expect_text 2 "$(grep -c '^#.*"bin/\(serve\|tool\)"' .perun/local.yml)" 'which are comments'
expect_text '' "$(setting execute.pre_run)" 'and so is their build'
expect_text '[{"name": "benchmark"}]' "$(setting collectors)" 'which measure themselves'

# The tools themselves are asked where they are installed: they know what a reader of their files does not.
PATH=$path
project cargo-asked
put Cargo.toml <<'TOML'
[package]
name = "asked"
version = "0.1.0"
[[bin]]
name = 'in-quotes'
path = "other.rs"
TOML
put other.rs <<<'fn main() {}'
# Nothing that the project brings is run.
put rust-toolchain.toml <<<$'[toolchain]\npath = "tools"'
put tools/bin/cargo <<<$'#!/bin/sh\ntouch '"$work/ran"
chmod +x tools/bin/cargo
if (cd / && cargo --version) >/dev/null 2>&1; then
	detected Cargo
	expect_text '["target/release/in-quotes"]' "$(setting cmds)" 'what cargo says'
	expect_out 'a program of Cargo.toml'
	check 'no toolchain of the project is run' [ ! -e "$work/ran" ]
fi
mkdir "$work/tools"
cat >"$work/tools/go" <<'SH'
#!/bin/sh
[ "$*" = 'list -e -json ./...' ] && [ "$GOTOOLCHAIN $GOPROXY" = 'local off' ] || exit 1
printf '{"Dir": "%s", "Name": "x"}\n{"Dir": "%s/cmd/generated", "Name": "main"}\n' "$PWD" "$PWD"
SH
cat >"$work/tools/meson" <<'SH'
#!/bin/sh
[ "$1 $2" = 'introspect --targets' ] || exit 1
printf '[{"name": "looped", "type": "executable", "defined_in": "%s"}, {"name": "x", "type": "shared library"}]' "$3"
SH
chmod +x "$work/tools"/*
PATH=$work/tools:$PATH
project go-asked
put go.mod <<<'module example.com/tool'
detected Go
expect_text '["bin/generated"]' "$(setting cmds)" 'what go says'
project meson-asked
put meson.build <<'MESON'
project('tool', 'c')
foreach name : ['looped']
  executable(name, 'x.c')
endforeach
MESON
detected Meson
expect_text '["build/looped"]' "$(setting cmds)" 'what meson says'
# One that the project brings is not the tool.
project go-own
put go.mod <<<'module example.com/tool'
put go <<<$'#!/bin/sh\ntouch '"$work/ran"
chmod +x go
PATH=$PWD:$path
detected Go
check 'no tool of the project is run' [ ! -e "$work/ran" ]
PATH=$path

# Below the root of the repository; with JSON.
project below
mkdir -p sub/deep && cp -r ../cmake/CMakeLists.txt ../cmake/src sub/deep/
cd sub/deep || exit 1
run perun init --detect --json
expect_json 'd["detected"]["system"], [c["text"] for c in d["detected"]["cmds"] if c["active"]]' "('CMake', ['build/src/sort_bench', 'build/src/sorter', 'build/src/renamed', 'build/bin/moved'])"
expect_json 'd["detected"]["pre_run"][1]["text"]' "cd 'sub/deep' && cmake --build build --parallel"

# Nothing known, and files that are no build files at all.
project nothing
expect_status 0 perun init --detect
expect_out 'No build files'
check 'the configuration can be read' eval 'perun config get vcs.type >/dev/null'
expect_text '' "$(setting cmds)" 'no commands'
for name in CMakeLists.txt meson.build Makefile Cargo.toml go.mod; do
	project "bad-$name"
	head -c 3000 "$PERUN" >"$name"
	printf 'add_executable(x "y\nexecutable(((((\n[[bin]\nname = "a\nall: $(\n$(: x\n\t-o\nmodule' >>"$name"
	expect_status 0 perun init --detect
	check 'the configuration can be read' eval 'perun config get vcs.type >/dev/null'
done

# Names of files are whatever a repository says: none becomes a line of the configuration.
project lines
evil=$'sub\nhooks:\n  on_degradation: ran\n#'
mkdir "$evil"
echo 'add_executable(bench a.c)' >"$evil/CMakeLists.txt"
printf 'add_executable(b\345nch a.c)\nadd_executable(good a.c)\n' >CMakeLists.txt
expect_status 0 perun init --detect
expect_text '' "$(setting hooks.on_degradation)" 'no line of a name'
expect_text '["build/good"]' "$(setting cmds)" 'what can be printed is proposed'

finish
