/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles as a page: their JSON text as data, which a script unfolds. */
#include <config.h>

#include <string.h>

#include <perun/json.h>
#include <perun/lib/page.h>

#include "assets.h"
#include "page.h"
#include "views/common/template.h"

static void write_data(const char *text, size_t length, struct perun_output *output)
{
	enum { PIECE = 1 << 16 };
	struct perun_buffer data = {0};

	for (size_t i = 0; i < length; i += PIECE) {
		perun_buffer_clear(&data);
		perun_page_add_json(&data, text + i, length - i < PIECE ? length - i : PIECE);
		perun_output_write(output, data.data, data.length);
	}
	perun_buffer_free(&data);
}

static void write_name(const char *name, struct perun_output *output)
{
	struct perun_buffer quoted = {0};

	perun_json_quote(&quoted, name, strlen(name));
	write_data(quoted.data, quoted.length, output);
	perun_buffer_free(&quoted);
}

static void write_policy(struct perun_output *output)
{
	struct perun_buffer policy = {0};

	views_add_policy(&policy, raw_page_css, raw_page_css_size, raw_page_js, raw_page_js_size);
	perun_output_write(output, policy.data, policy.length);
	perun_buffer_free(&policy);
}

int raw_write_page(const struct perun_buffer *texts, const char *const *names, size_t count,
		   struct perun_output *output)
{
	struct views_template template = views_template(raw_page_html, raw_page_html_size);
	int status = PERUN_OK;

	while (views_template_next(&template)) {
		status = perun_output_write(output, template.piece, template.length);
		if (views_template_at(&template, "POLICY"))
			write_policy(output);
		else if (views_template_at(&template, "STYLE"))
			perun_output_write(output, raw_page_css, raw_page_css_size);
		else if (views_template_at(&template, "SCRIPT"))
			perun_output_write(output, raw_page_js, raw_page_js_size);
		for (size_t i = 0; i < count && views_template_at(&template, "DATA"); i++) {
			perun_output_text(output, i ? ",\n{\"name\":" : "{\"name\":");
			write_name(names[i], output);
			perun_output_text(output, ",\"profile\":");
			write_data(texts[i].data, texts[i].length, output);
			perun_output_text(output, "}");
		}
	}
	return status;
}
