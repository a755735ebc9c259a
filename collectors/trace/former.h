/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options of the collectors trace and complexity of the Python program that mean nothing here: its configurations run
 * unchanged, and a warning says what has no effect.
 */
#ifndef TRACE_FORMER_H
#define TRACE_FORMER_H

#include <perun/context.h>
#include <perun/option.h>

#define TRACE_FORMER(option_name, option_type)                                                     \
	{                                                                                          \
		.name = option_name, .help = "without effect", .type = PERUN_OPTION_##option_type, \
		.flags = PERUN_OPTION_HIDDEN | (PERUN_OPTION_##option_type == PERUN_OPTION_STRING  \
							? PERUN_OPTION_REPEATABLE                  \
							: PERUN_OPTION_NEGATABLE)                  \
	}

/* NAME VALUE */
#define TRACE_FORMER_PAIR(option_name)                                                      \
	{                                                                                   \
		.name = option_name, .help = "without effect", .type = PERUN_OPTION_STRING, \
		.values = 2, .flags = PERUN_OPTION_HIDDEN | PERUN_OPTION_REPEATABLE         \
	}

/* Of complexity, then of trace. */
#define TRACE_FORMER_OPTIONS                                                                     \
	TRACE_FORMER("internal-data-filename", STRING),                                          \
		TRACE_FORMER("internal-storage-size", STRING),                                   \
		TRACE_FORMER("internal-direct-output", FLAG), TRACE_FORMER("strategy", STRING),  \
		TRACE_FORMER("method", STRING), TRACE_FORMER("with-static", FLAG),               \
		TRACE_FORMER("with-usdt", FLAG), TRACE_FORMER("zip-temps", FLAG),                \
		TRACE_FORMER("keep-temps", FLAG), TRACE_FORMER("verbose-trace", FLAG),           \
		TRACE_FORMER("quiet", FLAG), TRACE_FORMER("watchdog", FLAG),                     \
		TRACE_FORMER("diagnostics", FLAG), TRACE_FORMER("stap-cache-off", FLAG),         \
		TRACE_FORMER("output-handling", STRING),                                         \
		TRACE_FORMER("max-simultaneous-probes", STRING),                                 \
		TRACE_FORMER("max-simultaneous-threads", STRING), TRACE_FORMER("no-usdt", FLAG), \
		TRACE_FORMER("no-ds-update", FLAG), TRACE_FORMER("generate-dynamic-cg", FLAG),   \
		TRACE_FORMER("static", STRING),                                                  \
		TRACE_FORMER("usdt", STRING), TRACE_FORMER("dynamic", STRING),                   \
		TRACE_FORMER_PAIR("static-sampled"), TRACE_FORMER_PAIR("usdt-sampled"),          \
		TRACE_FORMER_PAIR("dynamic-sampled")

/* The names of those that were given, NULL when none was; the caller frees them. */
char *former_given(const struct perun_options *options, const struct perun_option *table);
/* A warning for them. */
void former_warn(struct perun_ctx *ctx, const char *names);

#endif
