/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of benchmarks as resources, with what the header has to say of them. */
#include <math.h>
#include <string.h>

#include <perun/lib/experiment.h>
#include <perun/lib/path.h>
#include <perun/lib/units.h>

#include "benchmark.h"
#include "benchmark-orders.h"

/* A text of the builder, where it stays. */
struct last_text {
	perun_id id;
	const char *text; /* NULL: there is none yet */
};

enum unit_kind { UNIT_TIME, UNIT_THROUGHPUT, UNIT_RATE, UNIT_OTHER };

/* Units of the last measurements, and what they are: those of a row or line follow each other again and again. */
enum { KNOWN_UNITS = 8 };

struct known_unit {
	char *text;
	enum unit_kind kind;
	double parts;
};

/* The standard errors of a metric, until the end. */
struct deviations {
	char *metric;
	struct perun_json_members *shares; /* by uid */
};

/* Times whose amounts are in their column, after those of the last row. */
struct held {
	size_t cells, elements, broken;
	size_t stray;
	const char *found; /* NULL: all elements are numbers */
};

struct metric_bits {
	uint64_t *bits; /* of each metric */
	size_t size;
};

/* The units of metrics, which are texts of the builder as they are. */
struct metric_units {
	struct metric_bits own;  /* whose unit is what they are called */
	struct metric_bits none; /* whose unit is "" */
	perun_id *others;        /* by metric, plus 1; 0 = none */
	size_t other_size;
	struct perun_json_members *all; /* for the header, in the order in which the metrics came */
};

/* Texts that follow each other, each NUL-terminated and from a multiple of ABOUT_STEP on. */
enum { ABOUT_STEP = 4 };

struct first_abouts {
	struct perun_buffer texts;
	uint32_t *at; /* by text of the builder: the step where its own begins, plus 1; 0 = none */
	size_t size;
};

struct benchmark {
	struct perun_ctx *ctx;
	struct perun_builder *builder;
	const char *tool;
	const struct perun_input *input;
	struct perun_table_builder *table;
	struct perun_column_builder *amount, *uid, *order, *subtype, *type;
	struct orders orders;
	struct last_text uid_before, type_before,
		subtype_before; /* of the measurement before, which most others are like */
	struct known_unit units_known[KNOWN_UNITS];
	size_t next_unit; /* the oldest one */
	char *timed;      /* the metric of the last deviation of a time, "time(real)" */
	struct deviations *deviations;
	size_t deviation_count, deviation_room, deviated; /* deviated: of the last one */
	struct held held;                                 /* times that are not named yet */
	size_t count;
	size_t broken; /* measurements that are not finite */
	struct metric_units units;
	struct perun_json *facts, *machine, *header; /* ours until the end */
	struct perun_json_members *failed;           /* likewise; NULL: none has */
	struct first_abouts first; /* of each name that benchmark_apart() was asked for */
	char *apart;               /* what it gave last */
};

struct benchmark *benchmark_begin(struct perun_ctx *ctx, struct perun_builder *builder,
				  const char *tool, const struct perun_input *input)
{
	static const struct perun_column_info info[] = {
		{.name = "amount", .type = PERUN_TYPE_DOUBLE, .role = PERUN_ROLE_METRIC},
		{.name = "uid", .type = PERUN_TYPE_STRING, .role = PERUN_ROLE_KEY},
		{.name = "order", .type = PERUN_TYPE_INT64, .role = PERUN_ROLE_PLAIN},
		{.name = "subtype", .type = PERUN_TYPE_STRING, .role = PERUN_ROLE_KEY},
		{.name = "type", .type = PERUN_TYPE_STRING, .role = PERUN_ROLE_KEY},
	};
	struct benchmark *benchmark = perun_alloc_zero(1, sizeof *benchmark);

	benchmark->ctx = ctx;
	benchmark->builder = builder;
	benchmark->tool = tool;
	benchmark->input = input;
	benchmark->table = perun_builder_table(builder, "resources");
	benchmark->amount = perun_table_add_column(benchmark->table, &info[0]);
	benchmark->uid = perun_table_add_column(benchmark->table, &info[1]);
	benchmark->order = perun_table_add_column(benchmark->table, &info[2]);
	benchmark->subtype = perun_table_add_column(benchmark->table, &info[3]);
	benchmark->type = perun_table_add_column(benchmark->table, &info[4]);
	/* Neighbours are alike in these, or whole numbers. */
	perun_column_save_memory(benchmark->amount);
	perun_column_save_memory(benchmark->uid);
	perun_column_save_memory(benchmark->order);
	perun_column_save_memory(benchmark->subtype);
	perun_column_save_memory(benchmark->type);
	benchmark->facts = perun_json_object();
	benchmark->machine = perun_json_object();
	benchmark->header = perun_json_object();
	benchmark->units.all = perun_json_members_new();
	return benchmark;
}

