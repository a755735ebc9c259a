/* SPDX-License-Identifier: BSD-3-Clause */
/* RE2's syntax (github.com/google/re2/wiki/Syntax, as Go has it) rewritten for PCRE2. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/regex/regex.h"

/* PCRE2's \s and \S hold a vertical tab, RE2's do not; these are inside brackets. */
#define SPACE     "\\t\\n\\f\\r "
#define NOT_SPACE "\\x00-\\x08\\x0B\\x0E-\\x1F!-\\x{10FFFF}"

enum { MAX_REPETITIONS = 1000 };

struct scan {
	struct perun_ctx *ctx;
	const char *text;
	const char *p;
	struct perun_buffer *out;
};

static int refuse(const struct scan *scan, const char *at, const char *what)
{
	return perun_fail(scan->ctx, PERUN_USAGE,
			  "regular expression '%s', character %zu: %s; the syntax is that of RE2",
			  scan->text, (size_t)(at - scan->text) + 1, what);
}

static void copy(struct scan *scan, size_t length)
{
	perun_buffer_add(scan->out, scan->p, length);
	scan->p += length;
}

static void put(struct scan *scan, const char *text, size_t length)
{
	perun_buffer_add_text(scan->out, text);
	scan->p += length;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* ---- escapes ---------------------------------------------------------------------------------- */

/* \123 and \012; a single digit would be a back reference. */
static int octal(struct scan *scan)
{
	const char *p = scan->p + 1;
	unsigned value = 0;

	if (*p != '0' && (p[1] < '0' || p[1] > '7'))
		return refuse(scan, scan->p, "back references are not possible");
	for (int i = 0; i < 3 && *p >= '0' && *p <= '7'; i++)
		value = value * 8 + (unsigned)(*p++ - '0');
	perun_buffer_printf(scan->out, "\\x{%x}", value);
	scan->p = p;
	return PERUN_OK;
}

static int hexadecimal(struct scan *scan)
{
	const char *p = scan->p + 2;

	if (*p == '{') {
		size_t digits = strspn(p + 1, "0123456789abcdefABCDEF");

		if (digits == 0 || p[digits + 1] != '}')
			return refuse(scan, scan->p, "\\x{...} needs hexadecimal digits");
		copy(scan, digits + 4);
		return PERUN_OK;
	}
	if (!isxdigit((unsigned char)p[0]) || !isxdigit((unsigned char)p[1]))
		return refuse(scan, scan->p, "\\x needs two hexadecimal digits");
	copy(scan, 4);
	return PERUN_OK;
}

/* \pN, \p{Greek}, \p{^Greek}. */
static int property(struct scan *scan)
{
	const char *end;

	if (scan->p[2] == '{') {
		end = strchr(scan->p, '}');
		if (!end)
			return refuse(scan, scan->p, "a '}' is missing");
		copy(scan, (size_t)(end - scan->p) + 1);
		return PERUN_OK;
	}
	if (!isalpha((unsigned char)scan->p[2]))
		return refuse(scan, scan->p, "\\p needs the name of a property");
	perun_buffer_printf(scan->out, "\\%c{%c}", scan->p[1], scan->p[2]);
	scan->p += 3;
	return PERUN_OK;
}

/* Literal text up to \E or the end. */
static void quoted(struct scan *scan)
{
	const char *end = strstr(scan->p, "\\E");

	for (scan->p += 2; *scan->p && scan->p != end; scan->p++) {
		if (!is_word(*scan->p) && !(*scan->p & 0x80))
			perun_buffer_add_char(scan->out, '\\');
		perun_buffer_add_char(scan->out, *scan->p);
	}
	if (end)
		scan->p = end + 2;
}

static int escape(struct scan *scan, bool in_class)
{
	char c = scan->p[1];

	if (c == '\0')
		return refuse(scan, scan->p, "nothing follows the last '\\'");
	if (isdigit((unsigned char)c))
		return c > '7' ? refuse(scan, scan->p, "back references are not possible")
			       : octal(scan);
	if (c == 'x')
		return hexadecimal(scan);
	if (c == 'p' || c == 'P')
		return property(scan);
	if (c == 'v')
		put(scan, "\\x0B", 2);
	else if (c == 's')
		put(scan, in_class ? SPACE : "[" SPACE "]", 2);
	else if (c == 'S')
		put(scan, in_class ? NOT_SPACE : "[^" SPACE "]", 2);
	else if ((!is_word(c) && !(c & 0x80)) || strchr("afnrtdDwW", c) || (c == '_' && !in_class))
		copy(scan, 2);
	else if (c == '_')
		put(scan, "_", 2);
	else
		return refuse(scan, scan->p, "there is no such escape sequence");
	return PERUN_OK;
}

/* ---- brackets --------------------------------------------------------------------------------- */

static int posix_class(struct scan *scan)
{
	static const char *const names[] = {"alnum", "alpha", "ascii", "blank", "cntrl",
					    "digit", "graph", "lower", "print", "punct",
					    "space", "upper", "word",  "xdigit"};
	const char *name = scan->p + 2 + (scan->p[2] == '^'), *end = strstr(name, ":]");

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if ((size_t)(end - name) == strlen(names[i]) &&
		    memcmp(name, names[i], strlen(names[i])) == 0) {
			copy(scan, (size_t)(end - scan->p) + 2);
			return PERUN_OK;
		}
	}
	return refuse(scan, scan->p, "there is no class of that name");
}

