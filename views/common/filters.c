/* SPDX-License-Identifier: BSD-3-Clause */
/* The filters that options of views name, on stacks, labels and rows. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include <perun/json.h>
#include <perun/query.h>

#include "views/common/data.h"

/* ---- names ----------------------------------------------------------------------------------- */

static int compile(struct views_data *data, const struct perun_options *options, const char *name,
		   struct perun_regex **regex)
{
	const char *text = perun_option_string(options, name);
	int status;

	*regex = NULL;
	if (!text)
		return PERUN_OK;
	status = perun_regex_new(data->ctx, text, 0, regex);
	return status ? perun_fail(data->ctx, PERUN_OK, "--%s", name) : PERUN_OK;
}

/* An expression that matches nothing is more often a mistake than a wish. */
static void report_unmatched(struct views_data *data, const struct perun_options *options,
			     const char *name, bool found)
{
	if (perun_option_string(options, name) && !found)
		perun_warn(data->ctx, "--%s %s matches nothing in %s", name,
			   perun_option_string(options, name), data->name);
}

static int filter_names(struct views_data *data, const struct perun_options *options)
{
	struct perun_name_filter filter = {0};
	struct perun_name_found found = {0};
	int status = compile(data, options, "focus", &filter.focus);

	if (!status)
		status = compile(data, options, "ignore", &filter.ignore);
	if (!status)
		status = compile(data, options, "hide", &filter.hide);
	if (!status)
		status = compile(data, options, "show", &filter.show);
	if (!status && (filter.focus || filter.ignore || filter.hide || filter.show)) {
		perun_stacks_filter(data->stacks, &filter, &found);
		report_unmatched(data, options, "focus", found.focus);
		report_unmatched(data, options, "ignore", found.ignore);
		report_unmatched(data, options, "hide", found.hide);
		report_unmatched(data, options, "show", found.show);
	}
	perun_regex_free(filter.focus);
	perun_regex_free(filter.ignore);
	perun_regex_free(filter.hide);
	perun_regex_free(filter.show);
	return status;
}

static int cut_stacks(struct views_data *data, const struct perun_options *options)
{
	struct perun_regex *from = NULL, *prune = NULL;
	int status = compile(data, options, "show-from", &from);

	if (!status)
		status = compile(data, options, "prune-from", &prune);
	if (!status && from)
		report_unmatched(data, options, "show-from",
				 perun_stacks_show_from(data->stacks, from));
	if (!status && prune)
		perun_stacks_prune_from(data->stacks, prune);
	perun_regex_free(from);
	perun_regex_free(prune);
	return status;
}

