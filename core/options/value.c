/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers, sizes and durations as users write them, and their validation. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <perun/json.h>
#include <perun/lib/options.h>

#include "core/options/table.h"
#include "core/options/value.h"

bool option_parse_integer(const char *text, int64_t *value)
{
	size_t digits = strspn(text + (*text == '-' || *text == '+'), "0123456789");
	long long parsed;

	if (digits == 0 || text[digits + (*text == '-' || *text == '+')] != '\0')
		return false;
	errno = 0;
	parsed = strtoll(text, NULL, 10);
	if (errno)
		return false;
	*value = parsed;
	return true;
}

/* A decimal number at the start, whatever the locale; the text after it, or NULL. */
static const char *scan_number(const char *text, double *value)
{
	size_t used = perun_json_scan_double(text, strlen(text), value);

	return used ? text + used : NULL;
}

bool option_parse_number(const char *text, double *value)
{
	double parsed;
	const char *end = scan_number(text, &parsed);

	if (!end || *end || isnan(parsed))
		return false;
	*value = parsed;
	return true;
}

bool option_parse_size(const char *text, uint64_t *value)
{
	static const char letters[] = "kMGTP";
	double parsed, factor = 1;
	const char *end = scan_number(text, &parsed);

	if (!end || !(parsed >= 0))
		return false;
	if (*end && *end != 'B') {
		const char *letter = strchr(letters, *end == 'K' ? 'k' : *end);

		if (!letter && *end == 'm')
			letter = letters + 1;
		if (!letter && *end == 'g')
			letter = letters + 2;
		if (!letter)
			return false;
		factor = ldexp(1, 10 * (int)(letter - letters + 1));
		end++;
	}
	if (*end == 'i' && end[1] == 'B' && factor > 1)
		end++;
	if (*end == 'B')
		end++;
	if (*end || parsed * factor >= 0x1p63)
		return false;
	*value = (uint64_t)(parsed * factor);
	return true;
}

bool option_parse_duration(const char *text, double *value)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = {{"", 1},   {"s", 1},    {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9},
		     {"m", 60}, {"min", 60}, {"h", 3600},  {"d", 86400}};
	double parsed;
	const char *end = scan_number(text, &parsed);

	if (!end || !(parsed >= 0) || isinf(parsed))
		return false;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (strcmp(end, units[i].name) == 0) {
			*value = parsed * units[i].seconds;
			return true;
		}
	}
	return false;
}

bool option_parse_flag(const char *text, bool *value)
{
	static const char *const words[][2] = {
		{"false", "true"}, {"no", "yes"}, {"off", "on"}, {"0", "1"}};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		for (int on = 0; on < 2; on++) {
			if (strcasecmp(text, words[i][on]) == 0) {
				*value = on;
				return true;
			}
		}
	}
	return false;
}

/* Says what is wrong with a value: "option --repeat: 0 is less than 1". */
static int refuse(struct perun_ctx *ctx, const struct perun_option *option, const char *value,
		  const char *what)
{
	struct perun_buffer spelling = {0};
	int status;

	option_spelling(option, &spelling);
	status = perun_fail(ctx, PERUN_USAGE, "%s: '%s' %s", spelling.data, value, what);
	perun_buffer_free(&spelling);
	return status;
}

/* What tables give as the most where there is none. */
#define UNLIMITED 1e15

static int check_range(struct perun_ctx *ctx, const struct perun_option *option, const char *value,
		       double number)
{
	char text[96];

	if (!option->ranged || (number >= option->minimum && number <= option->maximum))
		return PERUN_OK;
	if (option->maximum >= UNLIMITED)
		(void)perun_snprintf(text, sizeof text,
				     "is too small; expected a number from %.15g", option->minimum);
	else if (isinf(option->minimum))
		(void)perun_snprintf(text, sizeof text,
				     "is too large; expected a number up to %.15g",
				     option->maximum);
	else
		(void)perun_snprintf(text, sizeof text,
				     "is out of range; expected a number from %.15g to %.15g",
				     option->minimum, option->maximum);
	return refuse(ctx, option, value, text);
}

/* The choice that is meant, with `-` and `_` for each other; NULL when it is none. */
static char *choice_of(const struct perun_option *option, const char *value)
{
	const char *list = option->choices, *word;
	char *like = NULL;
	size_t length;

	while ((word = option_next_word(&list, &length))) {
		char *choice = perun_strndup(word, length);

		if (strcmp(choice, value) == 0 ||
		    (!like && option_name_equal(value, strlen(value), choice))) {
			perun_free(like);
			like = choice;
		} else {
			perun_free(choice);
		}
	}
	return like;
}

