/* SPDX-License-Identifier: BSD-3-Clause */
/* What the readers of the older profiles of pprof share: the profile they fill, and its text. */
#ifndef PPROF_LEGACY_H
#define PPROF_LEGACY_H

#include <perun/format.h>

#include "formats/common/stacks.h"

/* ---- text: pieces of the input, not NUL-terminated --------------------------------------------- */

struct legacy_text {
	const char *at, *end;
};

/* The lines of a text. */
struct legacy_lines {
	struct perun_ctx *ctx;
	struct perun_input *input; /* that the text is mapped from, or NULL */
	struct legacy_text rest;   /* what follows the line */
	struct legacy_text line;   /* without its end; empty before the first and after the last */
	uint64_t number;           /* of the line, from 1; 0 where lines have no numbers */
};

/* Go to the next line; false (and an empty line) at the end. */
bool legacy_next_line(struct legacy_lines *lines);
/* Fail with the number of the line before the message. */
int legacy_fail(const struct legacy_lines *lines, const char *format, ...) PERUN_PRINTF(2, 3);
/* The line made fit for a message: printable, and not too long. The caller frees it. */
char *legacy_quote(struct legacy_text text);

static inline size_t legacy_length(struct legacy_text text)
{
	return (size_t)(text.end - text.at);
}

static inline bool legacy_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Those of which the addresses of stacks are made: in small letters. */
static inline bool legacy_is_small_hex(char c)
{
	return legacy_is_digit(c) || (c >= 'a' && c <= 'f');
}

static inline bool legacy_is_hex(char c)
{
	return legacy_is_small_hex(c) || (c >= 'A' && c <= 'F');
}

static inline bool legacy_is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

struct legacy_text legacy_trim(struct legacy_text text);
/* Nothing but blanks, or a comment. */
bool legacy_is_empty(struct legacy_text text);
/* Go to the first line that is not empty; false at the end. */
bool legacy_skip_empty(struct legacy_lines *lines);
bool legacy_equals(struct legacy_text text, const char *word);
bool legacy_starts(struct legacy_text text, const char *word);
/* The first occurrence of `word`, or NULL. */
const char *legacy_find(struct legacy_text text, const char *word);
/* Take from the start: the word (or nothing); all blanks ' '; a run of digits (empty if none). */
bool legacy_take(struct legacy_text *text, const char *word);
void legacy_take_spaces(struct legacy_text *text);
struct legacy_text legacy_take_digits(struct legacy_text *text);
/* A decimal number with or without '-'; false (and text unchanged) when there is none. */
bool legacy_take_number(struct legacy_text *text, struct legacy_text *number);

/* The whole text as a number; false when it is none, or does not fit. */
bool legacy_decimal(struct legacy_text text, int64_t *value);
/* The same with the prefixes 0x, 0o, 0 and 0b. */
bool legacy_number(struct legacy_text text, int64_t *value);
/* Hexadecimal digits without prefix. */
bool legacy_hexadecimal(struct legacy_text text, uint64_t *value);

/* ---- the profile that is read ------------------------------------------------------------------- */

enum { LEGACY_TYPES = 4 };
#define LEGACY_NONE UINT32_MAX

struct legacy_location {
	uint32_t number;  /* from 1 in the order of the samples; 0: no sample has it */
	uint32_t mapping; /* index, or LEGACY_NONE */
};

/* By texts of the builder. */
struct legacy_function {
	perun_id name, file;
	uint32_t number; /* from 1 in the order of the locations; 0: none has it yet */
};

/* What is at a location, where the file says so. */
struct legacy_symbol {
	uint32_t function; /* index, or LEGACY_NONE */
	int64_t line;
};

/* A sample but for its stack. */
struct legacy_sample {
	int64_t values[LEGACY_TYPES];
	bool sized; /* has the label bytes; all have it, or none */
	int64_t size;
};

/* A stack as it is kept: indexes of locations, the leaf first. */
struct legacy_stack {
	uint32_t *frames;
	uint32_t depth;
};

/* The columns of the samples, of which those of values and labels are filled while samples are read. */
struct legacy_columns {
	struct perun_table_builder *table;
	struct perun_column_builder *stack, *labels, *values[LEGACY_TYPES];
	perun_id key; /* of the label */
};

struct legacy_profile {
	struct perun_ctx *ctx;
	struct perun_input *input;
	struct perun_builder *builder;
	uint64_t expansion_left; /* bytes of lines in which variables may still be replaced */
	const char *types[LEGACY_TYPES], *units[LEGACY_TYPES];
	size_t type_count;
	char *word; /* a type or unit that the file names, for types or units to point to */
	const char *period_type, *period_unit;
	int64_t period, duration;
	struct perun_mapping *mappings;
	size_t mapping_count, mapping_capacity;
	struct legacy_function *functions;
	size_t function_count, function_capacity;
	struct stacks_numbers addresses; /* of locations */
	struct legacy_location *locations;
	size_t location_count, location_capacity;
	struct legacy_symbol *symbols; /* of the locations; NULL: there are none */
	bool moving;                   /* what is at an address moves: addresses say nothing */
	struct legacy_columns columns;
	struct legacy_sample last; /* the last sample, which is not in the columns yet */
	size_t sample_count;
	/* Of each stack how many frames were read, and these; LEGACY_NONE in the place of those that were taken out. */
	uint32_t *frames;
	size_t frame_count, frame_capacity;
	uint64_t *stack; /* addresses of the sample that is being read */
	size_t depth, stack_capacity;
};

/* Which addresses are the ones after a call: 1 is taken off them to be within it. */
enum legacy_returns { LEGACY_NO_RETURNS, LEGACY_CALLER_RETURNS, LEGACY_ALL_RETURNS };

