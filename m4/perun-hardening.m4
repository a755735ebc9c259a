dnl SPDX-License-Identifier: BSD-3-Clause
dnl What makes a fault in the program harder to exploit, each part where the compiler has it.

dnl PERUN_TRY_FLAGS([variable], [what], [compiler flags], [linker flags])
dnl
dnl Sets the variable to yes when a program compiles and links with the flags and without a warning.
AC_DEFUN([PERUN_TRY_FLAGS], [
AC_CACHE_CHECK([whether $CC takes $2], [perun_cv_$1], [
	perun_saved_CFLAGS=$CFLAGS perun_saved_LDFLAGS=$LDFLAGS
	CFLAGS="$CFLAGS -Werror $3" LDFLAGS="$LDFLAGS $4"
	AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <string.h>]],
		[[char text[16]; memset(text, 0, sizeof text); return text[3];]])],
		[perun_cv_$1=yes], [perun_cv_$1=no])
	CFLAGS=$perun_saved_CFLAGS LDFLAGS=$perun_saved_LDFLAGS])
])

dnl PERUN_HARDENING
dnl
dnl Adds --disable-hardening. Substitutes HARDENING_CFLAGS and HARDENING_LDFLAGS for all that is built,
dnl PIE_LDFLAGS for programs, PRELOAD_CFLAGS for the libraries that collectors load into other programs, and
dnl HARDENING, the list of what is on, for the summary and for a test.
AC_DEFUN([PERUN_HARDENING], [
AC_ARG_ENABLE([hardening],
	[AS_HELP_STRING([--disable-hardening], [build without RELRO, PIE, stack protector, _FORTIFY_SOURCE and CET])],
	[], [enable_hardening=yes])
HARDENING_CFLAGS= HARDENING_LDFLAGS= PIE_LDFLAGS= PRELOAD_CFLAGS= NO_CET_CFLAGS= HARDENING=
AS_IF([test "x$enable_hardening" != xno], [
	PERUN_TRY_FLAGS([relro], [full RELRO], [], [-Wl,-z,relro,-z,now])
	AS_IF([test $perun_cv_relro = yes], [
		HARDENING="$HARDENING relro" HARDENING_LDFLAGS="$HARDENING_LDFLAGS -Wl,-z,relro,-z,now"])

	dnl Nothing to add where it is the compiler's default.
	AC_CACHE_CHECK([whether $CC makes position-independent programs by default], [perun_cv_pie_default], [
		AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
			#if !defined __PIE__ && !defined __pie__
			#error no
			#endif
			int main(void) { return 0; }]])], [perun_cv_pie_default=yes], [perun_cv_pie_default=no])])
	AS_IF([test $perun_cv_pie_default = yes], [HARDENING="$HARDENING pie"], [
		PERUN_TRY_FLAGS([pie], [-fPIE -pie], [-fPIE], [-pie])
		AS_IF([test $perun_cv_pie = yes], [HARDENING="$HARDENING pie"
			HARDENING_CFLAGS="$HARDENING_CFLAGS -fPIE" PIE_LDFLAGS=-pie])])

	PERUN_TRY_FLAGS([stack_protector], [-fstack-protector-strong], [-fstack-protector-strong], [])
	AS_IF([test $perun_cv_stack_protector = yes], [HARDENING="$HARDENING stack-protector"
		PRELOAD_CFLAGS="$PRELOAD_CFLAGS -fstack-protector-strong"])

	PERUN_TRY_FLAGS([cet], [-fcf-protection], [-fcf-protection], [])
	AS_IF([test $perun_cv_cet = yes], [HARDENING="$HARDENING cet" NO_CET_CFLAGS=-fcf-protection=none
		PRELOAD_CFLAGS="$PRELOAD_CFLAGS -fcf-protection"])
	HARDENING_CFLAGS="$HARDENING_CFLAGS$PRELOAD_CFLAGS"

	dnl What the user (a packager's build system) says of _FORTIFY_SOURCE holds. The libraries that are
	dnl loaded into other programs are always optimized and never sanitized.
	perun_fortify="-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2"
	PERUN_TRY_FLAGS([fortify], [_FORTIFY_SOURCE], [-O1 $perun_fortify], [])
	AC_CACHE_CHECK([whether programs are optimized], [perun_cv_optimized], [
		AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
			#ifndef __OPTIMIZE__
			#error no
			#endif
			int main(void) { return 0; }]])], [perun_cv_optimized=yes], [perun_cv_optimized=no])])
	AS_CASE(["$CPPFLAGS $CFLAGS"], [*_FORTIFY_SOURCE*], [perun_fortify=no])
	AS_IF([test "$perun_fortify" != no && test $perun_cv_fortify = yes], [
		PRELOAD_CFLAGS="$PRELOAD_CFLAGS $perun_fortify"
		AS_IF([test $perun_cv_optimized = yes && test "x$enable_sanitizers" = xno], [
			HARDENING="$HARDENING fortify" HARDENING_CFLAGS="$HARDENING_CFLAGS $perun_fortify"])])
])
HARDENING=${HARDENING# }
AC_SUBST([HARDENING])
AC_SUBST([HARDENING_CFLAGS])
AC_SUBST([HARDENING_LDFLAGS])
AC_SUBST([PIE_LDFLAGS])
AC_SUBST([PRELOAD_CFLAGS])
AC_SUBST([NO_CET_CFLAGS])
])
