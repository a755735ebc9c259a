dnl SPDX-License-Identifier: BSD-3-Clause
dnl For plugins of perun that are built with autotools.

dnl PERUN_CHECK([minimum version], [if found], [if not found])
dnl
dnl Finds perun and substitutes PERUN_CFLAGS and PERUN_LIBS, PERUN_PLUGINDIR (where plugins are
dnl installed), PERUN_ABI (the plugin interface's version) and PERUN_PLUGIN_LDFLAGS (for libtool). With
dnl automake:
dnl
dnl	plugindir = $(PERUN_PLUGINDIR)
dnl	plugin_LTLIBRARIES = perun-format-csv.la
dnl	perun_format_csv_la_SOURCES = csv.c
dnl	perun_format_csv_la_CFLAGS = $(PERUN_CFLAGS)
dnl	perun_format_csv_la_LDFLAGS = $(PERUN_PLUGIN_LDFLAGS)
dnl	perun_format_csv_la_LIBADD = $(PERUN_LIBS)
AC_DEFUN([PERUN_CHECK], [
PKG_CHECK_MODULES([PERUN], [perun m4_ifval([$1], [>= $1])], [
	PKG_CHECK_VAR([PERUN_PLUGINDIR], [perun], [plugindir])
	PKG_CHECK_VAR([PERUN_ABI], [perun], [abi])
	PERUN_PLUGIN_LDFLAGS="-module -avoid-version -Wl,-z,now -Wl,-z,defs"
	$2], m4_ifval([$3], [[$3]]))
AC_SUBST([PERUN_PLUGIN_LDFLAGS])
])