/* The object of that key, made where it is missing. */
static struct perun_json *object_in(struct perun_json *object, const char *key)
{
	if (!perun_json_get(object, key))
		perun_json_set(object, key, perun_json_object());
	return perun_json_get(object, key);
}

static struct perun_json *end_members(struct perun_json_members **members)
{
	struct perun_json *object = perun_json_members_end(*members);

	*members = NULL;
	return object;
}

/* ---- measurements --------------------------------------------------------------------------- */

/* An array with zeroes after what is there: large ones take no memory for these until they are used. */
static void *grow_zero(void *array, size_t count, size_t more, size_t size)
{
	void *grown = perun_alloc_zero(more, size);

	if (count)
		memcpy(grown, array, count * size);
	perun_free(array);
	return grown;
}

/* The number of a text, which mostly is that of the measurement before. */
static perun_id find_text(struct benchmark *benchmark, struct last_text *last, const char *text)
{
	if (last->text && *last->text == *text && strcmp(last->text, text) == 0)
		return last->id;
	last->id = perun_builder_text(benchmark->builder, text);
	last->text = perun_builder_string_at(benchmark->builder, last->id, NULL);
	return last->id;
}

static struct series series_of(struct benchmark *benchmark, const char *uid, const char *type,
			       const char *subtype)
{
	struct series series = {.uid = find_text(benchmark, &benchmark->uid_before, uid),
				.type = find_text(benchmark, &benchmark->type_before, type),
				.subtype = PERUN_NO_ID};

	if (subtype)
		series.subtype = find_text(benchmark, &benchmark->subtype_before, subtype);
	return series;
}

static bool is_finite(struct benchmark *benchmark, double amount)
{
	bool finite = isfinite(amount);

	benchmark->broken += !finite;
	return finite;
}

static void add_row(struct benchmark *benchmark, const struct series *series, double amount)
{
	perun_column_set_double(benchmark->amount, amount);
	perun_column_set_id(benchmark->uid, PERUN_TYPE_STRING, series->uid);
	perun_column_set_int64(benchmark->order, orders_next(&benchmark->orders, series, 1));
	perun_column_set_id(benchmark->subtype, PERUN_TYPE_STRING, series->subtype);
	perun_column_set_id(benchmark->type, PERUN_TYPE_STRING, series->type);
	perun_table_end_row(benchmark->table);
	benchmark->count++;
}

static bool has_bit(const struct metric_bits *bits, perun_id metric)
{
	return metric / 64 < bits->size && perun_bit(bits->bits, metric);
}

/* The unit of a metric; NULL: it has none yet. */
static const char *unit_of(const struct benchmark *benchmark, perun_id metric)
{
	const struct metric_units *units = &benchmark->units;
	perun_id unit;

	if (metric < units->other_size && units->others[metric])
		unit = units->others[metric] - 1;
	else if (has_bit(&units->own, metric))
		unit = metric;
	else if (has_bit(&units->none, metric))
		return "";
	else
		return NULL;
	return perun_builder_string_at(benchmark->builder, unit, NULL);
}

static size_t grown_size(size_t size, size_t need)
{
	return size * 2 > need ? size * 2 : need;
}

