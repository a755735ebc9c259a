/* SPDX-License-Identifier: BSD-3-Clause */
/* Conditions in words: "amount > 3 and (type == memory or not uid ~ ^foo)". */
#include <ctype.h>

#include "core/query/cell.h"

enum { DEPTH = 200 };

struct parser {
	struct perun_ctx *ctx;
	const struct perun_table *table;
	size_t rows;
	const char *text, *at;
	unsigned depth;
};

static int fail(const struct parser *parser, const char *expected)
{
	if (!*parser->at)
		return perun_fail(parser->ctx, PERUN_USAGE,
				  "condition '%s': expected %s at its end", parser->text, expected);
	return perun_fail(parser->ctx, PERUN_USAGE,
			  "condition '%s', character %zu: expected %s, found '%.20s'", parser->text,
			  (size_t)(parser->at - parser->text) + 1, expected, parser->at);
}

static void skip_blanks(struct parser *parser)
{
	while (isspace((unsigned char)*parser->at))
		parser->at++;
}

static bool is_word_end(char c)
{
	return !c || isspace((unsigned char)c);
}

/* Take a word if it comes next, whole, in lower case. */
static bool take_word(struct parser *parser, const char *word)
{
	size_t length = strlen(word);

	skip_blanks(parser);
	if (strncmp(parser->at, word, length) != 0)
		return false;
	if (!is_word_end(parser->at[length]) && !strchr("()'\"", parser->at[length]))
		return false;
	parser->at += length;
	return true;
}

static int take_quoted(struct parser *parser, struct perun_buffer *out)
{
	const char *start = parser->at;
	char quote = *parser->at++;

	for (; *parser->at && *parser->at != quote; parser->at++) {
		char next = *parser->at == '\\' ? parser->at[1] : '\0';

		if (next == '\\' || (next && next == quote))
			parser->at++;
		perun_buffer_add_char(out, *parser->at);
	}
	if (!*parser->at) {
		parser->at = start;
		return fail(parser, "a quoted text that is closed");
	}
	parser->at++;
	perun_buffer_add_text(out, "");
	return PERUN_OK;
}

static int take_column(struct parser *parser, struct perun_buffer *out)
{
	const char *start;

	skip_blanks(parser);
	if (*parser->at == '\'' || *parser->at == '"')
		return take_quoted(parser, out);
	start = parser->at;
	while (!is_word_end(*parser->at) && !strchr("()=!<>~'\"", *parser->at))
		parser->at++;
	if (parser->at == start)
		return fail(parser, "the name of a column");
	perun_buffer_add(out, start, (size_t)(parser->at - start));
	return PERUN_OK;
}

/* A bare value ends at a blank or at a parenthesis that it did not open; \ keeps what follows. */
static int take_value(struct parser *parser, struct perun_buffer *out)
{
	const char *start;
	size_t open = 0;

	skip_blanks(parser);
	if (*parser->at == '\'' || *parser->at == '"')
		return take_quoted(parser, out);
	for (start = parser->at; !is_word_end(*parser->at); parser->at++) {
		if (*parser->at == ')' && open == 0)
			break;
		if (*parser->at == '\\' && parser->at[1] && !is_word_end(parser->at[1]))
			parser->at++;
		else if (*parser->at == '(')
			open++;
		else if (*parser->at == ')')
			open--;
	}
	if (parser->at == start)
		return fail(parser, "a value");
	perun_buffer_add(out, start, (size_t)(parser->at - start));
	return PERUN_OK;
}

static int take_operator(struct parser *parser, enum perun_predicate *predicate)
{
	static const struct {
		const char *text;
		enum perun_predicate predicate;
	} signs[] = {{"==", PERUN_PREDICATE_EQUAL},         {"!=", PERUN_PREDICATE_NOT_EQUAL},
		     {"!~", PERUN_PREDICATE_NOT_MATCHES},   {"<=", PERUN_PREDICATE_LESS_EQUAL},
		     {">=", PERUN_PREDICATE_GREATER_EQUAL}, {"=", PERUN_PREDICATE_EQUAL},
		     {"<", PERUN_PREDICATE_LESS},           {">", PERUN_PREDICATE_GREATER},
		     {"~", PERUN_PREDICATE_MATCHES}};

	skip_blanks(parser);
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
		if (strncmp(parser->at, signs[i].text, strlen(signs[i].text)) == 0) {
			parser->at += strlen(signs[i].text);
			*predicate = signs[i].predicate;
			return PERUN_OK;
		}
	}
	if (take_word(parser, "like")) {
		*predicate = PERUN_PREDICATE_LIKE;
	} else if (take_word(parser, "unlike")) {
		*predicate = PERUN_PREDICATE_NOT_LIKE;
	} else if (take_word(parser, "is")) {
		bool negated = take_word(parser, "not");
		bool absent = take_word(parser, "absent");

		if (!absent && !take_word(parser, "present"))
			return fail(parser, "'absent' or 'present'");
		*predicate =
			absent != negated ? PERUN_PREDICATE_IS_ABSENT : PERUN_PREDICATE_IS_PRESENT;
	} else {
		return fail(parser, "one of == != < <= > >= ~ !~ like unlike is");
	}
	return PERUN_OK;
}

