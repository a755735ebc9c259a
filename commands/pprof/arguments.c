/* SPDX-License-Identifier: BSD-3-Clause */
/* pprof's command line. */
#include <elf.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perun/command.h>

#include "commands/common/candidates.h"
#include "report.h"

enum kind {
	FLAG,   /* bool; -x, -x=true, -x=0 */
	TEXT,   /* const char * */
	LIST,   /* struct pprof_texts, one more with each use */
	NUMBER, /* double */
	COUNT,  /* int64_t */
	SORT,   /* a flag that represents a value of an option */
	GRANULARITY,
	IGNORED,     /* a flag without meaning here */
	IGNORED_TEXT /* takes a value without meaning here */
};

struct option {
	const char *name;
	enum kind kind;
	size_t offset; /* in struct pprof_settings; SORT, GRANULARITY: the value */
	const char *help;
};

#define AT(member) offsetof(struct pprof_settings, member)

static const struct option options[] = {
	{"cum", SORT, true, "sort by cumulative value"},
	{"flat", SORT, false, "sort by own value (the default)"},
	{"functions", GRANULARITY, PPROF_FUNCTIONS, "a line for each function (the default)"},
	{"filefunctions", GRANULARITY, PPROF_FILE_FUNCTIONS, "for each function of each file"},
	{"files", GRANULARITY, PPROF_FILES, "for each file"},
	{"lines", GRANULARITY, PPROF_LINES, "for each line of source"},
	{"addresses", GRANULARITY, PPROF_ADDRESSES, "for each address"},
	{"noinlines", FLAG, AT(no_inlines), "count inlined functions as their callers"},
	{"showcolumns", FLAG, AT(show_columns), "distinguish columns of lines"},

	{"sample_index", TEXT, AT(sample_index), "the sample type to report: a name or number"},
	{"mean", FLAG, AT(mean), "divide by the first sample type"},
	{"unit", TEXT, AT(unit), "the unit to print: ms, MB, auto (default: minimum)"},
	{"divide_by", NUMBER, AT(divide_by), "divide all values by it"},

	{"focus", TEXT, AT(focus), "only samples with a frame that matches"},
	{"ignore", TEXT, AT(ignore), "no samples with a frame that matches"},
	{"show", TEXT, AT(show), "only frames that match"},
	{"hide", TEXT, AT(hide), "no frames that match"},
	{"show_from", TEXT, AT(show_from), "nothing above the first frame that matches"},
	{"prune_from", TEXT, AT(prune_from), "nothing below the frame that matches"},
	{"tagfocus", TEXT, AT(tag_focus), "only samples with a label: [key=]regex or range"},
	{"tagignore", TEXT, AT(tag_ignore), "no samples with such a label"},
	{"tagshow", TEXT, AT(tag_show), "only labels whose keys match"},
	{"taghide", TEXT, AT(tag_hide), "no labels whose keys match"},
	{"tagroot", TEXT, AT(tag_root), "labels as frames at the root: key,key"},
	{"tagleaf", TEXT, AT(tag_leaf), "labels as frames at the leaf"},
	{"all_frames", FLAG, AT(all_frames), "keep what drop_frames of the profile would drop"},
	{"relative_percentages", FLAG, AT(relative_percentages), "percentages of what is left"},

	{"nodecount", COUNT, AT(node_count), "at most N functions (0: all)"},
	{"nodefraction", NUMBER, AT(node_fraction), "no functions below this share (0.005)"},
	{"edgefraction", NUMBER, AT(edge_fraction), "no calls below this share (0.001)"},
	{"trim", FLAG, AT(trim), "apply the three (the default; -trim=false)"},
	{"drop_negative", FLAG, AT(drop_negative), "no functions with negative values"},
	{"call_tree", FLAG, AT(call_tree), "in graphs a node for each path"},
	{"json", FLAG, AT(json), "-top and -text as JSON, with exact values"},
	{"compact_labels", FLAG, AT(compact_labels), "no lines about the profile"},

	{"base", LIST, AT(bases), "take off this profile"},
	{"diff_base", LIST, AT(bases), "the same, with percentages of it"},
	{"normalize", FLAG, AT(normalize), "scale the profile to the total of the base"},

	{"http", TEXT, AT(http), "HOST:PORT: show it in a browser, as perun serve does"},
	{"output", TEXT, AT(output), "the file to write (default: standard output)"},
	{"add_comment", TEXT, AT(comment), "add a comment to the profile"},
	{"buildid", TEXT, AT(build_id), "the build id of the first mapping"},
	{"source_path", TEXT, AT(source_path), "where -list looks for sources: dir:dir"},
	{"trim_path", TEXT, AT(trim_path), "what to take off names of sources before"},
	{"help", FLAG, AT(help), NULL},
	{"h", FLAG, AT(help), NULL},

	{"intel_syntax", FLAG, AT(intel_syntax), "-disasm: the syntax of Intel"},
	{"symbolize", TEXT, AT(symbolize), "local, none, force, demangle=full|templates|none"},
	{"tools", TEXT, AT(tools), "folders of objdump and nm"},
	{"timeout", IGNORED_TEXT, 0, NULL},
	{"seconds", IGNORED_TEXT, 0, NULL},
	{"no_browser", IGNORED, 0, NULL},
	{NULL, 0, 0, NULL},
};

