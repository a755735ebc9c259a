/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * JSON as Python's json module has it: numbers, a streaming reader, a writer, documents.
 * Threads: a document, a reader or a writer belongs to one thread at a time; a document that nobody changes may be read
 * from any number of them.
 */
#ifndef PERUN_JSON_H
#define PERUN_JSON_H

#include <string.h>

#include <perun/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What is accepted is exactly what Python's json.load() accepts: RFC 8259, and besides NaN,
 * Infinity, -Infinity, lone surrogates written as escapes (\ud800), integers of any size,
 * duplicate keys. (Python 3.11 has a limit of 4300 digits for an integer; here the limit is that
 * of a token.) Everything else is refused with its position: a byte order mark, invalid UTF-8,
 * control characters in strings, trailing commas, leading zeros, anything after the document.
 *
 * What is written is exactly what json.dumps() writes of it (style PERUN_JSON_PYTHON), so that
 * the bytes, and with them the identifiers of objects in a store, are the same.
 *
 * Strings in memory are UTF-8 with a length (they may hold NUL). A lone surrogate is kept in its
 * generalized three-byte form (WTF-8: \ud800 is ED A0 80), and written back as the escape it was.
 */

/* ---- Numbers ------------------------------------------------------------------------------- */

/*
 * Numbers do not depend on the locale. Parsing is correctly rounded (to nearest, ties to even):
 * D. Lemire, "Number parsing at a gigabyte per second", Software: Practice and Experience 51
 * (2021); the rare undecided case is settled exactly with big integers. Printing is the shortest
 * text that reads back as the same double, the closest one of these: R. Giulietti, "The Schubfach
 * way to render doubles" (2020).
 */

/* The most bytes that any of the printing functions below writes, its NUL included. */
#define PERUN_JSON_NUMBER_SIZE 32

/*
 * Parse the whole of `text` as a JSON number, NaN, Infinity or -Infinity. Too large gives an
 * infinity, too small a zero, as in Python. False when the text is anything else; `*value` is
 * then unchanged.
 */
PERUN_EXPORT bool perun_json_parse_double(const char *text, size_t length, double *value);

/*
 * For formats other than JSON: parse the longest prefix of `text` that is a decimal number as
 * strtod() takes them ("+1", ".5", "1.", "inf", "nan" in any case; no hexadecimal, no leading
 * blanks). Returns the number of bytes used, 0 when there is no number (`*value` is then
 * unchanged).
 */
PERUN_EXPORT size_t perun_json_scan_double(const char *text, size_t length, double *value);

/*
 * The same as Python's repr(float): "0.1", "1e-05", "1e+16", "100000.0", "-0.0"; and for the
 * others as json.dumps(): "NaN", "Infinity", "-Infinity". Returns the length; `out` is
 * NUL-terminated.
 */
PERUN_EXPORT size_t perun_json_print_double(double value, char out[PERUN_JSON_NUMBER_SIZE]);
PERUN_EXPORT size_t perun_json_print_int64(int64_t value, char out[PERUN_JSON_NUMBER_SIZE]);
PERUN_EXPORT size_t perun_json_print_uint64(uint64_t value, char out[PERUN_JSON_NUMBER_SIZE]);

/* ---- Reading a stream of tokens ------------------------------------------------------------ */

enum perun_json_event {
	PERUN_JSON_ERROR = -1, /* said in the context; every later call too */
	PERUN_JSON_END = 0,    /* the input ended where it may */
	PERUN_JSON_OBJECT_START,
	PERUN_JSON_OBJECT_END,
	PERUN_JSON_ARRAY_START,
	PERUN_JSON_ARRAY_END,
	PERUN_JSON_KEY, /* its value follows */
	PERUN_JSON_STRING,
	PERUN_JSON_NUMBER,
	PERUN_JSON_TRUE,
	PERUN_JSON_FALSE,
	PERUN_JSON_NULL
};

/*
 * What a number is. Python's rule: an integer has neither fraction nor exponent, so 1.0 is a
 * double.
 */
