/* SPDX-License-Identifier: BSD-3-Clause */
/* Which package brings a plugin that is not installed, by a table of the packager's. */
#include <config.h>

#include <string.h>

#include "core/registry/registry-private.h"

/* Whether a word of `length` bytes says this, whatever dashes and underscores it is written with. */
static bool is_word(const char *word, size_t length, const char *said)
{
	char *copy = perun_strndup(word, length);
	bool same = perun_same_name(copy, said);

	perun_free(copy);
	return same;
}

char *plugin_package(const char *table, enum perun_kind kind, const char *name)
{
	for (const char *line = table; *line; line += strcspn(line, ";"), line += *line == ';') {
		const char *words[3];
		size_t lengths[3], count = 0;

		for (const char *at = line; count < 3; at += lengths[count++]) {
			words[count] = at += strspn(at, " \t");
			lengths[count] = strcspn(at, " \t;");
		}
		if (lengths[2] && is_word(words[0], lengths[0], perun_kind_name(kind)) &&
		    is_word(words[1], lengths[1], name))
			return perun_strndup(words[2], lengths[2]);
	}
	return NULL;
}

int perun_registry_packaged(struct perun_ctx *ctx, enum perun_kind kind, const char *name)
{
	char *package = plugin_package(PLUGIN_PACKAGES, kind, name);
	int status = package ? perun_fail(ctx, PERUN_MISSING, "no plugin for %s; install %s", name,
					  package)
			     : PERUN_OK;

	perun_free(package);
	return status;
}
