/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of new plugins: templates in which @NAME@ and the like are replaced. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <perun/format.h>

#include "plugins/create/create.h"

/* What an example of a command line and the manual of each kind begin with. */
static const struct {
	const char *synopsis, *option;
} kinds[PERUN_KINDS] = {
	[PERUN_KIND_VCS] = {".Cm init Fl -vcs-type Cm @NAME@ Fl -vcs-path Ar DIR", "longest-log"},
	[PERUN_KIND_COLLECT] = {".Cm collect Fl c Ar command Cm @NAME@ Op Fl -repeat Ar N",
				"repeat"},
	[PERUN_KIND_POSTPROCESS] = {".Cm postprocessby Ar profile Cm @NAME@ Op Fl -factor Ar N",
				    "factor"},
	[PERUN_KIND_VIEW] = {".Cm show Ar profile Cm @NAME@ Op Fl -count Ar N", "count"},
	[PERUN_KIND_FORMAT] = {".Cm convert Fl -to Cm @NAME@ Op Fl o Cm longest-name Ns = Ns Ar N "
			       "Ar in Op Ar out",
			       "longest-name"},
	[PERUN_KIND_CHECK] = {".Cm check Fl -method Cm @NAME@", "threshold"},
	[PERUN_KIND_COMMAND] = {".Cm @NAME@ Op Fl -count Ar N Op Ar version", "count"},
	[PERUN_KIND_EXECUTOR] =
		{".Cm run Fl -executor Cm @NAME@ Op Fl -executor-params Ar yaml Cm matrix", "nice"},
};

/* The sources are both languages: C++ has designated initializers since 2020, and warns of members left out. */
#define CPP_COMPILER "$(CXX) -std=c++20 -Wno-missing-field-initializers"

struct word {
	const char *name, *value;
};

static void add_replaced(struct perun_buffer *out, const char *text, size_t length,
			 const struct word *words)
{
	for (size_t i = 0; i < length;) {
		const struct word *word = words;

		while (text[i] == '@' && word->name &&
		       (strlen(word->name) > length - i ||
			memcmp(text + i, word->name, strlen(word->name)) != 0))
			word++;
		if (text[i] == '@' && word->name) {
			perun_buffer_add_text(out, word->value);
			i += strlen(word->name);
		} else {
			perun_buffer_add_char(out, text[i++]);
		}
	}
}

/* Append an embedded file. The synopsis has words of its own, so the text goes through twice. */
static void add_file(struct perun_buffer *out, const char *name, const struct word *words)
{
	const struct template_file *file = templates;
	struct perun_buffer once = {0};

	while (file->name && strcmp(file->name, name) != 0)
		file++;
	add_replaced(&once, (const char *)file->bytes, file->name ? *file->size : 0, words);
	add_replaced(out, once.data ? once.data : "", once.length, words);
	perun_buffer_free(&once);
}

/* Write a file of the folder from one or two embedded ones. */
static int write_file(struct perun_ctx *ctx, struct perun_output *folder, const char *name,
		      const char *first, const char *second, const struct word *words)
{
	struct perun_output *file;
	struct perun_buffer text = {0};
	int status = perun_output_child(ctx, folder, name, false, &file);

	if (!status) {
		add_file(&text, first, words);
		if (second)
			add_file(&text, second, words);
		status = perun_output_write(file, text.data, text.length);
	}
	perun_buffer_free(&text);
	return status;
}

static int write_files(struct perun_ctx *ctx, struct perun_output *folder, const char *kind,
		       const char *name, bool cpp, const struct word *words)
{
	char *source = perun_format("%s.%s", name, cpp ? "cpp" : "c");
	char *template = perun_format("%s.c", kind);
	char *manual = perun_format("perun-%s-%s.%s", kind, name, words[0].value);
	char *test = perun_format("test-%s.sh", kind);
	const char *const files[][3] = {
		{source, template, NULL},          {"Makefile", "Makefile", NULL},
		{manual, "manual.in", NULL},       {"test.sh", "test.sh", test},
		{".gitignore", "gitignore", NULL}, {"COPYING", "COPYING", NULL}};
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < sizeof files / sizeof *files; i++)
		status = write_file(ctx, folder, files[i][0], files[i][1], files[i][2], words);
	perun_free(source);
	perun_free(template);
	perun_free(manual);
	perun_free(test);
	return status;
}

static int check_name(struct perun_ctx *ctx, const char *name)
{
	if (strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(name) ||
	    !islower((unsigned char)name[0]) || strlen(name) > 64)
		return perun_fail(ctx, PERUN_USAGE,
				  "a plugin has a name of lower-case letters, digits and dashes "
				  "that begins with a "
				  "letter, not \"%s\"",
				  name);
	return PERUN_OK;
}

int plugin_create(struct perun_ctx *ctx, enum perun_kind kind, const char *name, bool cpp,
		  const char *directory)
{
	const char *kind_name = perun_kind_name(kind);
	char *symbol = perun_strdup(name), *title = perun_format("PERUN-%s-%s", kind_name, name);
	char date[64] = "";
	time_t now = time(NULL);
	struct tm parts;
	/* What is called by its name has a page in section 1; a format is recognized by what a file looks like. */
	const struct word words[] = {{"@SECTION@", kind == PERUN_KIND_FORMAT ? "7" : "1"},
				     {"@NAME@", name},
				     {"@SYMBOL@", symbol},
				     {"@KIND@", kind_name},
				     {"@SUFFIX@", cpp ? "cpp" : "c"},
				     {"@FLAGS@", cpp ? "CXXFLAGS" : "CFLAGS"},
				     {"@COMPILER@", cpp ? CPP_COMPILER : "$(CC) -std=c17"},
				     {"@TITLE@", title},
				     {"@DATE@", date},
				     {"@OPTION@", kinds[kind].option},
				     {"@SYNOPSIS@", kinds[kind].synopsis},
				     {0}};
	struct perun_output *folder = NULL;
	int status = check_name(ctx, name);

	for (char *c = symbol; *c; c++)
		*c = *c == '-' ? '_' : *c;
	for (char *c = title; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	if (localtime_r(&now, &parts))
		strftime(date, sizeof date, "%B %e, %Y", &parts);
	if (!status && access(directory, F_OK) == 0)
		status = perun_fail(ctx, PERUN_USAGE, "%s exists", directory);
	if (!status)
		status = perun_output_open_directory(ctx, directory, &folder);
	if (!status)
		status = write_files(ctx, folder, kind_name, name, cpp, words);
	if (!status)
		status = perun_output_commit(ctx, folder);
	if (folder)
		perun_output_close(folder);
	perun_free(symbol);
	perun_free(title);
	return status;
}