enum perun_json_kind {
	PERUN_JSON_INT64 = 1,  /* an integer from -2^63 to 2^63 - 1; -0 is 0 */
	PERUN_JSON_UINT64 = 2, /* an integer from 2^63 to 2^64 - 1 */
	PERUN_JSON_BIG = 4,    /* an integer beyond these: only its text holds it */
	PERUN_JSON_DOUBLE = 8  /* has a fraction or an exponent, or is NaN or an infinity */
};

/* A number of kind INT64, UINT64 or DOUBLE. */
union perun_json_number {
	int64_t int64;
	uint64_t uint64;
	double real;
};

/* The token that perun_json_next() read last. It belongs to the reader and never moves. Its layout is fixed. */
struct perun_json_token {
	enum perun_json_event event;
	/* NUMBER: what it is. For BIG, perun_json_parse_double() of the text approximates it. */
	enum perun_json_kind kind;
	union perun_json_number number;
	/*
	 * KEY, STRING: the decoded text; NUMBER: the text as it is in the input. Not
	 * NUL-terminated. Points into the reader's buffer: valid until the next call on the
	 * reader.
	 */
	const char *text;
	size_t length;
	uint64_t offset; /* where the token begins: bytes from the start of the input */
};

/* Whether the text of a key or string is `word`. */
static inline bool perun_json_token_is(const struct perun_json_token *token, const char *word)
{
	size_t length = strlen(word);

	return token->length == length && memcmp(token->text, word, length) == 0;
}

/* Limits guard against hostile input; an error names the limit that was hit. 0 = the default. */
struct perun_json_options {
	uint32_t struct_size;
	size_t depth; /* the deepest nesting; default 1000, as in Python; at most 10000 */
	/* The longest string or number in bytes of the input; default 4 GiB, of a source 2 MiB where it is not skipped. */
	size_t token_size;
	size_t node_count; /* the most values that one perun_json_read_value() makes; default 2^32 */
	bool sequence;     /* any number of values, blanks between them optional (JSON lines) */
	size_t member_count; /* the most members of an object that is captured; default: any number */
};

/* Where something is wrong, and what. Its layout is fixed. */
struct perun_json_error {
	int status; /* PERUN_OK as long as nothing is; PERUN_INPUT, or what the source returned */
	uint64_t offset;       /* bytes from the start of the input */
	uint64_t line, column; /* from 1; columns count bytes */
	char message[256];     /* "expected ',' or '}', found 'x'" */
};

/*
 * Where the bytes come from: put up to `size` (> 0) bytes at `memory` and their number in `*got`;
 * 0 = the end. Returns PERUN_OK, or a status after saying the reason with perun_fail().
 */
typedef int perun_json_source(void *data, void *memory, size_t size, size_t *got);

/*
 * A pull reader. It keeps a buffer of 64 KiB, which grows only for one token that is longer.
 * Failures go to `ctx` (borrowed as long as the reader lives, may be NULL) as "line 12, column 7:
 * expected ',' or '}', found 'x'"; callers put the file's name before.
 */
struct perun_json_reader;

/* Read from a source. `options` is copied and may be NULL. Free with perun_json_reader_free(). */
PERUN_EXPORT struct perun_json_reader *
perun_json_reader_new(struct perun_ctx *ctx, perun_json_source *source, void *data,
		      const struct perun_json_options *options);
/* Read from memory; `text` must stay unchanged as long as the reader lives or is set again. */
PERUN_EXPORT struct perun_json_reader *
perun_json_reader_new_text(struct perun_ctx *ctx, const char *text, size_t length,
			   const struct perun_json_options *options);
/* Start over with another text and no error, keeping the buffers: for many small texts. */
PERUN_EXPORT void perun_json_reader_set_text(struct perun_json_reader *reader, const char *text,
					     size_t length);
PERUN_EXPORT void perun_json_reader_free(struct perun_json_reader *reader); /* NULL is allowed */

/*
 * Read the next token: its event is returned, the rest is in the token (ask for the pointer once:
 * it stays the same as long as the reader lives). Events come in the order of a valid document:
 * whoever reads KEY gets a value next. `while (perun_json_next(reader) > 0)` reads everything.
 */
PERUN_EXPORT enum perun_json_event perun_json_next(struct perun_json_reader *reader);
PERUN_EXPORT const struct perun_json_token *
perun_json_token(const struct perun_json_reader *reader);