static int bracket(struct scan *scan)
{
	const char *start = scan->p;
	bool first = true;
	int status = PERUN_OK;

	copy(scan, scan->p[1] == '^' ? 2 : 1);
	for (; !status && (*scan->p != ']' || first); first = false) {
		if (*scan->p == '\0')
			return refuse(scan, start, "a ']' is missing");
		if (*scan->p == '\\')
			status = escape(scan, true);
		else if (scan->p[0] == '[' && scan->p[1] == ':' && strstr(scan->p + 2, ":]"))
			status = posix_class(scan);
		else if (*scan->p == '[' || *scan->p == ']')
			put(scan, *scan->p == '[' ? "\\[" : "\\]", 1);
		else if (first && *scan->p == ':') /* "[:x:]" is a class of characters */
			put(scan, "\\:", 1);
		else
			copy(scan, 1);
	}
	if (!status)
		copy(scan, 1);
	return status;
}

/* ---- groups and repetition -------------------------------------------------------------------- */

/* (?P<name>...), (?<name>...), (?flags) and (?flags:...). */
static int group(struct scan *scan)
{
	const char *p = scan->p;
	size_t flags;

	if (p[1] == '*')
		return refuse(scan, p, "nothing precedes '*'");
	if (p[1] != '?') {
		copy(scan, 1);
		return PERUN_OK;
	}
	flags = 2 + (p[2] == 'P');
	if (p[flags] == '<' && (isalpha((unsigned char)p[flags + 1]) || p[flags + 1] == '_')) {
		size_t length = 1;

		while (is_word(p[flags + length]))
			length++;
		if (p[flags + length] != '>')
			return refuse(scan, p, "the name of the group is not ended by '>'");
		put(scan, "(", flags + length + 1); /* the name is of no use here */
		return PERUN_OK;
	}
	flags = 2 + strspn(p + 2, "imsU");
	if (p[flags] == '-')
		flags += 1 + strspn(p + flags + 1, "imsU");
	if ((p[flags] == ')' && flags > 2) || p[flags] == ':') {
		copy(scan, flags + 1);
		return PERUN_OK;
	}
	if (strchr("=!", p[2]) || (p[2] == '<' && p[3] && strchr("=!", p[3])))
		return refuse(scan, p, "lookahead and lookbehind are not supported");
	return refuse(scan, p, "there is no such group");
}

static bool is_repetition(const char *p, size_t *length, unsigned long *most)
{
	size_t low = strspn(p + 1, "0123456789"), high = 0;

	if (low == 0)
		return false;
	*length = low + 1;
	*most = low > 5 ? MAX_REPETITIONS + 1 : strtoul(p + 1, NULL, 10);
	if (p[*length] == ',') {
		high = strspn(p + *length + 1, "0123456789");
		if (high > 0)
			*most = high > 5 ? MAX_REPETITIONS + 1 : strtoul(p + *length + 1, NULL, 10);
		*length += high + 1;
	}
	return p[(*length)++] == '}';
}

/* What repeats the thing before; */
static int repetition(struct scan *scan)
{
	size_t length = 0;
	unsigned long most = 0;

	if (*scan->p && strchr("*+?", *scan->p)) {
		length = 1;
	} else if (*scan->p != '{') {
		return PERUN_OK;
	} else if (!is_repetition(scan->p, &length, &most)) {
		put(scan, "\\{", 1);
		return PERUN_OK;
	}
	if (most > MAX_REPETITIONS)
		return refuse(scan, scan->p, "more than 1000 repetitions");
	copy(scan, length);
	if (*scan->p == '?')
		copy(scan, 1);
	if (*scan->p && (strchr("*+?", *scan->p) ||
			 (*scan->p == '{' && is_repetition(scan->p, &length, &most))))
		return refuse(scan, scan->p, "a repetition cannot be repeated");
	return PERUN_OK;
}

/* Places that RE2 lets repeat and PCRE2 does not. */
static bool is_place(const char *p, size_t *length)
{
	*length = *p == '\\' ? 2 : 1;
	return *p == '^' || *p == '$' || (*p == '\\' && p[1] && strchr("AzbB", p[1]));
}

static int next(struct scan *scan)
{
	size_t length;

	if (is_place(scan->p, &length)) {
		perun_buffer_add_text(scan->out, "(?:");
		copy(scan, length);
		perun_buffer_add_char(scan->out, ')');
		return PERUN_OK;
	}
	switch (*scan->p) {
	case '\\':
		if (scan->p[1] == 'Q') {
			quoted(scan);
			return PERUN_OK;
		}
		return escape(scan, false);
	case '[':
		return bracket(scan);
	case '(':
		return group(scan);
	case '*':
	case '+':
	case '?':
	case '{':
		return repetition(scan);
	default:
		copy(scan, 1);
		return PERUN_OK;
	}
}

int perun_regex_from_re2(struct perun_ctx *ctx, const char *expression, struct perun_buffer *out)
{
	struct scan scan = {.ctx = ctx, .text = expression, .p = expression, .out = out};
	int status = PERUN_OK;

	while (*scan.p && !status)
		status = next(&scan);
	return status;
}
