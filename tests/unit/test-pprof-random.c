/* SPDX-License-Identifier: BSD-3-Clause */
/* Nothing that a profile.proto holds is lost when it is read and written: random profiles. */
#include <perun/format.h>
#include <perun/json.h>

#include "check.h"
#include "pprof-bytes.h"

static struct perun_ctx *ctx;
static uint64_t state = 88172645463325252u;

/* xorshift64 */
static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state >> 8;
}

static uint64_t below(uint64_t end)
{
	return next_random() % end;
}

/* Small, negative, large: what varints are made of. */
static int64_t any_number(void)
{
	switch (below(6)) {
	case 0:
		return 0;
	case 1:
		return -(int64_t)below(1000);
	case 2:
		return INT64_MIN;
	case 3:
		return (int64_t)(next_random() << 8 | below(256));
	default:
		return (int64_t)below(300);
	}
}

enum { MOST = 12 };

struct shape {
	unsigned types, mappings, functions, locations, strings;
	uint64_t mapping_ids[MOST], function_ids[MOST], location_ids[MOST];
};

static void choose_ids(uint64_t *ids, unsigned count)
{
	bool dense = below(2);

	for (unsigned i = 0; i < count; i++)
		ids[i] = dense ? i + 1 : (next_random() << 20) + i + 1;
}

static void put_field(struct perun_buffer *out, unsigned field, uint64_t value)
{
	if (below(3))
		put_number(out, field, value);
}

static void end_message(struct perun_buffer *out, unsigned field, struct perun_buffer *message)
{
	put_bytes(out, field, message->data ? message->data : "", message->length);
	perun_buffer_clear(message);
}

static void put_sample(struct perun_buffer *out, const struct shape *shape)
{
	struct perun_buffer message = {0}, label = {0}, packed = {0};

	for (uint64_t n = shape->locations ? below(6) : 0; n; n--)
		put_number(&message, 1, shape->location_ids[below(shape->locations)]);
	if (below(2)) {
		for (unsigned i = 0; i < shape->types; i++)
			put_varint(&packed, (uint64_t)any_number());
		end_message(&message, 2, &packed);
	} else {
		for (unsigned i = 0; i < shape->types; i++)
			put_number(&message, 2, (uint64_t)any_number());
	}
	for (uint64_t n = below(2) ? below(5) : 0; n; n--) {
		/* Keys in order, strings first: then nothing moves. */
		put_number(&label, 1, below(shape->strings));
		if (below(2))
			put_number(&label, 2, 1 + below(shape->strings - 1));
		else
			put_number(&label, 3, (uint64_t)any_number());
		put_field(&label, 4, below(shape->strings));
		end_message(&message, 3, &label);
	}
	end_message(out, 2, &message);
	perun_buffer_free(&message);
	perun_buffer_free(&label);
	perun_buffer_free(&packed);
}

static void put_places(struct perun_buffer *out, const struct shape *shape)
{
	struct perun_buffer message = {0}, line = {0};

	for (unsigned i = 0; i < shape->mappings; i++) {
		put_number(&message, 1, shape->mapping_ids[i]);
		for (unsigned field = 2; field <= 4; field++)
			put_field(&message, field, (uint64_t)any_number());
		put_field(&message, 5, below(shape->strings));
		put_field(&message, 6, below(shape->strings));
		for (unsigned field = 7; field <= 10; field++)
			put_field(&message, field, below(2));
		end_message(out, 3, &message);
	}
	for (unsigned i = 0; i < shape->locations; i++) {
		put_number(&message, 1, shape->location_ids[i]);
		if (shape->mappings)
			put_field(&message, 2, shape->mapping_ids[below(shape->mappings)]);
		put_field(&message, 3, (uint64_t)any_number());
		for (uint64_t n = shape->functions ? below(4) : 0; n; n--) {
			put_number(&line, 1, shape->function_ids[below(shape->functions)]);
			put_field(&line, 2, (uint64_t)any_number());
			put_field(&line, 3, (uint64_t)any_number());
			end_message(&message, 4, &line);
		}
		put_field(&message, 5, below(2));
		end_message(out, 4, &message);
	}
	for (unsigned i = 0; i < shape->functions; i++) {
		put_number(&message, 1, shape->function_ids[i]);
		for (unsigned field = 2; field <= 4; field++)
			put_field(&message, field, below(shape->strings));
		put_field(&message, 5, (uint64_t)any_number());
		end_message(out, 5, &message);
	}
	perun_buffer_free(&message);
	perun_buffer_free(&line);
}

