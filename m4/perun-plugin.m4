dnl SPDX-License-Identifier: BSD-3-Clause
dnl Optional plugins of Perun, one line each in configure.ac.

dnl PERUN_PLUGIN([kind], [name], [auto|yes|no], [pkg-config modules], [summary])
dnl
dnl Adds --enable-KIND-NAME with the given default, looks the modules up, and defines for sources.am
dnl the conditional PLUGIN_KIND_NAME and the variables KIND_NAME_CFLAGS and KIND_NAME_LIBS.
dnl A missing library leaves the plugin out (auto) or ends configure (yes).
AC_DEFUN([PERUN_PLUGIN], [
m4_pushdef([_perun_id], m4_toupper(m4_translit([$1_$2], [-], [_])))dnl
AC_ARG_ENABLE([$1-$2],
	[AS_HELP_STRING([--enable-$1-$2], [plugin $1 $2: $5 @<:@$3@:>@])],
	[perun_want=$enableval], [perun_want=$3])
perun_have=yes
perun_why=
AS_IF([test "x$perun_want" = xno], [perun_have=no; perun_why="switched off"],
[m4_ifval([$4], [PKG_CHECK_MODULES(_perun_id, [$4], [], [perun_have=no; perun_why="needs $4"])
	AS_IF([test "$perun_have$perun_want" = noyes],
		[AC_MSG_ERROR([plugin $1 $2 needs $4; ./bootstrap deps installs it on Debian])])],
	[:])])
AM_CONDITIONAL([PLUGIN_]_perun_id, [test "$perun_have" = yes])
AS_IF([test "$perun_have" = yes], [perun_line="$5"], [perun_line="$5 ($perun_why)"])
perun_plugin_table="${perun_plugin_table}$1|$2|$perun_have|$perun_line
"
m4_popdef([_perun_id])dnl
])

dnl PERUN_PLUGIN_SUMMARY: print what will be built. The last thing in configure.ac.
AC_DEFUN([PERUN_PLUGIN_SUMMARY], [
AS_IF([test "x$enable_shared" = xno], [perun_how="linked into the program"],
	[perun_how="loaded from $(eval echo "$(eval echo "$libdir")")/perun"])
AS_ECHO(["
$PACKAGE_NAME $PACKAGE_VERSION, compiler $CC, sanitizers: $enable_sanitizers
Hardening: ${HARDENING:-none}
Plugins ($perun_how):
"])
AS_ECHO(["$perun_plugin_table"]) | while IFS='|' read -r kind name have summary; do
	test -n "$kind" && printf '  %-12s %-20s %-4s %s\n' "$kind" "$name" "$have" "$summary"
done
AS_ECHO([""])
])