static void set_bit(struct metric_bits *bits, perun_id metric)
{
	if (metric / 64 >= bits->size) {
		const size_t size = grown_size(bits->size, (size_t)metric / 64 + 1);

		bits->bits = grow_zero(bits->bits, bits->size, size, sizeof *bits->bits);
		bits->size = size;
	}
	bits->bits[metric / 64] |= UINT64_C(1) << metric % 64;
}

/* The first one counts. */
static void note_unit(struct benchmark *benchmark, perun_id metric, const char *unit)
{
	struct metric_units *units = &benchmark->units;
	perun_id text;
	size_t size;

	if (unit_of(benchmark, metric))
		return;
	text = perun_builder_text(benchmark->builder, unit);
	if (text == metric) {
		set_bit(&units->own, metric);
	} else if (!*unit) {
		set_bit(&units->none, metric);
	} else {
		size = grown_size(units->other_size, (size_t)metric + 1);
		if (metric >= units->other_size) {
			units->others = grow_zero(units->others, units->other_size, size,
						  sizeof *units->others);
			units->other_size = size;
		}
		units->others[metric] = text + 1;
	}
	perun_json_members_text(units->all,
				perun_builder_string_at(benchmark->builder, metric, NULL), unit);
}

bool benchmark_time(struct benchmark *benchmark, const char *uid, const char *subtype,
		    double seconds)
{
	struct series series;

	if (!is_finite(benchmark, seconds))
		return false;
	series = series_of(benchmark, uid, "time", subtype);
	add_row(benchmark, &series, seconds);
	note_unit(benchmark, series.type, "s");
	return true;
}

/* As many rows at once. */
#define TIMES_AT_ONCE 512

/* Rows of amounts that are in their column. */
static void add_rows(struct benchmark *benchmark, const struct series *series, size_t count)
{
	uint32_t next = orders_next(&benchmark->orders, series, (uint32_t)count);
	int64_t orders[TIMES_AT_ONCE];

	for (size_t done = 0, now; done < count; done += now) {
		now = count - done < TIMES_AT_ONCE ? count - done : TIMES_AT_ONCE;
		for (size_t i = 0; i < now; i++)
			orders[i] = next++;
		perun_column_append_int64(benchmark->order, orders, now);
	}
	perun_column_append_same_id(benchmark->uid, PERUN_TYPE_STRING, series->uid, count);
	perun_column_append_same_id(benchmark->subtype, PERUN_TYPE_STRING, series->subtype, count);
	perun_column_append_same_id(benchmark->type, PERUN_TYPE_STRING, series->type, count);
	perun_table_end_rows(benchmark->table, count);
	benchmark->count += count;
	note_unit(benchmark, series->type, "s");
}

/* Of `count` times the finite ones, in seconds, at the end of their column; returns how many these are. */
static size_t append_times(struct benchmark *benchmark, double *times, size_t count, double parts)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		times[kept] = times[i] / parts;
		kept += isfinite(times[kept]);
	}
	perun_column_append_double(benchmark->amount, times, NULL, kept);
	return kept;
}

/* Fewer are added one by one, which takes less. */
#define FEW_TIMES 16

static void add_few(struct benchmark *benchmark, const char *uid, const char *subtype,
		    const struct perun_json *times, double parts)
{
	struct series series = {0};
	bool added = false;
	double seconds;

	for (size_t i = 0; i < perun_json_count(times); i++) {
		if (!perun_json_as_double(perun_json_pass(times, i, NULL), &seconds) ||
		    !is_finite(benchmark, seconds / parts))
			continue;
		if (!added)
			series = series_of(benchmark, uid, "time", subtype);
		added = true;
		add_row(benchmark, &series, seconds / parts);
	}
	if (added)
		note_unit(benchmark, series.type, "s");
}

