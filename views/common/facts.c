/* SPDX-License-Identifier: BSD-3-Clause */
/* What two profiles say of themselves, side by side. */
#include <config.h>

#include <math.h>
#include <string.h>
#include <time.h>

#include <perun/json.h>

#include "views/common/facts.h"

enum { MAX_FACTS = 2000, LONGEST = 400 };

/* Where the measurements themselves are, and what is said elsewhere. */
static bool is_reported(const char *section)
{
	static const char *const others[] = {"resources", "resource_type_map",
					     "models",    "metrics",
					     "snapshots", "global",
					     "extra",     NULL};

	for (size_t i = 0; others[i]; i++) {
		if (strcmp(section, others[i]) == 0)
			return false;
	}
	return true;
}

static struct views_fact *find_fact(struct views_facts *facts, const char *section,
				    const char *name)
{
	struct perun_json *names = perun_json_get(facts->places, section);
	struct views_fact *fact;
	int64_t place;

	if (perun_json_as_int64(perun_json_get(names, name), &place))
		return &facts->items[place];
	if (facts->count >= MAX_FACTS)
		return NULL;
	if (!names) {
		names = perun_json_object();
		perun_json_set(facts->places, section, names);
	}
	perun_json_set(names, name, perun_json_int64((int64_t)facts->count));
	PERUN_GROW(facts->items, facts->count, facts->capacity);
	fact = &facts->items[facts->count++];
	*fact = (struct views_fact){.section = perun_strdup(section), .name = perun_strdup(name)};
	return fact;
}

/* Nanoseconds since 1970, as profiles of stacks have them. */
static bool add_moment(const struct perun_json *value, struct perun_buffer *out)
{
	int64_t nanoseconds;
	struct tm tm;
	char text[64];
	time_t seconds;

	if (!perun_json_as_int64(value, &nanoseconds) || nanoseconds < 1000000000000000)
		return false;
	seconds = (time_t)(nanoseconds / 1000000000);
	if (!gmtime_r(&seconds, &tm) || !strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &tm))
		return false;
	perun_buffer_add_text(out, text);
	return true;
}

static char *text_of(const struct perun_json *value, bool moment)
{
	const char *string = perun_json_as_string(value, NULL);
	struct perun_buffer text = {0};

	if (string)
		perun_buffer_add_text(&text, string);
	else if (moment && add_moment(value, &text))
		return perun_buffer_take(&text);
	else
		perun_json_print(value, &text, PERUN_JSON_PYTHON, 0);
	if (text.length > LONGEST && perun_json_type(value) == PERUN_JSON_TYPE_ARRAY) {
		perun_buffer_clear(&text);
		perun_buffer_printf(&text, "%zu entries", perun_json_count(value));
	}
	if (text.length > LONGEST) {
		text.length = LONGEST;
		while (text.length && ((unsigned char)text.data[text.length] & 0xc0) == 0x80)
			text.length--;
		perun_buffer_add_text(&text, "…");
	}
	return perun_buffer_take(&text);
}

/* Members of objects have names of several words: "cpu model". */
static void add_value(struct views_facts *facts, const char *section, const char *name,
		      const struct perun_json *value, unsigned side)
{
	struct views_fact *fact;

	if (perun_json_type(value) == PERUN_JSON_TYPE_OBJECT) {
		for (size_t i = 0; i < perun_json_count(value); i++) {
			const char *key = perun_json_key_at(value, i, NULL);
			char *longer = *name ? perun_format("%s %s", name, key) : perun_strdup(key);

			add_value(facts, section, longer, perun_json_at(value, i), side);
			perun_free(longer);
		}
		return;
	}
	fact = find_fact(facts, section, name);
	if (fact && !fact->texts[side])
		fact->texts[side] =
			text_of(value, strcmp(section, "header") == 0 && strcmp(name, "time") == 0);
}

static void add_section(struct views_facts *facts, const char *section,
			struct perun_profile *const profiles[2])
{
	for (unsigned side = 0; side < 2; side++) {
		const struct perun_json *value =
			perun_json_get(perun_profile_document(profiles[side]), section);

		if (value)
			add_value(facts, section, "", value, side);
	}
}

void views_facts_of(struct perun_profile *const profiles[2], struct views_facts *facts)
{
	*facts = (struct views_facts){.places = perun_json_object()};
	add_section(facts, "header", profiles);
	add_section(facts, "machine", profiles);
	for (unsigned side = 0; side < 2; side++) {
		const struct perun_json *document = perun_profile_document(profiles[side]);

		for (size_t i = 0; i < perun_json_count(document); i++) {
			const char *section = perun_json_key_at(document, i, NULL);

			if (is_reported(section) && strcmp(section, "header") != 0 &&
			    strcmp(section, "machine") != 0)
				add_value(facts, section, "", perun_json_at(document, i), side);
		}
	}
	for (size_t i = 0; i < facts->count; i++) {
		struct views_fact *fact = &facts->items[i];

		fact->differs = !fact->texts[0] || !fact->texts[1] ||
				strcmp(fact->texts[0], fact->texts[1]) != 0;
		facts->different += fact->differs;
	}
	perun_json_free(facts->places);
	facts->places = NULL;
}

void views_facts_clear(struct views_facts *facts)
{
	for (size_t i = 0; i < facts->count; i++) {
		perun_free(facts->items[i].section);
		perun_free(facts->items[i].name);
		perun_free(facts->items[i].texts[0]);
		perun_free(facts->items[i].texts[1]);
	}
	perun_free(facts->items);
}

double views_overhead(const struct perun_profile *profile)
{
	const struct perun_json *document = perun_profile_document(profile);
	double share = 0;

	return perun_json_as_double(perun_json_path(document, "/header/overhead/share"), &share) &&
			       share >= 0.1
		       ? share
		       : 0;
}

long double views_metric_sum(const struct perun_metric *metric)
{
	const struct perun_table *table = perun_column_table(metric->values);
	size_t count;
	const uint32_t *rows = perun_metric_rows(perun_table_profile(table), metric, &count);
	const bool whole = perun_column_info(metric->values)->type == PERUN_TYPE_INT64;
	long double sum = 0;

	for (size_t i = 0; i < count; i++) {
		size_t row = rows ? rows[i] : i;
		double value;

		if (whole) {
			sum += perun_column_int64(metric->values, row);
			continue;
		}
		value = perun_column_double(metric->values, row);
		if (!isnan(value))
			sum += value;
	}
	return sum;
}
