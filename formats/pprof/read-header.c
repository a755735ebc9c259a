/* SPDX-License-Identifier: BSD-3-Clause */
/* What surrounds the samples: the names of the columns, and the document. */
#include "reading.h"
#include "formats/common/pprof-texts.h"

/* A sample type with its strings and the column that it names. */
struct naming {
	perun_id type, unit;
	char *column, *column_unit;
	bool exact; /* the column says all */
};

static const char *text_at(const struct pprof_reading *reading, perun_id id, size_t *length)
{
	return perun_builder_string_at(reading->builder, id, length);
}

static struct perun_json *json_at(const struct pprof_reading *reading, perun_id id)
{
	size_t length;
	const char *text = text_at(reading, id, &length);

	return pprof_to_json(text, length, NULL);
}

/* What names of columns mean elsewhere; a sample type of such a name gets another. */
static bool is_reserved(const char *name)
{
	static const char *const names[] = {"",       "stack", "labels", "amount",
					    "metric", "type",  "subtype"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

/* The names of columns so far, and for each name that was wanted again the number to try next. */
struct taken {
	struct perun_json *names, *next;
};

/* A text for people: as it is if it is UTF-8 without NUL, else made printable. */
static char *clean_text(const struct pprof_reading *reading, perun_id id, bool *exact)
{
	size_t length;
	const char *text = text_at(reading, id, &length);
	bool clean;

	perun_json_free(pprof_to_json(text, length, &clean));
	if (clean)
		return perun_strdup(text);
	*exact = false;
	return perun_printable(text);
}

static void choose_name(const struct pprof_reading *reading, struct naming *naming,
			struct taken *taken)
{
	int64_t n = 2;
	char *wanted;

	naming->exact = true;
	wanted = clean_text(reading, naming->type, &naming->exact);
	naming->column_unit = clean_text(reading, naming->unit, &naming->exact);
	if (!*wanted) {
		perun_free(wanted);
		wanted = perun_strdup("value");
		naming->exact = false;
	}
	naming->column = perun_strdup(wanted);
	perun_json_as_int64(perun_json_get(taken->next, wanted), &n);
	while (is_reserved(naming->column) || perun_json_get(taken->names, naming->column)) {
		perun_free(naming->column);
		naming->column = perun_format("%s#%lld", wanted, (long long)n++);
		naming->exact = false;
	}
	perun_json_set(taken->next, wanted, perun_json_int64(n));
	perun_json_set(taken->names, naming->column, perun_json_bool(true));
	perun_free(wanted);
}

static void name_column(struct pprof_reading *reading, const struct naming *naming, size_t i)
{
	struct perun_column_info info = {
		.name = naming->column, .type = PERUN_TYPE_INT64, .role = PERUN_ROLE_METRIC};
	struct perun_column_builder *column;

	if (i < reading->value_count) {
		column = reading->values[i];
		perun_column_set_name(column, naming->column);
	} else { /* there are no samples */
		column = perun_table_add_column(reading->table, &info);
	}
	perun_column_set_unit(column, naming->column_unit);
}

static struct perun_json *describe_types(const struct pprof_reading *reading,
					 const struct naming *namings, size_t count)
{
	struct perun_json *types = perun_json_array();

	for (size_t i = 0; i < count; i++) {
		struct perun_json *type = perun_json_object();

		perun_json_set(type, "column", perun_json_text(namings[i].column));
		perun_json_set(type, "type", json_at(reading, namings[i].type));
		perun_json_set(type, "unit", json_at(reading, namings[i].unit));
		perun_json_append(types, type);
	}
	return types;
}

static int find_types(struct pprof_reading *reading, struct naming *namings)
{
	struct taken taken = {perun_json_object(), perun_json_object()};
	int status = PERUN_OK;

	for (size_t i = 0; i < reading->sample_types.count && !status; i++) {
		const struct pprof_value_type *type = &reading->sample_types.items[i];

		status = pprof_string(reading, type->type, type->offset, "sample_type[].type", i,
				      &namings[i].type);
		if (!status)
			status = pprof_string(reading, type->unit, type->offset,
					      "sample_type[].unit", i, &namings[i].unit);
		if (!status)
			choose_name(reading, &namings[i], &taken);
	}
	perun_json_free(taken.names);
	perun_json_free(taken.next);
	return status;
}

/* The column shown by default: that of the type named, else the last. */
static const char *default_column(const struct naming *namings, size_t count, perun_id type)
{
	for (size_t i = 0; i < count; i++) {
		if (namings[i].type == type)
			return namings[i].column;
	}
	return namings[count - 1].column;
}

static int name_columns(struct pprof_reading *reading, perun_id default_type,
			struct perun_json *header, struct perun_json *extra)
{
	size_t count = reading->sample_types.count;
	struct naming *namings = perun_alloc_zero(count + 1, sizeof *namings);
	bool exact = true;
	int status = find_types(reading, namings);

	for (size_t i = 0; i < count && !status; i++) {
		name_column(reading, &namings[i], i);
		exact &= namings[i].exact;
	}
	if (!status && !exact)
		perun_json_set(extra, "sample_types", describe_types(reading, namings, count));
	if (!status && count)
		perun_json_set(header, "default_metric",
			       perun_json_text(default_column(namings, count, default_type)));
	for (size_t i = 0; i < count; i++) {
		perun_free(namings[i].column);
		perun_free(namings[i].column_unit);
	}
	perun_free(namings);
	return status;
}

static int set_text(struct pprof_reading *reading, struct perun_json *object, const char *key,
		    const struct pprof_header_value *value)
{
	perun_id id;
	int status = pprof_string(reading, value->value, value->offset, key, 0, &id);

	if (!status && id)
		perun_json_set(object, key, json_at(reading, id));
	return status;
}

static void set_number(struct perun_json *object, const char *key, int64_t value)
{
	if (value)
		perun_json_set(object, key, perun_json_int64(value));
}

static int set_period_type(struct pprof_reading *reading, struct perun_json *header)
{
	const struct pprof_value_type *type = &reading->period_type;
	struct perun_json *value = perun_json_object();
	perun_id word = 0, unit = 0;
	int status = pprof_string(reading, type->type, type->offset, "period_type.type", 0, &word);

	if (!status)
		status = pprof_string(reading, type->unit, type->offset, "period_type.unit", 0,
				      &unit);
	if (status || (!word && !unit)) {
		perun_json_free(value);
		return status;
	}
	perun_json_set(value, "type", json_at(reading, word));
	perun_json_set(value, "unit", json_at(reading, unit));
	perun_json_set(header, "period_type", value);
	return PERUN_OK;
}

static int add_comments(struct pprof_reading *reading, struct perun_json *document)
{
	struct perun_json *comments = perun_json_array();
	int status = PERUN_OK;

	for (size_t i = 0; i < reading->comments.count && !status; i++) {
		const struct pprof_header_value *comment = &reading->comments.items[i];
		perun_id id;

		status =
			pprof_string(reading, comment->value, comment->offset, "comment[]", i, &id);
		if (!status)
			perun_json_append(comments, json_at(reading, id));
	}
	if (perun_json_count(comments))
		perun_json_set(document, "comments", comments);
	else
		perun_json_free(comments);
	return status;
}

int pprof_resolve_header(struct pprof_reading *reading)
{
	const struct pprof_header_value *values = reading->header;
	struct perun_json *document = perun_builder_document(reading->builder);
	struct perun_json *header = perun_json_object(), *own = perun_json_object();
	const struct pprof_header_value *type = &values[PPROF_DEFAULT_SAMPLE_TYPE];
	struct perun_json *extra;
	perun_id default_type;
	int status;

	perun_json_set(document, "header", header);
	status = pprof_string(reading, type->value, type->offset, "default_sample_type", 0,
			      &default_type);
	if (!status)
		status = set_text(reading, own, "default_sample_type", type);
	if (!status)
		status = set_text(reading, own, "drop_frames", &values[PPROF_DROP_FRAMES]);
	if (!status)
		status = set_text(reading, own, "keep_frames", &values[PPROF_KEEP_FRAMES]);
	if (!status)
		status = set_text(reading, own, "doc_url", &values[PPROF_DOC_URL]);
	if (!status)
		status = name_columns(reading, default_type, header, own);
	set_number(header, "time", values[PPROF_TIME].value);
	set_number(header, "duration", values[PPROF_DURATION].value);
	set_number(header, "period", values[PPROF_PERIOD].value);
	if (!status)
		status = set_period_type(reading, header);
	if (!status)
		status = add_comments(reading, document);
	if (!perun_json_count(own)) {
		perun_json_free(own);
		return status;
	}
	extra = perun_json_object();
	perun_json_set(extra, "pprof", own);
	perun_json_set(document, "extra", extra);
	return status;
}