void benchmark_times(struct benchmark *benchmark, const char *uid, const char *subtype,
		     const struct perun_json *times, double parts)
{
	double seconds[TIMES_AT_ONCE];
	size_t all = perun_json_count(times), added = 0;
	struct series series;

	if (all < FEW_TIMES) {
		add_few(benchmark, uid, subtype, times, parts);
		return;
	}
	for (size_t i = 0; i < all;) {
		size_t count = 0, kept;

		for (; i < all && count < TIMES_AT_ONCE; i++)
			count += perun_json_as_double(perun_json_pass(times, i, NULL),
						      &seconds[count]);
		kept = append_times(benchmark, seconds, count, parts);
		benchmark->broken += count - kept;
		added += kept;
	}
	if (!added)
		return;
	series = series_of(benchmark, uid, "time", subtype);
	add_rows(benchmark, &series, added);
}

/* ---- times that are named later --------------------------------------------------------------- */

void benchmark_drop_held(struct benchmark *benchmark)
{
	if (benchmark->held.cells)
		perun_table_discard(benchmark->table);
	benchmark->held = (struct held){0};
}

size_t benchmark_held(const struct benchmark *benchmark, size_t *stray, const char **found)
{
	*stray = benchmark->held.stray;
	*found = benchmark->held.found;
	return benchmark->held.elements;
}

void benchmark_name_held(struct benchmark *benchmark, const char *uid, const char *subtype)
{
	const struct held held = benchmark->held;
	struct series series;

	benchmark->held = (struct held){0};
	benchmark->broken += held.broken;
	if (!held.cells)
		return;
	series = series_of(benchmark, uid, "time", subtype);
	add_rows(benchmark, &series, held.cells);
}

static void hold(struct benchmark *benchmark, double *times, size_t count, double parts)
{
	size_t kept = append_times(benchmark, times, count, parts);

	benchmark->held.cells += kept;
	benchmark->held.broken += count - kept;
	benchmark->held.elements += count;
}

/* The type of the value that the token begins. */
static enum perun_json_type type_of(const struct perun_json_token *token)
{
	switch (token->event) {
	case PERUN_JSON_OBJECT_START:
		return PERUN_JSON_TYPE_OBJECT;
	case PERUN_JSON_ARRAY_START:
		return PERUN_JSON_TYPE_ARRAY;
	case PERUN_JSON_STRING:
		return PERUN_JSON_TYPE_STRING;
	case PERUN_JSON_TRUE:
	case PERUN_JSON_FALSE:
		return PERUN_JSON_TYPE_BOOL;
	default:
		return PERUN_JSON_TYPE_NULL;
	}
}

/* An element that is not one of those in a batch: an integer of any size, or something else. False at the end. */
static bool hold_other(struct benchmark *benchmark, struct perun_json_reader *json, double parts)
{
	const struct perun_json_token *token = perun_json_token(json);
	enum perun_json_event event = perun_json_next(json);
	double number;

	if (event == PERUN_JSON_ARRAY_END || event == PERUN_JSON_ERROR)
		return false;
	if (event == PERUN_JSON_NUMBER) {
		if (perun_json_parse_double(token->text, token->length, &number))
			hold(benchmark, &number, 1, parts);
		return true;
	}
	if (!benchmark->held.found) {
		benchmark->held.stray = benchmark->held.elements;
		benchmark->held.found = perun_json_type_name(type_of(token));
	}
	benchmark->held.elements++;
	return perun_json_skip(json) == PERUN_OK;
}

void benchmark_hold_times(struct benchmark *benchmark, struct perun_json_reader *json, double parts)
{
	union perun_json_number numbers[TIMES_AT_ONCE];
	uint8_t kinds[TIMES_AT_ONCE];
	struct perun_json_batch batch = {numbers, kinds, .capacity = TIMES_AT_ONCE};
	double times[TIMES_AT_ONCE];

	benchmark_drop_held(benchmark);
	do {
		if (perun_json_read_numbers(json, &batch))
			return;
		for (size_t i = 0; i < batch.count; i++)
			times[i] = kinds[i] == PERUN_JSON_DOUBLE  ? numbers[i].real
				   : kinds[i] == PERUN_JSON_INT64 ? (double)numbers[i].int64
								  : (double)numbers[i].uint64;
		hold(benchmark, times, batch.count, parts);
	} while (batch.count == batch.capacity || hold_other(benchmark, json, parts));
}

