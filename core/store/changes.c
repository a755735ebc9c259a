/* SPDX-License-Identifier: BSD-3-Clause */
/* The changes found in a minor version: the lines of its .changes file. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>

#include <perun/json.h>

#include <perun/lib/registry.h>

#include "core/context/rounded.h"
#include "core/store/changes.h"
#include "core/store/store.h"

/*
 *	LOCATION PerformanceChange.RESULT TYPE FROM TO RATE CTYPE CRATE RELATIVE MINOR COMMAND
 *
 * Single blanks between; the location and the command may hold blanks. Lines are sorted as texts and
 * joined by newlines, none at the end. Where the method is none of the Python program's, it follows CTYPE after a
 * colon, and the 95 % interval as shares of FROM may follow that: "p_value:shift:0.0412:0.0793". That program takes
 * all of it for the name of the confidence.
 */
#define MARK   " PerformanceChange."
#define LIMIT  ((uint64_t)64 << 20)
#define FIELDS 9   /* after the result: type .. command */
#define TRIES  100 /* marks of a line that are looked at: each costs its whole length */

struct line {
	char *text;
	bool known;         /* the members below are set */
	const char *result; /* within `fields` */
	const char *part[FIELDS];
	const char *method; /* "" = the line has none */
	double low, high;
	char *fields; /* a copy of the text with NULs after the fields */
};

enum part { TYPE, FROM, TO, RATE, CTYPE, CRATE, RELATIVE, MINOR, COMMAND };

