/* SPDX-License-Identifier: BSD-3-Clause */
/* Testing cells: numbers, texts, globs, regular expressions with bounded work. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <math.h>
#include <pcre2.h>

#include "core/query/match.h"

/* What a hostile expression may cost for one text. */
enum { MATCH_LIMIT = 1000000, DEPTH_LIMIT = 10000, HEAP_LIMIT_KIB = 20480, PATTERN_LIMIT = 65536 };

struct perun_expression {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *context;
};

static void expression_free(struct perun_expression *expression)
{
	if (!expression)
		return;
	pcre2_match_context_free(expression->context);
	pcre2_match_data_free(expression->data);
	pcre2_code_free(expression->code);
	perun_free(expression);
}

static int compile(struct perun_ctx *ctx, const char *pattern, struct perun_expression **out)
{
	struct perun_expression *expression = perun_alloc_zero(1, sizeof *expression);
	size_t length = strlen(pattern), where = 0;
	int error = 0;

	if (length > PATTERN_LIMIT) {
		perun_free(expression);
		return perun_fail(ctx, PERUN_USAGE,
				  "a regular expression of %zu bytes is too long; at most %d",
				  length, PATTERN_LIMIT);
	}
	expression->code = pcre2_compile((PCRE2_SPTR)pattern, length,
					 PCRE2_UTF | PCRE2_MATCH_INVALID_UTF |
						 PCRE2_NEVER_BACKSLASH_C | PCRE2_DOLLAR_ENDONLY,
					 &error, &where, NULL);
	if (!expression->code) {
		PCRE2_UCHAR message[256] = "";

		pcre2_get_error_message(error, message, sizeof message);
		perun_free(expression);
		return perun_fail(ctx, PERUN_USAGE, "regular expression '%s', character %zu: %s",
				  pattern, where + 1, (const char *)message);
	}
	expression->data = pcre2_match_data_create(1, NULL);
	expression->context = pcre2_match_context_create(NULL);
	pcre2_set_match_limit(expression->context, MATCH_LIMIT);
	pcre2_set_depth_limit(expression->context, DEPTH_LIMIT);
	pcre2_set_heap_limit(expression->context, HEAP_LIMIT_KIB);
	*out = expression;
	return PERUN_OK;
}

/* Predicates without their negations. */
static enum perun_predicate positive(enum perun_predicate predicate, bool *negated)
{
	*negated = true;
	switch (predicate) {
	case PERUN_NOT_EQUAL:
		return PERUN_EQUAL;
	case PERUN_NOT_MATCHES:
		return PERUN_MATCHES;
	case PERUN_NOT_LIKE:
		return PERUN_LIKE;
	case PERUN_IS_ABSENT:
		return PERUN_IS_PRESENT;
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
	if (matcher->predicate == PERUN_IS_PRESENT)
		return PERUN_OK;
	if (!value)
		return perun_fail(ctx, PERUN_USAGE, "a comparison needs a value");
	matcher->length = strlen(value);
	if (matcher->predicate == PERUN_MATCHES)
		return compile(ctx, value, &matcher->expression);
	if (matcher->predicate == PERUN_LIKE)
		return perun_glob_valid(value)
			       ? PERUN_OK
			       : perun_fail(ctx, PERUN_USAGE, "pattern '%s' ends too early", value);
	perun_cell_parse_number(value, matcher->length, &matcher->number);
	return PERUN_OK;
}

void perun_matcher_clear(struct perun_matcher *matcher)
{
	expression_free(matcher->expression);
	matcher->expression = NULL;
}

static int match_expression(struct perun_ctx *ctx, const struct perun_matcher *matcher,
			    const struct perun_cell *cell, bool *found)
{
	const struct perun_expression *expression = matcher->expression;
	int result = pcre2_match(expression->code, (PCRE2_SPTR)cell->text, cell->length, 0, 0,
				 expression->data, expression->context);

	*found = result >= 0;
	if (result >= 0 || result == PCRE2_ERROR_NOMATCH)
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
	} else if (matcher->numbers_only) {
		return false;
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
	case PERUN_EQUAL:
		return order == 0;
	case PERUN_LESS:
		return order < 0;
	case PERUN_LESS_EQUAL:
		return order <= 0;
	case PERUN_GREATER:
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

	if (found && matcher->predicate == PERUN_MATCHES) {
		perun_cell_text(cell, text);
		status = match_expression(ctx, matcher, cell, &found);
	} else if (found && matcher->predicate == PERUN_LIKE) {
		perun_cell_text(cell, text);
		found = perun_glob(matcher->value, cell->text, cell->length);
	} else if (found && matcher->predicate != PERUN_IS_PRESENT) {
		found = compare(matcher, cell, text);
	}
	*fulfilled = found != matcher->negated;
	return status;
}
