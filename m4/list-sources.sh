#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# list-sources.sh: write sources.am, which Makefile.am includes: the files of each folder as they are there, and the
# rules that build them. Run at the top of the source tree, by configure.ac and by make.
#
# Folders of the core, of the program, of libraries, headers, manual pages and tests become lists. A plugin is a line
# PERUN_PLUGIN([kind], [name], ...) in configure.ac and the folder of its name, say views/raw:
#   *.c *.h               its sources
#   perun-*.mdoc          manual pages with options from the program's tables: see doc/local.mk, also for the sections
#   perun-*.[157]         manual pages that are complete
#   */*.{html,css,js}     parts of the pages that it writes
#   local.mk              only where more is needed:
#     views_raw_libs = ...     what it is linked with instead of the libraries of its kind
#     views_raw_cflags = ...   more flags
#     views_raw_assets = ...   what assets.c is made of: see views/common/embed.sh
set -eu
list=$({
	find core cli executors vcs collectors postprocessors views formats checks commands plugins/include plugins/example-vcs plugins/example-vcs-hg doc/man tests/unit tests/cli \
		tests/browser tests/hostile tests/manuals doc/json -name '*.[ch]' -o -name local.mk -o -name 'perun*.[1357]' -o -name '*.mdoc' \
		-o -name '*.html' -o -name '*.css' -o -name '*.js' -o -name '*.sh' -o -name '*.py' -o -name '*.schema.json' | LC_ALL=C sort
	sed -n 's/^PERUN_PLUGIN(\[\([^]]*\)], *\[\([^]]*\)], *\[[^]]*], *\[\([^]]*\)].*/plugin|\1|\2|\3/p' configure.ac
} | awk -F'|' '
function variable(text) { gsub(/[^a-z0-9]/, "_", text); return text }
function include(folder) { if (folder "/local.mk" in file) print "include " folder "/local.mk" }
function list(name, files) { print name " =" files }
# Whether local.mk of a folder sets its variable of that name.
function sets(folder, name,   line, found) {
	if (!(folder "/local.mk" in file)) return 0
	while ((getline line < (folder "/local.mk")) > 0)
		if (index(line, variable(folder) "_" name " =") == 1) found = 1
	close(folder "/local.mk")
	return found
}
# The manual pages of a folder that are not made from others.
function complete(folder,   page, n, i, source, found) {
	n = split(pages[folder], page, " ")
	for (i = 1; i <= n; i++) {
		source = page[i]
		sub(/\.[17]$/, ".mdoc", source)
		if (source == page[i] || !(source in file)) found = found " " page[i]
	}
	return found
}
function plugin(kind, name, modules,   folder, id, la, target, modules_id, condition, libs, cflags, assets) {
	folder = (kind " " name) in example ? example[kind " " name] : place[kind] "/" name
	id = variable(folder)
	la = folder "/perun-" kind "-" name ".la"
	target = variable(la)
	condition = toupper(variable(kind "_" name))
	cflags = "$(plugin_cflags)" (modules ? " $(" condition "_CFLAGS)" : "") (sets(folder, "cflags") ? " $(" id "_cflags)" : "")
	libs = sets(folder, "libs") ? "$(" id "_libs)" : kind_libs[kind] (modules ? " $(" condition "_LIBS)" : "")
	list("\n" target "_SOURCES", sources[folder])
	print target "_CFLAGS = " cflags
	print target "_LDFLAGS = $(plugin_ldflags)"
	print target "_LIBADD = " libs
	if (sets(folder, "assets")) {
		assets = folder "/assets.c"
		print "nodist_" target "_SOURCES = " assets
		print "BUILT_SOURCES += " assets "\nCLEANFILES += " assets "\nEXTRA_DIST +=" parts[folder]
		print assets ":" parts[folder] " $(page_parts)\n\t$(embed) $(" id "_assets) >$@.new && mv $@.new $@"
	}
	include(folder)
	print "EXTRA_DIST +=" written[folder] complete(folder)
	print "if PLUGIN_" condition "\nplugins += " la
	if (folder in generated) print "generated_mans +=" generated[folder]
	if (complete(folder)) print "man_MANS +=" complete(folder)
	print "endif"
}
BEGIN {
	print "# Written by m4/list-sources.sh."
	place["vcs"] = "vcs"; place["collect"] = "collectors"; place["postprocess"] = "postprocessors"
	place["view"] = "views"; place["format"] = "formats"; place["check"] = "checks"; place["command"] = "commands"; place["executor"] = "executors"
	# Parts of the package only when asked for:
	example["vcs tagit"] = "plugins/example-vcs"; example["vcs hg"] = "plugins/example-vcs-hg"
	kind_libs["vcs"] = kind_libs["postprocess"] = kind_libs["format"] = "$(plugin_libs)"
	kind_libs["executor"] = "$(executor_libs)"; kind_libs["collect"] = "$(collector_libs)"; kind_libs["view"] = "$(view_libs)"
	kind_libs["check"] = "$(check_libs)"; kind_libs["command"] = "views/common/libviews.la $(command_libs)"
}
$1 != "plugin" {
	file[$0]
	folder = $0
	sub(/\/[^\/]*$/, "", folder)
	if (/\.(html|css|js)$/) { sub(/\/[^\/]*$/, "", folder); parts[folder] = parts[folder] " " $0 }
	else if (/\.mdoc$/) { written[folder] = written[folder] " " $0; sub(/\.mdoc$/, folder ~ /^formats\// ? ".7" : ".1"); generated[folder] = generated[folder] " " $0 }
	else if (/\.[1357]$/) pages[folder] = pages[folder] " " $0
	else if (/^tests\/unit\/test-.*\.c$/) {
		# Those that take longest first: the last one should not run alone.
		sub(/\.c$/, "")
		if (/-(kill|profile-random|verdict)$/) long = long " \\\n\t" $0
		else unit = unit " \\\n\t" $0
	}
	else if (/^tests\/.*\.sh$/ && !/lib\.sh$/) scripts = scripts " \\\n\t" $0
	else if (/\.schema\.json$/) schemas = schemas " \\\n\t" $0
	else if (/^tests\//) others = others " \\\n\t" $0
	else if (/\.[ch]$/ && !/(assets|\/linked|-main)\.c$/) {
		sources[folder] = sources[folder] " \\\n\t" $0
		if (!(folder in order)) { order[folder]; folders[++count] = folder }
	}
	next
}
!listed++ {
	for (i = 1; i <= count; i++) {
		if (folders[i] ~ /^core\//) core = core sources[folders[i]]
		else if (folders[i] !~ /^(vcs|collectors|postprocessors)\// && folders[i] ~ /^cli\/|\/common/)
			list(variable(folders[i]) "_files", sources[folders[i]])
	}
	list("core_sources", core)
	list("public_headers", sources["plugins/include/perun"])
	list("perunlibinclude_HEADERS", sources["plugins/include/perun/lib"])
	list("command_mans", generated["doc/man"])
	list("written_mans", complete("doc/man"))
	list("unit_tests", long unit)
	list("script_tests", scripts)
	list("json_schemas", schemas)
	list("test_files", others)
	list("views_common_parts", parts["views/common"])
	for (i = 1; i <= count; i++) if (folders[i] ~ /^core\/|\/common$/) include(folders[i])
}
{ plugin($2, $3, $4) }')
# Written only when it changes: the sources may be read-only.
printf '%s\n' "$list" | cmp -s - sources.am || printf '%s\n' "$list" >sources.am
