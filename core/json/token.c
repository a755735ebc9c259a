/* SPDX-License-Identifier: BSD-3-Clause */
/* The tokens of JSON: what may follow what, numbers and words. */
#include "reader.h"

/* ---- Numbers --------------------------------------------------------------------------------- */

/* A number runs into the end of the buffer at `p`: fetch until all of it is there. Returns it. */
static char *fetch_number(struct perun_json_reader *reader, char *p)
{
	size_t length = (size_t)(reader->end - p);

	while (perun_json_refill(reader, p)) {
		p = reader->cursor;
		/* "-Infinity" and the exponent's letters are among these. */
		length += strspn(p + length, "0123456789+-.eEINafinty");
		if (p + length < reader->end)
			break;
	}
	return reader->cursor;
}

static bool set_special(struct perun_json_token *token, char *p, size_t length)
{
	token->event = PERUN_JSON_NUMBER;
	token->kind = PERUN_JSON_DOUBLE;
	token->text = p;
	token->length = length;
	if (*p == 'N')
		token->number.real = __builtin_nan("");
	else
		token->number.real = *p == '-' ? -__builtin_inf() : __builtin_inf();
	return true;
}

static void set_integer(struct perun_json_token *token, const struct decimal *decimal,
			const char *digits)
{
	uint64_t value = decimal->significand, most = (uint64_t)INT64_MAX + decimal->negative;
	/* Twenty digits wrap around unless they begin with 1, and then they show it. */
	bool fits = decimal->digit_count < 20 || (decimal->digit_count == 20 && *digits == '1' &&
						  value >= 10000000000000000000u);

	if (fits && value <= most) {
		token->kind = PERUN_JSON_INT64;
		token->number.int64 = (int64_t)(decimal->negative ? -value : value);
	} else if (fits && !decimal->negative) {
		token->kind = PERUN_JSON_UINT64;
		token->number.uint64 = value;
	} else {
		token->kind = PERUN_JSON_BIG;
		token->number.uint64 = 0;
	}
}

static bool fail_number(struct perun_json_reader *reader, char *p, const char *bad)
{
	if (*p == '-' && bad == p + 1)
		perun_json_fail_expected(reader, bad, "a digit after '-'");
	else if (bad > p && bad[-1] == '.')
		perun_json_fail_expected(reader, bad, "a digit after '.'");
	else
		perun_json_fail_expected(reader, bad, "a digit in the exponent");
	return false;
}

static bool scan_negative_infinity(struct perun_json_reader *reader, char *p)
{
	static const char text[] = "-Infinity";

	p = perun_json_look_ahead(reader, p, sizeof text - 1);
	if (strncmp(p, text, sizeof text - 1) != 0)
		return fail_number(reader, p, p + 1);
	reader->cursor = p + sizeof text - 1;
	return set_special(&reader->token, p, sizeof text - 1);
}

/* Read the number, NaN or infinity at `p` into the token. False after a failure. */
static bool scan_number(struct perun_json_reader *reader, char *p)
{
	struct perun_json_token *token = &reader->token;
	struct decimal decimal;
	const char *digits, *end, *bad = p;

	for (;;) {
		decimal.negative = *p == '-';
		digits = p + decimal.negative;
		end = scan_decimal(digits, &decimal, &bad);
		if ((end != NULL ? end : bad) < reader->end || reader->at_end)
			break;
		p = fetch_number(reader, p);
		if (reader->state == STATE_FAILED)
			return false;
	}
	if (end == NULL && *p == '-' && p[1] == 'I')
		return scan_negative_infinity(reader, p);
	if (end == NULL)
		return fail_number(reader, p, bad);
	token->event = PERUN_JSON_NUMBER;
	token->text = p;
	token->length = (size_t)(end - p);
	reader->cursor = p + token->length;
	if (token->length > reader->kept_size && token->length > token_limit(reader))
		return perun_json_fail_token_size(reader, p);
	if (decimal.integer) {
		set_integer(token, &decimal, digits);
	} else {
		token->kind = PERUN_JSON_DOUBLE;
		if (!reader->skipping)
			token->number.real =
				decimal_to_double(&decimal, digits, (size_t)(end - digits));
	}
	return true;
}

/* ---- Words ----------------------------------------------------------------------------------- */

static const struct word {
	char text[9];
	uint8_t length;
	enum perun_json_event event;
} words[] = {
	{"true", 4, PERUN_JSON_TRUE},       {"false", 5, PERUN_JSON_FALSE},
	{"null", 4, PERUN_JSON_NULL},       {"NaN", 3, PERUN_JSON_NUMBER},
	{"Infinity", 8, PERUN_JSON_NUMBER},
};

