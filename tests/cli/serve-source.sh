# SPDX-License-Identifier: BSD-3-Clause
# perun serve shows sources as the commit of the profile has them.
. "${top_srcdir:-.}/tests/cli/lib.sh"
perun plugin show command-serve >/dev/null 2>&1 || skip_all 'this build has no libmicrohttpd'
command -v python3 >/dev/null || skip_all 'Python 3 is missing'

new_repo
mkdir -p src && printf 'int work(void)\n{\n\treturn old();\n}\n' >src/app.c && git add src && git commit -qm old
perun init >/dev/null
python3 "$top_srcdir/tests/cli/serve-profile.py" ../cpu.pb
expect_status 0 perun import --format pprof ../cpu.pb
printf 'int work(void)\n{\n\n\treturn parse();\n}\n' >src/app.c && git commit -qam new
expect_status 0 perun import --format pprof ../cpu.pb
printf 'changed meanwhile\n' >src/app.c

"$PERUN" serve --port 0 ../cpu.pb >../serving 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
for _ in $(seq 100); do grep -q http: ../serving && break; sleep 0.05; done
address=$(sed -n 's|\(http://[^ /]*/\).*|\1|p' ../serving)
# source ARGUMENTS: the file's facts and the text of its lines.
source_of() {
	python3 -c 'import json, sys, urllib.request as u
file = json.load(u.urlopen(sys.argv[1]))["files"][0]
print(file["found"], file.get("version", "none"), " ".join(line[3].strip() for line in file["lines"]))' "${address}api/source?function=work&$1"
}
expect_text "True $(git rev-parse HEAD) int work(void) {  return parse(); }" "$(source_of profile=HEAD)" 'as the head has it'
expect_text "True $(git rev-parse HEAD~1) int work(void) { return old(); }" "$(source_of profile=HEAD~1)" 'as the commit before has it'
expect_text 'True none changed meanwhile' "$(source_of '')" 'a file without a commit shows it as it is now'
expect_text "True $(git rev-parse HEAD) int work(void) {  return parse(); }" "$(source_of 'profile=HEAD&base-profile=HEAD~1')" 'of two it is the new one'

# A version that has no such file, and one that nobody can read.
git rm -qf src/app.c && git commit -qm gone && mkdir -p src && printf 'int work(void) { }\n' >src/app.c
expect_status 0 perun import --format pprof ../cpu.pb
expect_text 'True none int work(void) { }' "$(source_of profile=HEAD)" 'what the build made'
rm -r src
expect_text 'False none' "$(source_of profile=HEAD | sed 's/ *$//')" 'nowhere'

# Machine code: of programs below the project, in each line.
code_of() {
	python3 -c 'import json, sys, urllib.request as u
answer = json.load(u.urlopen(sys.argv[1]))
print(answer.get("problem", "none"), *["%d %s %g %g" % (line[0], line[1], line[3], line[4]) for f in answer["files"] for line in f.get("code", []) if line[4]])' "${address}api/source?function=$1&code=1&profile=$2"
}
if perun postprocessby --help 2>/dev/null | grep -q symbolize && command -v cc >/dev/null && command -v objdump >/dev/null; then
	printf 'int inner(int x)\n{\n\treturn x * 3 + 1;\n}\nint main(int argc, char **argv)\n{\n\treturn inner(argc) + !argv;\n}\n' >p.c
	if cc -g -O2 -fno-inline -fPIE -pie p.c -o program 2>/dev/null; then
		address_of() { printf '0x%x' $((0x555500000000 + 0x$(nm "$1" | awk '$3 == "inner" { print $1 }') + 1)); }
		# heap PROGRAM
		heap() {
			printf 'heap_v2/1\n  t*: 4: 800 [0: 0]\n@ %s\n  t*: 2: 600 [0: 0]\n\nMAPPED_LIBRARIES:\n555500000000-555500100000 r-xp 00000000 08:01 1 %s\n' \
				"$(address_of "$1")" "$1"
		}
		heap "$PWD/program" >inside.txt
		cp program ../program && heap "$(cd .. && pwd)/program" >../outside.txt
		expect_status 0 perun import inside.txt ../outside.txt
		expect_text "none 3 inner 600 600" "$(code_of inner 'inside.txt&metric=inuse_space')" 'instructions have costs and lines'
		expect_text 'no program of the project or of /usr has this function' "$(code_of inner 'outside.txt&metric=inuse_space')" \
			'programs from elsewhere are not read'
	else
		skip 'cannot compile'
	fi
else
	skip 'no symbolize, cc or objdump'
fi

# The plugin alone.
drive=$top_builddir/tests/tools/vcs-drive
if [ -x "$drive" ]; then
	expect_text "$(git show HEAD~1:src/app.c)" "$("$drive" git . read "$(git rev-parse HEAD~1)" src/app.c)" 'a file of a version'
	for path in src src/none ../app.c /etc/passwd ''; do
		expect_text 'no such file' "$("$drive" git . read "$(git rev-parse HEAD~1)" "$path")" "no file: '$path'"
	done
	expect_text 'no such file' "$("$drive" git . read 0123456789012345678901234567890123456789 src/app.c)" 'no version'
fi
finish
