/* SPDX-License-Identifier: BSD-3-Clause */
/* Templates of pages: text with marks such as @TITLE@ that a view fills in. */
#ifndef PERUN_VIEWS_COMMON_TEMPLATE_H
#define PERUN_VIEWS_COMMON_TEMPLATE_H

#include <stdbool.h>
#include <string.h>

#include <perun/lib/page.h>

struct views_template {
	const char *text, *end; /* what is left */
	/* Of the piece at hand: the text before its mark, and the mark's name, "" after the last. */
	const char *piece;
	size_t length;
	char mark[16];
};

static inline struct views_template views_template(const unsigned char *text, unsigned long size)
{
	return (struct views_template){.text = (const char *)text,
				       .end = (const char *)text + size};
}

/* The next piece; false at the end. Names are shorter than `mark`. */
static inline bool views_template_next(struct views_template *page)
{
	const size_t left = (size_t)(page->end - page->text);
	const char *mark = memchr(page->text, '@', left);
	const char *close = mark ? memchr(mark + 1, '@', (size_t)(page->end - mark - 1)) : NULL;
	size_t length = close ? (size_t)(close - mark - 1) : 0;

	if (left == 0)
		return false;
	page->piece = page->text;
	page->length = close ? (size_t)(mark - page->text) : left;
	page->text = close ? close + 1 : page->end;
	if (length >= sizeof page->mark)
		length = 0;
	if (close)
		memcpy(page->mark, mark + 1, length);
	page->mark[length] = '\0';
	return true;
}

static inline bool views_template_at(const struct views_template *page, const char *mark)
{
	return strcmp(page->mark, mark) == 0;
}

/* At the mark POLICY of a page with one style element and one script. */
static inline void views_add_policy(struct perun_buffer *out, const unsigned char *style,
				    unsigned long style_size, const unsigned char *script,
				    unsigned long script_size)
{
	struct perun_page_policy policy = {0};

	perun_page_allow_style(&policy, style, style_size);
	perun_page_allow_script(&policy, script, script_size);
	perun_page_add_policy(&policy, out);
}

#endif