/* true, false, null, NaN or Infinity; everything else is not a value. */
static bool scan_word(struct perun_json_reader *reader, char *p, const char *expected)
{
	struct perun_json_token *token = &reader->token;
	size_t i;

	p = perun_json_look_ahead(reader, p, sizeof words->text);
	for (i = 0; i < sizeof words / sizeof *words; i++) {
		if (strncmp(p, words[i].text, words[i].length) != 0)
			continue;
		reader->cursor = p + words[i].length;
		if (words[i].event == PERUN_JSON_NUMBER)
			return set_special(token, p, words[i].length);
		token->event = words[i].event;
		return true;
	}
	perun_json_fail_expected(reader, p, expected);
	return false;
}

/* ---- Structure ------------------------------------------------------------------------------- */

static enum perun_json_event open_container(struct perun_json_reader *reader, char *p)
{
	if (reader->depth >= reader->options.depth)
		return perun_json_fail_at(reader, p, "nested deeper than the limit of %zu",
					  reader->options.depth);
	PERUN_GROW(reader->stack, reader->depth, reader->stack_size);
	reader->stack[reader->depth++] = *p;
	reader->cursor = p + 1;
	if (*p == '{') {
		reader->state = STATE_OBJECT_FIRST;
		reader->after_value = STATE_OBJECT_NEXT;
		return reader->token.event = PERUN_JSON_OBJECT_START;
	}
	reader->state = STATE_ARRAY_FIRST;
	reader->after_value = STATE_ARRAY_NEXT;
	return reader->token.event = PERUN_JSON_ARRAY_START;
}

static enum perun_json_event close_container(struct perun_json_reader *reader, char *p)
{
	reader->token.offset = offset_of(reader, p);
	reader->cursor = p + 1;
	reader->depth--;
	if (reader->depth == 0)
		reader->after_value = STATE_DONE;
	else if (reader->stack[reader->depth - 1] == '{')
		reader->after_value = STATE_OBJECT_NEXT;
	else
		reader->after_value = STATE_ARRAY_NEXT;
	reader->state = reader->after_value;
	return reader->token.event = *p == '}' ? PERUN_JSON_OBJECT_END : PERUN_JSON_ARRAY_END;
}

static enum perun_json_event read_value(struct perun_json_reader *reader, char *p,
					const char *expected)
{
	reader->token.offset = offset_of(reader, p);
	switch (*p) {
	case '"':
		if (!perun_json_scan_string(reader, p))
			return PERUN_JSON_ERROR;
		reader->token.event = PERUN_JSON_STRING;
		break;
	case '-':
	case '0':
	case '1':
	case '2':
	case '3':
	case '4':
	case '5':
	case '6':
	case '7':
	case '8':
	case '9':
		if (!scan_number(reader, p))
			return PERUN_JSON_ERROR;
		break;
	case '{':
	case '[':
		return open_container(reader, p);
	default:
		if (!scan_word(reader, p, expected))
			return PERUN_JSON_ERROR;
		break;
	}
	reader->state = reader->after_value;
	return reader->token.event;
}

static enum perun_json_event read_key(struct perun_json_reader *reader, char *p,
				      const char *expected)
{
	if (*p != '"')
		return perun_json_fail_expected(reader, p, expected);
	reader->token.offset = offset_of(reader, p);
	if (!perun_json_scan_string(reader, p))
		return PERUN_JSON_ERROR;
	reader->state = STATE_COLON;
	return reader->token.event = PERUN_JSON_KEY;
}

static enum perun_json_event end_of_text(struct perun_json_reader *reader, char *p)
{
	reader->cursor = p;
	reader->token.offset = offset_of(reader, p);
	return reader->token.event = PERUN_JSON_END;
}

static enum perun_json_event read_start(struct perun_json_reader *reader, char *p)
{
	if (reader->options.sequence && p == reader->end && reader->state != STATE_FAILED)
		return end_of_text(reader, p);
	p = perun_json_look_ahead(reader, p, 3);
	if (offset_of(reader, p) == 0 && strncmp(p, "\xef\xbb\xbf", 3) == 0)
		return perun_json_fail_at(
			reader, p, "the text begins with a byte order mark: save it without one");
	return read_value(reader, p, "a value");
}

static enum perun_json_event read_after(struct perun_json_reader *reader, char *p)
{
	if (p == reader->end && reader->state != STATE_FAILED)
		return end_of_text(reader, p);
	if (reader->options.sequence)
		return read_value(reader, p, "a value");
	return perun_json_fail_expected(reader, p, "nothing more after the end of the document");
}

enum perun_json_event perun_json_next(struct perun_json_reader *reader)
{
	char *p;

