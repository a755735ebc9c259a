/* SPDX-License-Identifier: BSD-3-Clause */
/* perun model --cost: an expression such as "p*t", of parameters and numbers. */
#include <config.h>

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "model.h"

/*
 * sum: product {(+|-) product}; product: power {(*|/) power}; power: atom [^ power]; atom: number, name, (sum) or
 * -atom. It is short and read again for each point.
 */
struct reader {
	const char *at;
	const struct perun_experiment *experiment;
	const double *point;
	double total;
	unsigned depth;
	const char *wrong; /* what is expected at `at`; NULL so far */
};

static double read_sum(struct reader *reader);

static void skip_blanks(struct reader *reader)
{
	while (isspace((unsigned char)*reader->at))
		reader->at++;
}

static bool takes(struct reader *reader, char c)
{
	skip_blanks(reader);
	if (reader->wrong || *reader->at != c)
		return false;
	reader->at++;
	return true;
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || (unsigned char)c >= 0x80;
}

static double read_name(struct reader *reader)
{
	size_t length = 0;

	while (is_name(reader->at[length]))
		length++;
	for (size_t p = 0; length && p < reader->experiment->parameters; p++) {
		const char *name = reader->experiment->parameter_names[p];

		if (strncmp(name, reader->at, length) == 0 && !name[length]) {
			reader->at += length;
			return reader->point[p];
		}
	}
	if (length == 1 && *reader->at == 't') {
		reader->at++;
		return reader->total;
	}
	reader->wrong = "a number, a parameter or t";
	return NAN;
}

static double read_atom(struct reader *reader)
{
	enum { MAX_DEPTH = 100 };
	double value = NAN;
	char *end;

	skip_blanks(reader);
	if (reader->wrong || ++reader->depth > MAX_DEPTH) {
		reader->wrong = reader->wrong ? reader->wrong : "fewer parentheses";
		return NAN;
	}
	if (takes(reader, '(')) {
		value = read_sum(reader);
		if (!takes(reader, ')') && !reader->wrong)
			reader->wrong = "')'";
	} else if (takes(reader, '-')) {
		value = -read_atom(reader);
	} else if (isdigit((unsigned char)*reader->at) || *reader->at == '.') {
		value = perun_strtod(reader->at, &end);
		reader->at = end;
	} else {
		value = read_name(reader);
	}
	reader->depth--;
	return value;
}

static double read_power(struct reader *reader)
{
	double base = read_atom(reader);

	/* From the right, as in mathematics; a chain is as long as the text, and that is short. */
	return takes(reader, '^') ? pow(base, read_power(reader)) : base;
}

static double read_product(struct reader *reader)
{
	double value = read_power(reader);

	while (!reader->wrong) {
		if (takes(reader, '*'))
			value *= read_power(reader);
		else if (takes(reader, '/'))
			value /= read_power(reader);
		else
			break;
	}
	return value;
}

static double read_sum(struct reader *reader)
{
	double value = read_product(reader);

	while (!reader->wrong) {
		if (takes(reader, '+'))
			value += read_product(reader);
		else if (takes(reader, '-'))
			value -= read_product(reader);
		else
			break;
	}
	return value;
}

int model_expression(struct perun_ctx *ctx, const struct perun_experiment *experiment,
		     const char *text, const double *point, double total, double *value)
{
	enum { MAX_LENGTH = 1000 };
	struct reader reader = {text, experiment, point, total, 0, NULL};

	if (strlen(text) > MAX_LENGTH)
		return perun_fail(ctx, PERUN_USAGE, "--cost: more than %d characters", MAX_LENGTH);
	*value = read_sum(&reader);
	skip_blanks(&reader);
	if (!reader.wrong && *reader.at)
		reader.wrong = "an operator or the end";
	if (reader.wrong)
		return perun_fail(ctx, PERUN_USAGE, "--cost: column %zu of '%s': expected %s",
				  (size_t)(reader.at - text) + 1, text, reader.wrong);
	return PERUN_OK;
}
