/* SPDX-License-Identifier: BSD-3-Clause */
/* Regular expressions over PCRE2 with bounded work. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

#include "core/json/utf8.h"
#include "core/regex/regex.h"

/*
 * What a hostile expression may cost for one text, and how often. RE2's syntax needs no backtracking: where that takes
 * more than QUICK_LIMIT steps, all ways are followed at once, if the text and the expression are short enough.
 */
enum { QUICK_LIMIT = 10000, MAX_SLOW = 100, MAX_PARALLEL = 1000000, WORKSPACE = 4096 };
enum { MATCH_LIMIT = 1000000, DEPTH_LIMIT = 10000, HEAP_LIMIT_KIB = 20480, PATTERN_LIMIT = 65536 };

struct perun_regex {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *context;
	pcre2_code *parallel; /* the same for pcre2_dfa_match(), once it is needed */
	char *text, *pattern; /* as given, and in PCRE2's syntax */
	unsigned flags;
	bool re2, exhausted;
	unsigned slow;             /* texts that took more than QUICK_LIMIT */
	struct perun_buffer clean; /* a text whose bad bytes were replaced */
};

void perun_regex_free(struct perun_regex *regex)
{
	if (!regex)
		return;
	pcre2_match_context_free(regex->context);
	pcre2_match_data_free(regex->data);
	pcre2_code_free(regex->code);
	pcre2_code_free(regex->parallel);
	perun_free(regex->pattern);
	perun_buffer_free(&regex->clean);
	perun_free(regex->text);
	perun_free(regex);
}

static pcre2_code *compile(const char *pattern, unsigned flags, uint32_t more, int *error,
			   size_t *where)
{
	uint32_t options = PCRE2_UTF | more | PCRE2_NEVER_BACKSLASH_C | PCRE2_DOLLAR_ENDONLY;
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	pcre2_code *code;

	if (flags & PERUN_REGEX_WHOLE)
		options |= PCRE2_ANCHORED | PCRE2_ENDANCHORED;
	if (flags & PERUN_REGEX_NO_CASE)
		options |= PCRE2_CASELESS;
	if (flags & PERUN_REGEX_RE2)
		pcre2_set_newline(context, PCRE2_NEWLINE_LF);
	code = pcre2_compile((PCRE2_SPTR)pattern, strlen(pattern), options, error, where, context);
	pcre2_compile_context_free(context);
	return code;
}

/* PCRE2's complaint; its place is one in the expression only if nothing was rewritten. */
static int complain(struct perun_ctx *ctx, const char *expression, bool rewritten, int error,
		    size_t where)
{
	PCRE2_UCHAR message[256] = "";

	pcre2_get_error_message(error, message, sizeof message);
	if (rewritten)
		return perun_fail(ctx, PERUN_USAGE, "regular expression '%s': %s", expression,
				  (const char *)message);
	return perun_fail(ctx, PERUN_USAGE, "regular expression '%s', character %zu: %s",
			  expression, where + 1, (const char *)message);
}

int perun_regex_new(struct perun_ctx *ctx, const char *expression, unsigned flags,
		    struct perun_regex **out)
{
	struct perun_buffer pattern = {0};
	struct perun_regex *regex;
	bool re2 = flags & PERUN_REGEX_RE2, rewritten;
	size_t where = 0, length = strlen(expression);
	int error = 0, status = PERUN_OK;

	*out = NULL;
	if (length > PATTERN_LIMIT)
		return perun_fail(ctx, PERUN_USAGE,
				  "a regular expression of %zu bytes is too long; at most %d",
				  length, PATTERN_LIMIT);
	if (re2)
		status = perun_regex_from_re2(ctx, expression, &pattern);
	else
		perun_buffer_add(&pattern, expression, length);
	if (status) {
		perun_buffer_free(&pattern);
		return status;
	}
	regex = perun_alloc_zero(1, sizeof *regex);
	regex->re2 = re2;
	regex->flags = flags;
	regex->pattern = pattern.data ? perun_buffer_take(&pattern) : perun_strdup("");
	regex->code = compile(regex->pattern, flags, PCRE2_MATCH_INVALID_UTF, &error, &where);
	rewritten = strcmp(regex->pattern, expression) != 0;
	if (!regex->code) {
		perun_regex_free(regex);
		return complain(ctx, expression, rewritten, error, where);
	}
	regex->text = perun_strdup(expression);
	regex->data = pcre2_match_data_create_from_pattern(regex->code, NULL);
	regex->context = pcre2_match_context_create(NULL);
	pcre2_set_depth_limit(regex->context, DEPTH_LIMIT);
	pcre2_set_heap_limit(regex->context, HEAP_LIMIT_KIB);
	*out = regex;
	return PERUN_OK;
}

