/* SPDX-License-Identifier: BSD-3-Clause */
/* Call trees as rows: from the root, or from one function to its callers or callees. */
#ifndef PERUN_VIEWS_COMMON_TREE_H
#define PERUN_VIEWS_COMMON_TREE_H

#include <perun/view.h>

#include "views/common/rows.h"
#include "views/common/text-svg.h"

/* Options of the views that draw trees: elements of a table, after VIEWS_DATA_OPTIONS. */
#define VIEWS_TREE_OPTIONS                                                                       \
	{.name = "depth",                                                                        \
	 .aliases = "-d",                                                                        \
	 .metavar = "N",                                                                         \
	 .type = PERUN_OPTION_INTEGER,                                                           \
	 .ranged = true,                                                                         \
	 .minimum = 0,                                                                           \
	 .maximum = 1e6,                                                                         \
	 .default_value = "0",                                                                   \
	 .help = "at most N levels, 0 for all"},                                                 \
		{.name = "minimum",                                                              \
		 .aliases = "--min",                                                             \
		 .metavar = "PERCENT",                                                           \
		 .type = PERUN_OPTION_NUMBER,                                                    \
		 .ranged = true,                                                                 \
		 .minimum = 0,                                                                   \
		 .maximum = 100,                                                                 \
		 .default_value = "1",                                                           \
		 .help = "put calls with a smaller share together"},                             \
		{.name = "limit",                                                                \
		 .aliases = "-n",                                                                \
		 .metavar = "N",                                                                 \
		 .type = PERUN_OPTION_INTEGER,                                                   \
		 .ranged = true,                                                                 \
		 .minimum = 0,                                                                   \
		 .maximum = 4e9,                                                                 \
		 .default_value = "200",                                                         \
		 .help = "at most N lines, 0 for all"},                                          \
	{                                                                                        \
		.name = "sort", .aliases = "-s", .metavar = "WHAT", .type = PERUN_OPTION_CHOICE, \
		.choices = "total self name recorded flat cumulative", .default_value = "total", \
		.help = "which of several calls comes first"                                     \
	}

/* What a tree is made of. */
struct views_tree_request {
	const char *view;     /* "tree", "callers", "callees" */
	const char *function; /* NULL: from the roots */
	bool inverted;        /* from the function to its callers */
	double minimum;       /* share of what the tree represents */
	size_t depth, limit;  /* 0 = no limit */
	enum views_tree_order {
		VIEWS_TREE_BY_TOTAL,
		VIEWS_TREE_BY_SELF,
		VIEWS_TREE_BY_NAME,
		VIEWS_TREE_AS_RECORDED
	} order;
	bool brief;    /* without lines that represent all that a call calls */
	size_t indent; /* columns that lines before names may take */
	bool ascii;
};

struct views_tree {
	struct views_rows rows; /* parents before children; row->parent is a number of a row */
	long double whole;      /* what the tree represents */
	size_t deep, more;      /* nodes below the depth, or beyond the limit */
};
void views_tree_free(struct views_tree *tree);

/* Fails with PERUN_INPUT where there are no stacks. */
int views_tree_read(const struct views_data *data, const struct views_tree_request *request,
		    struct views_tree *tree);

/* Whether the profile has edges instead of stacks: only direct calls are known then. */
bool views_has_only_calls(const struct views_data *data);
/* Inside: the function with its direct callers or callees; the lines before the name of a call. */
int views_tree_of_calls(const struct views_data *data, const struct views_tree_request *request,
			struct views_tree *tree);
char *views_tree_prefix(const struct views_tree_request *request, bool only, bool last);

/*
 * Functions that a user means: the one of this name, else all whose names match it as a regular
 * expression, the costliest first. Fails with PERUN_INPUT when there is none.
 */
int views_find_functions(const struct views_data *data, const char *words,
			 struct views_rows *functions);

/* A view: draw the tree of a profile, or those of the function that the option `function` names. */
int views_tree_open(struct perun_ctx *ctx, const struct perun_options *options,
		    const char *subcommand, void **instance);
int views_tree_show(const struct perun_options *options, const char *view, struct perun_ctx *ctx,
		    struct perun_profile *profile, const char *name,
		    const struct perun_canvas *canvas);

/* The view NAME, whose options are NAME_options. */
#define VIEWS_TREE_PLUGIN(NAME, summary)                                                          \
	static int NAME##_show(void *instance, struct perun_ctx *ctx,                             \
			       struct perun_profile *const *profiles, const char *const *names,   \
			       size_t count, const struct perun_canvas *canvas)                   \
	{                                                                                         \
		if (canvas->form == PERUN_FORM_SVG)                                               \
			return views_show_svg(NAME##_show, instance, ctx, profiles, names, count, \
					      canvas);                                            \
		return views_tree_show(instance, #NAME, ctx, profiles[0], names[0], canvas);      \
	}                                                                                         \
	static const struct perun_view_ops NAME##_ops = {                                         \
		.open = views_tree_open,                                                          \
		.forms = PERUN_FORM_TERMINAL | PERUN_FORM_HTML | PERUN_FORM_SVG |                 \
			 PERUN_FORM_JSON | PERUN_FORM_CSV,                                        \
		.minimum = 1,                                                                     \
		.maximum = 1,                                                                     \
		.show = NAME##_show,                                                              \
	};                                                                                        \
	PERUN_PLUGIN(view, NAME) = {                                                              \
		PERUN_PLUGIN_HEAD(PERUN_KIND_VIEW, #NAME, summary),                               \
		.version = PACKAGE_VERSION,                                                       \
		.license = "BSD-3-Clause",                                                        \
		PERUN_PLUGIN_OPTIONS(NAME##_options),                                             \
		PERUN_PLUGIN_OPS(NAME##_ops),                                                     \
	}

#endif
