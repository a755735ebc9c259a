/* SPDX-License-Identifier: BSD-3-Clause */
/* The filters -tagfocus and -tagignore: [key=]regex,regex or [key=]range. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

struct pprof_label_filter {
	const struct pprof_report *report;
	bool keyed;
	perun_id key; /* PERUN_NO_ID: the profile has no such key */
	bool numbers; /* a range of numbers, not expressions */
	bool from_set, to_set;
	double from, to;
	const char *unit; /* of the range; static or `own_unit` */
	char *own_units[2];
	struct perun_regex **expressions;
	size_t count;
};

/* ---- ranges ---------------------------------------------------------------------------------- */

/* A number with an optional unit at `*text`, which moves after it. */
static bool parse_number(const char **text, int64_t *value, char **unit)
{
	const char *start = *text, *c = start + (*start == '-' || *start == '+'), *letters;

	if (*c < '0' || *c > '9')
		return false;
	while (*c >= '0' && *c <= '9')
		c++;
	errno = 0;
	*value = strtoll(start, NULL, 10);
	if (errno)
		return false;
	for (letters = c; (*c | 32) >= 'a' && (*c | 32) <= 'z'; c++)
		;
	*unit = perun_strndup(letters, (size_t)(c - letters));
	*text = c;
	return true;
}

/* "64kb", ":64kb", "64kb:", "12kb:64kb". False: that is something else. */
static bool parse_range(struct pprof_label_filter *filter, const char *text)
{
	bool open_start = *text == ':';
	const char *unit;
	int64_t value;

	text += open_start;
	if (!parse_number(&text, &value, &filter->own_units[0]))
		return false;
	filter->from = filter->to =
		pprof_scale(value, filter->own_units[0], "minimum", &filter->unit);
	filter->from_set = !open_start;
	filter->to_set = true;
	if (!*text)
		return true;
	if (open_start || *text++ != ':')
		return false;
	filter->to_set = *text != '\0';
	if (!*text)
		return true;
	if (!parse_number(&text, &value, &filter->own_units[1]) || *text)
		return false;
	filter->to = pprof_scale(value, filter->own_units[1], filter->unit, &unit);
	return strcmp(unit, filter->unit) == 0;
}

static bool in_range(const struct pprof_label_filter *filter, const struct perun_label *label)
{
	const char *own = filter->report->label_units[label->key], *unit;
	double value = pprof_scale(label->number, own ? own : "", filter->unit, &unit);

	return strcmp(unit, filter->unit) == 0 && (!filter->from_set || value >= filter->from) &&
	       (!filter->to_set || value <= filter->to);
}

/* ---- expressions ----------------------------------------------------------------------------- */

static int parse_expressions(struct pprof_label_filter *filter, const char *option,
			     const char *text)
{
	int status = PERUN_OK;
	size_t capacity = 0;

	while (!status) {
		size_t length = strcspn(text, ",");
		char *one = perun_strndup(text, length);

		PERUN_GROW(filter->expressions, filter->count, capacity);
		status = perun_regex_new(filter->report->ctx, one, PERUN_REGEX_RE2,
					 &filter->expressions[filter->count]);
		filter->count += !status;
		perun_free(one);
		if (!text[length])
			break;
		text += length + 1;
	}
	return status ? perun_fail(filter->report->ctx, PERUN_OK, "-%s", option) : PERUN_OK;
}

static bool label_matches(const struct pprof_label_filter *filter, struct perun_regex *regex,
			  const struct perun_label *label)
{
	const struct perun_profile *profile = filter->report->profile;
	const char *text = perun_profile_string(profile, label->text, NULL);
	char *both;
	bool matches;

	if (filter->keyed)
		return perun_regex_matches(regex, text, strlen(text));
	both = perun_format("%s:%s", perun_profile_string(profile, label->key, NULL), text);
	matches = perun_regex_matches(regex, both, strlen(both));
	perun_free(both);
	return matches;
}

static bool any_label_matches(const struct pprof_label_filter *filter, struct perun_regex *regex,
			      const struct perun_label *labels, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (labels[i].text != PERUN_NO_ID &&
		    (!filter->keyed || labels[i].key == filter->key) &&
		    label_matches(filter, regex, &labels[i]))
			return true;
	}
	return false;
}

/* With a key any expression suffices, without one all must be met. */
bool pprof_label_filter_matches(struct pprof_label_filter *filter, perun_id set)
{
	size_t count = 0;
	const struct perun_label *labels =
		set == PERUN_NO_ID ? NULL
				   : perun_profile_labels(filter->report->profile, set, &count);

	for (size_t i = 0; filter->numbers && i < count; i++) {
		if (labels[i].text == PERUN_NO_ID &&
		    (!filter->keyed || labels[i].key == filter->key) &&
		    in_range(filter, &labels[i]))
			return true;
	}
	if (filter->numbers)
		return false;
	for (size_t i = 0; i < filter->count; i++) {
		if (any_label_matches(filter, filter->expressions[i], labels, count) ==
		    filter->keyed)
			return filter->keyed;
	}
	return !filter->keyed;
}

int pprof_label_filter_new(struct pprof_report *report, const char *option, const char *text,
			   struct pprof_label_filter **out)
{
	struct pprof_label_filter *filter;
	const char *equals = strchr(text, '=');

	*out = NULL;
	if (!*text)
		return PERUN_OK;
	filter = *out = perun_alloc_zero(1, sizeof *filter);
	filter->report = report;
	filter->keyed = equals != NULL;
	if (equals) {
		filter->key =
			perun_profile_find_string(report->profile, text, (size_t)(equals - text));
		text = equals + 1;
	}
	filter->numbers = parse_range(filter, text);
	if (!filter->numbers)
		return parse_expressions(filter, option, text);
	perun_note(report->ctx, "-%s: %s is taken for a range of numbers, not for an expression",
		   option, text);
	return PERUN_OK;
}

void pprof_label_filter_free(struct pprof_label_filter *filter)
{
	if (!filter)
		return;
	for (size_t i = 0; i < filter->count; i++)
		perun_regex_free(filter->expressions[i]);
	perun_free(filter->expressions);
	perun_free(filter->own_units[0]);
	perun_free(filter->own_units[1]);
	perun_free(filter);
}