/* As RE2 reads texts: each byte that is not UTF-8 is a U+FFFD. Returns the text to match. */
static const char *make_valid(struct perun_regex *regex, const char *text, size_t *length)
{
	struct perun_buffer *clean = &regex->clean;
	size_t i = 0;

	while (i < *length && !(text[i] & 0x80))
		i++;
	if (i == *length)
		return text;
	perun_buffer_clear(clean);
	perun_buffer_add(clean, text, *length); /* NUL-terminated: for utf8_length() */
	text = perun_strndup(clean->data, clean->length);
	perun_buffer_clear(clean);
	for (i = 0; i < *length;) {
		size_t size = text[i] & 0x80 ? utf8_length(text + i) : 1;

		if (size && size <= *length - i) {
			perun_buffer_add(clean, text + i, size);
			i += size;
		} else {
			perun_buffer_add_text(clean, "\xef\xbf\xbd");
			i++;
		}
	}
	perun_free((char *)text);
	*length = clean->length;
	return clean->data;
}

/* One of PCRE2's functions ended with this. */
static bool is_match(struct perun_regex *regex, int result)
{
	if (result < 0 && result != PCRE2_ERROR_NOMATCH)
		regex->exhausted = true;
	return result >= 0;
}

static int match(struct perun_regex *regex, const char *text, size_t length, uint32_t limit)
{
	pcre2_set_match_limit(regex->context, limit);
	return pcre2_match(regex->code, (PCRE2_SPTR)text, length, 0, 0, regex->data,
			   regex->context);
}

/* Whether the time that following all ways at once takes is bounded well enough. */
static bool is_short(const struct perun_regex *regex, size_t length)
{
	size_t steps = strlen(regex->text) + 1;

	return length <= MAX_PARALLEL && length * length <= MAX_PARALLEL / steps;
}

/* The text is UTF-8: pcre2_dfa_match() takes no other. */
static int match_all_ways(struct perun_regex *regex, const char *text, size_t length)
{
	int workspace[WORKSPACE], error;
	size_t where;

	if (!regex->parallel)
		regex->parallel = compile(regex->pattern, regex->flags, 0, &error, &where);
	if (!regex->parallel)
		return PCRE2_ERROR_MATCHLIMIT;
	pcre2_set_match_limit(regex->context, MATCH_LIMIT);
	return pcre2_dfa_match(regex->parallel, (PCRE2_SPTR)text, length, 0, 0, regex->data,
			       regex->context, workspace, WORKSPACE);
}

bool perun_regex_matches(struct perun_regex *regex, const char *text, size_t length)
{
	int result = PCRE2_ERROR_MATCHLIMIT;

	if (!regex->re2)
		return is_match(regex, match(regex, text, length, MATCH_LIMIT));
	text = make_valid(regex, text, &length);
	if (regex->slow < MAX_SLOW)
		result = match(regex, text, length, QUICK_LIMIT);
	if (result != PCRE2_ERROR_MATCHLIMIT)
		return is_match(regex, result);
	if (is_short(regex, length))
		result = match_all_ways(regex, text, length);
	else if (regex->slow < MAX_SLOW)
		result = match(regex, text, length, MATCH_LIMIT);
	if (regex->slow < MAX_SLOW)
		regex->slow++;
	return is_match(regex, result);
}

bool perun_regex_find(struct perun_regex *regex, const char *text, size_t length,
		      struct perun_regex_group *groups, size_t count)
{
	const size_t *bounds = pcre2_get_ovector_pointer(regex->data);
	uint32_t known = pcre2_get_ovector_count(regex->data);
	bool found = is_match(regex, match(regex, text, length, MATCH_LIMIT));

	for (size_t i = 0; i < count; i++) {
		groups[i] = (struct perun_regex_group){SIZE_MAX, SIZE_MAX};
		if (found && i < known && bounds[2 * i] != PCRE2_UNSET)
			groups[i] = (struct perun_regex_group){bounds[2 * i], bounds[2 * i + 1]};
	}
	return found;
}

bool perun_regex_exhausted(const struct perun_regex *regex)
{
	return regex->exhausted;
}

const char *perun_regex_text(const struct perun_regex *regex)
{
	return regex->text;
}