static void put_header(struct perun_buffer *out, const struct shape *shape)
{
	static const unsigned texts[] = {7, 8, 14, 15}, numbers[] = {9, 10, 12};
	struct perun_buffer message = {0};

	for (unsigned i = 0; i < 4; i++)
		put_field(out, texts[i], below(shape->strings));
	for (unsigned i = 0; i < 3; i++)
		put_field(out, numbers[i], (uint64_t)any_number());
	for (uint64_t n = below(5); n; n--)
		put_number(out, 13, below(shape->strings));
	put_field(&message, 1, below(shape->strings));
	put_field(&message, 2, below(shape->strings));
	if (below(2))
		end_message(out, 11, &message);
	perun_buffer_free(&message);
}

static void put_random_text(struct perun_buffer *out)
{
	static const char alphabet[] = "ab\xc3\xa9\xff\x80\n\"/;(";
	char text[8];
	size_t length = below(8);

	for (size_t i = 0; i < length; i++)
		text[i] = alphabet[below(sizeof alphabet)]; /* NUL as well */
	put_bytes(out, 6, text, length);
}

static void put_profile(struct perun_buffer *out)
{
	struct shape shape = {.types = (unsigned)below(4),
			      .mappings = (unsigned)below(4),
			      .functions = (unsigned)below(MOST),
			      .locations = (unsigned)below(MOST),
			      .strings = 2 + (unsigned)below(10)};
	struct perun_buffer message = {0};

	choose_ids(shape.mapping_ids, shape.mappings);
	choose_ids(shape.function_ids, shape.functions);
	choose_ids(shape.location_ids, shape.locations);
	for (unsigned i = 0; i < shape.types; i++) {
		put_field(&message, 1, below(shape.strings));
		put_field(&message, 2, below(shape.strings));
		end_message(out, 1, &message);
	}
	for (uint64_t n = shape.types ? below(30) : 0; n; n--)
		put_sample(out, &shape);
	put_places(out, &shape);
	put_text(out, "");
	for (unsigned i = 1; i < shape.strings; i++)
		put_random_text(out);
	put_header(out, &shape);
	perun_buffer_free(&message);
}

/* ---- all of a profile as text ---------------------------------------------------------------- */

static void show_string(const struct perun_profile *profile, perun_id id, struct perun_buffer *out)
{
	size_t length;
	const char *text = perun_profile_string(profile, id, &length);

	perun_json_quote(out, text, length);
	perun_buffer_add_char(out, ' ');
}

static void show_places(const struct perun_profile *profile, struct perun_buffer *out)
{
	for (perun_id i = 0; i < perun_profile_mappings(profile); i++) {
		const struct perun_mapping *m = perun_profile_mapping(profile, i);

		perun_buffer_printf(out,
				    "M%" PRIu64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %d%d%d%d ",
				    m->source_id, m->start, m->limit, m->offset, m->has_functions,
				    m->has_filenames, m->has_line_numbers, m->has_inline_frames);
		show_string(profile, m->file, out);
		show_string(profile, m->build_id, out);
	}
	for (perun_id i = 0; i < perun_profile_functions(profile); i++) {
		const struct perun_function *f = perun_profile_function(profile, i);

		perun_buffer_printf(out, "F%" PRIu64 " %" PRId64 " ", f->source_id, f->start_line);
		show_string(profile, f->name, out);
		show_string(profile, f->system_name, out);
		show_string(profile, f->file, out);
	}
	for (perun_id i = 0; i < perun_profile_locations(profile); i++) {
		const struct perun_location *l = perun_profile_location(profile, i);

		perun_buffer_printf(out, "L%" PRIu64 " %" PRIx64 " %u %d ", l->source_id,
				    l->address, l->mapping, l->folded);
		for (uint32_t k = 0; k < l->line_count; k++)
			perun_buffer_printf(out, "%u:%" PRId64 ":%" PRId64 " ",
					    l->lines[k].function, l->lines[k].line,
					    l->lines[k].column);
	}
}

static int compare_labels(const struct perun_profile *profile, const struct perun_label *a,
			  const struct perun_label *b)
{
	size_t left, right;
	const char *x = perun_profile_string(profile, a->key, &left);
	const char *y = perun_profile_string(profile, b->key, &right);
	bool a_number = a->text == PERUN_NO_ID, b_number = b->text == PERUN_NO_ID;
	int order = memcmp(x, y, left < right ? left : right);

	if (a_number != b_number)
		return a_number ? 1 : -1;
	return order ? order : (left > right) - (left < right);
}

