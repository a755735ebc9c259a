/* SPDX-License-Identifier: BSD-3-Clause */
/* Names as programmers write them. */
#include <config.h>

#include <dlfcn.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_RUST_DEMANGLE
#include <libiberty/demangle.h>
#endif

#include <perun/context.h>

#include "collectors/common/demangle.h"

struct demangler {
	void *cxx, *swift; /* libraries; NULL = not there */
	bool swift_looked_for;
	char *(*demangle_cxx)(const char *, char *, size_t *, int *);
	char *(*demangle_swift)(const char *, size_t, char *, size_t *, uint32_t);
};

struct demangler *demangler_new(void)
{
	struct demangler *demangler = perun_alloc_zero(1, sizeof *demangler);

	demangler->cxx = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
	if (demangler->cxx)
		*(void **)&demangler->demangle_cxx = dlsym(demangler->cxx, "__cxa_demangle");
	return demangler;
}

void demangler_free(struct demangler *demangler)
{
	if (!demangler)
		return;
	if (demangler->cxx)
		dlclose(demangler->cxx);
	if (demangler->swift)
		dlclose(demangler->swift);
	perun_free(demangler);
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Without what LLVM appends to a copy of a function, a number of its own in each build. */
static size_t plain_length(const char *symbol)
{
	const char *clone = strstr(symbol, ".llvm.");

	return clone ? (size_t)(clone - symbol) : strlen(symbol);
}

/* "_ZN4core3fmt5write17h0123456789abcdefE" is of C++ in form, but for the hash, which is another one in each build. */
static bool is_rust(const char *symbol)
{
	enum { HASH = 20 }; /* "17h", 16 digits, "E" */
	size_t length = plain_length(symbol);
	const char *hash = length > HASH ? symbol + length - HASH : "";

	return begins(symbol, "_R") ||
	       (begins(symbol, "_ZN") && begins(hash, "17h") &&
		strspn(hash + 3, "0123456789abcdef") >= 16 && hash[19] == 'E');
}

#ifdef HAVE_RUST_DEMANGLE
/* A short symbol can name a part of itself again and again, and so a name longer than memory. */
enum { LONGEST = 1 << 16 };

struct growing {
	struct perun_buffer name;
	jmp_buf too_long;
};

static void add_piece(const char *piece, size_t length, void *data)
{
	struct growing *growing = data;

	if (growing->name.length + length > LONGEST)
		longjmp(growing->too_long, 1);
	perun_buffer_add(&growing->name, piece, length);
}

static char *demangle_rust(const char *symbol)
{
	char *plain = perun_strndup(symbol, plain_length(symbol));
	struct growing growing = {.name = {0}};
	char *text = NULL;

	if (setjmp(growing.too_long) == 0 &&
	    rust_demangle_callback(plain, DMGL_PARAMS | DMGL_ANSI, add_piece, &growing))
		text = strndup(growing.name.data ? growing.name.data : "", growing.name.length);
	perun_buffer_free(&growing.name);
	perun_free(plain);
	return text;
}
#else
static char *demangle_rust(const char *symbol)
{
	(void)symbol;
	return NULL;
}
#endif

static bool is_swift(const char *symbol)
{
	return begins(symbol, "$s") || begins(symbol, "_$s") || begins(symbol, "$S") ||
	       begins(symbol, "_$S") || begins(symbol, "_T0");
}

/* The library stays loaded: it may have threads. */
static void look_for_swift(struct demangler *demangler)
{
	static const char *const libraries[] = {"libswiftDemangle.so", "libswiftCore.so"};

	demangler->swift_looked_for = true;
	for (size_t i = 0; !demangler->swift && i < sizeof libraries / sizeof *libraries; i++)
		demangler->swift = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
	if (demangler->swift)
		*(void **)&demangler->demangle_swift = dlsym(demangler->swift, "swift_demangle");
}

static char *demangle_swift(struct demangler *demangler, const char *symbol)
{
	if (!demangler->swift_looked_for)
		look_for_swift(demangler);
	return demangler->demangle_swift
		       ? demangler->demangle_swift(symbol, strlen(symbol), NULL, NULL, 0)
		       : NULL;
}

char *demangler_name(struct demangler *demangler, const char *symbol)
{
	char *text = NULL, *copy;
	int status;

	if (is_rust(symbol))
		text = demangle_rust(symbol);
	else if (is_swift(symbol))
		text = demangle_swift(demangler, symbol);
	if (!text && begins(symbol, "_Z") && demangler->demangle_cxx)
		text = demangler->demangle_cxx(symbol, NULL, NULL, &status);
	copy = perun_strdup(text ? text : symbol);
	free(text);
	return copy;
}
