/* SPDX-License-Identifier: BSD-3-Clause */
/* Asking for the values of parsed options. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/options/table.h"
#include "core/options/value.h"

static const struct option_item *find(const struct perun_options *options, const char *name)
{
	for (size_t i = 0; i < options->count; i++) {
		if (option_name_equal(name, strlen(name), options->items[i].option.name))
			return &options->items[i];
	}
	fprintf(stderr, "perun: no option called %s in this table\n", name);
	abort();
}

/* The last value as text, NULL when there is none. */
static const char *last_value(const struct option_item *item)
{
	return item->count ? item->values[item->count - 1] : NULL;
}

bool perun_option_given(const struct perun_options *options, const char *name)
{
	return find(options, name)->given;
}

size_t perun_option_count(const struct perun_options *options, const char *name)
{
	return find(options, name)->count;
}

bool perun_option_flag(const struct perun_options *options, const char *name)
{
	return find(options, name)->on;
}

int64_t perun_option_integer(const struct perun_options *options, const char *name)
{
	const struct option_item *item = find(options, name);
	const char *text = last_value(item);
	int64_t value = 0;

	if (item->option.type == PERUN_OPTION_FLAG)
		return (int64_t)item->occurrences;
	if (text)
		option_parse_integer(text, &value);
	return value;
}

double perun_option_number(const struct perun_options *options, const char *name)
{
	const struct option_item *item = find(options, name);
	const char *text = last_value(item);
	double value = 0;

	if (text && item->option.type == PERUN_OPTION_DURATION)
		option_parse_duration(text, &value);
	else if (text)
		option_parse_number(text, &value);
	return value;
}

uint64_t perun_option_size(const struct perun_options *options, const char *name)
{
	const char *text = last_value(find(options, name));
	uint64_t value = 0;

	if (text)
		option_parse_size(text, &value);
	return value;
}

const char *perun_option_string(const struct perun_options *options, const char *name)
{
	return last_value(find(options, name));
}

const char *perun_option_string_at(const struct perun_options *options, const char *name, size_t i)
{
	const struct option_item *item = find(options, name);

	return i < item->count ? item->values[i] : NULL;
}
