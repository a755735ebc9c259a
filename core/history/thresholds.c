/* SPDX-License-Identifier: BSD-3-Clause */
/* The smallest changes that count, benchmark by benchmark. */
#include <config.h>

#include <ctype.h>
#include <string.h>

#include <perun/lib/history.h>

#include "core/history/thresholds.h"
#include "core/query/match.h"

#define SETTING "degradation.thresholds"

int perun_thresholds_read(struct perun_ctx *ctx, struct perun_store *store,
			  struct perun_json **thresholds)
{
	int status = perun_config_document(ctx, store, PERUN_CONFIG_NEAREST, SETTING, thresholds);
	enum perun_json_type type = perun_json_type(*thresholds);
	double percent;

	if (status || !*thresholds || type == PERUN_JSON_TYPE_NULL)
		return status;
	if (type != PERUN_JSON_TYPE_OBJECT)
		status = perun_fail(ctx, PERUN_INPUT,
				    "the setting " SETTING " does not map names to percentages, as "
				    "in {BenchmarkParse: 5}");
	for (size_t i = 0; !status && i < perun_json_count(*thresholds); i++) {
		if (!perun_json_as_double(perun_json_at(*thresholds, i), &percent) ||
		    !(percent >= 0))
			status = perun_fail(ctx, PERUN_INPUT,
					    "the setting " SETTING ": %s has no percentage",
					    perun_json_key_at(*thresholds, i, NULL));
	}
	if (status) {
		perun_json_free(*thresholds);
		*thresholds = NULL;
	}
	return status;
}

static bool is_of_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Whether a text has the name between characters that are not those of names. */
static bool has_word(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = strstr(text, name); at; at = strstr(at + 1, name)) {
		if ((at == text || !is_of_word(at[-1])) && !is_of_word(at[length]))
			return true;
	}
	return false;
}

static bool is_meant(const char *name, const char *text)
{
	return *text && (has_word(text, name) ||
			 (perun_glob_valid(name) && perun_glob(name, text, strlen(text))));
}

double perun_threshold_of(const struct perun_json *thresholds, const char *location,
			  const char *command)
{
	size_t longest = 0;
	double percent, threshold = 0;

	for (size_t i = 0; i < perun_json_count(thresholds); i++) {
		const char *name = perun_json_key_at(thresholds, i, NULL);

		if (strlen(name) <= longest ||
		    !(is_meant(name, location ? location : "") ||
		      is_meant(name, command ? command : "")) ||
		    !perun_json_as_double(perun_json_at(thresholds, i), &percent))
			continue;
		longest = strlen(name);
		threshold = percent / 100;
	}
	return threshold;
}

int perun_threshold(struct perun_ctx *ctx, struct perun_store *store, const char *location,
		    const char *command, double *share)
{
	struct perun_json *thresholds = NULL;
	int status = perun_thresholds_read(ctx, store, &thresholds);

	*share = status ? 0 : perun_threshold_of(thresholds, location, command);
	perun_json_free(thresholds);
	return status;
}
