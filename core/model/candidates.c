/* SPDX-License-Identifier: BSD-3-Clause */
/* The exponents that are tried, in Extra-P's order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/model.h"

struct pair {
	int8_t poly, poly_under, log;
};

static const struct pair with_logarithms[] = {
	{0, 1, 1}, {0, 1, 2}, {1, 4, 0}, {1, 3, 0}, {1, 4, 1},  {1, 3, 1}, {1, 4, 2},
	{1, 3, 2}, {1, 2, 0}, {1, 2, 1}, {1, 2, 2}, {2, 3, 0},  {3, 4, 0}, {2, 3, 1},
	{3, 4, 1}, {4, 5, 0}, {2, 3, 2}, {3, 4, 2}, {1, 1, 0},  {1, 1, 1}, {1, 1, 2},
	{5, 4, 0}, {5, 4, 1}, {4, 3, 0}, {4, 3, 1}, {3, 2, 0},  {3, 2, 1}, {3, 2, 2},
	{5, 3, 0}, {7, 4, 0}, {2, 1, 0}, {2, 1, 1}, {2, 1, 2},  {9, 4, 0}, {7, 3, 0},
	{5, 2, 0}, {5, 2, 1}, {5, 2, 2}, {8, 3, 0}, {11, 4, 0}, {3, 1, 0}, {3, 1, 1},
};

static const struct pair negative_with_logarithms[] = {
	{0, 1, -1},  {0, 1, -2},  {-1, 4, -1}, {-1, 3, -1}, {-1, 4, -2}, {-1, 3, -2},
	{-1, 2, -1}, {-1, 2, -2}, {-2, 3, -1}, {-3, 4, -1}, {-2, 3, -2}, {-3, 4, -2},
	{-1, 1, -1}, {-1, 1, -2}, {-5, 4, -1}, {-4, 3, -1}, {-3, 2, -1}, {-3, 2, -2},
	{-2, 1, -1}, {-2, 1, -2}, {-5, 2, -1}, {-5, 2, -2}, {-3, 1, -1},
};

static const struct pair plain[] = {
	{1, 4, 0}, {1, 3, 0}, {1, 2, 0}, {2, 3, 0},  {3, 4, 0}, {4, 5, 0}, {1, 1, 0},
	{5, 4, 0}, {4, 3, 0}, {3, 2, 0}, {5, 3, 0},  {7, 4, 0}, {2, 1, 0}, {9, 4, 0},
	{7, 3, 0}, {5, 2, 0}, {8, 3, 0}, {11, 4, 0}, {3, 1, 0},
};

/* What grows faster than all of the above. */
static const struct pair steep[] = {
	{3, 1, 2}, {10, 3, 0}, {7, 2, 0}, {7, 2, 1}, {4, 1, 0}, {4, 1, 1},
	{4, 1, 2}, {9, 2, 0},  {5, 1, 0}, {5, 1, 1}, {6, 1, 0},
};

struct list {
	struct perun_candidate *items;
	size_t count, room;
};

struct perun_exponent perun_fraction(int32_t numerator, int32_t denominator)
{
	return (struct perun_exponent){(double)numerator / denominator, numerator, denominator};
}

static void add(struct list *list, struct perun_exponent poly, struct perun_exponent log)
{
	PERUN_GROW(list->items, list->count, list->room);
	list->items[list->count++] = (struct perun_candidate){poly, log};
}

/* `sign` -1: x^-i instead of x^i. Logarithms have whole exponents, which print as numbers. */
static void add_pairs(struct list *list, const struct pair *pairs, size_t count, int sign)
{
	for (size_t i = 0; i < count; i++)
		add(list, perun_fraction(sign * pairs[i].poly, pairs[i].poly_under),
		    perun_fraction(sign * pairs[i].log, 1));
}

#define ADD(list, pairs, sign) add_pairs(list, pairs, sizeof(pairs) / sizeof *(pairs), sign)