	if (reader->capacity >= LARGE_BUFFER)
		perun_json_shrink(reader);
	p = skip_blanks(reader, reader->cursor);
	switch (reader->state) {
	case STATE_OBJECT_NEXT:
		if (*p == ',')
			return read_key(reader, skip_blanks(reader, p + 1),
					"a key in double quotes after ','");
		if (*p == '}')
			return close_container(reader, p);
		return perun_json_fail_expected(reader, p, "',' or '}'");
	case STATE_COLON:
		if (*p != ':')
			return perun_json_fail_expected(reader, p, "':' after a key");
		return read_value(reader, skip_blanks(reader, p + 1), "a value after ':'");
	case STATE_ARRAY_NEXT:
		if (*p == ',')
			return read_value(reader, skip_blanks(reader, p + 1), "a value after ','");
		if (*p == ']')
			return close_container(reader, p);
		return perun_json_fail_expected(reader, p, "',' or ']'");
	case STATE_OBJECT_FIRST:
		if (*p == '}')
			return close_container(reader, p);
		return read_key(reader, p, "a key in double quotes or '}'");
	case STATE_ARRAY_FIRST:
		if (*p == ']')
			return close_container(reader, p);
		return read_value(reader, p, "a value or ']'");
	case STATE_VALUE:
		return read_value(reader, p, "a value after ','");
	case STATE_START:
		return read_start(reader, p);
	case STATE_DONE:
		return read_after(reader, p);
	case STATE_FAILED:
		break;
	}
	return PERUN_JSON_ERROR;
}

/* ---- Whole arrays ---------------------------------------------------------------------------- */

/* Stop before `p` in an array: no number, or no room. */
static int stop(struct perun_json_reader *reader, char *p)
{
	reader->cursor = p;
	reader->token.offset = offset_of(reader, p);
	return reader->error.status;
}

int perun_json_read_numbers(struct perun_json_reader *reader, struct perun_json_batch *batch)
{
	struct perun_json_token *token = &reader->token;
	size_t count;
	char *p;

	batch->count = 0;
	batch->mixed = 0;
	for (count = 0; count < batch->capacity; count++) {
		p = skip_blanks(reader, reader->cursor);
		if (reader->state == STATE_ARRAY_NEXT && *p == ',') {
			reader->state = STATE_VALUE;
			p = skip_blanks(reader, p + 1);
		} else if (reader->state != STATE_ARRAY_FIRST && reader->state != STATE_VALUE) {
			return stop(reader, p);
		}
		if (!is_digit(*p) && *p != '-' && *p != 'N' && *p != 'I')
			return stop(reader, p);
		if (read_value(reader, p, "a number") == PERUN_JSON_ERROR)
			return reader->error.status;
		if (token->kind == PERUN_JSON_BIG) {
			/* Give it back: perun_json_next() reads it again, with its text. */
			reader->state = STATE_VALUE;
			return stop(reader, reader->cursor - token->length);
		}
		batch->values[count] = token->number;
		if (batch->kinds != NULL)
			batch->kinds[count] = (uint8_t)token->kind;
		batch->mixed |= token->kind;
		batch->count = count + 1;
	}
	return PERUN_OK;
}

enum perun_json_event perun_json_first_token(struct perun_json_reader *reader)
{
	enum perun_json_event event = reader->token.event;

	if (event == PERUN_JSON_KEY || reader->state == STATE_START)
		event = perun_json_next(reader);
	if (event == PERUN_JSON_END || event == PERUN_JSON_OBJECT_END ||
	    event == PERUN_JSON_ARRAY_END) {
		perun_json_fail(reader, "expected a value, found %s", perun_json_event_name(event));
		return PERUN_JSON_ERROR;
	}
	return event;
}

int perun_json_skip(struct perun_json_reader *reader)
{
	enum perun_json_event event;
	size_t depth;

	reader->skipping = true;
	event = perun_json_first_token(reader);
	if (event == PERUN_JSON_OBJECT_START || event == PERUN_JSON_ARRAY_START) {
		depth = reader->depth;
		while (event != PERUN_JSON_ERROR && reader->depth >= depth)
			event = perun_json_next(reader);
	}
	reader->skipping = false;
	return reader->error.status;
}

int perun_json_expect(struct perun_json_reader *reader, enum perun_json_event event,
		      const char *what)
{
	enum perun_json_event found = perun_json_next(reader);

	if (found == event)
		return PERUN_OK;
	if (found == PERUN_JSON_ERROR)
		return reader->error.status;
	return perun_json_fail(reader, "expected %s%s%s, found %s", perun_json_event_name(event),
			       what != NULL ? " for " : "", what != NULL ? what : "",
			       perun_json_event_name(found));
}

const char *perun_json_event_name(enum perun_json_event event)
{
	switch (event) {
	case PERUN_JSON_ERROR:
		return "an error";
	case PERUN_JSON_END:
		return "the end of the text";
	case PERUN_JSON_OBJECT_START:
		return "an object";
	case PERUN_JSON_OBJECT_END:
		return "the end of an object";
	case PERUN_JSON_ARRAY_START:
		return "an array";
	case PERUN_JSON_ARRAY_END:
		return "the end of an array";
	case PERUN_JSON_KEY:
		return "a key";
	case PERUN_JSON_STRING:
		return "a string";
	case PERUN_JSON_NUMBER:
		return "a number";
	case PERUN_JSON_TRUE:
		return "true";
	case PERUN_JSON_FALSE:
		return "false";
	case PERUN_JSON_NULL:
		return "null";
	}
	return "an unknown token";
}
