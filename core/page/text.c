/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts and data in pages. */
#include <string.h>

#include <perun/lib/page.h>

void perun_page_add_text(struct perun_buffer *out, const char *text, size_t size, const char *marks)
{
	size_t done = 0;

	for (size_t i = 0; i < size; i++) {
		if (!text[i] || !strchr(marks, text[i]))
			continue;
		perun_buffer_add(out, text + done, i - done);
		perun_buffer_printf(out, "&#%d;", text[i]);
		done = i + 1;
	}
	if (done < size)
		perun_buffer_add(out, text + done, size - done);
}

void perun_page_add_json(struct perun_buffer *out, const char *json, size_t size)
{
	while (size) {
		const char *mark = memchr(json, '<', size);
		size_t plain = mark ? (size_t)(mark - json) : size;

		perun_buffer_add(out, json, plain);
		if (mark)
			perun_buffer_add_text(out, "\\u003c");
		json += plain + !!mark;
		size -= plain + !!mark;
	}
}