/* Older ways to choose a sample type; all but the last that is given count for nothing. */
static const struct {
	const char *name, *type;
	bool mean;
} legacy[] = {
	{"total_delay", "delay", false},           {"mean_delay", "delay", true},
	{"contentions", "contentions", false},     {"inuse_space", "inuse_space", false},
	{"inuse_objects", "inuse_objects", false}, {"alloc_space", "alloc_space", false},
	{"alloc_objects", "alloc_objects", false},
};
enum { LEGACY = sizeof legacy / sizeof *legacy };

struct reading {
	struct perun_ctx *ctx;
	struct pprof_settings *settings;
	int argc;
	char *const *argv;
	const char *sort, *granularity, *base; /* the flags that were given */
	bool legacy[LEGACY];
};

void pprof_add_text(struct pprof_texts *texts, const char *text)
{
	PERUN_GROW(texts->items, texts->count, texts->capacity);
	texts->items[texts->count++] = text;
}

static int read_flag(struct reading *reading, const char *name, const char *value, bool *flag)
{
	static const char *const words[2][6] = {{"0", "f", "F", "false", "FALSE", "False"},
						{"1", "t", "T", "true", "TRUE", "True"}};

	*flag = true;
	for (int truth = 0; value && truth < 2; truth++) {
		for (size_t i = 0; i < 6; i++) {
			if (strcmp(value, words[truth][i]) == 0) {
				*flag = truth;
				return PERUN_OK;
			}
		}
	}
	if (!value)
		return PERUN_OK;
	return perun_fail(reading->ctx, PERUN_USAGE, "-%s=%s: expected true or false", name, value);
}

/* The value of an option: what is after "=", or else the next argument. */
static int read_value(struct reading *reading, const char *name, const char **value, int *at)
{
	if (*value)
		return PERUN_OK;
	if (*at + 1 >= reading->argc)
		return perun_fail(reading->ctx, PERUN_USAGE, "-%s needs a value: -%s=...", name,
				  name);
	*value = reading->argv[++*at];
	return PERUN_OK;
}

static int choose_one(struct reading *reading, const char **chosen, const char *name)
{
	if (*chosen && strcmp(*chosen, name) != 0)
		return perun_fail(reading->ctx, PERUN_USAGE, "-%s and -%s exclude each other",
				  *chosen, name);
	*chosen = name;
	return PERUN_OK;
}

static int set_number(struct reading *reading, const struct option *option, const char *value,
		      void *member)
{
	char *end;

	errno = 0;
	if (option->kind == COUNT)
		*(int64_t *)member = strtoll(value, &end, 0);
	else
		*(double *)member = perun_strtod(value, &end);
	if (end == value || *end || errno == ERANGE)
		return perun_fail(reading->ctx, PERUN_USAGE, "-%s=%s: expected a %s", option->name,
				  value, option->kind == COUNT ? "whole number" : "number");
	return PERUN_OK;
}

