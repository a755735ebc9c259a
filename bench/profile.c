/* SPDX-License-Identifier: BSD-3-Clause */
/* Benchmark: ten million rows of six columns built, grouped by two and summed; time and memory. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "bench/clock.h"
#include "perun/query.h"

/*
 * usage: bench/profile [ROWS]
 *
 * Three columns of ids, two of int64, one of double. The first two ids are of 1000 functions and 100
 * files, so that grouping by both makes 100,000 groups. The rows are summed twice: by a plain loop over
 * the spans with a table of its own, and by the queries, which have to measure themselves against it.
 */
enum { FUNCTIONS = 1000, FILES = 100, KINDS = 4, BATCH = 4096 };

static double peak(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss / 1024;
}

static uint32_t random_number(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 32);
}

struct sample {
	uint32_t function, file, kind;
	int64_t amount, count;
	double seconds;
};

static struct sample next_sample(uint64_t *state)
{
	uint64_t word = (uint64_t)random_number(state) << 32 | random_number(state);
	struct sample sample = {.function = (uint32_t)((word & 0xffffff) * FUNCTIONS >> 24),
				.file = (uint32_t)((word >> 24 & 0xffff) * FILES >> 16),
				.kind = (uint32_t)(word >> 40 & (KINDS - 1)),
				.amount = (int64_t)(word >> 44),
				.count = (int64_t)(word >> 60)};

	sample.seconds = (double)sample.amount / 1024;
	return sample;
}

static perun_id add_names(struct perun_builder *builder, const char *prefix, unsigned count)
{
	char name[64];
	perun_id first = PERUN_NO_ID;

	for (unsigned i = 0; i < count; i++) {
		perun_id id;

		snprintf(name, sizeof name, "%s%u", prefix, i);
		id = perun_builder_text(builder, name);
		first = i ? first : id;
	}
	return first;
}

struct target {
	struct perun_builder *builder;
	struct perun_table_builder *table;
	struct perun_column_builder *columns[6];
	perun_id functions, files, kinds;
};

static void open_target(struct target *target)
{
	static const struct perun_column_info infos[6] = {
		{.name = "uid", .type = PERUN_TYPE_STRING, .role = PERUN_ROLE_KEY},
		{.name = "file", .type = PERUN_TYPE_STRING, .role = PERUN_ROLE_KEY},
		{.name = "type", .type = PERUN_TYPE_STRING, .role = PERUN_ROLE_KEY},
		{.name = "amount", .type = PERUN_TYPE_INT64, .role = PERUN_ROLE_METRIC},
		{.name = "count", .type = PERUN_TYPE_INT64, .role = PERUN_ROLE_METRIC},
		{.name = "seconds", .type = PERUN_TYPE_DOUBLE, .role = PERUN_ROLE_METRIC},
	};

	target->builder = perun_builder_new();
	target->table = perun_builder_table(target->builder, "resources");
	target->functions = add_names(target->builder, "function ", FUNCTIONS);
	target->files = add_names(target->builder, "file ", FILES);
	target->kinds = add_names(target->builder, "type ", KINDS);
	for (int i = 0; i < 6; i++)
		target->columns[i] = perun_table_add_column(target->table, &infos[i]);
}

static struct perun_profile *close_target(struct target *target)
{
	struct perun_profile *profile;
	struct perun_ctx *ctx = perun_ctx_new(NULL);

	if (perun_builder_finish(ctx, target->builder, &profile) != PERUN_OK) {
		fprintf(stderr, "bench/profile: %s\n", perun_ctx_error(ctx));
		exit(1);
	}
	perun_ctx_free(ctx);
	return profile;
}

static struct perun_profile *build_rows(size_t rows)
{
	struct target target;
	uint64_t state = 1;

	open_target(&target);
	for (size_t i = 0; i < rows; i++) {
		struct sample sample = next_sample(&state);

		perun_column_set_id(target.columns[0], PERUN_TYPE_STRING,
				    target.functions + sample.function);
		perun_column_set_id(target.columns[1], PERUN_TYPE_STRING,
				    target.files + sample.file);
		perun_column_set_id(target.columns[2], PERUN_TYPE_STRING,
				    target.kinds + sample.kind);
		perun_column_set_int64(target.columns[3], sample.amount);
		perun_column_set_int64(target.columns[4], sample.count);
		perun_column_set_double(target.columns[5], sample.seconds);
		perun_table_end_row(target.table);
	}
	return close_target(&target);
}

struct batch {
	perun_id ids[3][BATCH];
	int64_t ints[2][BATCH];
	double doubles[BATCH];
};

static struct perun_profile *build_bulk(size_t rows)
{
	static struct batch batch;
	struct target target;
	uint64_t state = 1;