/*
 * perun_json_next(), and fail unless the event is `event`: "line 3, column 9: expected an array
 * for resources, found a string" (`what`: "resources"; may be NULL). Returns a status.
 */
PERUN_EXPORT int perun_json_expect(struct perun_json_reader *reader, enum perun_json_event event,
				   const char *what);

/*
 * The following three deal with the value that the last token begins, and leave the reader at
 * its end: after OBJECT_START or ARRAY_START the whole object or array, after KEY the value of
 * that key, after another value that value. Before anything was read it is the first value. The
 * input is checked as strictly as otherwise.
 */

/* Pass over the value. Returns a status. */
PERUN_EXPORT int perun_json_skip(struct perun_json_reader *reader);
/*
 * Append the value to `out` as Python's json.dumps(json.load()) would write it: blanks and
 * escapes normalized, numbers reprinted, a duplicate key in its first place with its last value.
 * Two equal texts mean equal values in equal order. Returns a status; after a failure `out` is as
 * it was.
 */
PERUN_EXPORT int perun_json_capture(struct perun_json_reader *reader, struct perun_buffer *out);
struct perun_json; /* a document: see below */
/*
 * Make a document of the value; the caller frees `*value` (NULL after a failure). Returns a
 * status.
 */
PERUN_EXPORT int perun_json_read_value(struct perun_json_reader *reader, struct perun_json **value);

/* Where an array is that a document is about to get. Its layout is fixed. */
struct perun_json_place {
	const char *key;   /* NUL-terminated; NULL in an array, or where it is the value itself */
	const char *above; /* that of the object or array around it, likewise */
	size_t depth;      /* objects and arrays of the value around it */
};
/*
 * Called at the start of each array. Who reads it goes up to its end, by perun_json_next(), perun_json_skip() and
 * perun_json_read_numbers() alone, and sets `*taken`: the document has an empty array there. Returns a status.
 */
typedef int perun_json_take_array(void *data, struct perun_json_reader *reader,
				  const struct perun_json_place *place, bool *taken);
/* The same as perun_json_read_value(), for values with arrays that are too long for a document. */
PERUN_EXPORT int perun_json_read_around(struct perun_json_reader *reader,
					perun_json_take_array *take, void *data,
					struct perun_json **value);

/* A piece of an array of numbers. The caller owns the arrays; `kinds` may be NULL. Its layout is fixed. */
struct perun_json_batch {
	union perun_json_number *values;
	uint8_t *kinds; /* the enum perun_json_kind of each value */
	size_t capacity;
	size_t count;   /* out: how many values were read */
	unsigned mixed; /* out: the kinds that occur in this batch, or-ed */
};

/*
 * Inside an array (after ARRAY_START, a value of the array, or an earlier batch): read elements
 * into the batch as long as they are numbers and fit. Stops before anything else (the end of the
 * array, a null, an integer of kind BIG): perun_json_next() gives it. count < capacity says that
 * it stopped so. Returns a status; `count` values are valid in any case.
 */
PERUN_EXPORT int perun_json_read_numbers(struct perun_json_reader *reader,
					 struct perun_json_batch *batch);

/* Bytes of the input read so far: the end of the last token. */
PERUN_EXPORT uint64_t perun_json_offset(const struct perun_json_reader *reader);
/* The number of objects and arrays that are open. */
PERUN_EXPORT size_t perun_json_depth(const struct perun_json_reader *reader);
/* Borrowed from the reader; its status is PERUN_OK as long as nothing failed. */
PERUN_EXPORT const struct perun_json_error *
perun_json_error(const struct perun_json_reader *reader);

/*
 * Fail at the last token, for what is valid JSON but wrong in the caller's format: "line 3,
 * column 9: " and the message. The reader is then in error too. Returns PERUN_INPUT.
 */
PERUN_EXPORT int perun_json_fail(struct perun_json_reader *reader, const char *format, ...)
	PERUN_PRINTF(2, 3);
/* "an object", "a string", "the end of an array" ...: for messages. */
PERUN_EXPORT const char *perun_json_event_name(enum perun_json_event event);
/* Write "line 12, column 7: expected ',' or '}', found 'x'" as snprintf() does. */
PERUN_EXPORT size_t perun_json_error_text(const struct perun_json_error *error, char *out,
					  size_t size);

