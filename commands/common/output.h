/* SPDX-License-Identifier: BSD-3-Clause */
/* What commands print: texts of the outside world, and documents. */
#ifndef PERUN_COMMANDS_COMMON_OUTPUT_H
#define PERUN_COMMANDS_COMMON_OUTPUT_H

#include <perun/command.h>
#include <perun/json.h>

#include "views/common/bars.h"

/* The file of commands that write one. */
#define COMMANDS_OUTPUT_OPTION                                                 \
	{                                                                      \
		.name = "output", .metavar = "OUT", .type = PERUN_OPTION_PATH, \
		.default_value = "-", .flags = PERUN_OPTION_POSITIONAL,        \
		.help = "where to write, - is standard output"                 \
	}

/* What a sentence of help still needs at its end: nothing after a question. */
const char *commands_full_stop(const char *sentence);

/* A finite number, or null. */
struct perun_json *commands_number(double value);
/* A text, or null. */
struct perun_json *commands_text(const char *text);
/* Print a document and free it. */
void commands_print_json(const struct perun_command_call *call, struct perun_json *document);
/* Print a text of the outside world without what could drive a terminal. */
void commands_print_safe(const struct perun_command_call *call, const char *text);

/* Print words of our own after `indent` blanks, on as many lines as a terminal (or COLUMNS) needs. */
void commands_print_wrapped(const struct perun_command_call *call, const char *text, int indent);

/* Begin a colour where colours are wanted, or end it with VIEWS_PLAIN. */
void commands_print_color(const struct perun_command_call *call, enum views_color color);

#endif
