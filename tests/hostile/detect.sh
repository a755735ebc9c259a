# SPDX-License-Identifier: BSD-3-Clause
# perun init --detect in projects whose build files try to run something, whichever tool reads them: nothing runs, nothing
# outside changes, no sequence reaches the terminal, no name becomes a command.
. "${top_srcdir:-.}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/cli-lib.sh"
. "$top_srcdir/tests/hostile/lib.sh"

put() { mkdir -p "$(dirname "$1")" && cat >"$1"; }
project() {
	cd "$work/here" && mkdir "$1" && cd "$1" || exit 1
	git init -q .
	mkdir tools
	for tool in cargo rustc rustup wrapper go meson cmake make cc c++ gcc ld ninja pkg-config helper python3 runner; do
		printf '#!/bin/sh\n%s\nexit 1\n' "$(bait "tool $tool")" >"tools/$tool"
	done
	chmod +x tools/*
}

# What a name may be: sequences for a terminal, commands for a shell, lines for a configuration.
evil=$'x\e]0;PWN\a\xc2\x9b$(touch canary)`touch canary`;touch canary'

# What init wrote is trusted, as that of any user's own.
elsewhere() { outside | grep -v 'home/.local/state/perun\|home/.rustup'; }
# Without its own directory, rustup's cargo does nothing.
eval "rustup=~$(id -un)/.rustup"
[ ! -d "$rustup" ] || export RUSTUP_HOME=$rustup

# on_terminal ARGUMENT...: what a terminal gets of perun.
on_terminal() { python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)' "$PERUN" "$@" </dev/null; }

# safe WHAT: proposes, and nothing else happens.
safe() {
	git add . && git commit -q -m all
	find . -path ./.git -prune -o -type f -exec sha256sum {} + | sort >"$work/files"
	elsewhere >"$work/before"
	CASE=$1 expect_status 0 perun init --detect
	expect_out 'This is a '
	if command -v python3 >/dev/null; then
		on_terminal init --detect >"$work/terminal" 2>&1
		check "$1: no sequence on a terminal" [ "$(grep -c $'\e]\\|\a\\|\xc2\x9b' "$work/terminal")" -eq 0 ]
	fi
	elsewhere >"$work/after"
	find . \( -path ./.git -o -path ./.perun \) -prune -o -type f -exec sha256sum {} + | sort >"$work/files-after"
	expect_text '' "$(cat "$canary" 2>/dev/null)" "$1: nothing ran"
	expect_same "$work/before" "$work/after" "$1: nothing outside has changed"
	expect_same "$work/files" "$work/files-after" "$1: nothing in the project, either"
	check "$1: the configuration can be read" eval 'perun config get vcs.type >/dev/null'
	check "$1: no name is a command" [ "$(grep -c 'touch canary' .perun/local.yml)" -eq 0 ]
}

project cargo
put Cargo.toml <<TOML
[package]
name = "app"
version = "0.1.0"
edition = "2021"
build = "build.rs"
[workspace]
members = ["member"]
[[bin]]
name = "good"
path = "main.rs"
[dependencies]
local = { path = "local" }
TOML
put member/Cargo.toml <<TOML
[package]
name = "member"
version = "0.1.0"
[lib]
proc-macro = true
TOML
put member/src/lib.rs </dev/null
put "src/bin/$evil.rs" <<<'fn main() {}'
put main.rs <<<'fn main() {}'
put build.rs <<<'fn main() { std::process::Command::new("tools/helper").status().unwrap(); }'
put rust-toolchain.toml <<<$'[toolchain]\npath = "tools"'
for name in .cargo/config.toml .cargo/config ../.cargo/config.toml; do
	put "$name" <<TOML
[alias]
metadata = "run --bin good"
[build]
rustc = "$PWD/tools/rustc"
rustc-wrapper = "$PWD/tools/wrapper"
rustc-workspace-wrapper = "$PWD/tools/wrapper"
[registry]
global-credential-providers = ["$PWD/tools/helper"]
[target.'cfg(all())']
runner = "$PWD/tools/runner"
linker = "$PWD/tools/ld"
[env]
PATH = { value = "$PWD/tools", force = true }
TOML
done
safe cargo
expect_out target/release/good
rm -rf ../.cargo

project go
put go.mod <<GO
module example.com/$evil

go 1.99

toolchain go1.99.0
GO
put go.work <<<$'go 1.99\nuse ./sub\n'
put go.env <<<"GOFLAGS=-toolexec=$PWD/tools/helper"
put "sub/go.mod" <<<'module example.com/sub'
put main.go <<GO
package main

// #cgo pkg-config: evil
// #cgo LDFLAGS: -fplugin=x
import "C"

//go:generate $PWD/tools/helper
func main() {}
GO
put "$evil/main.go" <<<$'package main\nfunc main() {}'
put cmd/good/main.go <<<$'package main\nfunc main() {}'
safe go
expect_out bin/good

project meson
put meson.build <<MESON
project('app', 'c', version: run_command('$PWD/tools/helper', check: false).stdout())
run_command('$PWD/tools/helper', check: true)
find_program('$PWD/tools/helper', required: false)
configure_file(output: 'x.h', command: ['$PWD/tools/helper'], capture: true)
dependency('evil', method: 'pkg-config', required: false)
subproject('evil', required: false)
executable('good', 'main.c')
executable('''$evil''', 'main.c')
MESON
put meson_options.txt <<<"option('x', type: 'string', value: run_command('$PWD/tools/helper').stdout())"
put subprojects/evil.wrap <<<$'[wrap-git]\nurl = ext::'"$PWD/tools/helper"$'\nrevision = HEAD'
put native.ini <<<"[binaries]
c = '$PWD/tools/cc'"
put main.c <<<'int main(void) { return 0; }'
safe meson
expect_out build/good

project cmake
put CMakeLists.txt <<CMAKE
project(app C)
execute_process(COMMAND $PWD/tools/helper)
set(CMAKE_C_COMPILER $PWD/tools/cc)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "\${CMAKE_BINARY_DIR}/../../$evil")
add_executable(good main.c)
add_executable("$evil" main.c)
add_test(NAME x COMMAND good "$evil")
CMAKE
put CMakePresets.json <<<"{\"version\": 3, \"vendor\": \"$PWD/tools/helper\"}"
safe cmake
# It is built outside of the build directory: no place for a program to be measured.
expect_out 'No program was recognized'


project make
put Makefile <<MAKE
X := \$(shell $PWD/tools/helper)
.PHONY: all
all: good $evil \$(X)
good: good.c
	\$(CC) -o good good.c
$evil: good.c
	\$(CC) -o x good.c
MAKE
put good.c <<<'int main(void) { return 0; }'
safe make
expect_out ./good

project autotools
put configure.ac <<<"m4_esyscmd([$PWD/tools/helper])AC_INIT([x], [1])"
put Makefile.am <<<"bin_PROGRAMS = good $evil"
safe autotools
expect_out ./good

# A directory's name is not a command, and one that is not text is not proposed.
project quoted
cmake='add_executable(good main.c)'
put "a'; touch canary; '/CMakeLists.txt" <<<"$cmake"
cd "a'; touch canary; '" || exit 1
expect_status 0 perun init --detect
build=$(perun config get execute.pre_run | sed 's/^[^[]*\["\(.*\)", .*/\1/; s/\\\\/\\/g; s/cmake -S.*/pwd/')
expect_text "$PWD" "$(cd .. && eval "$build")" 'the proposal goes to the directory'
expect_text '' "$(find "$work/here/quoted" -name canary)" 'and does nothing else'
cd .. && put $'b\xff\nc/CMakeLists.txt' <<<"$cmake" && cd $'b\xff\nc' || exit 1
expect_status 0 perun init --detect
check 'the configuration can be read' eval 'perun config get vcs.type >/dev/null'

# What is not a file is not waited for.
project fifo
mkfifo CMakeLists.txt meson.build Makefile configure.ac Cargo.toml go.mod
run timeout 10 "$PERUN" init --detect
expect_text 0 "$status" 'FIFOs are passed over'

# What 1 MB of a makefile may say: all of it is read in time that grows with its size.
project large
awk 'BEGIN { printf "all:"; for (i = 0; i < 30000; i++) printf " t%d", i; print ""; for (i = 0; i < 30000; i++) printf "t%d: x%d\n", i, i }' >Makefile
run bash -c 'ulimit -t 5; exec "$@"' sh "$PERUN" init --detect
expect_text 0 "$status" 'many targets'
project variables
awk 'BEGIN { printf "A ="; for (i = 0; i < 40000; i++) printf " b%d", i; printf "\nall:"; for (i = 0; i < 100000; i++) printf " $(A)"; print "" }' >Makefile
run bash -c 'ulimit -t 5; exec "$@"' sh "$PERUN" init --detect
expect_text 0 "$status" 'variables within lists'

finish
