/* SPDX-License-Identifier: BSD-3-Clause */
/* Asking for the values of parsed options. */
#include <string.h>

#include "core/options/table.h"
#include "core/options/value.h"

/* The first name that this thread asked for though its table lacks it; "" = none. */
static _Thread_local char missing[64];

int perun_options_check(struct perun_ctx *ctx)
{
	char name[sizeof missing];

	if (!*missing)
		return PERUN_OK;
	memcpy(name, missing, sizeof name);
	*missing = '\0';
	return perun_fail(ctx, PERUN_INPUT,
			  "the program asked for the option %s, which its table lacks", name);
}

static const struct option_item *find(const struct perun_options *options, const char *name)
{
	static const struct option_item absent;

	for (size_t i = 0; i < options->count; i++) {
		if (option_name_equal(name, strlen(name), options->items[i].option.name))
			return &options->items[i];
	}
	if (!*missing)
		(void)perun_snprintf(missing, sizeof missing, "%s", name);
	return &absent;
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
