/* SPDX-License-Identifier: BSD-3-Clause */
/* Formatting and reading numbers: always as in the C locale, whatever the program that uses us has set. */
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdarg.h>
#include <stdint.h>
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

/* ---- formats of plain texts and numbers, which most are --------------------------------------- */

struct print {
	char *text;
	size_t size, length; /* length: of all, whether there is room or not */
};

static void print_bytes(struct print *print, const char *bytes, size_t count)
{
	if (print->length < print->size) {
		size_t room = print->size - print->length;

		memcpy(print->text + print->length, bytes, count < room ? count : room);
	}
	print->length += count;
}

static void print_number(struct print *print, uint64_t number, bool negative)
{
	char digits[24];
	size_t at = sizeof digits;

	do
		digits[--at] = (char)('0' + number % 10);
	while (number /= 10);
	if (negative)
		digits[--at] = '-';
	print_bytes(print, digits + at, sizeof digits - at);
}

/* The letters of a conversion that is done here: s, d, u, zu, lld, llu. 0: it is another one. */
static size_t plain_conversion(const char *at)
{
	if (*at == 's' || *at == 'd' || *at == 'u')
		return 1;
	if (at[0] == 'z' && at[1] == 'u')
		return 2;
	return at[0] == 'l' && at[1] == 'l' && (at[2] == 'd' || at[2] == 'u') ? 3 : 0;
}

static bool is_plain(const char *format)
{
	while ((format = strchr(format, '%'))) {
		size_t length = plain_conversion(format + 1);

		if (!length)
			return false;
		format += 1 + length;
	}
	return true;
}

static int print_plain(char *text, size_t size, const char *format, va_list args)
{
	struct print print = {.text = text, .size = size};
	int64_t number;

	while (*format) {
		const char *next = strchr(format, '%');

		print_bytes(&print, format, next ? (size_t)(next - format) : strlen(format));
		if (!next)
			break;
		format = next;
		if (format[1] == 's') {
			const char *given = va_arg(args, const char *);

			given = given ? given : "(null)";
			print_bytes(&print, given, strlen(given));
		} else if (format[1] == 'd') {
			number = va_arg(args, int);
			print_number(&print, number < 0 ? -(uint64_t)number : (uint64_t)number,
				     number < 0);
		} else if (format[1] == 'l' && format[3] == 'd') {
			number = va_arg(args, long long);
			print_number(&print, number < 0 ? -(uint64_t)number : (uint64_t)number,
				     number < 0);
		} else if (format[1] == 'l') {
			print_number(&print, va_arg(args, unsigned long long), false);
		} else if (format[1] == 'u') {
			print_number(&print, va_arg(args, unsigned), false);
		} else {
			print_number(&print, va_arg(args, size_t), false);
		}
		format += 1 + plain_conversion(format + 1);
	}
	if (size)
		text[print.length < size ? print.length : size - 1] = '\0';
	return print.length > INT_MAX ? -1 : (int)print.length;
}

int perun_vsnprintf(char *text, size_t size, const char *format, va_list args)
{
	locale_t before;
	int length;

	if (is_plain(format))
		return print_plain(text, size, format, args);
	before = has_point() ? (locale_t)0 : enter_c_locale();
	length = vsnprintf(text, size, format, args);

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

/*
 * "12", "-1.50": up to 15 digits are an exact integer, and so is the power of ten that it is divided by, so that the quotient is
 * rounded once. NULL: it is written in another way, or goes on in one. The end else.
 */
static const char *read_plain(const char *text, double *value)
{
	static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
					1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
	const bool negative = *text == '-';
	const char *at = text + negative, *first = at, *point = NULL;
	uint64_t digits = 0;
	size_t count, after;

	for (;; at++) {
		if (*at >= '0' && *at <= '9' && at - first <= 16)
			digits = digits * 10 + (uint64_t)(*at - '0');
		else if (*at == '.' && !point && at != first)
			point = at;
		else
			break;
	}
	count = (size_t)(at - first) - (point != NULL);
	after = point ? (size_t)(at - point) - 1 : 0;
	if (count == 0 || count > 15 || (point && !after) || *at == '.' ||
	    (*at >= '0' && *at <= '9') || (*at | 0x20) == 'e' || (*at | 0x20) == 'x')
		return NULL;
	*value = (double)digits / powers[after];
	*value = negative ? -*value : *value;
	return at;
}

double perun_strtod(const char *text, char **end)
{
	double value;
	const char *plain = read_plain(text, &value);
	locale_t before;

	if (plain) {
		if (end)
			*end = (char *)(uintptr_t)plain;
		return value;
	}
	before = has_point() ? (locale_t)0 : enter_c_locale();
	value = strtod(text, end);
	leave_c_locale(before);
	return value;
}