static int set_flag(struct reading *reading, const struct option *option, const char *value)
{
	bool flag;
	int status = read_flag(reading, option->name, value, &flag);

	if (status || option->kind == IGNORED)
		return status;
	if (option->kind == FLAG) {
		*(bool *)((char *)reading->settings + option->offset) = flag;
	} else if (flag && option->kind == SORT) {
		status = choose_one(reading, &reading->sort, option->name);
		reading->settings->cumulative = option->offset;
	} else if (flag) {
		status = choose_one(reading, &reading->granularity, option->name);
		reading->settings->granularity = (enum pprof_granularity)option->offset;
	}
	return status;
}

static int set_option(struct reading *reading, const struct option *option, const char *value,
		      int *at)
{
	void *member = (char *)reading->settings + option->offset;
	int status;

	if (option->kind == FLAG || option->kind == SORT || option->kind == GRANULARITY ||
	    option->kind == IGNORED)
		return set_flag(reading, option, value);
	status = read_value(reading, option->name, &value, at);
	if (status || option->kind == IGNORED_TEXT)
		return status;
	if (option->kind == NUMBER || option->kind == COUNT)
		return set_number(reading, option, value, member);
	if (option->kind == TEXT) {
		*(const char **)member = value;
		return PERUN_OK;
	}
	if (!*value)
		return PERUN_OK;
	reading->settings->difference = strcmp(option->name, "diff_base") == 0;
	if (reading->base && strcmp(reading->base, option->name) != 0)
		return perun_fail(reading->ctx, PERUN_USAGE,
				  "-base and -diff_base exclude each other");
	reading->base = option->name;
	pprof_add_text(member, value);
	return PERUN_OK;
}

static int set_command(struct reading *reading, const struct pprof_command *command,
		       const char *value, int *at)
{
	struct pprof_settings *settings = reading->settings;
	bool given;
	int status;

	if (command->pattern) {
		status = read_value(reading, command->name, &value, at);
		given = value && *value;
	} else {
		status = read_flag(reading, command->name, value, &given);
	}
	if (status || !given)
		return status;
	if (command->refusal)
		return perun_fail(reading->ctx, PERUN_USAGE, "-%s is not supported: %s",
				  command->name, command->refusal);
	if (settings->command && (settings->command != command || command->pattern))
		return perun_fail(reading->ctx, PERUN_USAGE,
				  "-%s and -%s: only one report at a time", settings->command->name,
				  command->name);
	settings->command = command;
	settings->pattern = command->pattern ? value : NULL;
	return PERUN_OK;
}

static int read_option(struct reading *reading, const char *text, int *at)
{
	const char *equals = strchr(text, '=');
	char *name = perun_strndup(text, equals ? (size_t)(equals - text) : strlen(text));
	const char *value = equals ? equals + 1 : NULL;
	const struct pprof_command *command = pprof_find_command(name);
	const struct option *option = options;
	int status;

	while (option->name && strcmp(option->name, name) != 0)
		option++;
	for (size_t i = 0; i < LEGACY; i++) {
		if (strcmp(legacy[i].name, name) != 0)
			continue;
		status = read_flag(reading, name, value, &reading->legacy[i]);
		perun_free(name);
		return status;
	}
	if (command)
		status = set_command(reading, command, value, at);
	else if (option->name)
		status = set_option(reading, option, value, at);
	else
		status = perun_fail(reading->ctx, PERUN_USAGE,
				    "there is no option -%s; perun pprof -help lists them", name);
	perun_free(name);
	return status;
}

static void apply_legacy(struct reading *reading)
{
	struct pprof_settings *settings = reading->settings;

	for (size_t i = 0; i < LEGACY; i++) {
		if (!reading->legacy[i])
			continue;
		settings->mean |= legacy[i].mean;
		if (!*settings->sample_index)
			settings->sample_index = legacy[i].type;
		else
			perun_warn(reading->ctx, "a sample type is chosen already: -%s is ignored",
				   legacy[i].name);
	}
}

