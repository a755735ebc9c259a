# SPDX-License-Identifier: BSD-3-Clause
# mandoc has nothing to warn about in any manual page, written or generated; every command, also of a plugin,
# has a page with all options of its --help, and names no others in its synopsis; every plugin has a page;
# every page that is referred to is there.
. "${top_srcdir:-.}/tests/cli/lib.sh"

command -v mandoc >/dev/null || skip_all 'needs mandoc'
command -v python3 >/dev/null || skip_all 'needs Python 3'
[ -n "${manual_pages-}" ] || skip_all 'make check gives the list of pages'

page_file() {
	if [ -e "$top_builddir/$1" ]; then echo "$top_builddir/$1"; else echo "$top_srcdir/$1"; fi
}

for page in $manual_pages; do
	page_file "$page"
done >files
mapfile -t files <files

# faultless WHAT ARGUMENT...: a case for each line of what manuals.py prints.
faultless() {
	local what=$1 name faults count=0
	shift
	python3 "$top_srcdir/tests/cli/manuals.py" "$PERUN" "$@" >faults 2>errors
	check "${1}: manuals.py ends well" test $? -eq 0
	while IFS=$'\t' read -r name faults; do
		count=$((count + 1))
		name=${name%%=*}
		check "${what//@/${name##*/}}" test -z "$faults"
		[ -z "$faults" ] || diag "$faults"
	done <faults
	expect_text "$wanted" "$count" "$1: no page is left out"
}
wanted=$((${#files[@]} + 1))
faultless 'mandoc warns of nothing: @' lint "${files[@]}"

# The other reader of such pages: one call, which names the page and the line.
if command -v groff >/dev/null; then
	run groff -ww -mdoc -Tutf8 -z "${files[@]}"
	check 'groff -ww is silent' test "$status" -eq 0 -a -z "$out$err"
else
	skip 'groff is not installed'
fi

# ---- examples ----------------------------------------------------------------------------------

# A page of section 1 or 7 has examples and begins with one of them, since these are run by tests/manuals. perun(1) begins with
# its tour; two pages of section 7 are about words, not about something to run.
begins_otherwise() {
	awk '
	{ gsub(/\\&/, "") }
	FNR == 1 { name = FILENAME; section = first = "" }
	/^\.Sh / { section = substr($0, 5) }
	section == "DESCRIPTION" && /^\.(Dl|Bd -literal)/ && first == "" { first = $0 }
	section == "EXAMPLES" && /^\.Sh / && first == "" { print name ": no example in the description" }
	section == "EXAMPLES" && /^\.Sh / { has[name] = 1 }
	section == "SEE ALSO" && /^\.Sh / && !has[name] { print name ": no EXAMPLES" }
	section == "EXAMPLES" && ($0 == first || ".Dl " $0 == first || ".Dl " substr($0, 3) == first) { found[name] = 1 }
	section == "EXAMPLES" && first ~ /^\.Dl/ { wanted[name] = first }
	END { for (name in wanted) if (!found[name]) print name ": not below EXAMPLES: " wanted[name] }' "$@"
}
expect_text '' "$(begins_otherwise "${files[@]}" | grep '\.[17]:' |
	grep -Ev '/perun(-choosing|-revisions)?\.[17]:')" \
	'each page begins with one of its examples'

# ---- references ------------------------------------------------------------------------------

# Pages of plugins that are not built need not be there.
missing_references() {
	local page name section kind
	sed -n 's/^\.Xr //p; s/.* Xr \(perun[a-z-]* [0-9]\).*/\1/p' "${files[@]}" |
		sed -n 's/^\(perun[a-z-]* [0-9]\).*/\1/p' | sort -u | while read -r name section; do
		case " $manual_pages " in *"/$name.$section "*) continue ;; esac
		kind=${name#perun-}
		case $kind in vcs-* | collect-* | postprocess-* | view-* | format-* | check-*) continue ;; esac
		[ -d "$top_srcdir/commands/$kind" ] || echo "no page $name($section)"
	done
}

# ---- sections --------------------------------------------------------------------------------

# The rule is in doc/local.mk; a page names the section that it is installed in.
elsewhere() {
	local page title
	for page; do
		title=$(sed -n 's/^\.Dt //p' "$page")
		[ "$title" = "$(basename "${page%.*}" | tr '[:lower:]' '[:upper:]') ${page##*.}" ] || echo "$page: $title"
		case $page in
		*/perun-format-*.7 | */perun-choosing.7 | */perun-json.7 | */perun-revisions.7) ;;
		*/perun-format-*.* | *.7) echo "$page: another section" ;;
		esac
	done
}
expect_text '' "$(elsewhere "${files[@]}")" 'pages in another section than their kind or their title'

