/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of a view. */
#ifndef VIEWS_COMMON_PLUGIN_H
#define VIEWS_COMMON_PLUGIN_H

#include <config.h>

#include <perun/view.h>

/* A whole plugin: its symbol, name, summary and options (or NULL), then members of struct perun_view_ops. */
#define VIEW_PLUGIN(SYMBOL, NAME, SUMMARY, OPTIONS, ...)                        \
	static const struct perun_view_ops SYMBOL##_operations = {__VA_ARGS__}; \
	PERUN_PLUGIN(view, SYMBOL) = {                                          \
		PERUN_PLUGIN_HEAD(PERUN_KIND_VIEW, NAME, SUMMARY),              \
		.version = PACKAGE_VERSION,                                     \
		.license = "BSD-3-Clause",                                      \
		PERUN_PLUGIN_OPTIONS(OPTIONS),                                  \
		PERUN_PLUGIN_OPS(SYMBOL##_operations),                          \
	}

#endif
