/* SPDX-License-Identifier: BSD-3-Clause */
/* Formatting and reading numbers: always as in the C locale, whatever the program that uses us has set. */
#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perun/context.h>

/* Of all that a locale says, numbers depend on the decimal point alone. */
static bool has_point(void)
{
	const char *radix = nl_langinfo(RADIXCHAR);

	return radix[0] == '.' && radix[1] == '\0';
}

/* The thread's locale before; give it to leave_c_locale(). */
static locale_t enter_c_locale(void)
{
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);

	return c ? uselocale(c) : (locale_t)0;
}

static void leave_c_locale(locale_t before)
{
	if (before)
		freelocale(uselocale(before));
}

int perun_vsnprintf(char *text, size_t size, const char *format, va_list args)
{
	locale_t before = has_point() ? (locale_t)0 : enter_c_locale();
	int length = vsnprintf(text, size, format, args);

	leave_c_locale(before);
	return length;
}

int perun_snprintf(char *text, size_t size, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = perun_vsnprintf(text, size, format, args);
	va_end(args);
	return length;
}

char *perun_vformat(const char *format, va_list args)
{
	char small[256], *text;
	va_list again;
	int length;

	va_copy(again, args);
	length = perun_vsnprintf(small, sizeof small, format, args);
	length = length < 0 ? 0 : length;
	text = perun_alloc((size_t)length + 1);
	if ((size_t)length < sizeof small)
		memcpy(text, small, (size_t)length);
	else
		(void)perun_vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	text[length] = '\0';
	return text;
}

char *perun_format(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = perun_vformat(format, args);
	va_end(args);
	return text;
}

double perun_strtod(const char *text, char **end)
{
	locale_t before = has_point() ? (locale_t)0 : enter_c_locale();
	double value = strtod(text, end);

	leave_c_locale(before);
	return value;
}