# Pages that are made from an .mdoc are not committed.
made_pages() {
	local source section
	for source in "$top_srcdir"/*/*/perun-*.mdoc; do
		section=1
		[[ $source != */formats/* ]] || section=7
		git -C "$top_srcdir" check-ignore -q "${source%.mdoc}.$section" || echo "$source"
	done
}
[ ! -e "$top_srcdir/.git" ] || expect_text '' "$(made_pages)" 'pages that are made, and that .gitignore does not name'

# A Debian package has the pages of its plugins: what is named in one goes into no other.
pages_of_no_package() {
	local line page
	grep -h '^usr/lib/.*/perun-[a-z0-9-]*\.\*$' "$top_srcdir"/debian/perun-plugin-*.install | sed 's|.*/||; s/\.\*$//' |
		while read -r line; do
			for page in "${files[@]}"; do
				case $page in */"$line".[0-9]) ;; *) continue ;; esac
				grep -qx "usr/share/man/man${page##*.}/${page##*/}" "$top_srcdir"/debian/perun-plugin-*.install || echo "$page"
			done
		done
}
[ ! -d "$top_srcdir/debian" ] || expect_text '' "$(pages_of_no_package)" 'pages of plugins that no package of debian/ has'

# ---- options ---------------------------------------------------------------------------------

run perun help --text
commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p' "$work/.result/stdout")
check 'perun help lists commands' [ -n "$commands" ]
run missing_references
check 'every page that is referred to is there' [ -z "$out" ]
overview=$(page_file doc/man/perun.1)
pages=("=$overview")
for command in $commands; do
	check "perun(1) names perun $command" grep -q "^\.It Xr perun-$command 1" "$overview"
	page=$(page_file "doc/man/perun-$command.1")
	if [ -e "$page" ]; then
		pages+=("$command=$page")
	else
		not_ok "perun-$command(1) is missing"
	fi
done

# ---- plugins ---------------------------------------------------------------------------------

run perun plugin list --json
check 'there are plugins' grep -q '"kind": "vcs"' "$work/.result/stdout"
python3 -c 'import json, sys
for plugin in json.load(sys.stdin)["plugins"]: print(plugin["kind"], plugin["name"], *plugin["commands"])' \
	<"$work/.result/stdout" >plugins
while read -r kind name own; do
	# A plugin of the kind command has the pages of its commands, which are all it is.
	if [ "$kind" = command ]; then
		check "the plugin $kind $name has commands" test -n "$own"
	else
		section=1
		[ "$kind" != format ] || section=7
		check "the plugin $kind $name has a page of section $section" grep -q "/perun-$kind-$name\.$section\( \|\$\)" <<<"$manual_pages"
	fi
	for command in $own; do
		page=$(tr ' ' '\n' <<<"$manual_pages" | grep "/perun-$command\.1\$")
		check "perun $command has a page" test -n "$page"
		pages+=("$command=$(page_file "$page")")
	done
done <plugins
wanted=${#pages[@]}
faultless 'the page has the options of --help: perun @' options "${pages[@]}"

finish