static void free_line(struct line *line)
{
	perun_free(line->text);
	perun_free(line->fields);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Split at single blanks; several blanks are one (a type "quadratic " was written by mistake). */
static bool split(char *rest, struct line *line)
{
	line->result = rest;
	for (size_t i = 0; i < FIELDS; i++) {
		char *blank = strchr(rest, ' ');

		/* The command may be empty. */
		if (!blank && i == COMMAND) {
			line->part[i] = "";
			return line->part[MINOR][0] != '\0';
		}
		if (!blank)
			return false;
		*blank++ = '\0';
		if (i < RATE)
			blank += strspn(blank, " ");
		line->part[i] = blank;
		rest = blank;
	}
	return true;
}

static bool read_number(const char *text, double *value)
{
	size_t length = strlen(text);

	return length > 0 && perun_json_scan_double(text, length, value) == length;
}

static bool is_number(const char *text)
{
	double value;

	return read_number(text, &value);
}

static double number(const char *text)
{
	double value = 0;

	perun_json_scan_double(text, strlen(text), &value);
	return value;
}

/* What follows the kind of confidence. */
static void parse_method(struct line *line)
{
	char *method = strchr(line->part[CTYPE], ':'), *low, *high;

	line->method = "";
	if (!method)
		return;
	*method++ = '\0';
	line->method = method;
	low = strchr(method, ':');
	high = low ? strchr(low + 1, ':') : NULL;
	if (!high)
		return;
	*low++ = *high++ = '\0';
	if (!read_number(low, &line->low) || !read_number(high, &line->high))
		line->low = line->high = 0;
}

static bool parse_at(struct line *line, size_t mark)
{
	line->fields = perun_strdup(line->text);
	line->fields[mark] = '\0';
	line->known = split(line->fields + mark + strlen(MARK), line) &&
		      perun_result_from_name(line->result) != PERUN_RESULTS &&
		      is_number(line->part[RATE]) && is_number(line->part[CRATE]) &&
		      is_number(line->part[RELATIVE]);
	if (line->known) {
		parse_method(line);
	} else {
		perun_free(line->fields);
		line->fields = NULL;
	}
	return line->known;
}

/* The location is as long as can be: the last place where the rest makes sense. */
static struct line parse(const char *text, size_t length)
{
	struct line line = {.text = perun_strndup(text, length)};
	unsigned tries = 0;

	if (memchr(text, 0, length))
		return line;
	for (size_t i = length; i > 1 && tries < TRIES;) {
		const char *mark = memrchr(line.text + 1, *MARK, i - 1);

		i = mark ? (size_t)(mark - line.text) : 0;
		if (!mark || strncmp(mark, MARK, strlen(MARK)) != 0)
			continue;
		if (parse_at(&line, i))
			break;
		tries++;
	}
	return line;
}

/* What a version's file says; nothing where there is none. */
static int read_file(struct perun_ctx *ctx, const struct perun_store *store, const char *minor,
		     struct perun_buffer *text)
{
	char path[PERUN_OBJECT_PATH_SIZE];
	struct stat info;
	int status = perun_check_minor(ctx, minor);

	if (status)
		return status;
	perun_object_path(minor, ".changes", path);
	return perun_file_read(ctx, store, path, LIMIT, text, &info);
}

static void parse_lines(const struct perun_buffer *text, struct line **lines, size_t *count)
{
	size_t capacity = 0;

	*lines = NULL;
	*count = 0;
	for (size_t at = 0; at < text->length;) {
		const char *start = text->data + at;
		const char *end = memchr(start, '\n', text->length - at);
		size_t length = end ? (size_t)(end - start) : text->length - at;

		at += length + 1;
		if (length == 0)
			continue;
		PERUN_GROW(*lines, *count, capacity);
		(*lines)[(*count)++] = parse(start, length);
	}
}

static int read_lines(struct perun_ctx *ctx, struct perun_store *store, const char *minor,
		      struct line **lines, size_t *count)
{
	struct perun_buffer text = {0};
	int status = read_file(ctx, store, minor, &text);

	parse_lines(&text, lines, count);
	perun_buffer_free(&text);
	return status;
}

static void free_lines(struct line *lines, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free_line(&lines[i]);
	perun_free(lines);
}

int perun_changes_count_bad(struct perun_ctx *ctx, struct perun_store *store, const char *minor,
			    size_t *bad)
{
	struct line *lines;
	size_t count;
	int status = read_lines(ctx, store, minor, &lines, &count);

	*bad = 0;
	for (size_t i = 0; i < count; i++)
		*bad += !lines[i].known;
	free_lines(lines, count);
	return status;
}

/* The lines live as long as the list, and what is said in them. */
struct lines {
	struct line *items;
	struct perun_change *changes;
	size_t count;
};

static void to_change(const struct line *line, struct perun_change *change,
		      struct perun_stored_change *stored)
{
	change->struct_size = sizeof *change;
	change->result = perun_result_from_name(line->result);
	/* What compose() writes of everything. */
	change->location = strcmp(line->fields, "-") == 0 ? "" : line->fields;
	change->type = line->part[TYPE];
	change->from_baseline = line->part[FROM];
	change->to_target = line->part[TO];
	change->rate = number(line->part[RATE]);
	change->confidence_type = line->part[CTYPE];
	change->confidence_rate = number(line->part[CRATE]);
	change->relative = number(line->part[RELATIVE]);
	change->method = line->method;
	change->low = line->low;
	change->high = line->high;
	change->metric = change->explanation = "";
	*stored = (struct perun_stored_change){.struct_size = sizeof *stored,
					       .change = change,
					       .minor = line->part[MINOR],
					       .command = line->part[COMMAND]};
}

int perun_store_changes(struct perun_ctx *ctx, struct perun_store *store, const char *minor,
			struct perun_stored_changes *changes)
{
	struct lines *lines = perun_alloc_zero(1, sizeof *lines);
	int status = read_lines(ctx, store, minor, &lines->items, &lines->count);
	size_t bad = 0;

	memset(changes, 0, sizeof *changes);
	changes->memory = lines;
	changes->stride = sizeof *changes->items;
	if (status) {
		perun_stored_changes_free(changes);
		return status;
	}
	changes->items = perun_alloc_zero(lines->count + 1, sizeof *changes->items);
	lines->changes = perun_alloc_zero(lines->count + 1, sizeof *lines->changes);
	for (size_t i = 0; i < lines->count; i++) {
		if (lines->items[i].known)
			to_change(&lines->items[i], &lines->changes[i],
				  &changes->items[changes->count++]);
		else
			bad++;
	}
	if (bad)
		perun_warn(ctx, "%zu lines of the changes of %s cannot be read", bad, minor);
	return PERUN_OK;
}

void perun_stored_changes_free(struct perun_stored_changes *changes)
{
	struct lines *lines = changes->memory;

	if (lines) {
		free_lines(lines->items, lines->count);
		perun_free(lines->changes);
	}
	perun_free(lines);
	perun_free(changes->items);
	memset(changes, 0, sizeof *changes);
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r';
}

/* Fields before the command hold no blank; nothing holds a newline, or ends in a blank. */
static void put_field(struct perun_buffer *out, const char *text, bool blanks)
{
	size_t length = text ? strlen(text) : 0, start;

	while (length > 0 && is_blank(text[length - 1]))
		length--;
	if (length == 0 && !blanks)
		perun_buffer_add_char(out, '-');
	start = out->length;
	perun_buffer_add(out, text, length);
	/* What was added ends with a NUL. */
	for (char *at = out->data + start; length > 0 && (at = strpbrk(at, " \n\r"));)
		*at++ = blanks ? ' ' : '_';
}

/* As Python's str() of a float. */
static void put_number(struct perun_buffer *out, double value)
{
	char text[PERUN_JSON_NUMBER_SIZE];

	perun_buffer_add_char(out, ' ');
	if (value != value)
		perun_buffer_add_text(out, "nan");
	else if (value - value != 0)
		perun_buffer_add_text(out, value > 0 ? "inf" : "-inf");
	else
		perun_buffer_add(out, text, perun_json_print_double(value, text));
}

/* Whether a kind of confidence has numbers: "no" and "N/A" have none. */
static bool is_measure(const char *type)
{
	return type && *type && strcmp(type, "no") != 0 && strcmp(type, "N/A") != 0;
}

/* Those of the Python program, whose lines are as it writes them. */
static bool is_plain(const char *method)
{
	static const char *const methods[] = {
		"average_amount_threshold", "best_model_order_equality",
		"exclusive_time_outliers",  "fast_check",
		"integral_comparison",      "linear_regression",
		"local_statistics",         "polynomial_regression"};

	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
		if (perun_same_name(method, methods[i]))
			return true;
	}
	return !*method;
}