/* Whether a file is a program: ELF, Mach-O or PE. */
static bool is_program(const char *path)
{
	static const unsigned char macho[][4] = {{0xfe, 0xed, 0xfa, 0xce},
						 {0xfe, 0xed, 0xfa, 0xcf},
						 {0xce, 0xfa, 0xed, 0xfe},
						 {0xcf, 0xfa, 0xed, 0xfe},
						 {0xca, 0xfe, 0xba, 0xbe}};
	unsigned char start[4] = {0};
	FILE *file = fopen(path, "re");
	bool found = false;

	if (!file)
		return false;
	if (fread(start, 1, sizeof start, file) == sizeof start) {
		found = memcmp(start, ELFMAG, SELFMAG) == 0 || memcmp(start, "MZ", 2) == 0;
		for (size_t i = 0; i < sizeof macho / sizeof *macho; i++)
			found |= memcmp(start, macho[i], sizeof start) == 0;
	}
	fclose(file);
	return found;
}

static int check_inputs(struct reading *reading)
{
	struct pprof_settings *settings = reading->settings;
	struct pprof_texts *inputs = &settings->inputs;

	if (inputs->count > 1 && is_program(inputs->items[0])) {
		settings->binary = inputs->items[0];
		inputs->count--;
		memmove(inputs->items, inputs->items + 1, inputs->count * sizeof *inputs->items);
	}
	if (settings->command && settings->json && settings->command->run != pprof_report_top)
		return perun_fail(reading->ctx, PERUN_USAGE, "-json is for -top and -text");
	if (!settings->command && !*settings->http)
		return perun_fail(reading->ctx, PERUN_USAGE,
				  "no report chosen: give one, such as -top, -tree, -peek=REGEX or "
				  "-raw; perun pprof -help lists them");
	if (!inputs->count)
		return perun_fail(reading->ctx, PERUN_USAGE,
				  "no profile given: perun pprof -%s FILE ...",
				  settings->command ? settings->command->name : "http=:");
	if (settings->command && *settings->http)
		return perun_fail(reading->ctx, PERUN_USAGE, "-http shows no report: leave out -%s",
				  settings->command->name);
	if (settings->normalize && !settings->bases.count)
		return perun_fail(reading->ctx, PERUN_USAGE,
				  "-normalize needs -base or -diff_base");
	if (settings->divide_by == 0 || isnan(settings->divide_by))
		return perun_fail(reading->ctx, PERUN_USAGE,
				  "-divide_by: expected a number that is not 0");
	return PERUN_OK;
}

int pprof_read_arguments(struct perun_ctx *ctx, int argc, char *const *argv,
			 struct pprof_settings *settings)
{
	struct reading reading = {ctx, settings, argc, argv, NULL, NULL, NULL, {false}};
	bool only_inputs = false;
	int status = PERUN_OK;

	*settings = (struct pprof_settings){
		.trim = true, .divide_by = 1, .node_fraction = 0.005, .edge_fraction = 0.001};
	for (const struct option *option = options; option->name; option++) {
		if (option->kind == TEXT)
			*(const char **)((char *)settings + option->offset) = "";
	}
	settings->unit = "minimum";
	settings->node_count = -1;
	for (int i = 0; i < argc && !status; i++) {
		const char *text = argv[i];

		if (only_inputs || *text != '-' || !text[1])
			pprof_add_text(&settings->inputs, text);
		else if (strcmp(text, "--") == 0)
			only_inputs = true;
		else
			status = read_option(&reading, text + 1 + (text[1] == '-'), &i);
	}
	if (status || settings->help)
		return status;
	apply_legacy(&reading);
	pprof_read_symbolize(ctx, settings);
	return check_inputs(&reading);
}

void pprof_settings_free(struct pprof_settings *settings)
{
	perun_free(settings->inputs.items);
	perun_free(settings->bases.items);
}