/* By key, as they are written; those of a key in their order (insertion sort is stable). */
static void show_labels(const struct perun_profile *profile, perun_id set, struct perun_buffer *out)
{
	const struct perun_label *labels;
	size_t count = 0, order[64];

	labels = set == PERUN_NO_ID ? NULL : perun_profile_labels(profile, set, &count);
	for (size_t i = 0, k; i < count && i < 64; i++) {
		for (k = i; k && compare_labels(profile, &labels[order[k - 1]], &labels[i]) > 0;
		     k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
	for (size_t i = 0; i < count; i++) {
		const struct perun_label *label = &labels[order[i]];

		/* Neither the empty string nor a bare 0 can be written as a value. */
		if (label->text == 0 ||
		    (label->text == PERUN_NO_ID && !label->number && !label->unit))
			continue;
		show_string(profile, label->key, out);
		if (label->text != PERUN_NO_ID)
			show_string(profile, label->text, out);
		else
			perun_buffer_printf(out, "=%" PRId64 " ", label->number);
		show_string(profile, label->unit, out);
	}
}

static void show_rows(const struct perun_profile *profile, struct perun_buffer *out)
{
	const struct perun_table *table = perun_resources(profile);

	for (size_t row = 0; row < perun_table_rows(table); row++) {
		for (size_t i = 0; i < perun_table_columns(table); i++) {
			const struct perun_column *column = perun_table_column_at(table, i);
			const struct perun_column_info *info = perun_column_info(column);
			size_t count = 0;

			if (info->type == PERUN_TYPE_LABELS) {
				show_labels(profile, perun_column_id(column, row), out);
			} else if (info->type == PERUN_TYPE_STACK) {
				const perun_id *stack = perun_profile_stack(
					profile, perun_column_id(column, row), &count);

				for (size_t k = 0; k < count; k++)
					perun_buffer_printf(out, "%u ", stack[k]);
			} else {
				perun_buffer_printf(out, "%s/%s=%" PRId64 " ", info->name,
						    info->unit, perun_column_int64(column, row));
			}
		}
		perun_buffer_add_char(out, '\n');
	}
}

static void show(const struct perun_profile *profile, struct perun_buffer *out)
{
	perun_json_print(perun_profile_document(profile), out, PERUN_JSON_PYTHON, 0);
	show_places(profile, out);
	show_rows(profile, out);
	perun_buffer_add(out, "", 1);
}

static struct perun_profile *read_bytes(const struct perun_buffer *bytes)
{
	struct perun_input *input = perun_input_from_memory("x.pb", bytes->data, bytes->length);
	struct perun_profile *profile;

	perun_read_profile(ctx, input, "pprof", NULL, &profile, NULL);
	perun_input_close(input);
	return profile;
}

static struct perun_profile *write_and_read(const struct perun_profile *profile,
					    struct perun_buffer *bytes)
{
	const char *options[] = {below(2) ? "plain=yes" : NULL, NULL};
	struct perun_output *output = perun_output_to_buffer(bytes);

	CHECK_INT(perun_write_profile(ctx, profile, "pprof", options, output), 0);
	CHECK_INT(perun_output_commit(ctx, output), 0);
	/* A label without any content is none in pprof: an empty text, 0 without a unit. */
	for (size_t i = 0; i < perun_ctx_losses(ctx); i++) {
		const char *what = perun_ctx_loss(ctx, i, &(uint64_t){0});

		if (strcmp(what, "zeros without unit in labels") != 0)
			CHECK_STR(what, "empty labels");
	}
	perun_ctx_clear_losses(ctx);
	perun_output_close(output);
	return read_bytes(bytes);
}

static void check_one(void)
{
	struct perun_buffer bytes = {0}, first = {0}, second = {0}, written = {0};
	struct perun_profile *profile, *again;

	put_profile(&bytes);
	profile = read_bytes(&bytes);
	if (!profile) {
		CHECK_FAIL("%s", perun_ctx_error(ctx));
		perun_ctx_clear(ctx);
	} else {
		again = write_and_read(profile, &written);
		CHECK(again != NULL);
		show(profile, &first);
		if (again)
			show(again, &second);
		CHECK_STR(second.data, first.data);
		perun_profile_unref(profile);
		perun_profile_unref(again);
	}
	perun_buffer_free(&bytes);
	perun_buffer_free(&first);
	perun_buffer_free(&second);
	perun_buffer_free(&written);
}

TEST(test_random_profiles)
{
	for (int i = 0; i < 3000 && !check_bad; i++)
		check_one();
}

CHECK_MAIN(ctx = perun_ctx_new(NULL), perun_ctx_free(ctx))
