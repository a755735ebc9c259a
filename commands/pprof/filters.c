/* SPDX-License-Identifier: BSD-3-Clause */
/* The filters of a report, in pprof's order. */
#include <string.h>

#include "report.h"

static void warn_no_matches(struct pprof_report *report, const char *option, const char *text,
			    bool found)
{
	if (*text && !found)
		perun_warn(report->ctx, "-%s=%s matched no samples", option, text);
}

/* ---- names ----------------------------------------------------------------------------------- */

static int filter_names(struct pprof_report *report)
{
	const struct pprof_settings *settings = &report->settings;
	struct perun_name_filter filter = {0};
	struct perun_name_found found = {0};
	int status;

	status = pprof_compile(report->ctx, "focus", settings->focus, &filter.focus);
	if (!status)
		status = pprof_compile(report->ctx, "ignore", settings->ignore, &filter.ignore);
	if (!status)
		status = pprof_compile(report->ctx, "hide", settings->hide, &filter.hide);
	if (!status)
		status = pprof_compile(report->ctx, "show", settings->show, &filter.show);
	if (!status) {
		perun_stacks_filter(report->stacks, &filter, &found);
		warn_no_matches(report, "focus", settings->focus, found.focus);
		warn_no_matches(report, "ignore", settings->ignore, found.ignore);
		warn_no_matches(report, "hide", settings->hide, found.hide);
		warn_no_matches(report, "show", settings->show, found.show);
	}
	perun_regex_free(filter.focus);
	perun_regex_free(filter.ignore);
	perun_regex_free(filter.hide);
	perun_regex_free(filter.show);
	return status;
}

static int show_from(struct pprof_report *report)
{
	const char *text = report->settings.show_from;
	struct perun_regex *regex;
	int status = pprof_compile(report->ctx, "show_from", text, &regex);

	if (!status && regex)
		warn_no_matches(report, "show_from", text,
				perun_stacks_show_from(report->stacks, regex));
	perun_regex_free(regex);
	return status;
}

static int prune_from(struct pprof_report *report)
{
	struct perun_regex *regex;
	int status = pprof_compile(report->ctx, "prune_from", report->settings.prune_from, &regex);

	if (!status && regex)
		perun_stacks_prune_from(report->stacks, regex);
	perun_regex_free(regex);
	return status;
}

/* ---- labels ---------------------------------------------------------------------------------- */

struct label_filters {
	struct pprof_label_filter *focus, *ignore;
	bool focused, ignored; /* some sample was */
};

static bool keep_labels(void *data, perun_id set)
{
	struct label_filters *filters = data;
	bool focused = !filters->focus || pprof_label_filter_matches(filters->focus, set);
	bool ignored = filters->ignore && pprof_label_filter_matches(filters->ignore, set);

	filters->focused |= focused;
	filters->ignored |= ignored;
	return focused && !ignored;
}

static int filter_labels(struct pprof_report *report)
{
	const struct pprof_settings *settings = &report->settings;
	struct label_filters filters = {0};
	int status;

	if (!*settings->tag_focus && !*settings->tag_ignore)
		return PERUN_OK;
	status = pprof_label_filter_new(report, "tagfocus", settings->tag_focus, &filters.focus);
	if (!status)
		status = pprof_label_filter_new(report, "tagignore", settings->tag_ignore,
						&filters.ignore);
	if (!status) {
		perun_stacks_filter_labels(report->stacks, keep_labels, &filters);
		warn_no_matches(report, "tagfocus", settings->tag_focus, filters.focused);
		warn_no_matches(report, "tagignore", settings->tag_ignore, filters.ignored);
	}
	pprof_label_filter_free(filters.focus);
	pprof_label_filter_free(filters.ignore);
	return status;
}

struct key_filter {
	struct pprof_report *report;
	struct perun_regex *show, *hide;
	bool shown, hidden; /* some key was */
};

static void judge_key(struct key_filter *filter, perun_id key)
{
	const char *name = perun_profile_string(filter->report->profile, key, NULL);
	size_t length = strlen(name);
	bool show = !filter->show || perun_regex_matches(filter->show, name, length);
	bool hide = filter->hide && perun_regex_matches(filter->hide, name, length);

	filter->shown |= show;
	filter->hidden |= hide;
	filter->report->hidden[key] = !show || hide ? 1 : 2;
}

/* Each label set of a sample that is left. */
static bool judge_keys(void *data, perun_id set)
{
	struct key_filter *filter = data;
	size_t count = 0;
	const struct perun_label *labels =
		set == PERUN_NO_ID ? NULL
				   : perun_profile_labels(filter->report->profile, set, &count);

	for (size_t i = 0; i < count; i++) {
		if (!filter->report->hidden[labels[i].key])
			judge_key(filter, labels[i].key);
	}
	return true;
}

static int filter_keys(struct pprof_report *report)
{
	const struct pprof_settings *settings = &report->settings;
	size_t strings = perun_profile_strings(report->profile);
	struct key_filter filter = {.report = report};
	int status;

	if (!*settings->tag_show && !*settings->tag_hide)
		return PERUN_OK;
	status = pprof_compile(report->ctx, "tagshow", settings->tag_show, &filter.show);
	if (!status)
		status = pprof_compile(report->ctx, "taghide", settings->tag_hide, &filter.hide);
	if (!status) {
		report->hidden = perun_alloc_zero(strings + 1, 1);
		perun_stacks_filter_labels(report->stacks, judge_keys, &filter);
		for (size_t i = 0; i < strings; i++)
			report->hidden[i] = report->hidden[i] == 1;
		report->hidden_keys = report->hidden;
		warn_no_matches(report, "tagshow", settings->tag_show, filter.shown);
		warn_no_matches(report, "taghide", settings->tag_hide, filter.hidden);
	}
	perun_regex_free(filter.show);
	perun_regex_free(filter.hide);
	return status;
}

int pprof_filter(struct pprof_report *report)
{
	int status = filter_names(report);

	if (!status)
		status = show_from(report);
	if (!status)
		status = filter_labels(report);
	if (!status)
		status = filter_keys(report);
	if (!status)
		status = prune_from(report);
	return status;
}
