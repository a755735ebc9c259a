# SPDX-License-Identifier: BSD-3-Clause
# mandoc has nothing to warn about in any manual page, written or generated; every command, also of a plugin,
# has a page with all options of its --help, and names no others in its synopsis; every plugin has a page;
# every page that is referred to is there.
. "${top_srcdir:-.}/tests/cli/lib.sh"

command -v mandoc >/dev/null || skip_all 'needs mandoc'
[ -n "${manual_pages-}" ] || skip_all 'make check gives the list of pages'

page_file() {
	if [ -e "$top_builddir/$1" ]; then echo "$top_builddir/$1"; else echo "$top_srcdir/$1"; fi
}

for page in $manual_pages; do
	run mandoc -Tlint -W warning "$(page_file "$page")"
	check "$page" [ "$status" -eq 0 ]
done

# The other reader of such pages: one call, which names the page and the line.
if command -v groff >/dev/null; then
	# shellcheck disable=SC2046
	run groff -ww -mdoc -Tutf8 -z $(for page in $manual_pages; do page_file "$page"; done)
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
# shellcheck disable=SC2046
expect_text '' "$(begins_otherwise $(for page in $manual_pages; do page_file "$page"; done) | grep '\.[17]:' |
	grep -Ev '/perun(-choosing|-revisions)?\.[17]:')" \
	'each page begins with one of its examples'

# ---- references ------------------------------------------------------------------------------

# Pages of plugins that are not built need not be there.
missing_references() {
	local page name section kind
	# shellcheck disable=SC2046
	sed -n 's/^\.Xr //p; s/.* Xr \(perun[a-z-]* [0-9]\).*/\1/p' $(for page in $manual_pages; do page_file "$page"; done) |
		sed -n 's/^\(perun[a-z-]* [0-9]\).*/\1/p' | sort -u | while read -r name section; do
		case " $manual_pages " in *"/$name.$section "*) continue ;; esac
		kind=${name#perun-}
		case $kind in vcs-* | collect-* | postprocess-* | view-* | format-* | check-*) continue ;; esac
		[ -d "$top_srcdir/commands/$kind" ] || echo "no page $name($section)"
	done
}

# ---- options ---------------------------------------------------------------------------------

# The names of the options that a help text lists: "  -s, --[no-]short  print ...".
options_of() {
	"$PERUN" "$@" --help | sed -n \
		's/^ \{2,6\}\(-[a-zA-Z]*, \)*--\(\[no-\]\)\{0,1\}\([a-z][a-z0-9-]*\).*/\3/p' | sort -u
}

subcommands_of() {
	"$PERUN" "$1" --help | sed -n '/^Sub-commands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p'
}

# What the options of a page's text lack of a help text.
missing_options() {
	local options=$1
	shift
	options_of "$@" | comm -23 - "$options" | sed "s/.*/perun $*: --& is not in the page/"
}

# page_options FILE: the options that its text names, into page.options.
page_options() {
	mandoc -Tutf8 "$1" | sed 's/.\x08//g' | grep -oE -e '--(\[no-\])?[a-z][a-z0-9-]*' | sed 's/^--\(\[no-\]\)*//' |
		sort -u >"$work/page.options"
}

# What the synopsis of a page names and no help text has: the words behind "Fl -".
surplus_options() {
	local file=$1 option known
	shift
	known=" $(options_of "$@" | tr '\n' ' ')"
	for sub in $(subcommands_of "$1"); do
		known="$known$(options_of "$1" "$sub" | tr '\n' ' ')"
	done
	for option in $(sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/s/.*Fl -\([a-z][a-z0-9-]*\).*/\1/p' "$file"); do
		case $known in
		*" $option "*) ;;
		*) echo "perun $*: the synopsis names --$option, which is not in --help" ;;
		esac
	done
}

compare_page() {
	local command=$1 file=$2 sub
	page_options "$file"
	missing_options "$work/page.options" "$command"
	for sub in $(subcommands_of "$command"); do
		missing_options "$work/page.options" "$command" "$sub"
	done
	surplus_options "$file" "$command"
}

run perun help --text
commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p' "$work/.result/stdout")
check 'perun help lists commands' [ -n "$commands" ]
run missing_references
check 'every page that is referred to is there' [ -z "$out" ]
overview=$(page_file doc/man/perun.1)
page_options "$overview"
run missing_options "$work/page.options"
check 'perun(1) has all global options' [ -z "$out" ]
for command in $commands; do
	check "perun(1) names perun $command" grep -q "^\.It Xr perun-$command 1" "$overview"
	page=$(page_file "doc/man/perun-$command.1")
	if [ -e "$page" ]; then
		run compare_page "$command" "$page"
		check "perun-$command(1) has the options of --help" [ -z "$out" ]
	else
		not_ok "perun-$command(1) is missing"
	fi
done

# ---- plugins ---------------------------------------------------------------------------------

run perun plugin list
check 'there are plugins' [ -n "$out" ]
while read -r kind name _; do
	# A plugin of the kind command has the page of its command, which is all it is.
	page=perun-$kind-$name
	[ "$kind" != command ] || page=perun-$name
	check "the plugin $kind $name has a page" grep -q "/$page\.[17]\( \|\$\)" <<<"$manual_pages"
	[ "$kind" = command ] || continue
	page=$(page_file "commands/$name/$page.1")
	run compare_page "$name" "$page"
	check "perun-$name(1) has the options of --help" [ -z "$out" ]
done <"$work/.result/stdout"

finish
