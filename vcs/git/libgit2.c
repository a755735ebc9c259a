/* SPDX-License-Identifier: BSD-3-Clause */
/* Loading libgit2, and ids without it. */
#define GITVCS_LIBGIT2_ITSELF
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "libgit2.h"

/* ---- loading --------------------------------------------------------------------------------- */

/* libtool defines PIC for what goes into a module; where plugins are linked into the program libgit2 is, too. */
#ifdef PIC

#define NAME(name) #name,
#define LIBRARY    "libgit2.so." LIBGIT2_SOVERSION

struct gitvcs_libgit2 gitvcs_libgit2;

static const char *const names[] = {GITVCS_LIBGIT2(NAME)};
_Static_assert(sizeof gitvcs_libgit2 == sizeof names, "nothing but pointers");

static char problem[512]; /* why it cannot be loaded, "" when it is */

static void load(void)
{
	void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);

	for (size_t i = 0; library && i < sizeof names / sizeof *names; i++) {
		void *function = dlsym(library, names[i]);

		if (!function) {
			library = NULL;
			break;
		}
		memcpy((char *)&gitvcs_libgit2 + i * sizeof function, &function, sizeof function);
	}
	if (!library) {
		const char *reason = dlerror();

		snprintf(problem, sizeof problem, "%s", reason ? reason : LIBRARY);
		gitvcs_libgit2 = (struct gitvcs_libgit2){0};
	}
}

static int need_library(struct perun_ctx *ctx)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return *problem ? perun_fail(ctx, PERUN_MISSING, "cannot load libgit2: %s", problem)
			: PERUN_OK;
}

#else

#define FUNCTION(name) .name = name,

struct gitvcs_libgit2 gitvcs_libgit2 = {GITVCS_LIBGIT2(FUNCTION)};

static int need_library(struct perun_ctx *ctx)
{
	(void)ctx;
	return PERUN_OK;
}

#endif

/*
 * libgit2 refuses repositories with extensions that it does not know. These change nothing that it
 * is used for here; work trees are git's own business, and missing objects are fetched by git.
 */
static const char *extensions[] = {"worktreeconfig", "partialclone", "preciousobjects",
				   "relativeworktrees"};

int gitvcs_start(struct perun_ctx *ctx)
{
	int status = need_library(ctx);

	if (status != PERUN_OK)
		return status;
	if (gitvcs_libgit2.git_libgit2_init() < 0)
		return gitvcs_fail(ctx, PERUN_MISSING, "cannot start libgit2");
	gitvcs_libgit2.git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, extensions,
					sizeof(extensions) / sizeof(*extensions));
	/* As git does, objects are believed when they are read; git fsck is there to doubt. */
	gitvcs_libgit2.git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 0);
	/* A walk meets each commit once: keeping them all would only take memory. */
	gitvcs_libgit2.git_libgit2_opts(GIT_OPT_SET_CACHE_OBJECT_LIMIT, GIT_OBJECT_COMMIT,
					(size_t)0);
	return PERUN_OK;
}

int gitvcs_fail(struct perun_ctx *ctx, int status, const char *format, ...)
{
	const git_error *last =
		gitvcs_libgit2.git_error_last ? gitvcs_libgit2.git_error_last() : NULL;
	char *reason = perun_printable(last && last->message ? last->message : "no reason given");
	va_list args;
	char *words;

	va_start(args, format);
	words = perun_vformat(format, args);
	va_end(args);
	status = perun_fail(ctx, status, "%s: %s", words, reason);
	perun_free(words);
	perun_free(reason);
	return status;
}

void gitvcs_stop(void)
{
	gitvcs_libgit2.git_libgit2_shutdown();
}

/* ---- ids ------------------------------------------------------------------------------------- */

int gitvcs_oid_cmp(const git_oid *one, const git_oid *other)
{
	return memcmp(one->id, other->id, sizeof one->id);
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int gitvcs_oid_fromstrn(git_oid *id, const char *text, size_t length)
{
	memset(id, 0, sizeof *id);
	if (length < GIT_OID_HEXSZ)
		return -1;
	for (size_t i = 0; i < GIT_OID_HEXSZ; i++) {
		int value = digit(text[i]);

		if (value < 0)
			return -1;
		id->id[i / 2] = (unsigned char)(id->id[i / 2] << 4 | value);
	}
	return 0;
}

int gitvcs_oid_fromstr(git_oid *id, const char *text)
{
	return gitvcs_oid_fromstrn(id, text, strnlen(text, GIT_OID_HEXSZ));
}

int gitvcs_oid_streq(const git_oid *id, const char *text)
{
	git_oid other;

	return gitvcs_oid_fromstr(&other, text) == 0 ? gitvcs_oid_cmp(id, &other) : -1;
}

char *gitvcs_oid_tostr(char *text, size_t size, const git_oid *id)
{
	static const char digits[] = "0123456789abcdef";

	if (size <= GIT_OID_HEXSZ)
		return text;
	for (size_t i = 0; i < GIT_OID_HEXSZ; i++)
		text[i] = digits[i % 2 ? id->id[i / 2] & 15 : id->id[i / 2] >> 4];
	text[GIT_OID_HEXSZ] = '\0';
	return text;
}

char *gitvcs_oid_tostr_s(const git_oid *id)
{
	static _Thread_local char text[GIT_OID_HEXSZ + 1];

	return gitvcs_oid_tostr(text, sizeof text, id);
}