/* ---- Writing ------------------------------------------------------------------------------- */

/* How much white space: the last three are not read back differently, only their bytes differ. */
enum perun_json_style {
	PERUN_JSON_PYTHON,  /* json.dumps(x): [1, 2], {"a": 1} */
	PERUN_JSON_COMPACT, /* json.dumps(x, separators=(",", ":")): [1,2], {"a":1} */
	PERUN_JSON_INDENTED /* json.dumps(x, indent=N): one element a line; indent 0 breaks lines too */
};

/* Where text goes: `length` bytes. Returns PERUN_OK, or a status after perun_fail(). */
typedef int perun_json_sink(void *data, const char *text, size_t length);

/*
 * Writes values in the order of the calls. It puts the separators; that the calls make sense (a
 * key before each value of an object, as many ends as starts) is the caller's duty. Several
 * values at the top are separated by a newline. A failure of the sink is kept: later calls do
 * nothing, and perun_json_writer_finish() returns it.
 */
struct perun_json_writer;

/*
 * Append to a buffer (borrowed as long as the writer lives); the text is there after each call.
 */
PERUN_EXPORT struct perun_json_writer *
perun_json_writer_new(struct perun_buffer *buffer, enum perun_json_style style, unsigned indent);
/* Hand the text to a sink in pieces of about 64 KiB. */
PERUN_EXPORT struct perun_json_writer *perun_json_writer_new_sink(perun_json_sink *sink, void *data,
								  enum perun_json_style style,
								  unsigned indent);
/* Hand over what is left and free the writer. Returns the status of the first failure. */
PERUN_EXPORT int perun_json_writer_finish(struct perun_json_writer *writer);

PERUN_EXPORT void perun_json_write_object_start(struct perun_json_writer *writer);
PERUN_EXPORT void perun_json_write_object_end(struct perun_json_writer *writer);
PERUN_EXPORT void perun_json_write_array_start(struct perun_json_writer *writer);
PERUN_EXPORT void perun_json_write_array_end(struct perun_json_writer *writer);
PERUN_EXPORT void perun_json_write_key(struct perun_json_writer *writer, const char *text,
				       size_t length);
PERUN_EXPORT void perun_json_write_string(struct perun_json_writer *writer, const char *text,
					  size_t length);
PERUN_EXPORT void perun_json_write_int64(struct perun_json_writer *writer, int64_t value);
PERUN_EXPORT void perun_json_write_uint64(struct perun_json_writer *writer, uint64_t value);
PERUN_EXPORT void perun_json_write_double(struct perun_json_writer *writer, double value);
PERUN_EXPORT void perun_json_write_bool(struct perun_json_writer *writer, bool value);
PERUN_EXPORT void perun_json_write_null(struct perun_json_writer *writer);
/*
 * A value whose JSON text is already right (a captured one, the digits of a big integer): as it
 * is.
 */
PERUN_EXPORT void perun_json_write_raw(struct perun_json_writer *writer, const char *text,
				       size_t length);
/*
 * A key whose text is already quoted and escaped: perun_json_quote() made it once for many rows.
 */
PERUN_EXPORT void perun_json_write_raw_key(struct perun_json_writer *writer, const char *text,
					   size_t length);
/* Keys and strings that are NUL-terminated. */
PERUN_EXPORT void perun_json_write_key_text(struct perun_json_writer *writer, const char *text);
PERUN_EXPORT void perun_json_write_text(struct perun_json_writer *writer, const char *text);
/* A whole document. */
PERUN_EXPORT void perun_json_write_value(struct perun_json_writer *writer,
					 const struct perun_json *value);

/*
 * Append the string in quotes, escaped as json.dumps() does: ASCII only, \n \r \t \b \f \" \\,
 * others \uXXXX in lower case, beyond U+FFFF as two surrogates. A byte that is not UTF-8 becomes
 * \udcXX (XX the byte), as Python's "surrogateescape" gives it.
 */
PERUN_EXPORT void perun_json_quote(struct perun_buffer *out, const char *text, size_t length);

/* ---- Documents ----------------------------------------------------------------------------- */

