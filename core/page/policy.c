/* SPDX-License-Identifier: BSD-3-Clause */
/* The Content-Security-Policy of a page. */
#include <stdlib.h>
#include <string.h>

#include <perun/lib/page.h>

#include "core/hash/hash.h"

enum { HEAD = 16384, BASE64_SIZE = 45 /* 44 letters and NUL */ };

static const char opening[] = "<meta http-equiv=\"Content-Security-Policy\" content=\"";

/* Each source once. */
static void add_source(struct perun_buffer *sources, const char *source)
{
	if (!sources->length || !strstr(sources->data, source))
		perun_buffer_printf(sources, " %s", source);
}

static void encode(const unsigned char bytes[PERUN_SHA256_BYTES], char letters[BASE64_SIZE])
{
	static const char alphabet[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned bits = 0, count = 0;
	char *next = letters;

	for (size_t i = 0; i < PERUN_SHA256_BYTES; i++) {
		bits = bits << 8 | bytes[i];
		for (count += 8; count >= 6; count -= 6)
			*next++ = alphabet[bits >> (count - 6) & 63];
	}
	/* Four bits are left, and the last group of four letters lacks one. */
	*next++ = alphabet[bits << 2 & 63];
	*next++ = '=';
	*next = '\0';
}

static void allow(struct perun_buffer *sources, const void *text, size_t size)
{
	unsigned char bytes[PERUN_SHA256_BYTES];
	struct perun_buffer source = {0};
	char letters[BASE64_SIZE];

	perun_sha256(text, size, bytes);
	encode(bytes, letters);
	perun_buffer_printf(&source, "'sha256-%s'", letters);
	add_source(sources, source.data);
	perun_buffer_free(&source);
}

void perun_page_allow_script(struct perun_page_policy *policy, const void *text, size_t size)
{
	allow(&policy->scripts, text, size);
}

void perun_page_allow_style(struct perun_page_policy *policy, const void *text, size_t size)
{
	allow(&policy->styles, text, size);
}

/* ---- the policy of a page -------------------------------------------------------------------- */

char *perun_page_find_policy(const char *page, size_t size)
{
	char *head = perun_strndup(page, size < HEAD ? size : HEAD), *policy = NULL;
	const char *start = strstr(head, opening), *title = strstr(head, "<title");
	const char *end = start ? strchr(start + strlen(opening), '"') : NULL;

	if (end && (!title || end < title)) {
		start += strlen(opening);
		policy = perun_strndup(start, (size_t)(end - start));
	}
	perun_free(head);
	return policy;
}

/* The hashes that follow the name of a directive, up to ';'. */
static void copy_sources(struct perun_buffer *sources, const char *policy, const char *directive)
{
	static const char prefix[] = "'sha256-";
	const char *at = strstr(policy, directive);
	const char *end = at ? at + strcspn(at, ";") : NULL;

	while (at && at < end) {
		const size_t length = strcspn(at, " ;");
		char *source = perun_strndup(at, length);

		if (strncmp(source, prefix, strlen(prefix)) == 0)
			add_source(sources, source);
		perun_free(source);
		at += length + (at[length] == ' ');
	}
}

void perun_page_allow_frame(struct perun_page_policy *policy, const char *page, size_t size)
{
	char *allowed = perun_page_find_policy(page, size);

	if (allowed) {
		copy_sources(&policy->scripts, allowed, "script-src ");
		copy_sources(&policy->styles, allowed, "style-src ");
	}
	perun_free(allowed);
}

/* ---- the element ----------------------------------------------------------------------------- */

void perun_page_add_policy(struct perun_page_policy *policy, struct perun_buffer *out)
{
	perun_buffer_printf(out,
			    "%sdefault-src 'none'; base-uri 'none'; form-action 'none'; "
			    "script-src%s; style-src%s\">",
			    opening, policy->scripts.length ? policy->scripts.data : " 'none'",
			    policy->styles.length ? policy->styles.data : " 'none'");
	perun_buffer_free(&policy->scripts);
	perun_buffer_free(&policy->styles);
	*policy = (struct perun_page_policy){0};
}
