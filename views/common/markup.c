/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of the outside world for markup and scripts. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/json.h>
#include <perun/lib/page.h>

#include "views/common/markup.h"

/* The length of a valid UTF-8 character at `text`, and its code; 0 when it is none. */
static size_t character(const unsigned char *text, size_t size, uint32_t *code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t length = *text < 0x80   ? 1
			: *text < 0xc2 ? 0
			: *text < 0xe0 ? 2
			: *text < 0xf0 ? 3
				       : 4;

	if (!length || *text > 0xf4 || length > size)
		return 0;
	*code = length == 1 ? *text : *text & (0x7f >> length);
	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (text[i] & 0x3f);
	}
	if (*code < least[length] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000))
		return 0;
	return length;
}

/* What cannot be seen, or would turn the text around it. */
static bool is_hidden(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad || code == 0x61c ||
	       code == 0x180e || (code >= 0x200b && code <= 0x200f) ||
	       (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) ||
	       code == 0xfeff || (code >= 0xfff9 && code <= 0xfffb) || (code & 0xfffe) == 0xfffe;
}

/* The unit separator of ASCII. */
enum { SEPARATOR = 0x1f };

void views_add_visible(struct perun_buffer *out, const char *text, size_t size, bool pictures)
{
	const unsigned char *next = (const unsigned char *)text, *end = next + size;

	while (next < end) {
		uint32_t code;
		size_t length = character(next, (size_t)(end - next), &code);

		if (!length)
			perun_buffer_printf(out, "\\x%02x", *next);
		else if (code == SEPARATOR)
			; /* between units of a text, such as names in Nsight's call paths */
		else if (pictures &&
			 code < 0x20) /* U+2400 and on are pictures of control characters */
			perun_buffer_printf(out, "\xe2\x90%c", (int)(0x80 + code));
		else if (is_hidden(code))
			perun_buffer_printf(out, "\\u%04x", code);
		else
			perun_buffer_add(out, next, length);
		next += length ? length : 1;
	}
}

void views_add_markup(struct perun_buffer *out, const char *text)
{
	struct perun_buffer plain = {0};

	views_add_visible(&plain, text, strlen(text), false);
	perun_page_add_text(out, plain.data, plain.length, PERUN_PAGE_MARKS);
	perun_buffer_free(&plain);
}

void views_add_script_text(struct perun_buffer *out, const char *text)
{
	struct perun_buffer plain = {0}, quoted = {0};

	views_add_visible(&plain, text, strlen(text), false);
	perun_json_quote(&quoted, plain.length ? plain.data : "", plain.length);
	perun_page_add_json(out, quoted.data, quoted.length);
	perun_buffer_free(&plain);
	perun_buffer_free(&quoted);
}

void views_add_script_number(struct perun_buffer *out, double number)
{
	char text[PERUN_JSON_NUMBER_SIZE];

	if (!isfinite(number)) {
		perun_buffer_add_text(out, "null");
		return;
	}
	perun_json_print_double(number, text);
	perun_buffer_add_text(out, text);
}
