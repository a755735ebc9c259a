/* SPDX-License-Identifier: BSD-3-Clause */
/* Resources as the lines that flame graph programs read. */
#include <config.h>

#include <string.h>

#include "core/query/cell.h"
#include "core/query/paths.h"

/* A few bytes of nested objects can represent long texts in each of many lines. */
#define MAX_BYTES ((size_t)1 << 31)

/* A column whose cells become a part of each line; texts of ids are made once. */
struct part {
	const struct perun_column *column; /* may be NULL */
	bool frames;                       /* a list of frames, innermost first */
	char **texts;                      /* by id; NULL when cells are not ids */
	size_t ids;
	struct perun_buffer text;
};

struct flame {
	struct perun_ctx *ctx;
	struct part uid, frames;
	const struct perun_column *subtype, *amount;
	const struct perun_metric *metric; /* only its rows; NULL = all */
	struct perun_buffer cell;
	struct perun_buffer *out;
};

/* A frame must not hold what separates frames and lines. */
static void add_clean(struct perun_buffer *out, const char *text, size_t length)
{
	size_t start = out->length;

	perun_buffer_add(out, text, length);
	for (size_t i = start; i < out->length; i++) {
		char *c = &out->data[i];

		if (*c == ';')
			*c = ':';
		else if (*c == '\n' || *c == '\r' || *c == '\0')
			*c = ' ';
	}
}

static void add_flat(struct perun_buffer *out, const struct perun_json *value)
{
	struct perun_buffer text = {0};

	if (value)
		perun_flatten_value(value, &text);
	add_clean(out, text.data ? text.data : "", text.length);
	perun_buffer_free(&text);
}

static void add_frame(struct perun_buffer *out, const struct perun_json *frame)
{
	const struct perun_json *function = perun_json_get(frame, "function");
	const struct perun_json *source = perun_json_get(frame, "source");
	const struct perun_json *line = perun_json_get(frame, "line");
	const struct perun_json *func = perun_json_get(frame, "func");

	if (function && source && line) {
		add_flat(out, function);
		perun_buffer_add_text(out, "()~");
		add_flat(out, source);
		perun_buffer_add_char(out, '~');
		add_flat(out, line);
	} else {
		add_flat(out, func ? func : frame);
	}
}

/* ---- parts ------------------------------------------------------------------------------------ */

static void open_part(struct part *part, const struct perun_column *column, bool frames)
{
	*part = (struct part){.column = column, .frames = frames};
	if (!column || !perun_type_is_pooled(perun_column_info(column)->type))
		return;
	part->ids = perun_pool_size(perun_table_profile(perun_column_table(column)),
				    perun_column_info(column)->type);
	part->texts = perun_alloc_zero(part->ids + 1, sizeof *part->texts);
}

static void close_part(struct part *part)
{
	for (size_t i = 0; part->texts && i < part->ids; i++)
		perun_free(part->texts[i]);
	perun_free(part->texts);
	perun_buffer_free(&part->text);
}

static void add_stack(struct perun_buffer *out, const struct perun_column *column, size_t row)
{
	struct perun_json *names = perun_cell_value(column, row); /* the outermost first */

	for (size_t i = 0; i < perun_json_count(names); i++) {
		if (i > 0)
			perun_buffer_add_char(out, ';');
		add_flat(out, perun_json_at(names, i));
	}
	perun_json_free(names);
}

static void make_text(struct part *part, size_t row, struct perun_buffer *out)
{
	enum perun_type type = perun_column_info(part->column)->type;
	struct perun_json *value;

	if (type == PERUN_TYPE_STACK) {
		add_stack(out, part->column, row);
		return;
	}
	value = perun_cell_value(part->column, row);
	if (part->frames && perun_json_type(value) == PERUN_JSON_TYPE_ARRAY) {
		for (size_t i = perun_json_count(value); i-- > 0;) {
			add_frame(out, perun_json_at(value, i));
			if (i > 0)
				perun_buffer_add_char(out, ';');
		}
	} else {
		add_frame(out, value);
	}
	perun_json_free(value);
}