void pprof_override_settings(struct pprof_settings *settings)
{
	const struct pprof_command *command = settings->command;

	if (command->lines)
		settings->granularity = PPROF_LINES;
	if (command->addresses) {
		settings->granularity = PPROF_ADDRESSES;
		settings->no_inlines = false;
	}
	if (settings->node_count == -1)
		settings->node_count = command->all_nodes ? 0 : 80;
	if (!settings->trim || command->untrimmed || command->addresses) {
		settings->node_count = 0;
		settings->node_fraction = 0;
		settings->edge_fraction = 0;
	}
}

static void print_item(struct perun_buffer *out, const char *name, const char *value,
		       const char *help)
{
	char *left = perun_format("-%s%s", name, value);

	perun_buffer_printf(out, "  %-24s %s\n", left, help);
	perun_free(left);
}

/* An option as it may be completed: -focus= goes on, -cum does not. */
static void offer(const struct perun_command_call *call, const char *name, bool value,
		  const char *help)
{
	const char *word = call->argv[call->argc - 1];
	char *text = perun_format("-%s%s", name, value ? "=" : "");

	if (help && strncmp(text, word, strlen(word)) == 0 && strcmp(text, word) != 0)
		perun_output_printf(call->output, "%s\t%s\n", text, help);
	perun_free(text);
}

static void offer_tag(void *data, const char *value, const char *explanation)
{
	const struct perun_command_call *call = data;
	const char *word = call->argv[call->argc - 1];

	if (strncmp(value, word, strlen(word)) == 0)
		perun_output_printf(call->output, "%s\t%s\n", value, explanation);
}

void pprof_complete(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	static const struct perun_option profile = {
		.name = "profile", .type = PERUN_OPTION_PATH, .flags = PERUN_OPTION_POSITIONAL};
	const char *const none[] = {NULL};
	const char *word = call->argv[call->argc - 1];
	struct commands_candidates tags = {.ctx = ctx,
					   .command = "pprof",
					   .words = none,
					   .text = word,
					   .offer = offer_tag,
					   .data = (void *)call};

	for (const struct pprof_command *command = pprof_commands; command->name; command++)
		offer(call, command->name, command->pattern, command->help);
	for (const struct option *option = options; option->name; option++) {
		offer(call, option->name, option->kind >= TEXT && option->kind <= COUNT,
		      option->help);
	}
	for (size_t i = 0; i < LEGACY; i++)
		offer(call, legacy[i].name, false, "the sample type to report");
	if (*word == '-' && !strchr(word, '='))
		return;
	if (*word != '-' && !perun_command_store(call, ctx, false, &tags.store) && tags.store)
		commands_offer_values(&tags, &profile);
	perun_ctx_clear(ctx);
	perun_output_text(call->output, "<file>\n");
}

void pprof_print_help(struct perun_buffer *out)
{
	static const char *const values[] = {
		[TEXT] = "=TEXT", [LIST] = "=FILE", [NUMBER] = "=X", [COUNT] = "=N"};

	perun_buffer_add_text(out,
			      "Usage: perun pprof -REPORT [OPTION...] [PROGRAM] PROFILE...\n\n"
			      "Print pprof's reports of stored profiles, of any format that has "
			      "stacks. Several\nprofiles are merged.\n\nReports:\n");
	for (const struct pprof_command *command = pprof_commands; command->name; command++) {
		if (command->help)
			print_item(out, command->name, command->pattern ? "=REGEX" : "",
				   command->help);
	}
	perun_buffer_add_text(out, "\nOptions:\n");
	for (const struct option *option = options; option->name; option++) {
		const char *value = option->kind <= COUNT ? values[option->kind] : NULL;

		if (option->help)
			print_item(out, option->name, value ? value : "", option->help);
	}
	perun_buffer_add_text(out,
			      "\nTo choose the sample type also: -inuse_space -inuse_objects "
			      "-alloc_space -alloc_objects\n-contentions -total_delay -mean_delay. "
			      "perun-pprof(1) says more.\n");
}