	open_target(&target);
	for (size_t done = 0, n; done < rows; done += n) {
		n = rows - done < BATCH ? rows - done : BATCH;
		for (size_t i = 0; i < n; i++) {
			struct sample sample = next_sample(&state);

			batch.ids[0][i] = target.functions + sample.function;
			batch.ids[1][i] = target.files + sample.file;
			batch.ids[2][i] = target.kinds + sample.kind;
			batch.ints[0][i] = sample.amount;
			batch.ints[1][i] = sample.count;
			batch.doubles[i] = sample.seconds;
		}
		for (int c = 0; c < 3; c++)
			perun_column_append_ids(target.columns[c], PERUN_TYPE_STRING, batch.ids[c],
						n);
		for (int c = 0; c < 2; c++)
			perun_column_append_int64(target.columns[3 + c], batch.ints[c], n);
		perun_column_append_double(target.columns[5], batch.doubles, NULL, n);
		perun_table_end_rows(target.table, n);
	}
	return close_target(&target);
}

/* ---- grouping ---------------------------------------------------------------------------------- */

struct group {
	uint64_t key; /* both ids + 1; 0 = free */
	int64_t amount, count;
	double seconds;
};

enum { SLOTS = 1 << 18 };

static struct group *find_group(struct group *groups, uint64_t key)
{
	size_t slot = (size_t)(key * 0x9e3779b97f4a7c15u >> 46);

	while (groups[slot].key && groups[slot].key != key)
		slot = (slot + 1) % SLOTS;
	groups[slot].key = key;
	return &groups[slot];
}

static size_t group(const struct perun_profile *profile, int64_t *total)
{
	const struct perun_table *table = perun_resources(profile);
	struct group *groups = perun_alloc_zero(SLOTS, sizeof *groups);
	struct perun_span spans[6];
	size_t found = 0;

	for (size_t row = 0; row < perun_table_rows(table); row += spans[0].count) {
		for (size_t c = 0; c < 6; c++)
			perun_column_span(perun_table_column_at(table, c), row, &spans[c]);
		for (size_t i = 0; i < spans[0].count; i++) {
			struct group *to = find_group(groups, (uint64_t)spans[0].ids[i] << 32 |
								      (spans[1].ids[i] + 1));

			to->amount += spans[3].int64s[i];
			to->count += spans[4].int64s[i];
			to->seconds += spans[5].doubles[i];
		}
	}
	for (size_t i = 0; i < SLOTS; i++) {
		found += groups[i].key != 0;
		*total += groups[i].amount;
	}
	perun_free(groups);
	return found;
}

/* The same by perun_group_by() and perun_aggregate(). */
static size_t query(const struct perun_profile *profile, int64_t *total)
{
	const struct perun_table *table = perun_resources(profile);
	const struct perun_column *keys[2] = {perun_table_column(table, "uid"),
					      perun_table_column(table, "file")};
	static const char *const integers[] = {"amount", "count"};
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_groups *groups = NULL;
	int64_t *sums[2];
	double *seconds;
	size_t found;

	if (perun_group_by(ctx, table, keys, 2, NULL, &groups) != PERUN_OK) {
		fprintf(stderr, "bench/profile: %s\n", perun_ctx_error(ctx));
		exit(1);
	}
	found = groups->count;
	seconds = perun_alloc_zero(found + 1, sizeof *seconds);
	for (int c = 0; c < 2; c++) {
		sums[c] = perun_alloc_zero(found + 1, sizeof *sums[c]);
		perun_aggregate_int64(ctx, groups, perun_table_column(table, integers[c]), sums[c]);
	}
	perun_aggregate(ctx, groups, perun_table_column(table, "seconds"), PERUN_AGGREGATE_SUM, 0,
			seconds);
	for (size_t i = 0; i < found; i++)
		*total += sums[0][i];
	for (int c = 0; c < 2; c++)
		perun_free(sums[c]);
	perun_free(seconds);
	perun_groups_free(groups);
	perun_ctx_free(ctx);
	return found;
}

static void run(const char *word, struct perun_profile *(*build)(size_t rows), size_t rows)
{
	double start = now(), built, queried, looped;
	struct perun_profile *profile = build(rows);
	int64_t total = 0, again = 0;
	size_t groups;

	built = now();
	groups = query(profile, &total);
	queried = now();
	printf("%-12s %zu rows built in %.3f s, %zu groups summed by queries in %.3f s, total %.3f "
	       "s, "
	       "peak %.0f MiB\n",
	       word, rows, built - start, groups, queried - built, queried - start, peak());
	group(profile, &again);
	looped = now();
	printf("%-12s the same by a plain loop in %.3f s; amount %lld%s\n", "", looped - queried,
	       (long long)total, total == again ? "" : ", NOT THE SAME");
	perun_profile_unref(profile);
	if (total != again)
		exit(1);
}

int main(int argc, char **argv)
{
	size_t rows = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;

	run("in bulk", build_bulk, rows);
	run("row by row", build_rows, rows);
	return 0;
}