bool benchmark_value(struct benchmark *benchmark, const char *uid, const char *metric,
		     const char *unit, bool rate, double amount)
{
	struct series series;
	const char *known;

	/* A counter of the user's that is called so is not a time in seconds. */
	if (strcmp(metric, "time") == 0)
		metric = "time#2";
	if (!*metric)
		metric = "value";
	if (!is_finite(benchmark, amount))
		return false;
	series = series_of(benchmark, uid, metric, NULL);
	known = unit_of(benchmark, series.type);
	if (known && strcmp(known, unit) != 0 && perun_unit_factor(unit, known) > 0)
		amount *= (double)perun_unit_factor(unit, known);
	if (!is_finite(benchmark, amount))
		return false;
	add_row(benchmark, &series, amount);
	note_unit(benchmark, series.type, unit);
	if (rate && !perun_builder_is_described(benchmark->builder, series.type)) {
		perun_builder_describe(benchmark->builder, series.type, "better", "higher");
		perun_builder_describe(benchmark->builder, series.type, "kind", "ratio");
	}
	return true;
}

static void describe(struct benchmark *benchmark, const char *metric, const char *key,
		     const char *text)
{
	perun_builder_describe(benchmark->builder, perun_builder_text(benchmark->builder, metric),
			       key, text);
}

void benchmark_samples(struct benchmark *benchmark, const char *metric)
{
	describe(benchmark, metric, "repeats", "samples");
}

void benchmark_exact(struct benchmark *benchmark, const char *metric)
{
	describe(benchmark, metric, "noise", "exact");
}

void benchmark_lower(struct benchmark *benchmark, const char *metric)
{
	describe(benchmark, metric, "better", "lower");
}

void benchmark_fact(struct benchmark *benchmark, const char *key, struct perun_json *value)
{
	perun_json_set(benchmark->facts, key, value);
}

void benchmark_machine(struct benchmark *benchmark, const char *key, const char *inner,
		       const char *value)
{
	struct perun_json *place = benchmark->machine;

	if (!value || !*value)
		return;
	if (inner && !perun_json_get(place, key))
		perun_json_set(place, key, perun_json_object());
	if (inner)
		place = perun_json_get(place, key);
	perun_json_set(place, inner ? inner : key, perun_json_text(value));
}

void benchmark_header(struct benchmark *benchmark, const char *key, const char *text)
{
	perun_json_set(benchmark->header, key, perun_json_text(text));
}

void benchmark_command(struct benchmark *benchmark, const char *program)
{
	const char *name = program ? perun_path_base_name(program) : "";

	if (*name)
		benchmark_header(benchmark, "cmd", name);
}

/* ---- units of tools --------------------------------------------------------------------------- */

/* Whether a word represents what is measured itself: "1.2 ns/op", "300 ops/s". */
static bool is_operation(const char *word, size_t length)
{
	static const char *const words[] = {"op",         "ops",  "iter",  "iters", "iteration",
					    "iterations", "call", "round", "1"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i]) == length && memcmp(words[i], word, length) == 0)
			return true;
	return false;
}

/* How many of a unit are a second; 0 = it is no time. Divided by, so that 1200 ns become 1.2e-06 s exactly. */
static double parts_of_second(const char *unit)
{
	static const struct {
		const char *name;
		double parts;
	} units[] = {{"ns", 1e9},    {"us", 1e6},        {"\xc2\xb5s", 1e6},
		     {"ms", 1e3},    {"\xce\xbcs", 1e6}, {"s", 1},
		     {"sec", 1},     {"second", 1},      {"millisecond", 1e3},
		     {"seconds", 1}, {"m", 1.0 / 60},    {"minute", 1.0 / 60}};

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(units[i].name, unit) == 0)
			return units[i].parts;
	return 0;
}

bool benchmark_to_seconds(double *amount, const char *unit)
{
	double parts = parts_of_second(unit);

	if (parts > 0)
		*amount /= parts;
	return parts > 0;
}