/*
 * A document in memory, for what is small: headers, parameters, configuration. A value belongs to
 * whoever made it until it is put into an array or an object, which takes it; whoever owns the
 * root frees all. Objects keep the order of their keys; look-up is fast in large ones too. The
 * nesting is bounded by the reader's limit; who builds deeper documents by hand bounds them
 * alike.
 */
enum perun_json_type {
	PERUN_JSON_TYPE_NULL,
	PERUN_JSON_TYPE_BOOL,
	PERUN_JSON_TYPE_INT, /* 64 bits, or as text beyond */
	PERUN_JSON_TYPE_DOUBLE,
	PERUN_JSON_TYPE_STRING,
	PERUN_JSON_TYPE_ARRAY,
	PERUN_JSON_TYPE_OBJECT
};

/*
 * Parse one document. Returns a status; the caller frees `*value` with perun_json_free() (NULL
 * after a failure). `options` may be NULL. Use perun_json_read_value() for a value inside a
 * larger text.
 */
PERUN_EXPORT int perun_json_parse(struct perun_ctx *ctx, const char *text, size_t length,
				  const struct perun_json_options *options,
				  struct perun_json **value);

/* New values. */
PERUN_EXPORT struct perun_json *perun_json_null(void);
PERUN_EXPORT struct perun_json *perun_json_bool(bool value);
PERUN_EXPORT struct perun_json *perun_json_int64(int64_t value);
PERUN_EXPORT struct perun_json *perun_json_uint64(uint64_t value);
/* An integer of any size from its text: an optional minus and digits. NULL for any other text. */
PERUN_EXPORT struct perun_json *perun_json_integer(const char *text, size_t length);
PERUN_EXPORT struct perun_json *perun_json_double(double value);
PERUN_EXPORT struct perun_json *perun_json_string(const char *text, size_t length);
PERUN_EXPORT struct perun_json *perun_json_text(const char *text); /* NUL-terminated */
PERUN_EXPORT struct perun_json *perun_json_array(void);
PERUN_EXPORT struct perun_json *perun_json_object(void);
/*
 * An object of `count` numbers, in a fraction of the time and memory that it takes to set each. A key that is repeated keeps
 * its first place and has its last number.
 */
PERUN_EXPORT struct perun_json *perun_json_numbers(const char *const *keys, const double *numbers,
						   size_t count);
/* The same of texts, all NUL-terminated. */
PERUN_EXPORT struct perun_json *perun_json_texts(const char *const *keys, const char *const *texts,
						 size_t count);
/*
 * The same of numbers and texts, one by one; all are copied. Members take a few bytes each where keys are like the ones before,
 * until somebody looks at them. end() frees `members` and returns the object, which is the caller's;
 * NULL is allowed, and returned.
 */
struct perun_json_members;
PERUN_EXPORT struct perun_json_members *perun_json_members_new(void);
PERUN_EXPORT void perun_json_members_number(struct perun_json_members *members, const char *key,
					    double number);
PERUN_EXPORT void perun_json_members_text(struct perun_json_members *members, const char *key,
					  const char *text);
/* The value is an object of texts; `length` is that of the key. */
PERUN_EXPORT void perun_json_members_object(struct perun_json_members *members, const char *key,
					    size_t length, const char *const *names,
					    const char *const *texts, size_t count);
/* An array: elements of any kind, which are copied; it is ended in the same way. */
PERUN_EXPORT struct perun_json_members *perun_json_elements_new(void);
PERUN_EXPORT void perun_json_elements_add(struct perun_json_members *elements,
					  const struct perun_json *element);
/* A member or (`key` is NULL) an element of any kind, which is taken. */
PERUN_EXPORT void perun_json_members_take(struct perun_json_members *members, const char *key,
					  size_t length, struct perun_json *value);
PERUN_EXPORT struct perun_json *perun_json_members_end(struct perun_json_members *members);
PERUN_EXPORT struct perun_json *perun_json_clone(const struct perun_json *value);
PERUN_EXPORT void perun_json_free(struct perun_json *value); /* NULL is allowed */

/*
 * Asking. NULL as the value is allowed everywhere and is like a missing one, so that look-ups can
 * be chained: perun_json_as_int64(perun_json_path(document, "/header/units/0"), &number).
 */
