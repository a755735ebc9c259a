/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles as a page: their JSON text as data, which a script unfolds. */
#include <config.h>

#include <string.h>

#include <perun/json.h>

#include "assets.h"
#include "page.h"

/* In JSON '<' stands in strings only: as an escape it cannot end the script element. */
static void write_data(const char *text, size_t length, struct perun_output *output)
{
	while (length) {
		const char *mark = memchr(text, '<', length);
		const size_t plain = mark ? (size_t)(mark - text) : length;

		perun_output_write(output, text, plain);
		if (mark)
			perun_output_text(output, "\\u003c");
		text += plain + (mark ? 1 : 0);
		length -= plain + (mark ? 1 : 0);
	}
}

static void write_name(const char *name, struct perun_output *output)
{
	struct perun_buffer quoted = {0};

	perun_json_quote(&quoted, name, strlen(name));
	write_data(quoted.data, quoted.length, output);
	perun_buffer_free(&quoted);
}

static bool is_mark(const char *mark, size_t length, const char *name)
{
	return strlen(name) == length && memcmp(mark, name, length) == 0;
}

int raw_write_page(const struct perun_buffer *texts, const char *const *names, size_t count,
		   struct perun_output *output)
{
	const char *text = (const char *)raw_page_html, *end = text + raw_page_html_size;
	int status = PERUN_OK;

	while (text < end) {
		const char *mark = memchr(text, '@', (size_t)(end - text));
		const char *close = mark ? memchr(mark + 1, '@', (size_t)(end - mark - 1)) : NULL;
		size_t length = close ? (size_t)(close - mark - 1) : 0;

		status = perun_output_write(output, text, (size_t)((close ? mark : end) - text));
		if (!close)
			break;
		if (is_mark(mark + 1, length, "STYLE"))
			perun_output_write(output, raw_page_css, raw_page_css_size);
		else if (is_mark(mark + 1, length, "SCRIPT"))
			perun_output_write(output, raw_page_js, raw_page_js_size);
		for (size_t i = 0; i < count && is_mark(mark + 1, length, "DATA"); i++) {
			perun_output_text(output, i ? ",\n{\"name\":" : "{\"name\":");
			write_name(names[i], output);
			perun_output_text(output, ",\"profile\":");
			write_data(texts[i].data, texts[i].length, output);
			perun_output_text(output, "}");
		}
		text = close + 1;
	}
	return status;
}
