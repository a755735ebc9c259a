/* SPDX-License-Identifier: BSD-3-Clause */
/* Testing cells: numbers, texts, globs, regular expressions with bounded work. */
#include <math.h>

#include "core/query/match.h"

/* Predicates without their negations. */
static enum perun_predicate positive(enum perun_predicate predicate, bool *negated)
{
	*negated = true;
	switch (predicate) {
	case PERUN_PREDICATE_NOT_EQUAL:
		return PERUN_PREDICATE_EQUAL;
	case PERUN_PREDICATE_NOT_MATCHES:
		return PERUN_PREDICATE_MATCHES;
	case PERUN_PREDICATE_NOT_LIKE:
		return PERUN_PREDICATE_LIKE;
	case PERUN_PREDICATE_IS_ABSENT:
		return PERUN_PREDICATE_IS_PRESENT;
	default:
		*negated = false;
		return predicate;
	}
}

int perun_matcher_init(struct perun_ctx *ctx, struct perun_matcher *matcher,
		       enum perun_predicate predicate, const char *value)
{
	*matcher = (struct perun_matcher){.value = value};
	matcher->predicate = positive(predicate, &matcher->negated);
	if (matcher->predicate == PERUN_PREDICATE_IS_PRESENT)
		return PERUN_OK;
	if (!value)
		return perun_fail(ctx, PERUN_USAGE, "a comparison needs a value");
	matcher->length = strlen(value);
	if (matcher->predicate == PERUN_PREDICATE_MATCHES)
		return perun_regex_new(ctx, value, 0, &matcher->regex);
	if (matcher->predicate == PERUN_PREDICATE_LIKE)
		return perun_glob_valid(value)
			       ? PERUN_OK
			       : perun_fail(ctx, PERUN_USAGE, "pattern '%s' ends too early", value);
	perun_cell_parse_number(value, matcher->length, &matcher->number);
	return PERUN_OK;
}

void perun_matcher_clear(struct perun_matcher *matcher)
{
	perun_regex_free(matcher->regex);
	matcher->regex = NULL;
}

static int match_expression(struct perun_ctx *ctx, const struct perun_matcher *matcher,
			    const struct perun_cell *cell, bool *found)
{
	*found = perun_regex_matches(matcher->regex, cell->text, cell->length);
	if (*found || !perun_regex_exhausted(matcher->regex))
		return PERUN_OK;
	return perun_fail(ctx, PERUN_INPUT,
			  "regular expression '%s' takes too much work on the text '%.60s'",
			  matcher->value, cell->text);
}

static bool compare(const struct perun_matcher *matcher, struct perun_cell *cell,
		    struct perun_buffer *text)
{
	struct perun_cell value = {
		.kind = PERUN_CELL_TEXT, .text = matcher->value, .length = matcher->length};
	int order;

	if (perun_cell_is_number(cell) && perun_cell_is_number(&matcher->number)) {
		if ((cell->kind == PERUN_CELL_DOUBLE && isnan(cell->real)) ||
		    (matcher->number.kind == PERUN_CELL_DOUBLE && isnan(matcher->number.real)))
			return false;
		order = perun_cell_order(cell, &matcher->number);
	} else {
		if (cell->kind == PERUN_CELL_BOOL) /* as JSON writes it, or Python */
			value.text = strcmp(value.text, "true") == 0    ? "True"
				     : strcmp(value.text, "false") == 0 ? "False"
									: value.text;
		perun_cell_text(cell, text);
		cell->kind = PERUN_CELL_TEXT;
		order = perun_cell_order(cell, &value);
	}
	switch (matcher->predicate) {
	case PERUN_PREDICATE_EQUAL:
		return order == 0;
	case PERUN_PREDICATE_LESS:
		return order < 0;
	case PERUN_PREDICATE_LESS_EQUAL:
		return order <= 0;
	case PERUN_PREDICATE_GREATER:
		return order > 0;
	default:
		return order >= 0;
	}
}

int perun_matcher_test(struct perun_ctx *ctx, const struct perun_matcher *matcher,
		       struct perun_cell *cell, struct perun_buffer *text, bool *fulfilled)
{
	bool found = cell->kind != PERUN_CELL_ABSENT;
	int status = PERUN_OK;

	if (found && matcher->predicate == PERUN_PREDICATE_MATCHES) {
		perun_cell_text(cell, text);
		status = match_expression(ctx, matcher, cell, &found);
	} else if (found && matcher->predicate == PERUN_PREDICATE_LIKE) {
		perun_cell_text(cell, text);
		found = perun_glob(matcher->value, cell->text, cell->length);
	} else if (found && matcher->predicate != PERUN_PREDICATE_IS_PRESENT) {
		found = compare(matcher, cell, text);
	}
	*fulfilled = found != matcher->negated;
	return status;
}