PERUN_EXPORT enum perun_json_type perun_json_type(const struct perun_json *value);
PERUN_EXPORT const char *perun_json_type_name(enum perun_json_type type); /* "a string" ... */
/* True and `*out` set when the value is of that type; else false and `*out` unchanged. */
PERUN_EXPORT bool perun_json_as_bool(const struct perun_json *value, bool *out);
PERUN_EXPORT bool perun_json_as_int64(const struct perun_json *value, int64_t *out);
PERUN_EXPORT bool perun_json_as_uint64(const struct perun_json *value, uint64_t *out);
/* Any number, integers rounded to the nearest double. */
PERUN_EXPORT bool perun_json_as_double(const struct perun_json *value, double *out);
/*
 * The text of a string (NUL-terminated, owned by the value), NULL for other types. `length` may
 * be NULL when a NUL inside does not matter.
 */
PERUN_EXPORT const char *perun_json_as_string(const struct perun_json *value, size_t *length);
/*
 * The text of an integer that perun_json_as_int64() does not take, NULL for other values.
 */
PERUN_EXPORT const char *perun_json_as_digits(const struct perun_json *value, size_t *length);

/* The number of elements or members; 0 for other types. */
PERUN_EXPORT size_t perun_json_count(const struct perun_json *value);
/* Element i of an array, or the value of member i of an object; NULL when there is none. */
PERUN_EXPORT struct perun_json *perun_json_at(const struct perun_json *value, size_t i);
/*
 * The key of member i of an object (NUL-terminated), NULL when there is none; `length` may be
 * NULL.
 */
PERUN_EXPORT const char *perun_json_key_at(const struct perun_json *object, size_t i,
					   size_t *length);
/*
 * Both at once (`key` may be NULL) for who goes through a container: large ones that were read are packed, and nothing of what was
 * passed stays in memory. The value and the key are valid until the next call for the same container, by one thread at a time, and
 * are not changed.
 */
PERUN_EXPORT const struct perun_json *perun_json_pass(const struct perun_json *value, size_t i,
						      const char **key);
/* The value of a key, NULL when there is none or `object` is not an object. */
PERUN_EXPORT struct perun_json *perun_json_get(const struct perun_json *object, const char *key);
PERUN_EXPORT struct perun_json *perun_json_get_n(const struct perun_json *object, const char *key,
						 size_t length);
/* The text of a key as perun_json_as_string() gives it; "" where there is none. */
PERUN_EXPORT const char *perun_json_get_text(const struct perun_json *object, const char *key);
/*
 * Follow a JSON pointer (RFC 6901): "/header/units/0", "" is the value itself; ~1 is '/', ~0 is
 * '~'.
 */
PERUN_EXPORT struct perun_json *perun_json_path(const struct perun_json *value,
						const char *pointer);

/* Changing. */
/* Set a key; one that is there keeps its place and its old value is freed. `value` is taken. */
PERUN_EXPORT void perun_json_set(struct perun_json *object, const char *key,
				 struct perun_json *value);
PERUN_EXPORT void perun_json_set_n(struct perun_json *object, const char *key, size_t length,
				   struct perun_json *value);
/* Put an element at the end of an array. `value` is taken. */
PERUN_EXPORT void perun_json_append(struct perun_json *array, struct perun_json *value);
/* Take a member out of an object and give it to the caller; NULL when there is none. */
PERUN_EXPORT struct perun_json *perun_json_take(struct perun_json *object, const char *key);
/*
 * Free a member of an object, or element or member i; the others move up. False: there is none.
 */
PERUN_EXPORT bool perun_json_remove(struct perun_json *object, const char *key);
PERUN_EXPORT bool perun_json_remove_at(struct perun_json *value, size_t i);

/*
 * Whether two values are equal: same types (1 is not 1.0), equal contents; the order of an
 * object's keys does not matter; NaN equals NaN, 0.0 does not equal -0.0 (what prints alike is
 * equal).
 */
PERUN_EXPORT bool perun_json_equal(const struct perun_json *a, const struct perun_json *b);

/* Append the document's text. */
PERUN_EXPORT void perun_json_print(const struct perun_json *value, struct perun_buffer *out,
				   enum perun_json_style style, unsigned indent);

#ifdef __cplusplus
}
#endif
#endif
