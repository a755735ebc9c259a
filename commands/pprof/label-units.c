/* SPDX-License-Identifier: BSD-3-Clause */
/* The unit of each numeric label: one for the whole profile. */
#include <string.h>

#include "report.h"

/* Other units of a key than the one it goes by. */
struct others {
	perun_id key;
	perun_id *units;
	size_t count, capacity;
};

struct search {
	struct pprof_report *report;
	perun_id *units;  /* by key: the first that is not "" */
	uint8_t *numbers; /* by key: 1 = has numbers */
	struct others *others;
	size_t count, capacity;
};

static void add_other(struct search *search, perun_id key, perun_id unit)
{
	struct others *others = NULL;

	for (size_t i = 0; i < search->count && !others; i++) {
		if (search->others[i].key == key)
			others = &search->others[i];
	}
	if (!others) {
		PERUN_GROW(search->others, search->count, search->capacity);
		others = &search->others[search->count++];
		*others = (struct others){.key = key};
	}
	for (size_t i = 0; i < others->count; i++) {
		if (others->units[i] == unit)
			return;
	}
	PERUN_GROW(others->units, others->count, others->capacity);
	others->units[others->count++] = unit;
}

static void look_at(struct search *search, const struct perun_label *label)
{
	if (label->text != PERUN_NO_ID)
		return;
	search->numbers[label->key] = 1;
	if (!label->unit)
		return;
	if (!search->units[label->key])
		search->units[label->key] = label->unit;
	else if (search->units[label->key] != label->unit)
		add_other(search, label->key, label->unit);
}

static void note_others(struct search *search, bool warn)
{
	const struct perun_profile *profile = search->report->profile;

	for (size_t i = 0; i < search->count; i++) {
		struct others *others = &search->others[i];
		struct perun_buffer units = {0};

		for (size_t j = 0; j < others->count; j++)
			perun_buffer_printf(&units, "%s%s", j ? ", " : "",
					    perun_profile_string(profile, others->units[j], NULL));
		if (warn)
			perun_warn(search->report->ctx,
				   "label %s: numbers are taken for %s, though some are in %s",
				   perun_profile_string(profile, others->key, NULL),
				   perun_profile_string(profile, search->units[others->key], NULL),
				   units.data);
		perun_buffer_free(&units);
		perun_free(others->units);
	}
	perun_free(search->others);
}

void pprof_find_label_units(struct pprof_report *report, bool warn)
{
	const struct perun_profile *profile = report->profile;
	size_t sets = perun_profile_label_sets(profile), strings = perun_profile_strings(profile);
	struct search search = {.report = report};

	perun_free(report->label_units);
	report->label_units = NULL;
	if (!sets)
		return;
	report->label_units = perun_alloc_zero(strings + 1, sizeof *report->label_units);
	search.units = perun_alloc_zero(strings + 1, sizeof *search.units);
	search.numbers = perun_alloc_zero(strings + 1, 1);
	for (size_t i = 0; i < sets; i++) {
		size_t count;
		const struct perun_label *labels =
			perun_profile_labels(profile, (perun_id)i, &count);

		for (size_t j = 0; j < count; j++)
			look_at(&search, &labels[j]);
	}
	for (size_t i = 0; i < strings; i++) {
		const char *key;

		if (!search.numbers[i])
			continue;
		key = perun_profile_string(profile, (perun_id)i, NULL);
		if (search.units[i])
			key = perun_profile_string(profile, search.units[i], NULL);
		else if (strcmp(key, "request") == 0 || strcmp(key, "alignment") == 0)
			key = "bytes";
		report->label_units[i] = key;
	}
	note_others(&search, warn);
	perun_free(search.units);
	perun_free(search.numbers);
}
