/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of the view `flamegraph`. */
#include <config.h>

#include <string.h>

/* -f and -w are --filename and --width here, as the Python program has them. */
#define VIEWS_FOCUS_ALIASES NULL
#define VIEWS_WHERE_ALIASES NULL
#include "views/common/data.h"

#include "flame.h"

const struct perun_option flame_options[] = {
	VIEWS_DATA_OPTIONS,
	{.name = "title",
	 .metavar = "TEXT",
	 .help = "the heading (default: the command that was measured)",
	 .type = PERUN_OPTION_STRING},
	{.name = "view",
	 .metavar = "VIEW",
	 .help = "callees, callers, rows in time order, or one function",
	 .default_value = "tree",
	 .choices = "tree callers time sandwich",
	 .type = PERUN_OPTION_CHOICE},
	{.name = "callers",
	 .aliases = "--inverted --reverse",
	 .help = "merged from the leaf: the same as --view callers"},
	{.name = "sandwich",
	 .metavar = "FUNCTION",
	 .help = "the callers and the callees of one function",
	 .type = PERUN_OPTION_STRING},
	{.name = "flame", .help = "the root below, boxes above their callers"},
	{.name = "icicle", .help = "the root above (default)"},
	{.name = "order",
	 .metavar = "ORDER",
	 .help = "of siblings: the heaviest first, by name, or as recorded (time order)",
	 .default_value = "heavy",
	 .choices = "heavy name recorded",
	 .type = PERUN_OPTION_CHOICE},
	{.name = "color",
	 .aliases = "--colour --color-by",
	 .metavar = "BY",
	 .help = "what gives boxes their colour",
	 .default_value = "package",
	 .choices = "package file module name own time",
	 .type = PERUN_OPTION_CHOICE},
	{.name = "width-from",
	 .metavar = "PROFILE",
	 .help = "with two profiles: whose values are the widths",
	 .default_value = "new",
	 .choices = "new base both",
	 .type = PERUN_OPTION_CHOICE},
	{.name = "change",
	 .metavar = "OF",
	 .help = "with two profiles: what gives boxes their colour",
	 .default_value = "own",
	 .choices = "own total relative",
	 .type = PERUN_OPTION_CHOICE},
	{.name = "normalize",
	 .help = "with two profiles: scale the base to the total of the new one"},
	{.name = "minimum-share",
	 .metavar = "SHARE",
	 .help = "put smaller boxes together, 0 for none (default: what the form can show)",
	 .type = PERUN_OPTION_NUMBER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 0.5},
	{.name = "minimum-width",
	 .aliases = "--minwidth",
	 .metavar = "PIXELS",
	 .help = "SVG: put narrower boxes together, unless there is --minimum-share",
	 .default_value = "0.3",
	 .type = PERUN_OPTION_NUMBER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 1000},
	{.name = "width",
	 .aliases = "-w --graph-width",
	 .metavar = "N",
	 .help = "SVG: pixels (1200); terminal: columns (as wide as it is)",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 20,
	 .maximum = 20000},
	{.name = "graph-height",
	 .aliases = "-h --row-height --height",
	 .metavar = "PIXELS",
	 .help = "SVG: height of a box",
	 .default_value = "18",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 8,
	 .maximum = 100},
	{.name = "depth",
	 .metavar = "N",
	 .help = "terminal, SVG: at most N rows, 0 for all",
	 .default_value = "0",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 65535},
	{.name = "filename",
	 .aliases = "-f",
	 .metavar = "FILE",
	 .help = "write there; HTML when it ends in .html, else SVG",
	 .type = PERUN_OPTION_PATH},
	{0}};

/* The place of the chosen word among the choices of its option. */
static unsigned choice(const struct perun_options *options, const char *name)
{
	const char *word = perun_option_string(options, name);
	const struct perun_option *option = flame_options;
	unsigned place = 0;

	while (strcmp(option->name, name) != 0)
		option++;
	for (const char *text = option->choices; *text; place++) {
		size_t length = strcspn(text, " ");

		if (strlen(word) == length && memcmp(word, text, length) == 0)
			break;
		text += length + (text[length] == ' ');
	}
	return place;
}

/* What a box represents, in the order of the choices. */
static const enum perun_granularity granularities[] = {PERUN_BY_FUNCTION, PERUN_BY_FILE_FUNCTION,
						       PERUN_BY_FILE,     PERUN_BY_LINE,
						       PERUN_BY_ADDRESS,  PERUN_BY_MODULE};

static enum flame_kind kind_of(const struct perun_options *options)
{
	if (perun_option_string(options, "sandwich"))
		return FLAME_SANDWICH;
	if (perun_option_flag(options, "callers"))
		return FLAME_CALLERS;
	if (choice(options, "order") == 2)
		return FLAME_TIME;
	return (enum flame_kind)choice(options, "view");
}

struct flame_settings flame_settings_read(const struct perun_options *options)
{
	struct flame_settings settings = {
		.options = options,
		.metric = perun_option_string(options, "metric"),
		.title = perun_option_string(options, "title"),
		.function = perun_option_string(options, "sandwich"),
		.file = perun_option_string(options, "filename"),
		.kind = kind_of(options),
		.order = choice(options, "order") == 1 ? FLAME_BY_NAME : FLAME_HEAVY,
		.color = (enum flame_color)choice(options, "color"),
		.change = (enum flame_change)choice(options, "change"),
		.width_from = (enum flame_width)choice(options, "width-from"),
		.granularity = granularities[choice(options, "by")],
		.no_inlines = perun_option_flag(options, "no-inlines"),
		.flame = perun_option_flag(options, "flame") &&
			 !perun_option_flag(options, "icicle"),
		.normalize = perun_option_flag(options, "normalize"),
		.minimum_share = perun_option_given(options, "minimum-share")
					 ? perun_option_number(options, "minimum-share")
					 : -1,
		.minimum_width = perun_option_number(options, "minimum-width"),
		.width = (unsigned)perun_option_integer(options, "width"),
		.row_height = (unsigned)perun_option_integer(options, "graph-height"),
		.depth = (unsigned)perun_option_integer(options, "depth"),
	};

	return settings;
}