static void add_defaults(struct list *list, const struct perun_modeler_options *options)
{
	if (!options->no_log_terms)
		ADD(list, with_logarithms, 1);
	else
		ADD(list, plain, 1);
	if (options->negative_exponents) {
		if (!options->no_log_terms)
			ADD(list, negative_with_logarithms, 1);
		ADD(list, plain, -1);
	}
}

/* "1,2,0.5,3/2": numbers, and fractions of whole numbers. Pieces that are neither are passed over. */
static size_t read_exponents(const char *text, struct perun_exponent *out, size_t room)
{
	size_t count = 0;

	while (text && *text && count < room) {
		struct perun_exponent exponent = {0};
		char *end;

		exponent.value = perun_strtod(text, &end);
		if (end != text) {
			size_t length = (size_t)(end - text);
			bool whole = !memchr(text, '.', length) && !memchr(text, 'e', length) &&
				     fabs(exponent.value) < 1000;

			if (whole)
				exponent = perun_fraction((int32_t)exponent.value, 1);
			if (whole && *end == '/') {
				long under = strtol(end + 1, &end, 10);

				if (under > 0 && under < 1000)
					exponent =
						perun_fraction(exponent.numerator, (int32_t)under);
			}
			if (isfinite(exponent.value) && strchr(", ", *end))
				out[count++] = exponent;
		}
		text += strcspn(text, ",");
		text += *text == ',';
	}
	return count;
}

enum { OWN_EXPONENTS = 64 };

static void add_own(struct list *list, const struct perun_modeler_options *options)
{
	struct perun_exponent polys[OWN_EXPONENTS], logs[OWN_EXPONENTS],
		none = perun_fraction(0, 1);
	size_t poly_count = read_exponents(options->poly_exponents, polys, OWN_EXPONENTS);
	size_t log_count = read_exponents(options->log_exponents, logs, OWN_EXPONENTS);

	if (!options->force_combination || log_count == 0)
		for (size_t i = 0; i < poly_count; i++)
			if (polys[i].value != 0)
				add(list, polys[i], none);
	if (!options->force_combination || poly_count == 0)
		for (size_t i = 0; i < log_count; i++)
			if (logs[i].value != 0)
				add(list, none, logs[i]);
	for (size_t i = 0; i < poly_count; i++)
		for (size_t k = 0; k < log_count; k++)
			if ((polys[i].value != 0 && logs[k].value != 0) ||
			    (options->force_combination &&
			     (polys[i].value != 0 || logs[k].value != 0)))
				add(list, polys[i], logs[k]);
}

int perun_candidates_new(struct perun_ctx *ctx, const struct perun_modeler_options *options,
			 struct perun_candidate **candidates, size_t *count)
{
	struct list list = {0};
	bool own = options->poly_exponents || options->log_exponents;

	if (own)
		add_own(&list, options);
	if (own && list.count == 0) {
		return perun_fail(ctx, PERUN_USAGE,
				  "no exponent in poly_exponents '%s' and log_exponents '%s': "
				  "expected numbers or fractions separated by commas",
				  options->poly_exponents ? options->poly_exponents : "",
				  options->log_exponents ? options->log_exponents : "");
	}
	if (!own || options->retain_default)
		add_defaults(&list, options);
	*candidates = list.items;
	*count = list.count;
	return PERUN_OK;
}

size_t perun_candidates_beside(enum perun_beside which, struct perun_candidate **candidates)
{
	struct list list = {0};

	if (which == PERUN_BESIDE_FALLING)
		ADD(&list, plain, -1);
	else
		ADD(&list, steep, 1);
	*candidates = list.items;
	return list.count;
}

double perun_candidate_value(const struct perun_candidate *candidate, double x)
{
	double value = 1;

	if (candidate->poly.value != 0)
		value *= pow(x, candidate->poly.value);
	if (candidate->log.value != 0)
		value *= pow(log2(x), candidate->log.value);
	return value;
}