/* What the profile itself says: frames of the machinery of measuring, mostly. */
static int drop_frames(struct views_data *data, const struct perun_options *options)
{
	const char *texts[2] = {perun_profile_text(data->profile, "/extra/pprof/drop_frames"),
				perun_profile_text(data->profile, "/extra/pprof/keep_frames")};
	struct perun_regex *regexes[2] = {NULL, NULL};

	if (perun_option_flag(options, "all-frames") || !*texts[0])
		return PERUN_OK;
	for (size_t i = 0; i < 2; i++) {
		if (*texts[i] &&
		    perun_regex_new(data->ctx, texts[i], PERUN_REGEX_WHOLE | PERUN_REGEX_RE2,
				    &regexes[i])) {
			perun_warn(data->ctx, "%s says which frames to %s, but wrongly: %s",
				   data->name, i ? "keep" : "drop", perun_ctx_error(data->ctx));
			perun_ctx_clear(data->ctx);
		}
	}
	if (regexes[0])
		perun_stacks_prune(data->stacks, regexes[0], regexes[1]);
	perun_regex_free(regexes[0]);
	perun_regex_free(regexes[1]);
	return PERUN_OK;
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* "KEY=REGEX", "KEY" (any value), or "KEY<N" and the like for numbers. */
struct label_rule {
	char *key;
	char comparison; /* 0, '<', '>', 'l' (<=), 'g' (>=) */
	double number;
	struct perun_regex *regex;
};

struct label_filter {
	const struct perun_profile *profile;
	const struct label_rule *rule;
	bool wanted;
};

static int parse_rule(struct views_data *data, const char *option, const char *text,
		      struct label_rule *rule)
{
	size_t length = strcspn(text, "=<>");
	const char *value = text + length;
	int status = PERUN_OK;

	*rule = (struct label_rule){.key = perun_strndup(text, length)};
	if (length == 0)
		return perun_fail(
			data->ctx, PERUN_USAGE,
			"--%s %s: expected KEY, KEY=REGEX, KEY<N, KEY<=N, KEY>N or KEY>=N", option,
			text);
	if (*value == '=') {
		status = perun_regex_new(data->ctx, value + 1, 0, &rule->regex);
	} else if (*value) {
		rule->comparison = *value++;
		if (*value == '=') {
			rule->comparison = rule->comparison == '<' ? 'l' : 'g';
			value++;
		}
		if (!perun_json_parse_double(value, strlen(value), &rule->number))
			status = perun_fail(data->ctx, PERUN_USAGE, "%s is not a number", value);
	}
	return status ? perun_fail(data->ctx, PERUN_OK, "--%s %s", option, text) : PERUN_OK;
}

static bool value_fits(const struct label_rule *rule, const struct perun_profile *profile,
		       const struct perun_label *label)
{
	char number[64];
	const char *text = number;
	size_t length;

	switch (rule->comparison) {
	case '<':
		return label->text == PERUN_NO_ID && (double)label->number < rule->number;
	case '>':
		return label->text == PERUN_NO_ID && (double)label->number > rule->number;
	case 'l':
		return label->text == PERUN_NO_ID && (double)label->number <= rule->number;
	case 'g':
		return label->text == PERUN_NO_ID && (double)label->number >= rule->number;
	default:
		break;
	}
	if (!rule->regex)
		return true;
	if (label->text != PERUN_NO_ID) {
		text = perun_profile_string(profile, label->text, &length);
	} else {
		snprintf(number, sizeof number, "%lld", (long long)label->number);
		length = strlen(number);
	}
	return perun_regex_matches(rule->regex, text, length);
}

static bool keep_labels(void *context, perun_id labels)
{
	const struct label_filter *filter = context;
	const struct perun_label *set = NULL;
	size_t count = 0;

	if (labels != PERUN_NO_ID)
		set = perun_profile_labels(filter->profile, labels, &count);
	for (size_t i = 0; i < count; i++) {
		const char *key = perun_profile_string(filter->profile, set[i].key, NULL);

		if (strcmp(key, filter->rule->key) == 0 &&
		    value_fits(filter->rule, filter->profile, &set[i]))
			return filter->wanted;
	}
	return !filter->wanted;
}

static int filter_labels(struct views_data *data, const struct perun_options *options,
			 const char *option, bool wanted)
{
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < perun_option_count(options, option); i++) {
		struct label_rule rule;
		struct label_filter filter = {data->profile, &rule, wanted};

		status =
			parse_rule(data, option, perun_option_string_at(options, option, i), &rule);
		if (!status)
			perun_stacks_filter_labels(data->stacks, keep_labels, &filter);
		perun_regex_free(rule.regex);
		perun_free(rule.key);
	}
	return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The rows that fulfil each --where; NULL when there is none. */
static int select_where(struct views_data *data, const struct perun_options *options,
			uint64_t **selection)
{
	const struct perun_table *table = perun_resources(data->profile);
	int status = PERUN_OK;

	*selection = NULL;
	for (size_t i = 0; !status && i < perun_option_count(options, "where"); i++) {
		const char *condition = perun_option_string_at(options, "where", i);
		uint64_t *one = NULL;

		status = perun_select_where(data->ctx, table, condition, &one);
		if (status) {
			perun_fail(data->ctx, PERUN_OK, "--where %s", condition);
		} else if (*selection) {
			perun_selection_and(*selection, one, perun_table_rows(table));
			perun_free(one);
		} else {
			*selection = one;
		}
	}
	return status;
}

int views_filter_stacks(struct views_data *data, const struct perun_options *options)
{
	uint64_t *rows = NULL;
	int status = select_where(data, options, &rows);

	if (!status && rows)
		perun_stacks_filter_rows(data->stacks, rows);
	perun_free(rows);
	if (!status)
		status = drop_frames(data, options);
	if (!status)
		status = filter_labels(data, options, "label", true);
	if (!status)
		status = filter_labels(data, options, "no-label", false);
	if (!status)
		status = filter_names(data, options);
	return status ? status : cut_stacks(data, options);
}

/* Rows whose text matches (or does not); those without a text count as "". */
static int select_text(struct views_data *data, const struct perun_options *options,
		       const char *option, bool wanted)
{
	struct perun_groups *groups = NULL;
	struct perun_regex *regex = NULL;
	bool found = false;
	int status = compile(data, options, option, &regex);

	if (!status && regex)
		status = perun_group_by_uid(data->ctx, perun_resources(data->profile),
					    data->selection, &groups);
	for (size_t g = 0; groups && g < groups->count; g++) {
		const char *text = groups->texts[g];
		bool matches = perun_regex_matches(regex, text, strlen(text));

		found |= matches;
		groups->size[g] = matches == wanted;
	}
	for (size_t row = 0; groups && row < groups->rows; row++) {
		uint32_t group = groups->group_of_row[row];

		if (group != PERUN_NO_ID && !groups->size[group])
			data->selection[row / 64] &= ~((uint64_t)1 << (row % 64));
	}
	if (groups)
		report_unmatched(data, options, option, found);
	perun_groups_free(groups);
	perun_regex_free(regex);
	return status;
}

int views_filter_rows(struct views_data *data, const struct perun_options *options)
{
	static const char *const need_stacks[] = {"show-from", "prune-from", "label",
						  "no-label",  "root-label", "leaf-label"};
	uint64_t *rows = NULL;
	int status;

	for (size_t i = 0; i < sizeof need_stacks / sizeof *need_stacks; i++) {
		if (perun_option_given(options, need_stacks[i]))
			return perun_fail(data->ctx, PERUN_USAGE,
					  "--%s works on stacks, and %s has none", need_stacks[i],
					  data->name);
	}
	status = select_where(data, options, &rows);
	if (!status && rows)
		perun_selection_and(data->selection, rows,
				    perun_table_rows(perun_resources(data->profile)));
	perun_free(rows);
	if (!status)
		status = select_text(data, options, "focus", true);
	if (!status)
		status = select_text(data, options, "show", true);
	if (!status)
		status = select_text(data, options, "ignore", false);
	return status ? status : select_text(data, options, "hide", false);
}