static void put_interval(struct perun_buffer *out, double low, double high)
{
	perun_buffer_add_char(out, ':');
	perun_buffer_add_rounded(out, low, 6);
	perun_buffer_add_char(out, ':');
	perun_buffer_add_rounded(out, high, 6);
}

static void put_method(struct perun_buffer *out, const struct perun_change *change)
{
	if (!change->method || is_plain(change->method))
		return;
	perun_buffer_add_char(out, ':');
	put_field(out, change->method, false);
	if (change->low < change->high && isfinite(change->low) && isfinite(change->high))
		put_interval(out, change->low, change->high);
}

static struct line compose(const struct perun_stored_change *stored)
{
	const struct perun_change *change = stored->change;
	struct perun_buffer text = {0};
	struct line line;

	put_field(&text, change->location, true);
	if (text.length == 0)
		perun_buffer_add_char(&text, '-');
	perun_buffer_add_text(&text, MARK);
	perun_buffer_add_text(&text, perun_result_name(change->result));
	perun_buffer_add_char(&text, ' ');
	put_field(&text, change->type, false);
	perun_buffer_add_char(&text, ' ');
	put_field(&text, change->from_baseline, false);
	perun_buffer_add_char(&text, ' ');
	put_field(&text, change->to_target, false);
	/* As the Python program writes an integer. */
	if (change->whole_rate && fabs(change->rate) < 1e9)
		perun_buffer_printf(&text, " %d", (int)change->rate);
	else
		put_number(&text, change->rate);
	perun_buffer_add_char(&text, ' ');
	put_field(&text, change->confidence_type, false);
	put_method(&text, change);
	if (change->confidence_rate == 0 && !is_measure(change->confidence_type))
		perun_buffer_add_text(&text, " 0"); /* the Python program's default is an integer */
	else
		put_number(&text, change->confidence_rate);
	put_number(&text, change->relative);
	perun_buffer_add_char(&text, ' ');
	put_field(&text, stored->minor, false);
	perun_buffer_add_char(&text, ' ');
	put_field(&text, stored->command, true);
	line = parse(text.data, text.length);
	perun_buffer_free(&text);
	return line;
}

/* Whether a newer line takes the place of an older one. */
static bool same_change(const struct line *one, const struct line *other)
{
	if (!one->known || !other->known)
		return strcmp(one->text, other->text) == 0;
	return strcmp(one->fields, other->fields) == 0 &&
	       strcmp(one->part[TYPE], other->part[TYPE]) == 0 &&
	       strcmp(one->part[COMMAND], other->part[COMMAND]) == 0;
}

static int compare_keys(const void *one, const void *other)
{
	const struct line *a = *(struct line *const *)one, *b = *(struct line *const *)other;
	int order = a->known - b->known;

	if (order == 0 && !a->known)
		order = strcmp(a->text, b->text);
	if (order == 0 && a->known)
		order = strcmp(a->fields, b->fields);
	if (order == 0 && a->known)
		order = strcmp(a->part[TYPE], b->part[TYPE]);
	if (order == 0 && a->known)
		order = strcmp(a->part[COMMAND], b->part[COMMAND]);
	return order ? order : (a > b) - (a < b); /* the older first */
}

static int compare_texts(const void *one, const void *other)
{
	return strcmp((*(struct line *const *)one)->text, (*(struct line *const *)other)->text);
}

/* Of the same changes the last; all sorted and joined. */
static void join_lines(struct line *lines, size_t count, struct perun_buffer *text)
{
	struct line **order = perun_alloc_zero(count + 1, sizeof *order);
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		order[i] = &lines[i];
	qsort(order, count, sizeof(struct line *), compare_keys);
	for (size_t i = 0; i < count; i++) {
		if (i + 1 == count || !same_change(order[i], order[i + 1]))
			order[kept++] = order[i];
	}
	qsort(order, kept, sizeof(struct line *), compare_texts);
	for (size_t i = 0; i < kept; i++) {
		if (i > 0)
			perun_buffer_add_char(text, '\n');
		perun_buffer_add_text(text, order[i]->text);
	}
	perun_free(order);
}