/* The text of a cell, "" when it is absent; borrowed until the next call. */
static const char *part_text(struct part *part, size_t row)
{
	perun_id id;

	if (!part->column || perun_column_absent(part->column, row))
		return "";
	perun_buffer_clear(&part->text);
	if (!part->texts) {
		make_text(part, row, &part->text);
		return part->text.data ? part->text.data : "";
	}
	id = perun_column_id(part->column, row);
	if (id >= part->ids)
		return "";
	if (!part->texts[id]) {
		make_text(part, row, &part->text);
		part->texts[id] = perun_strdup(part->text.data ? part->text.data : "");
	}
	return part->texts[id];
}

/* ---- lines ------------------------------------------------------------------------------------ */

static bool is_left_out(struct flame *flame, size_t row)
{
	struct perun_buffer *cell = &flame->cell;

	if (perun_column_absent(flame->amount, row) ||
	    (flame->metric && !perun_metric_has_row(flame->metric, row)))
		return true;
	if (!flame->subtype || perun_column_absent(flame->subtype, row))
		return false;
	perun_buffer_clear(cell);
	perun_column_flat(flame->subtype, row, cell);
	return cell->length == 4 && memcmp(cell->data, "free", 4) == 0;
}

static void add_line(struct flame *flame, size_t row)
{
	const char *uid = part_text(&flame->uid, row), *frames = part_text(&flame->frames, row);
	struct perun_buffer *out = flame->out;

	perun_buffer_add_text(out, uid);
	if (*uid && *frames)
		perun_buffer_add_char(out, ';');
	perun_buffer_add_text(out, frames);
	if (!*uid && !*frames)
		perun_buffer_add_text(out, "[unknown]");
	perun_buffer_add_char(out, ' ');
	perun_column_print(flame->amount, row, out);
	perun_buffer_add_char(out, '\n');
}

static int add_snapshot(void *data, int64_t snapshot, const uint32_t *rows, size_t count)
{
	struct flame *flame = data;

	(void)snapshot;
	for (size_t i = 0; i < count; i++) {
		if (!is_left_out(flame, rows[i]))
			add_line(flame, rows[i]);
		if (flame->out->length > MAX_BYTES)
			return perun_fail(flame->ctx, PERUN_INPUT,
					  "the lines of the flame graph have more bytes than the "
					  "limit of %zu",
					  MAX_BYTES);
		if (i % 4096 == 0 && perun_cancelled(flame->ctx))
			return perun_fail(flame->ctx, PERUN_CANCELLED, "interrupted");
	}
	return PERUN_OK;
}

static int choose_amount(struct perun_ctx *ctx, const struct perun_profile *profile,
			 const char *key, struct flame *flame)
{
	const struct perun_table *table = perun_resources(profile);
	const struct perun_metric *const *metrics;
	size_t count;

	flame->amount = perun_table_column(table, key ? key : "amount");
	if (flame->amount)
		return PERUN_OK;
	if (key)
		return perun_fail(ctx, PERUN_USAGE,
				  "the resources have no column \"%s\" to take amounts from", key);
	metrics = perun_metrics(profile, &count);
	if (count == 0)
		return perun_fail(ctx, PERUN_INPUT,
				  "the profile measures nothing: no column \"amount\", no metric");
	flame->metric = metrics[0];
	flame->amount = metrics[0]->values;
	return PERUN_OK;
}

int perun_to_flame_graph_format(struct perun_ctx *ctx, const struct perun_profile *profile,
				const char *key, struct perun_buffer *out)
{
	const struct perun_table *table = perun_resources(profile);
	const struct perun_column *frames = perun_table_column(table, "trace");
	struct flame flame = {
		.ctx = ctx, .subtype = perun_table_column(table, "subtype"), .out = out};
	int status;

	if (perun_table_rows(table) == 0)
		return PERUN_OK;
	status = choose_amount(ctx, profile, key, &flame);
	if (status)
		return status;
	open_part(&flame.uid, perun_table_column(table, "uid"), false);
	open_part(&flame.frames, frames ? frames : perun_table_column(table, "stack"), true);
	status = perun_all_snapshots(profile, add_snapshot, &flame);
	close_part(&flame.uid);
	close_part(&flame.frames);
	perun_buffer_free(&flame.cell);
	return status;
}