static int check_choice(struct perun_ctx *ctx, const struct perun_option *option, const char *value)
{
	const char *list = option->choices, *word, *near;
	struct perun_buffer text = {0};
	char **names = NULL;
	size_t count = 0, capacity = 0, length;
	int status = PERUN_OK;
	char *meant = choice_of(option, value);

	perun_buffer_add_text(&text, "is not one of");
	while ((word = option_next_word(&list, &length))) {
		perun_buffer_printf(&text, "%s %.*s", count ? "," : "", (int)length, word);
		PERUN_GROW(names, count, capacity);
		names[count++] = perun_strndup(word, length);
	}
	if (!meant) {
		near = perun_suggest(value, (const char *const *)names, count);
		if (near && count > 4)
			perun_buffer_printf(&text, "; did you mean %s?", near);
		status = refuse(ctx, option, value, text.data);
	}
	for (size_t i = 0; i < count; i++)
		perun_free(names[i]);
	perun_free(names);
	perun_free(meant);
	perun_buffer_free(&text);
	return status;
}

static int check_value(struct perun_ctx *ctx, const struct option_item *item, const char *value)
{
	const struct perun_option *option = &item->option;
	int64_t integer;
	uint64_t size;
	double number;

	switch (option->type) {
	case PERUN_OPTION_INTEGER:
		if (!option_parse_integer(value, &integer))
			return refuse(ctx, option, value, "is not an integer");
		return check_range(ctx, option, value, (double)integer);
	case PERUN_OPTION_NUMBER:
		if (!option_parse_number(value, &number))
			return refuse(ctx, option, value, "is not a number");
		return check_range(ctx, option, value, number);
	case PERUN_OPTION_SIZE:
		if (!option_parse_size(value, &size))
			return refuse(ctx, option, value, "is not a size such as 4096, 10k or 5M");
		return check_range(ctx, option, value, (double)size);
	case PERUN_OPTION_DURATION:
		if (!option_parse_duration(value, &number))
			return refuse(ctx, option, value,
				      "is not a duration such as 0.5, 10s or 5m");
		return check_range(ctx, option, value, number);
	case PERUN_OPTION_CHOICE:
		return option->choices ? check_choice(ctx, option, value) : PERUN_OK;
	case PERUN_OPTION_PATH:
		/* Of words of a command the later ones are its arguments. */
		if (!*value && item->count == 0 && value != option->default_value)
			return refuse(ctx, option, value, "is not the name of a file");
		break;
	case PERUN_OPTION_FLAG:
	case PERUN_OPTION_STRING:
	case PERUN_OPTION_LIST:
		break;
	}
	return PERUN_OK; /* also types that a newer plugin knows */
}

static void keep(struct option_item *item, char *value)
{
	PERUN_GROW(item->values, item->count, item->capacity);
	item->values[item->count++] = value;
}

int option_item_add(struct perun_ctx *ctx, struct option_item *item, const char *value)
{
	int status = check_value(ctx, item, value);

	if (status != PERUN_OK)
		return status;
	if (item->option.type != PERUN_OPTION_LIST) {
		bool choice = item->option.type == PERUN_OPTION_CHOICE && item->option.choices;

		keep(item, choice ? choice_of(&item->option, value) : perun_strdup(value));
		return PERUN_OK;
	}
	while (*value) {
		size_t length = strcspn(value, ",");

		if (length)
			keep(item, perun_strndup(value, length));
		value += length + (value[length] == ',');
	}
	return PERUN_OK;
}

/* Put the default, written as the user would write it, in place of what was not given. */
static int set_default(struct perun_ctx *ctx, struct option_item *item)
{
	const char *list = item->option.default_value, *word;
	size_t length;

	if (item->option.type == PERUN_OPTION_FLAG) {
		option_parse_flag(list, &item->on);
		return PERUN_OK;
	}
	if (option_arity(&item->option) == 1)
		return option_item_add(ctx, item, list);
	while ((word = option_next_word(&list, &length))) {
		char *value = perun_strndup(word, length);
		int status = option_item_add(ctx, item, value);

		perun_free(value);
		if (status != PERUN_OK)
			return status;
	}
	return PERUN_OK;
}

static bool help_given(const struct perun_options *options)
{
	for (size_t i = 0; i < options->count; i++) {
		const struct option_item *item = &options->items[i];

		if (item->given && strcmp(item->option.name, "help") == 0)
			return true;
	}
	return false;
}

int option_table_finish(struct perun_ctx *ctx, struct perun_options *options)
{
	bool help = help_given(options); /* who asks for help need not give what is required */

	for (size_t i = 0; i < options->count; i++) {
		struct option_item *item = &options->items[i];
		int status = PERUN_OK;

		if (item->given)
			continue;
		if (item->option.default_value) {
			status = set_default(ctx, item);
		} else if ((item->option.flags & PERUN_OPTION_REQUIRED) && !help) {
			struct perun_buffer spelling = {0};

			option_spelling(&item->option, &spelling);
			status = perun_fail(ctx, PERUN_USAGE, "%s is missing%s%s%s%s",
					    spelling.data, item->option.help ? ": " : "",
					    item->option.help ? item->option.help : "",
					    item->option.choices ? ", one of " : "",
					    item->option.choices ? item->option.choices : "");
			perun_buffer_free(&spelling);
		}
		if (status != PERUN_OK)
			return status;
	}
	return PERUN_OK;
}