static int write_changes(struct perun_ctx *ctx, struct perun_transaction *transaction,
			 const char *minor, const struct perun_buffer *text)
{
	struct perun_piece piece = {text->data ? text->data : "", text->length, -1};
	char path[PERUN_OBJECT_PATH_SIZE];

	perun_object_path(minor, ".changes", path);
	return perun_transaction_write(ctx, transaction, PERUN_STAGE_LAST, path, &piece, 1, NULL);
}

/* The texts that versions' files are to have, and which of them have theirs already. */
struct joining {
	const struct perun_store *store;
	const struct perun_version_changes *versions;
	struct perun_buffer *texts;
	bool *same;
};

/* Drop the lines of commands that were judged again. */
static size_t drop_judged(struct line *lines, size_t count,
			  const struct perun_version_changes *version)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		bool judged = false;

		for (size_t j = 0; lines[i].known && !judged && j < version->judged_count; j++)
			judged = strcmp(lines[i].part[COMMAND], version->judged[j]) == 0;
		if (judged)
			free_line(&lines[i]);
		else
			lines[kept++] = lines[i];
	}
	return kept;
}

static bool is_text(const struct perun_buffer *text, const struct perun_buffer *other)
{
	return text->length == other->length &&
	       (!text->length || memcmp(text->data, other->data, text->length) == 0);
}

/* What was found before goes before what is found now. */
static void join_with(const struct perun_buffer *before,
		      const struct perun_version_changes *version, const struct line *found,
		      struct perun_buffer *text)
{
	struct line *lines;
	size_t old;

	parse_lines(before, &lines, &old);
	old = drop_judged(lines, old, version);
	lines = perun_realloc_array(lines, old + version->count + 1, sizeof *lines);
	memcpy(lines + old, found, version->count * sizeof *lines);
	perun_buffer_clear(text);
	join_lines(lines, old + version->count, text);
	free_lines(lines, old);
}

static int join_changes(struct perun_ctx *ctx, size_t i, void *data)
{
	struct joining *joining = data;
	const struct perun_version_changes *version = &joining->versions[i];
	struct perun_buffer before = {0}, *text = &joining->texts[i];
	struct line *found = perun_alloc_zero(version->count + 1, sizeof *found);
	size_t count = 0;
	int status = read_file(ctx, joining->store, version->minor, &before);

	if (!status) {
		for (; count < version->count; count++)
			found[count] = compose(version->changes[count]);
		join_lines(found, count, text);
		/* Mostly the same is checked again, and found again. A missing file is not an empty one. */
		if (before.length && !is_text(text, &before))
			join_with(&before, version, found, text);
		joining->same[i] = before.data && is_text(text, &before);
	}
	free_lines(found, count);
	perun_buffer_free(&before);
	return status;
}

/* All on all processors, then written in turn. */
static int add_all_changes(struct perun_ctx *ctx, struct perun_transaction *transaction,
			   const struct perun_version_changes *versions, size_t count)
{
	struct joining joining = {perun_transaction_store(transaction), versions,
				  perun_alloc_zero(count + 1, sizeof *joining.texts),
				  perun_alloc_zero(count + 1, sizeof *joining.same)};
	int status = perun_parallel_for(ctx, count, join_changes, &joining);

	for (size_t i = 0; i < count; i++) {
		if (!status && !joining.same[i])
			status = write_changes(ctx, transaction, versions[i].minor,
					       &joining.texts[i]);
		perun_buffer_free(&joining.texts[i]);
	}
	perun_free(joining.texts);
	perun_free(joining.same);
	return status;
}

int perun_store_save_all_changes(struct perun_ctx *ctx, struct perun_store *store,
				 const struct perun_version_changes *versions, size_t count)
{
	struct perun_transaction *transaction;
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < count; i++)
		status = perun_check_minor(ctx, versions[i].minor);
	if (!status)
		status = perun_transaction_begin(ctx, store, "check", &transaction);
	if (status)
		return status;
	status = add_all_changes(ctx, transaction, versions, count);
	if (!status)
		status = perun_transaction_commit(ctx, transaction);
	perun_transaction_end(transaction);
	return status;
}

int perun_store_save_changes(struct perun_ctx *ctx, struct perun_store *store, const char *minor,
			     const struct perun_stored_change *const *changes, size_t count)
{
	struct perun_version_changes version = {.minor = minor, .changes = changes, .count = count};

	return perun_store_save_all_changes(ctx, store, &version, 1);
}