/* The same of the words of tools; "m" is a metre. Picoseconds are not known to others. */
static double parts_of_word(const char *unit)
{
	static const char *const words[][2] = {{"min", "minute"},     {"minutes", "minute"},
					       {"nanoseconds", "ns"}, {"microseconds", "us"},
					       {"usec", "us"},        {"milliseconds", "ms"},
					       {"msec", "ms"},        {"secs", "s"}};

	if (strcmp(unit, "ps") == 0)
		return 1e12;
	if (strcmp(unit, "m") == 0)
		return 0;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(words[i][0], unit) == 0)
			unit = words[i][1];
	return parts_of_second(unit);
}

const char *benchmark_metric_of_unit(const char *unit)
{
	if (perun_unit_factor(unit, "B") > 0)
		return "size";
	if (perun_unit_factor(unit, "B/s") > 0)
		return "rate";
	return *unit ? unit : "value";
}

/* What a unit measures, and what an amount of it is divided by to be seconds or a throughput per second. */
static enum unit_kind look_up_unit(const char *unit, double *parts)
{
	const char *slash = strrchr(unit, '/');
	char *above = perun_strndup(unit, slash ? (size_t)(slash - unit) : strlen(unit));
	enum unit_kind kind = UNIT_OTHER;
	double below = slash ? parts_of_word(slash + 1) : 0;

	*parts = 1;
	if ((!slash || is_operation(slash + 1, strlen(slash + 1))) && parts_of_word(above) > 0) {
		kind = UNIT_TIME;
		*parts = parts_of_word(above);
	} else if (below > 0 && is_operation(above, strlen(above))) {
		kind = UNIT_THROUGHPUT;
		*parts = 1 / below;
	} else if (below > 0) {
		kind = UNIT_RATE;
	}
	perun_free(above);
	return kind;
}

static enum unit_kind kind_of_unit(struct benchmark *benchmark, const char *unit, double *amount)
{
	struct known_unit *known = benchmark->units_known, *end = known + KNOWN_UNITS;

	while (known < end && known->text && strcmp(known->text, unit) != 0)
		known++;
	if (known == end || !known->text) {
		known = &benchmark->units_known[benchmark->next_unit++ % KNOWN_UNITS];
		perun_free(known->text);
		known->text = perun_strdup(unit);
		known->kind = look_up_unit(unit, &known->parts);
	}
	*amount /= known->parts;
	return known->kind;
}

bool benchmark_in_unit(struct benchmark *benchmark, const char *uid, const char *subtype,
		       const char *otherwise, const char *unit, double amount)
{
	enum unit_kind kind = kind_of_unit(benchmark, unit, &amount);

	if (kind == UNIT_TIME)
		return benchmark_time(benchmark, uid, subtype, amount);
	if (kind == UNIT_THROUGHPUT)
		return benchmark_value(benchmark, uid, "throughput", "ops/s", true, amount);
	return benchmark_value(benchmark, uid,
			       otherwise ? otherwise : benchmark_metric_of_unit(unit), unit,
			       kind == UNIT_RATE, amount);
}

/* "time(real)": mostly that of the time before. */
static const char *name_of_time(struct benchmark *benchmark, const char *subtype)
{
	const char *known = benchmark->timed ? benchmark->timed + strlen("time(") : "";
	size_t length = strlen(subtype);

	if (strncmp(known, subtype, length) != 0 || strcmp(known + length, ")") != 0) {
		perun_free(benchmark->timed);
		benchmark->timed = perun_format("time(%s)", subtype);
	}
	return benchmark->timed;
}

void benchmark_deviation_in_unit(struct benchmark *benchmark, const char *uid, const char *subtype,
				 const char *otherwise, const char *unit, double share)
{
	double amount = 1;
	enum unit_kind kind = kind_of_unit(benchmark, unit, &amount);
	const char *metric = otherwise;

	if (kind == UNIT_TIME)
		metric = name_of_time(benchmark, subtype);
	else if (kind == UNIT_THROUGHPUT)
		metric = "throughput";
	else if (!otherwise)
		metric = benchmark_metric_of_unit(unit);
	benchmark_deviation(benchmark, metric, uid, share);
}

