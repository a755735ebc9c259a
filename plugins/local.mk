# The public headers, and what third parties build their plugins with.
perunincludedir = $(includedir)/perun
peruninclude_HEADERS = $(public_headers)
public_headers = \
	plugins/include/perun/check.h \
	plugins/include/perun/collect.h \
	plugins/include/perun/command.h \
	plugins/include/perun/context.h \
	plugins/include/perun/format.h \
	plugins/include/perun/json.h \
	plugins/include/perun/machine.h \
	plugins/include/perun/option.h \
	plugins/include/perun/plugin.h \
	plugins/include/perun/postprocess.h \
	plugins/include/perun/profile.h \
	plugins/include/perun/query.h \
	plugins/include/perun/regex.h \
	plugins/include/perun/store.h \
	plugins/include/perun/vcs.h \
	plugins/include/perun/view.h

# The growing part.
perunlibincludedir = $(includedir)/perun/lib
perunlibinclude_HEADERS = \
	plugins/include/perun/lib/bisect.h \
	plugins/include/perun/lib/callgraph.h \
	plugins/include/perun/lib/changepoint.h \
	plugins/include/perun/lib/detect.h \
	plugins/include/perun/lib/compare.h \
	plugins/include/perun/lib/experiment.h \
	plugins/include/perun/lib/generator.h \
	plugins/include/perun/lib/hash.h \
	plugins/include/perun/lib/history.h \
	plugins/include/perun/lib/interleave.h \
	plugins/include/perun/lib/lookup.h \
	plugins/include/perun/lib/merge.h \
	plugins/include/perun/lib/model.h \
	plugins/include/perun/lib/module.h \
	plugins/include/perun/lib/options.h \
	plugins/include/perun/lib/page.h \
	plugins/include/perun/lib/path.h \
	plugins/include/perun/lib/program.h \
	plugins/include/perun/lib/registry.h \
	plugins/include/perun/lib/regression.h \
	plugins/include/perun/lib/run.h \
	plugins/include/perun/lib/statistics.h \
	plugins/include/perun/lib/settings.h \
	plugins/include/perun/lib/trust.h \
	plugins/include/perun/lib/units.h \
	plugins/include/perun/lib/verdict.h \
	plugins/include/perun/lib/version.h \
	plugins/include/perun/lib/yaml.h

pkgconfigdir = $(libdir)/pkgconfig
nodist_pkgconfig_DATA = plugins/perun.pc
aclocaldir = $(datadir)/aclocal
dist_aclocal_DATA = plugins/perun.m4

# Complete plugins and a program that third parties can start from; a test builds them.
EXTRA_DIST += plugins/example-command plugins/example-format plugins/example-program plugins/example-vcs
