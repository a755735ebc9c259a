/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON text that is given another layout and colours while it passes through. */
#ifndef PERUN_VIEWS_RAW_JSON_TEXT_H
#define PERUN_VIEWS_RAW_JSON_TEXT_H

#include <perun/format.h>

/*
 * Takes valid JSON text in pieces of any size and hands it on to `output`; all but white space between
 * tokens stays byte for byte. Begin with {.output, .indent, .one_line, .color}.
 */
struct json_text {
	struct perun_output *output;
	unsigned indent; /* blanks a level */
	bool one_line;   /* as json.dumps(x) has it; `indent` is not looked at */
	bool color;

	struct perun_buffer line; /* not handed on yet */
	uint8_t *objects;         /* for each open level: whether it is an object */
	size_t depth, capacity;
	bool in_string, escaped, in_scalar;
	bool key_next;  /* the next string is a key */
	bool just_open; /* the last token opened a level: nothing is in it yet */
};

/* Returns 0 or the output's sticking error; the form of a sink. */
int json_text_add(void *json_text, const void *bytes, size_t size);
/* Hand on what is left, end the line, free the memory. */
int json_text_finish(struct json_text *text);

#endif
