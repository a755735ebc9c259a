/* SPDX-License-Identifier: BSD-3-Clause */
/* Which numbers vary among profiles: the parameters of the experiment that they make. */
#include <stdlib.h>
#include <string.h>

#include "core/model/model.h"
#include "perun/json.h"
#include "perun/lib/experiment.h"

const char *perun_next_number(const char *text, const char **end, double *value)
{
	for (bool word = false; *text; text++) {
		bool digit = *text >= '0' && *text <= '9';
		bool letter = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') ||
			      *text == '_';
		size_t used =
			digit && !word ? perun_json_scan_double(text, strlen(text), value) : 0;

		if (used) {
			*end = text + used;
			return text;
		}
		word = letter || (word && digit);
	}
	return NULL;
}

struct search {
	struct perun_profile *const *profiles;
	size_t count;
	struct perun_varying *varying;
	uint32_t *groups; /* of each profile: those of one group agree in all that was taken */
	size_t group_count;
};

/* The numbers of one text of all profiles. */
struct numbers {
	const char *member, **places; /* where each is in the text of the first profile */
	size_t count;
	double *values; /* of each number, those of all profiles */
};

static const char *text_of(const struct search *search, size_t profile, const char *member)
{
	return perun_profile_text(search->profiles[profile], strcmp(member, "args") == 0
								     ? "/header/args"
								     : "/header/workload");
}

/* Whether two texts are the same but for their numbers. */
static bool same_words(const char *one, const char *other)
{
	for (;;) {
		const char *one_end = "", *other_end = "";
		double value;
		const char *a = perun_next_number(one, &one_end, &value);
		const char *b = perun_next_number(other, &other_end, &value);
		size_t length = a ? (size_t)(a - one) : strlen(one);

		if (!a != !b || length != (b ? (size_t)(b - other) : strlen(other)) ||
		    memcmp(one, other, length) != 0)
			return false;
		if (!a)
			return true;
		one = one_end;
		other = other_end;
	}
}

static int read_numbers(struct perun_ctx *ctx, const struct search *search, struct numbers *numbers)
{
	const char *first = text_of(search, 0, numbers->member), *end = first, *at;
	size_t room = 0;
	double value;

	while ((at = perun_next_number(end, &end, &value))) {
		PERUN_GROW(numbers->places, numbers->count, room);
		numbers->places[numbers->count++] = at;
	}
	numbers->values = perun_alloc_zero(numbers->count * search->count, sizeof *numbers->values);
	for (size_t i = 0; i < search->count; i++) {
		const char *text = text_of(search, i, numbers->member);

		if (!same_words(first, text))
			return perun_fail(ctx, PERUN_INPUT,
					  "'%s' and '%s' differ in more than numbers: name the "
					  "profiles of one %s, or say what varies",
					  first, text, numbers->member);
		end = text;
		for (size_t k = 0; perun_next_number(end, &end, &value); k++)
			numbers->values[k * search->count + i] = value;
	}
	return PERUN_OK;
}

/* SIZE of "--size=100", "-size 100", "size=100"; a number without a name is called after its place. */
static char *name_of(const char *text, const char *at, const char *source)
{
	const char *end = at > text ? at - 1 : text, *start = end;

	while (start > text && start[-1] != ' ' && start[-1] != '=')
		start--;
	if (at == text || (*end != '=' && (*end != ' ' || *start != '-')))
		return perun_strdup(source);
	start += strspn(start, "-");
	return end > start ? perun_strndup(start, (size_t)(end - start)) : perun_strdup(source);
}

/* Whether a column has the number of each profile in its rows, of which the first and the last one are asked. */
static bool has_values(const struct search *search, const char *name, const double *values)
{
	for (size_t i = 0; i < search->count; i++) {
		const struct perun_table *rows = perun_resources(search->profiles[i]);
		const struct perun_column *column = perun_table_column(rows, name);
		size_t count = perun_table_rows(rows);

		if (!column || !count || perun_column_double(column, 0) != values[i] ||
		    perun_column_double(column, count - 1) != values[i])
			return false;
	}
	return true;
}