static bool is_part_of_number(char c)
{
	return (c >= '0' && c <= '9') || c == '.' || c == ',' || c == '-' || c == '+' || c == 'e' ||
	       c == 'E';
}

size_t benchmark_grouped(const char *text, double *number)
{
	char digits[64];
	size_t used = 0, length = 0;
	char *end;

	while (length < sizeof digits - 1 && is_part_of_number(text[used])) {
		if (text[used] != ',')
			digits[length++] = text[used];
		used++;
	}
	if (perun_json_parse_double(digits, length, number)) /* the fast way of most */
		return used;
	digits[length] = '\0';
	*number = perun_strtod(digits, &end);
	return length && !*end ? used : 0;
}

size_t benchmark_count(const struct benchmark *benchmark)
{
	return benchmark->count;
}

/* ---- deviations ------------------------------------------------------------------------------ */

static struct deviations *deviations_of(struct benchmark *benchmark, const char *metric)
{
	size_t i = benchmark->deviated;

	if (i < benchmark->deviation_count && strcmp(benchmark->deviations[i].metric, metric) == 0)
		return &benchmark->deviations[i];
	for (i = 0; i < benchmark->deviation_count; i++)
		if (strcmp(benchmark->deviations[i].metric, metric) == 0)
			break;
	benchmark->deviated = i;
	if (i == benchmark->deviation_count) {
		PERUN_GROW(benchmark->deviations, benchmark->deviation_count,
			   benchmark->deviation_room);
		benchmark->deviations[benchmark->deviation_count++] =
			(struct deviations){perun_strdup(metric), perun_json_members_new()};
	}
	return &benchmark->deviations[i];
}

void benchmark_deviation(struct benchmark *benchmark, const char *metric, const char *uid,
			 double share)
{
	if (isfinite(share) && share >= 0)
		perun_json_members_number(deviations_of(benchmark, metric)->shares, uid, share);
}

/* Many benchmarks have one each: the document gets them at once. */
static void write_deviations(struct benchmark *benchmark, struct perun_json *document)
{
	struct perun_json *all = object_in(document, "deviations");

	for (size_t i = 0; i < benchmark->deviation_count; i++) {
		struct deviations *deviations = &benchmark->deviations[i];

		perun_json_set(all, deviations->metric, end_members(&deviations->shares));
	}
}

static void free_deviations(struct benchmark *benchmark)
{
	for (size_t i = 0; i < benchmark->deviation_count; i++) {
		perun_free(benchmark->deviations[i].metric);
		perun_json_free(end_members(&benchmark->deviations[i].shares));
	}
	perun_free(benchmark->deviations);
}

/* ---- the end -------------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
	const char *name = perun_path_base_name(path);

	return *name ? name : path;
}

static struct perun_json *take(struct perun_json **value)
{
	struct perun_json *taken = *value;

	*value = NULL;
	return taken;
}

static void write_document(struct benchmark *benchmark)
{
	struct perun_json *document = perun_builder_document(benchmark->builder);
	struct perun_json *header = perun_json_object(), *collector = perun_json_object(), *metrics;

	if (benchmark->failed)
		perun_json_set(document, "failed", end_members(&benchmark->failed));
	if (benchmark->deviation_count)
		write_deviations(benchmark, document);
	perun_json_set(header, "type", perun_json_text("time"));
	perun_json_set(header, "cmd", perun_json_text(benchmark->tool));
	perun_json_set(header, "args", perun_json_text(""));
	perun_json_set(header, "workload",
		       perun_json_text(base_name(perun_input_name(benchmark->input))));
	if (perun_json_count(benchmark->machine))
		perun_json_set(document, "machine", take(&benchmark->machine));
	for (size_t i = 0; i < perun_json_count(benchmark->header); i++)
		perun_json_set(header, perun_json_key_at(benchmark->header, i, NULL),
			       perun_json_clone(perun_json_at(benchmark->header, i)));
	perun_json_set(header, "units", end_members(&benchmark->units.all));
	perun_json_set(document, "header", header);
	perun_json_set(collector, "name", perun_json_text(benchmark->tool));
	perun_json_set(collector, "params", perun_json_object());
	perun_json_set(document, "collector_info", collector);
	metrics = perun_builder_take_described(benchmark->builder);
	if (metrics)
		perun_json_set(document, "metrics", metrics);
	if (perun_json_count(benchmark->facts)) {
		struct perun_json *extra = perun_json_object();

		perun_json_set(extra, benchmark->tool, take(&benchmark->facts));
		perun_json_set(document, "extra", extra);
	}
}

/* What the name was about when it was asked for first; now, if it was not. */
static const char *first_about(struct benchmark *benchmark, const char *name, const char *about)
{
	struct first_abouts *first = &benchmark->first;
	const perun_id id = perun_builder_text(benchmark->builder, name);

	if (id >= first->size) {
		size_t size = grown_size(first->size, (size_t)id + 1);

		first->at = grow_zero(first->at, first->size, size, sizeof *first->at);
		first->size = size;
	}
	if (!first->at[id]) {
		first->at[id] = (uint32_t)(first->texts.length / ABOUT_STEP) + 1;
		perun_buffer_add_text(&first->texts, about);
		do
			perun_buffer_add_char(&first->texts, '\0');
		while (first->texts.length % ABOUT_STEP);
	}
	return first->texts.data + (size_t)(first->at[id] - 1) * ABOUT_STEP;
}

