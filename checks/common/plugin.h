/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of a check. */
#ifndef CHECKS_COMMON_PLUGIN_H
#define CHECKS_COMMON_PLUGIN_H

#include <config.h>

#include <perun/check.h>

/* A whole plugin: its symbol, name, summary and options (or NULL), then members of struct perun_check_ops. */
#define CHECK_PLUGIN(SYMBOL, NAME, SUMMARY, OPTIONS, ...)                        \
	static const struct perun_check_ops SYMBOL##_operations = {__VA_ARGS__}; \
	PERUN_PLUGIN(check, SYMBOL) = {                                          \
		PERUN_PLUGIN_HEAD(PERUN_KIND_CHECK, NAME, SUMMARY),              \
		.version = PACKAGE_VERSION,                                      \
		.license = "BSD-3-Clause",                                       \
		PERUN_PLUGIN_OPTIONS(OPTIONS),                                   \
		PERUN_PLUGIN_OPS(SYMBOL##_operations),                           \
	}

#endif
