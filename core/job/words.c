/* SPDX-License-Identifier: BSD-3-Clause */
/* Splitting a command line into words without running a shell. */
#include <config.h>

#include <ctype.h>
#include <string.h>

#include <perun/lib/program.h>

void perun_words_add(struct perun_words *words, const char *text, size_t length)
{
	if (words->count + 1 >= words->capacity) {
		words->capacity = words->capacity ? words->capacity * 2 : 8;
		words->items =
			perun_realloc_array(words->items, words->capacity, sizeof *words->items);
	}
	words->items[words->count++] = perun_strndup(text, length);
	words->items[words->count] = NULL;
}

void perun_words_free(struct perun_words *words)
{
	for (size_t i = 0; i < words->count; i++)
		perun_free(words->items[i]);
	perun_free(words->items);
	*words = (struct perun_words){0};
}

/* Copy one word to `word`, quotes undone; returns where it ends, or NULL when a quote stays open. */
static const char *copy_word(const char *text, struct perun_buffer *word)
{
	char quote = 0;

	for (; *text && (quote || !isspace((unsigned char)*text)); text++) {
		if (quote && *text == quote) {
			quote = 0;
		} else if (!quote && (*text == '\'' || *text == '"')) {
			quote = *text;
		} else if (*text == '\\' && quote != '\'' && text[1] &&
			   (!quote || strchr("\"\\$`", text[1]))) {
			perun_buffer_add_char(word, *++text);
		} else {
			perun_buffer_add_char(word, *text);
		}
	}
	return quote ? NULL : text;
}

int perun_split_words(struct perun_ctx *ctx, const char *text, struct perun_words *words)
{
	struct perun_buffer word = {0};
	const char *at = text;

	for (;;) {
		while (isspace((unsigned char)*at))
			at++;
		if (!*at)
			break;
		perun_buffer_clear(&word);
		at = copy_word(at, &word);
		if (!at) {
			perun_buffer_free(&word);
			return perun_fail(ctx, PERUN_USAGE, "a quote is not closed in: %s", text);
		}
		perun_words_add(words, word.data ? word.data : "", word.length);
	}
	perun_buffer_free(&word);
	return PERUN_OK;
}
