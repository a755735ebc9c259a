# The public headers, and what third parties build their plugins with.
perunincludedir = $(includedir)/perun
peruninclude_HEADERS = $(public_headers)

# The growing part.
perunlibincludedir = $(includedir)/perun/lib

pkgconfigdir = $(libdir)/pkgconfig
nodist_pkgconfig_DATA = plugins/perun.pc
aclocaldir = $(datadir)/aclocal
dist_aclocal_DATA = plugins/perun.m4

# Complete plugins and a program that third parties can start from; a test builds them.
EXTRA_DIST += plugins/example-command plugins/example-format plugins/example-program plugins/example-vcs

# The module for Python, which loads the shared library.
dist_perunpython_DATA = plugins/python/perun.py
