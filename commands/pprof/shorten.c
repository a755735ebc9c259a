/* SPDX-License-Identifier: BSD-3-Clause */
/* Short names of functions for drawings: without packages, namespaces and arguments. */
#include <string.h>

#include "shorten.h"

/* What is left of a name, by language: the groups of the first expression that matches. */
static const char *const expressions[PPROF_SHORTENERS] = {
	/* Versions of Go modules: "x/v2.F" is "x.F". */
	"^(.*?)/v(?:[2-9]|[1-9][0-9]+)([./].*)$",
	/* Go: what follows the last directory. */
	"^(?:[\\w\\-\\.]+\\/)+([^.]+\\..+)",
	/* Java: the class and the method. */
	"^(?:[a-z]\\w*\\.)*([A-Z][\\w\\$]*\\.(?:<init>|[a-z][\\w\\$]*(?:\\$\\d+)?))(?:(?:\\()|$)",
	/* C++: the class and the method, with template arguments. */
	"^(?:[_a-zA-Z]\\w*::)+(_*[A-Z]\\w*::~?[_a-zA-Z]\\w*(?:<.*>)?)",
};

int pprof_shortener_init(struct perun_ctx *ctx, struct pprof_shortener *shortener)
{
	int status = PERUN_OK;

	*shortener = (struct pprof_shortener){0};
	for (size_t i = 0; i < PPROF_SHORTENERS && !status; i++)
		status = perun_regex_new(ctx, expressions[i], PERUN_REGEX_RE2,
					 &shortener->regexes[i]);
	return status;
}

void pprof_shortener_clear(struct pprof_shortener *shortener)
{
	for (size_t i = 0; i < PPROF_SHORTENERS; i++)
		perun_regex_free(shortener->regexes[i]);
}

static void add_group(const char *name, const struct perun_regex_group *group,
		      struct perun_buffer *out)
{
	if (group->first != SIZE_MAX)
		perun_buffer_add(out, name + group->first, group->end - group->first);
}

void pprof_shorten(struct pprof_shortener *shortener, const char *name, struct perun_buffer *out)
{
	static const char anonymous[] = "(anonymous namespace)::";
	struct perun_regex_group groups[3];
	struct perun_buffer plain = {0};

	if (strncmp(name, anonymous, sizeof anonymous - 1) == 0)
		name += sizeof anonymous - 1;
	if (perun_regex_find(shortener->regexes[0], name, strlen(name), groups, 3)) {
		add_group(name, &groups[1], &plain);
		add_group(name, &groups[2], &plain);
		name = plain.data;
	}
	for (size_t i = 1; i < PPROF_SHORTENERS; i++) {
		if (!perun_regex_find(shortener->regexes[i], name, strlen(name), groups, 2))
			continue;
		add_group(name, &groups[1], out);
		perun_buffer_free(&plain);
		return;
	}
	perun_buffer_add_text(out, name);
	perun_buffer_free(&plain);
}