void legacy_free(struct legacy_profile *profile);
/* Name the values of the samples. The texts are borrowed. */
void legacy_add_type(struct legacy_profile *profile, const char *type, const char *unit);
/* Put an address on profile->stack, which is the next sample's; the leaf comes first. */
void legacy_push(struct legacy_profile *profile, uint64_t address);
/* The addresses 0x... in a text, wherever they are. */
int legacy_push_addresses(struct legacy_profile *profile, const struct legacy_lines *lines,
			  struct legacy_text text);
/* A sample with the stack pushed, which is empty then. All types were added. */
int legacy_add_sample(struct legacy_profile *profile, enum legacy_returns returns,
		      const struct legacy_sample *sample);
/* All samples are in the columns then, which are made where there is none. */
void legacy_end_samples(struct legacy_profile *profile);
/* The stack that begins at `*at`, 0 for the first one, which moves on; false: that is the end. */
bool legacy_next_stack(const struct legacy_profile *profile, size_t *at,
		       struct legacy_stack *stack);
/* Take frame i (not the leaf) out of a stack. */
void legacy_remove_frame(struct legacy_stack *stack, uint32_t i);
/* The address of a location; 0: it has none that says anything. */
uint64_t legacy_address(const struct legacy_profile *profile, uint32_t location);
/* Handlers may record the leaf twice: once as it is, once as if it were a caller. */
void legacy_remove_doubles(struct legacy_profile *profile);
/* Number the locations in the order of the samples. */
void legacy_number_locations(struct legacy_profile *profile);
/* Those that samples have, in this order; the caller frees them. */
uint32_t *legacy_order(const struct legacy_profile *profile, size_t *count);
/*
 * What a sampled allocation represents: it is found with a probability of 1 - exp(-size / rate) when
 * one in `rate` bytes is sampled (a Poisson process), so there are 1 / that many of its kind.
 */
void legacy_unsample(int64_t rate, int64_t *count, int64_t *size);
/* Conversion of values beyond the range as the machine does it that most profiles were read on. */
int64_t legacy_integer(double value);
int64_t legacy_multiply(int64_t a, int64_t b);
int64_t legacy_divide(int64_t a, int64_t b);

/* ---- mappings of addresses ---------------------------------------------------------------------- */

/* The mappings of a profile, made ready for being searched. */
struct legacy_places {
	uint64_t *edges; /* where mappings begin and end, in order */
	size_t count;    /* of them; the tree has as many leaves, which are its last nodes */
	uint32_t *cover; /* of each node, the first mapping that covers all of it, or LEGACY_NONE */
	uint32_t *first_gap; /* of each node, see legacy_places_extend() */
	struct legacy_gap *gaps;
	size_t gap_count, gap_capacity;
};

void legacy_places_make(struct legacy_places *places, const struct legacy_profile *profile);
void legacy_places_free(struct legacy_places *places);
/* The index of the first mapping that covers the address, or LEGACY_NONE. */
uint32_t legacy_places_find(const struct legacy_places *places, uint64_t address);
/*
 * Some handlers leave out the first of the parts that a file is mapped in: the first mapping whose offset reaches
 * back to the address is made to begin there. Its index, or LEGACY_NONE.
 */
uint32_t legacy_places_extend(struct legacy_places *places, struct legacy_profile *profile,
			      uint64_t address);

/* ---- sections ----------------------------------------------------------------------------------- */

/* Whether a memory map follows the line. */
bool legacy_is_map_start(struct legacy_text line);
/* Go on to the memory map, if there is one after the line, and read it; then legacy_place(). */
int legacy_find_map(struct legacy_profile *profile, struct legacy_lines *lines);
/* Read the lines that follow as a memory map; then legacy_place(). */
int legacy_read_map(struct legacy_profile *profile, struct legacy_lines *lines);
/* Mend the mappings, number the locations, and find the mapping of each. */
int legacy_place(struct legacy_profile *profile);
/* Regular expressions for the frames that the profiler itself leaves in such profiles; may be NULL. */
void legacy_machinery(const struct legacy_profile *profile, const char **drop, const char **keep);
/* Make the columns, as the types and the last sample ask for. */
void legacy_make_columns(struct legacy_profile *profile);
/* Hand all over to profile->builder. */
int legacy_emit(struct legacy_profile *profile);

/* ---- kinds of profiles -------------------------------------------------------------------------- */

/* Whether the words that a binary profile starts with are there. */
bool legacy_is_cpu(const void *data, size_t size);
int legacy_read_cpu(struct legacy_profile *profile, const void *data, size_t size);

/*
 * For texts. _is_: whether the line (for count: the first that is not empty) starts such a profile.
 * _read_: `lines` is on that line.
 */
bool legacy_is_heap(struct legacy_text line);
int legacy_read_heap(struct legacy_profile *profile, struct legacy_lines *lines);
bool legacy_is_count(struct legacy_text line);
int legacy_read_count(struct legacy_profile *profile, struct legacy_lines *lines);
bool legacy_is_threads(struct legacy_text line);
int legacy_read_threads(struct legacy_profile *profile, struct legacy_lines *lines);
bool legacy_is_contention(struct legacy_text line);
int legacy_read_contention(struct legacy_profile *profile, struct legacy_lines *lines);
/* --- heapz 1 ---, and --- contentionz 1 --- with attributes that only Java writes. */
bool legacy_is_java(struct legacy_lines lines);
int legacy_read_java(struct legacy_profile *profile, struct legacy_lines *lines);
/* The table of symbols that ends all profiles of Java; also of the binary kind. */
int legacy_read_java_symbols(struct legacy_profile *profile, struct legacy_lines *lines);

#endif