/* The column of that name, or the longest part of it before a ':' that is one, and the rest. */
static const struct perun_column *find_column(const struct perun_table *table, char *name,
					      const char **path)
{
	const struct perun_column *column = perun_table_column(table, name);
	size_t length = strlen(name);

	*path = NULL;
	while (!column && length > 0) {
		if (name[--length] != ':')
			continue;
		name[length] = '\0';
		column = perun_table_column(table, name);
		if (column && perun_column_info(column)->type != PERUN_TYPE_JSON)
			column = NULL;
		name[length] = ':';
		*path = name + length + 1;
	}
	return column;
}

static int unknown_column(const struct parser *parser, const char *name)
{
	struct perun_buffer names = {0};
	size_t count = perun_table_columns(parser->table);

	for (size_t i = 0; i < count && i < 20; i++) {
		perun_buffer_add_text(&names, i ? ", " : "");
		perun_buffer_add_text(
			&names, perun_column_info(perun_table_column_at(parser->table, i))->name);
	}
	perun_buffer_add_text(&names, count > 20 ? ", ..." : count == 0 ? "none" : "");
	perun_fail(parser->ctx, PERUN_USAGE,
		   "condition '%s': there is no column '%s'; there are: %s", parser->text, name,
		   names.data);
	perun_buffer_free(&names);
	return PERUN_USAGE;
}

static int parse_comparison(struct parser *parser, uint64_t **selection)
{
	struct perun_buffer name = {0}, value = {0};
	enum perun_predicate predicate = PERUN_PREDICATE_EQUAL;
	const struct perun_column *column;
	const char *path;
	int status = take_column(parser, &name);

	if (status == PERUN_OK)
		status = take_operator(parser, &predicate);
	if (status == PERUN_OK && predicate != PERUN_PREDICATE_IS_PRESENT &&
	    predicate != PERUN_PREDICATE_IS_ABSENT)
		status = take_value(parser, &value);
	if (status == PERUN_OK) {
		column = find_column(parser->table, name.data, &path);
		status = column ? perun_select_path(parser->ctx, column, path, predicate,
						    value.data ? value.data : "", selection)
				: unknown_column(parser, name.data);
	}
	perun_buffer_free(&name);
	perun_buffer_free(&value);
	return status;
}

static int parse_or(struct parser *parser, uint64_t **selection);

static int parse_one(struct parser *parser, uint64_t **selection)
{
	int status;

	if (parser->depth >= DEPTH)
		return fail(parser, "less nesting");
	parser->depth++;
	skip_blanks(parser);
	if (take_word(parser, "not")) {
		status = parse_one(parser, selection);
		if (status == PERUN_OK)
			perun_selection_not(*selection, parser->rows);
	} else if (*parser->at == '(') {
		parser->at++;
		status = parse_or(parser, selection);
		skip_blanks(parser);
		if (status == PERUN_OK && *parser->at != ')')
			status = fail(parser, "'and', 'or' or ')'");
		else if (status == PERUN_OK)
			parser->at++;
	} else {
		status = parse_comparison(parser, selection);
	}
	parser->depth--;
	return status;
}

static int parse_and(struct parser *parser, uint64_t **selection)
{
	int status = parse_one(parser, selection);

	while (status == PERUN_OK && take_word(parser, "and")) {
		uint64_t *other = NULL;

		status = parse_one(parser, &other);
		if (status == PERUN_OK)
			perun_selection_and(*selection, other, parser->rows);
		perun_free(other);
	}
	return status;
}

static int parse_or(struct parser *parser, uint64_t **selection)
{
	int status = parse_and(parser, selection);

	while (status == PERUN_OK && take_word(parser, "or")) {
		uint64_t *other = NULL;

		status = parse_and(parser, &other);
		if (status == PERUN_OK)
			perun_selection_or(*selection, other, parser->rows);
		perun_free(other);
	}
	return status;
}

int perun_select_where(struct perun_ctx *ctx, const struct perun_table *table,
		       const char *condition, uint64_t **selection)
{
	struct parser parser = {.ctx = ctx,
				.table = table,
				.rows = perun_table_rows(table),
				.text = condition,
				.at = condition};
	int status;

	*selection = NULL;
	status = parse_or(&parser, selection);
	skip_blanks(&parser);
	if (status == PERUN_OK && *parser.at)
		status = fail(&parser, "'and', 'or' or the end");
	if (status != PERUN_OK) {
		perun_free(*selection);
		*selection = NULL;
	}
	return status;
}