/* The parameter of a run whose values the numbers are: cells have it as a column of its name. NULL = none. */
static const char *column_of(const struct search *search, const double *values)
{
	const struct perun_table *rows = perun_resources(search->profiles[0]);

	for (size_t i = 0; i < perun_table_columns(rows); i++) {
		const struct perun_column_info *info =
			perun_column_info(perun_table_column_at(rows, i));

		if (info->type <= PERUN_TYPE_DOUBLE && info->role == PERUN_ROLE_PLAIN &&
		    has_values(search, info->name, values))
			return info->name;
	}
	return NULL;
}

static void take(const struct search *search, const struct numbers *numbers, size_t k)
{
	const char *column = column_of(search, numbers->values + k * search->count);
	struct perun_varying *varying = search->varying;
	size_t n = varying->count++;

	varying->parameters = perun_realloc_array(varying->parameters, n + 1, sizeof(char *));
	varying->names = perun_realloc_array(varying->names, n + 1, sizeof(char *));
	varying->parameters[n] = numbers->count > 1
					 ? perun_format("%s[%zu]", numbers->member, k + 1)
					 : perun_strdup(numbers->member);
	varying->names[n] = column ? perun_strdup(column)
				   : name_of(text_of(search, 0, numbers->member),
					     numbers->places[k], varying->parameters[n]);
}

struct member {
	uint32_t group, profile;
	double value;
};

static int compare_members(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return (x->value > y->value) - (x->value < y->value);
}

/* Split the groups by a number; false where it is the same within each: what was taken says it already. */
static bool split_groups(struct search *search, const double *values)
{
	struct member *members = perun_alloc_zero(search->count, sizeof *members);
	size_t groups = 0;

	for (size_t i = 0; i < search->count; i++)
		members[i] = (struct member){search->groups[i], (uint32_t)i, values[i]};
	qsort(members, search->count, sizeof *members, compare_members);
	for (size_t i = 0; i < search->count; i++) {
		groups += i == 0 || compare_members(&members[i - 1], &members[i]) != 0;
		search->groups[members[i].profile] = (uint32_t)groups;
	}
	perun_free(members);
	if (groups == search->group_count)
		return false;
	search->group_count = groups;
	return true;
}

/* The numbers of the workload or of the arguments that vary. */
static int search_member(struct perun_ctx *ctx, struct search *search, const char *member)
{
	struct numbers numbers = {.member = member};
	int status = read_numbers(ctx, search, &numbers);

	for (size_t k = 0; k < numbers.count && !status; k++)
		if (search->varying->count < PERUN_POINT_PARAMETERS &&
		    split_groups(search, numbers.values + k * search->count))
			take(search, &numbers, k);
	perun_free(numbers.places);
	perun_free(numbers.values);
	return status;
}

int perun_experiment_varying(struct perun_ctx *ctx, struct perun_profile *const *profiles,
			     size_t count, struct perun_varying *varying)
{
	struct search search = {.profiles = profiles,
				.count = count,
				.varying = varying,
				.groups = perun_alloc_zero(count, sizeof *search.groups),
				.group_count = 1};
	int status = count ? search_member(ctx, &search, "workload") : PERUN_OK;

	if (count && !status)
		status = search_member(ctx, &search, "args");
	perun_free(search.groups);
	return status;
}

static void add_words(struct perun_buffer *words, const char *text)
{
	const char *end, *at;
	double value;

	for (; (at = perun_next_number(text, &end, &value)); text = end) {
		perun_buffer_add(words, text, (size_t)(at - text));
		perun_buffer_add_char(words, 'N');
	}
	perun_buffer_add_text(words, text);
}

char *perun_experiment_kind(const struct perun_profile *profile)
{
	const char *args = perun_profile_text(profile, "/header/args");
	const char *workload = perun_profile_text(profile, "/header/workload");
	struct perun_buffer words = {0};

	perun_buffer_add_text(&words, perun_profile_text(profile, "/header/cmd"));
	if (*args)
		perun_buffer_add_char(&words, ' ');
	add_words(&words, args);
	if (*workload)
		perun_buffer_add_char(&words, ' ');
	add_words(&words, workload);
	return perun_buffer_take(&words);
}

void perun_varying_free(struct perun_varying *varying)
{
	for (size_t i = 0; i < varying->count; i++) {
		perun_free(varying->parameters[i]);
		perun_free(varying->names[i]);
	}
	perun_free(varying->parameters);
	perun_free(varying->names);
	*varying = (struct perun_varying){.struct_size = varying->struct_size};
}
