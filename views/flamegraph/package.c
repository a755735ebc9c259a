/* SPDX-License-Identifier: BSD-3-Clause */
/* Packages of functions, by their names: packageOf() in views/common/page/names.js has the same rules. */
#include <config.h>

#include <string.h>

#include "look.h"

static bool is_capital(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* Where parameters, template arguments and the like begin. */
static size_t name_end(const char *name, size_t length)
{
	for (size_t i = 1; i < length; i++) {
		if (strchr("(<[{", name[i]) && name[i])
			return i;
	}
	return length;
}

static size_t find_last(const char *text, size_t length, char c)
{
	while (length > 0 && text[length - 1] != c)
		length--;
	return length; /* one after it, 0: not there */
}

/* "ns::part" of "ns::part::f"; 0 when there is no "::". */
static size_t colon_package(const char *name, size_t end, size_t *start)
{
	size_t colons = 0, second = 0, parts = 0;

	for (size_t i = 1; i + 1 < end; i++) {
		if (name[i] != ':' || name[i + 1] != ':')
			continue;
		colons = i;
		i++;
	}
	*start = 0;
	for (size_t i = 0; i < colons; i++) { /* after the type that the function returns */
		if (strchr(" *&", name[i]) && name[i])
			*start = i + 1;
	}
	for (size_t i = *start; i < colons && parts < 2; i++) {
		if (name[i] == ':' && name[i + 1] == ':') {
			second = i;
			parts++;
			i++;
		}
	}
	return parts < 2 ? colons : second;
}

/*
 * What compilers append to the name of a function: Go's closures (.func1, .gowrap2, .1), and clones of GCC and LLVM
 * (.constprop.0, .isra.0, .llvm.123). Returns the end of the name without it.
 */
static size_t without_clones(const char *name, size_t end)
{
	static const char *const words[] = {"func", "gowrap", "deferwrap", "constprop", "isra",
					    "part", "cold",   "llvm",      "lto_priv",  "clone"};
	size_t dot;

	while ((dot = find_last(name, end, '.')) > 1) {
		size_t letters = end, word;

		while (letters > dot && name[letters - 1] >= '0' && name[letters - 1] <= '9')
			letters--;
		for (word = 0; word < sizeof words / sizeof *words; word++) {
			if (strlen(words[word]) == letters - dot &&
			    memcmp(words[word], name + dot, letters - dot) == 0)
				break;
		}
		/* "func" alone is a name, and so is nothing at all. */
		if (end == dot || (letters > dot && word == sizeof words / sizeof *words) ||
		    (word < 3 && letters == end))
			break;
		end = dot - 1;
	}
	return end;
}

static size_t dotted_package(const char *name, size_t length, size_t end)
{
	size_t dot;

	/* Go's methods: main.(*T).m */
	if (end < length && end > 1 && name[end] == '(' && name[end - 1] == '.' && name[0] != '.')
		return end - 1;
	end = without_clones(name, end);
	dot = find_last(name, end, '.');

	while (dot > 1 && dot == end) /* dots at the end belong to the name */
		dot = find_last(name, --end, '.');
	while (dot > 1) {
		size_t before = find_last(name, dot - 1, '.');

		/* Java's and Python's classes begin with a capital letter. */
		if (before == 0 || !is_capital(name[before]))
			return dot - 1;
		dot = before;
	}
	return 0;
}

/* Where the type ends that a name of Rust begins with: "<std::string::String as std::fmt::Debug>::fmt"; 0: with none. */
static size_t self_end(const char *name, size_t length)
{
	size_t depth = 0;

	for (size_t i = 0; name[0] == '<' && i + 2 < length; i++) {
		if (name[i] == '<')
			depth++;
		else if (name[i] == '>' && name[i - 1] != '-' && --depth == 0)
			return name[i + 1] == ':' && name[i + 2] == ':' ? i : 0;
	}
	return 0;
}

/* Where the path of such a type begins and ends: in "&mut a::B" after the blank, in "a::B as c::D" before the first one. */
static size_t self_path(const char *name, size_t *end)
{
	static const char *const words[] = {"mut ", "dyn ", "const "};
	const char *as = memmem(name, *end, " as ", 4);
	size_t first = 1;

	*end = as ? (size_t)(as - name) : *end;
	while (first < *end && name[first] && strchr("&*[(", name[first]))
		first++;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t size = strlen(words[i]);

		if (*end - first >= size && memcmp(name + first, words[i], size) == 0)
			return first + size;
	}
	return first;
}

/* Of a name that begins with no type. */
static size_t plain_package(const char *name, size_t length, size_t *start)
{
	size_t end = name_end(name, length), slash, colons;
	const char *dot;

	/* Arguments of Rust's: core::mem::swap::<u64> */
	if (end > 2 && name[end - 1] == ':' && name[end - 2] == ':')
		end -= 2;
	slash = find_last(name, end, '/');
	colons = colon_package(name, end, start);
	if (colons)
		return colons - *start;
	*start = 0;
	dot = memchr(name + slash, '.', length - slash);
	if (slash > 1 && dot && name[0] != '/' && name[0] != '.') {
		const char *first = memchr(name, '.', slash);

		/* java/util/HashMap.get, not example.org/user/package.f */
		if (!first && is_capital(name[slash]))
			return slash - 1;
		return (size_t)(dot - name);
	}
	return dotted_package(name, length, end);
}

size_t flame_package(const char *name, size_t length, size_t *start)
{
	size_t end = length ? self_end(name, length) : 0, first, package;

	if (!end)
		return plain_package(name, length, start);
	first = self_path(name, &end);
	*start = 0;
	if (first >= end)
		return 0;
	package = plain_package(name + first, end - first, start);
	*start += first;
	return package;
}

size_t flame_short_name(const char *name, size_t length)
{
	size_t start, package = flame_package(name, length, &start), slash;

	if (package && start == 0) {
		size_t cut = package;

		if (cut + 2 < length && name[cut] == ':' && name[cut + 1] == ':')
			return cut + 2;
		return cut + 1 < length ? cut + 1 : 0;
	}
	if (length && self_end(name, length))
		return 0;
	slash = find_last(name, name_end(name, length), '/');
	return slash > 1 && slash < length && name[0] != '<' ? slash : 0;
}