const char *benchmark_apart(struct benchmark *benchmark, const char *name, const char *about)
{
	if (strcmp(first_about(benchmark, name, about), about) == 0)
		return name;
	perun_free(benchmark->apart);
	return benchmark->apart = perun_format("%s (%s)", name, about);
}

int benchmark_end(struct benchmark *benchmark, int status)
{
	/* What failed has none. */
	if (!status && benchmark->count == 0 && !benchmark->failed) {
		char *expected = perun_format("results of %s", benchmark->tool);

		status = perun_fail_empty(benchmark->ctx, expected);
		perun_free(expected);
	}
	if (!status && benchmark->broken)
		perun_warn(benchmark->ctx, "%s: left out %zu measurement%s not a number",
			   perun_input_name(benchmark->input), benchmark->broken,
			   benchmark->broken == 1 ? " that is" : "s that are");
	orders_free(&benchmark->orders);
	if (!status)
		write_document(benchmark);
	perun_free(benchmark->units.own.bits);
	perun_free(benchmark->units.none.bits);
	perun_free(benchmark->units.others);
	perun_json_free(end_members(&benchmark->units.all));
	perun_json_free(end_members(&benchmark->failed));
	perun_json_free(benchmark->facts);
	perun_json_free(benchmark->machine);
	perun_json_free(benchmark->header);
	perun_buffer_free(&benchmark->first.texts);
	perun_free(benchmark->first.at);
	perun_free(benchmark->apart);
	for (size_t i = 0; i < KNOWN_UNITS; i++)
		perun_free(benchmark->units_known[i].text);
	perun_free(benchmark->timed);
	free_deviations(benchmark);
	perun_free(benchmark);
	return status;
}

void benchmark_failed(struct benchmark *benchmark, const char *uid, const char *why)
{
	if (!benchmark->failed) {
		/* Its place in the document is here. */
		object_in(perun_builder_document(benchmark->builder), "failed");
		benchmark->failed = perun_json_members_new();
	}
	perun_json_members_text(benchmark->failed, uid, why ? why : "");
}

/* ---- reading -------------------------------------------------------------------------------- */

int benchmark_first_byte(struct perun_ctx *ctx, struct perun_input *input, char *first)
{
	char head[256];
	size_t got = 0, at = 0;
	int status;

	if (perun_input_is_directory(input))
		return perun_fail(ctx, PERUN_INPUT, "expected a file, found a directory");
	status = perun_input_read(ctx, input, head, sizeof head, &got);
	if (!status)
		status = perun_input_skip_to_start(ctx, input);
	while (at < got && head[at] && strchr(" \t\r\n", head[at]))
		at++;
	*first = at < got ? head[at] : '\0';
	return status;
}
