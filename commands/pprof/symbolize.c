/* SPDX-License-Identifier: BSD-3-Clause */
/* Names for profiles that have addresses only, and what -symbolize says of them. */
#include <string.h>
#include <strings.h>

#include "commands/common/symbolize.h"
#include "report.h"

static bool is_word(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && strncasecmp(text, word, length) == 0;
}

/* One word of "local:force:demangle=full"; false: there is no such word. */
static bool read_word(struct pprof_settings *settings, const char *word, size_t length)
{
	static const char *const modes[] = {"full", "none", "templates"};

	/* What a server would say of addresses is not asked for. */
	if (is_word(word, length, "none") || is_word(word, length, "no") ||
	    is_word(word, length, "remote"))
		settings->no_symbols = true;
	else if (is_word(word, length, "force"))
		settings->force_symbols = true;
	else if (length && !is_word(word, length, "local") && !is_word(word, length, "fastlocal") &&
		 !is_word(word, length, "demangle=default")) {
		for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
			char *whole = perun_format("demangle=%s", modes[i]);
			bool same = is_word(word, length, whole);

			perun_free(whole);
			if (same) {
				settings->demangle = modes[i];
				settings->force_symbols = true;
				return true;
			}
		}
		return false;
	}
	return true;
}

void pprof_read_symbolize(struct perun_ctx *ctx, struct pprof_settings *settings)
{
	settings->demangle = "short";
	for (const char *at = settings->symbolize; *at;) {
		size_t length = strcspn(at, ":");

		if (!read_word(settings, at, length))
			perun_warn(ctx,
				   "-symbolize: ignored '%.*s'; expected "
				   "[local|fastlocal|none][:force][:demangle=none|full|templates|"
				   "default]",
				   (int)length, at);
		at += length + (at[length] == ':');
	}
}

int pprof_symbolize(struct perun_ctx *ctx, const struct pprof_settings *settings,
		    struct perun_profile **profile)
{
	struct commands_symbolizing how = {.binaries = &settings->binary,
					   .binary_count = settings->binary != NULL,
					   .demangle = settings->demangle,
					   .force = settings->force_symbols,
					   .locate = settings->command && settings->command->code,
					   .rename = commands_was_symbolized(*profile),
					   .quiet = true};

	if (!how.locate && (settings->no_symbols || (!settings->force_symbols && !how.rename &&
						     !commands_count_unnamed(*profile))))
		return PERUN_OK;
	if (!commands_can_symbolize())
		return PERUN_OK;
	return commands_symbolize(ctx, &how, profile);
}
