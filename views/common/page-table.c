/* SPDX-License-Identifier: BSD-3-Clause */
/* A page of tables that sort and are searched, and of trees that fold; it needs nothing else. */
#include <config.h>

#include <string.h>

#include "views/common/markup.h"
#include "views/common/page-table.h"
#include "views/common/template.h"

void views_add_lines(struct perun_buffer *markup, const char *text, const char *between)
{
	const size_t start = markup->length;

	for (size_t length; *text; text += length) {
		text += strspn(text, "\n");
		length = strcspn(text, "\n");
		if (length) {
			char *line = perun_strndup(text, length);

			if (markup->length > start)
				perun_buffer_add_text(markup, between);
			views_add_markup(markup, line);
			perun_free(line);
		}
	}
}

/* The first line, or the others. */
static void add_heading(const char *heading, bool first, struct perun_output *output)
{
	struct perun_buffer markup = {0};
	const size_t length = strcspn(heading, "\n");
	char *title = perun_strndup(heading, length);

	views_add_lines(&markup, first ? title : heading + length, " · ");
	perun_output_write(output, markup.data ? markup.data : "", markup.length);
	perun_buffer_free(&markup);
	perun_free(title);
}

static void write_policy(struct perun_output *output)
{
	struct perun_buffer policy = {0};

	views_add_policy(&policy, views_table_css, views_table_css_size, views_table_js,
			 views_table_js_size);
	perun_output_write(output, policy.data, policy.length);
	perun_buffer_free(&policy);
}

int views_table_page(const char *heading, int (*add)(void *data, struct perun_output *output),
		     void *data, struct perun_output *output)
{
	struct views_template template = views_template(views_table_html, views_table_html_size);
	int status = PERUN_OK;

	while (!status && views_template_next(&template)) {
		status = perun_output_write(output, template.piece, template.length);
		if (views_template_at(&template, "POLICY"))
			write_policy(output);
		else if (views_template_at(&template, "STYLE"))
			perun_output_write(output, views_table_css, views_table_css_size);
		else if (views_template_at(&template, "SCRIPT"))
			perun_output_write(output, views_table_js, views_table_js_size);
		else if (views_template_at(&template, "TITLE"))
			add_heading(heading, true, output);
		else if (views_template_at(&template, "SUMMARY"))
			add_heading(heading, false, output);
		else if (views_template_at(&template, "TABLE") && !status)
			status = add(data, output);
	}
	return status;
}
