/* SPDX-License-Identifier: BSD-3-Clause */
/* A search for slow inputs from its start to its end. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perun/lib/fuzz-runtime.h>
#include <perun/regex.h>
#include <perun/lib/path.h>

#include "core/context/clock.h"
#include "core/context/structs.h"
#include "core/fuzz/files.h"
#include "core/fuzz/search.h"
#include "core/path/write.h"

/* This share of the time is for what comes after the search. */
#define EXAMINING 0.25
/* The seconds that it has where the search ends early. */
#define EXAMINING_LEAST 2.0
#define DEFAULT_SECONDS 60.0
#define DEFAULT_RATIO   2.0
#define MIN_BYTES       8192
/* Runs of a seed whose time is taken: the least counts. */
#define SEED_RUNS 3
/* A seed that runs longer is not what anybody wants to begin with. */
#define SEED_LIMIT 10.0

static const char *const folders[] = {"inputs", "slow", "crashes", "hangs"};

const char *perun_fuzz_counting_name(enum perun_fuzz_counting counting)
{
	static const char *const names[] = {"edges", "instructions", "ns"};

	return names[counting];
}

/* ---- seeds ----------------------------------------------------------------------------------- */

static int list_seeds(struct perun_ctx *ctx, const struct perun_fuzz_options *options,
		      struct perun_words *files)
{
	struct perun_regex *pattern = NULL;
	struct perun_words all = {0};
	int status = PERUN_OK;

	if (options->name_pattern)
		status = perun_regex_new(ctx, options->name_pattern, 0, &pattern);
	for (size_t i = 0; i < options->seed_count && !status; i++)
		status = fuzz_list_files(ctx, options->seeds[i], &all);
	for (size_t i = 0; i < all.count && !status; i++) {
		const char *name = perun_path_base_name(all.items[i]);

		if (!pattern || perun_regex_matches(pattern, name, strlen(name)))
			perun_words_add(files, all.items[i], strlen(all.items[i]));
	}
	if (!status && !files->count)
		status = perun_fail(ctx, PERUN_USAGE,
				    "there is no input to begin with: give a file or a directory");
	perun_words_free(&all);
	perun_regex_free(pattern);
	return status;
}

/* The least of some runs. */
static int run_seed(struct perun_ctx *ctx, struct perun_fuzz *search, struct fuzz_target *target,
		    struct fuzz_bytes input, struct fuzz_run *least)
{
	int status = PERUN_OK;

	for (int i = 0; i < SEED_RUNS && !status; i++) {
		struct fuzz_run run;

		status = fuzz_target_run(ctx, target, input.bytes, input.size, SEED_LIMIT,
					 search->deadline, &run);
		if (i == 0 || run.seconds < least->seconds)
			*least = run;
		if (run.outcome != FUZZ_DONE)
			break;
	}
	return status;
}

/* The dearest seed for its length says what is expected of others. */
static void expect(struct fuzz_expectation *expectation, const struct fuzz_run *run, size_t size)
{
	double bytes = size ? (double)size : 1;
	double cost = ((double)run->cost - expectation->cost) / bytes;
	double seconds = (run->seconds - expectation->seconds) / bytes;

	if (size > expectation->size)
		expectation->size = size;
	if (cost > expectation->cost_per_byte)
		expectation->cost_per_byte = cost;
	if (seconds > expectation->seconds_per_byte)
		expectation->seconds_per_byte = seconds;
}

static void start_expectation(struct fuzz_expectation *expectation, const struct fuzz_run *run)
{
	if (run->outcome != FUZZ_DONE)
		return;
	if (!expectation->cost || (double)run->cost < expectation->cost)
		expectation->cost = (double)run->cost;
	if (!expectation->seconds || run->seconds < expectation->seconds)
		expectation->seconds = run->seconds;
}

static const char *outcome_text(enum fuzz_outcome outcome)
{
	return outcome == FUZZ_CRASHED ? "crashes" : "does not end within ten seconds";
}

struct seeds {
	struct perun_words files;
	struct perun_buffer *texts;
	struct fuzz_run *runs;
};

static int fail_stopped(struct perun_ctx *ctx)
{
	return perun_cancelled(ctx)
		       ? PERUN_CANCELLED
		       : perun_fail(ctx, PERUN_INPUT, "the time was over before all seeds had run");
}

static void free_seeds(struct seeds *seeds)
{
	for (size_t i = 0; seeds->texts && i < seeds->files.count; i++)
		perun_buffer_free(&seeds->texts[i]);
	perun_free(seeds->texts);
	perun_free(seeds->runs);
	perun_words_free(&seeds->files);
}

/* Run all of them; what they cost is what the others are compared with. */
static int measure_seeds(struct perun_ctx *ctx, struct perun_fuzz *search,
			 struct fuzz_target *target, struct seeds *seeds)
{
	size_t largest = 0, usable = 0;
	double slowest = 0;
	struct fuzz_run empty;
	int status = fuzz_target_run(ctx, target, "", 0, 1, search->deadline, &empty);

	seeds->texts = perun_alloc_zero(seeds->files.count, sizeof *seeds->texts);
	seeds->runs = perun_alloc_zero(seeds->files.count, sizeof *seeds->runs);
	if (!status)
		start_expectation(&search->expectation, &empty);
	for (size_t i = 0; i < seeds->files.count && !status; i++) {
		struct perun_buffer *text = &seeds->texts[i];
		struct fuzz_run *run = &seeds->runs[i];

		status = fuzz_read_file(ctx, seeds->files.items[i], text);
		if (!status)
			status = run_seed(
				ctx, search, target,
				(struct fuzz_bytes){text->data ? text->data : "", text->length},
				run);
		if (status)
			return status;
		if (run->outcome == FUZZ_STOPPED)
			return fail_stopped(ctx);
		if (run->outcome != FUZZ_DONE) {
			perun_warn(ctx, "%s is left out: the program %s with it",
				   seeds->files.items[i], outcome_text(run->outcome));
			continue;
		}
		usable++;
		start_expectation(&search->expectation, run);
		largest = text->length > largest ? text->length : largest;
		slowest = run->seconds > slowest ? run->seconds : slowest;
	}
	if (status)
		return status;
	if (!usable)
		return perun_fail(ctx, PERUN_INPUT, "%s ends as it should with none of the seeds",
				  search->program.words[0]);
	for (size_t i = 0; i < seeds->files.count; i++)
		if (seeds->runs[i].outcome == FUZZ_DONE)
			expect(&search->expectation, &seeds->runs[i], seeds->texts[i].length);
	if (!search->options.most_bytes)
		search->options.most_bytes = 2 * largest > MIN_BYTES ? 2 * largest : MIN_BYTES;
	if (!search->options.run_limit)
		search->options.run_limit = 20 * slowest > 1 ? 20 * slowest : 1;
	return PERUN_OK;
}

/* The seeds and, to go on with them, the inputs of an earlier search. */
static int add_seeds(struct perun_ctx *ctx, struct perun_fuzz *search, struct fuzz_target *target,
		     const struct seeds *seeds)
{
	struct perun_words earlier = {0};
	char *folder = perun_format("%s/inputs", search->options.directory);
	bool kept;
	int status = PERUN_OK;

	for (size_t i = 0; i < seeds->files.count && !status; i++) {
		const struct perun_buffer *text = &seeds->texts[i];
		struct fuzz_bytes input = {text->data ? text->data : "", text->length};
		struct fuzz_run run = seeds->runs[i];

		if (run.outcome != FUZZ_DONE)
			continue;
		/* Again, for its edges. */
		status = fuzz_target_run(ctx, target, input.bytes, input.size,
					 search->options.run_limit, search->deadline, &run);
		run.seconds = seeds->runs[i].seconds;
		if (!status && run.outcome == FUZZ_STOPPED)
			status = fail_stopped(ctx);
		if (!status && run.outcome == FUZZ_DONE)
			status = fuzz_inputs_judge(ctx, search, target, input, &run, NULL, NULL,
						   &kept);
	}
	search->seeds = search->count;
	if (!status && search->options.resume && !access(folder, F_OK))
		status = fuzz_list_files(ctx, folder, &earlier);
	for (size_t i = 0; i < earlier.count && !status; i++) {
		struct perun_buffer text = {0};
		struct fuzz_run run;

		status = fuzz_read_file(ctx, earlier.items[i], &text);
		if (!status)
			status = fuzz_target_run(ctx, target, text.data ? text.data : "",
						 text.length, search->options.run_limit,
						 search->search_deadline, &run);
		if (!status && run.outcome != FUZZ_STOPPED)
			status = fuzz_inputs_judge(
				ctx, search, target,
				(struct fuzz_bytes){text.data ? text.data : "", text.length}, &run,
				NULL, "found before", &kept);
		perun_buffer_free(&text);
	}
	perun_words_free(&earlier);
	perun_free(folder);
	return status;
}

static int begin(struct perun_ctx *ctx, struct perun_fuzz *search)
{
	struct seeds seeds = {0};
	struct fuzz_target *target = NULL;
	int status = list_seeds(ctx, &search->options, &seeds.files);

	if (!status)
		status = fuzz_target_open(ctx, &search->program, &target);
	if (!status) {
		search->counting = fuzz_target_counting(target);
		status = measure_seeds(ctx, search, target, &seeds);
	}
	if (!status) {
		fuzz_target_edges(target, &search->all_edges);
		search->is_hashed = fuzz_target_is_hashed(target);
		search->best = perun_alloc_zero(search->all_edges + 1, sizeof *search->best);
		status = add_seeds(ctx, search, target, &seeds);
	}
	if (!status && !search->seeds)
		status = perun_fail(ctx, PERUN_INPUT, "the seeds do not run twice in the same way");
	if (!status)
		status = fuzz_try_long_seeds(ctx, search, target);
	fuzz_target_close(target);
	free_seeds(&seeds);
	return status;
}

/* ---- the directory --------------------------------------------------------------------------- */

static int make_folders(struct perun_ctx *ctx, const struct perun_fuzz_options *options)
{
	char *inputs = perun_format("%s/inputs", options->directory);
	struct perun_words there = {0};
	int status = PERUN_OK;

	if (!access(inputs, F_OK) && !options->resume)
		status = fuzz_list_files(ctx, inputs, &there);
	if (!status && there.count)
		status = perun_fail(
			ctx, PERUN_USAGE,
			"%s has the inputs of an earlier search: resume it, or name another "
			"directory",
			options->directory);
	if (!status)
		status = path_make_directories(ctx, options->directory);
	for (size_t i = 0; i < sizeof folders / sizeof *folders && !status; i++) {
		char *path = perun_format("%s/%s", options->directory, folders[i]);

		status = path_make_directories(ctx, path);
		perun_free(path);
	}
	perun_words_free(&there);
	perun_free(inputs);
	return status;
}

/* ---- the result ------------------------------------------------------------------------------ */

static int compare_rules(const void *one, const void *other)
{
	const struct perun_fuzz_rule *a = one, *b = other;

	return a->kept != b->kept ? (a->kept < b->kept) - (a->kept > b->kept)
				  : (a->tried < b->tried) - (a->tried > b->tried);
}

static void list_rules(struct perun_fuzz *search)
{
	const struct fuzz_rules *rules = &search->rules;
	size_t count = 0;

	search->public_rules = perun_alloc_zero(rules->count + 1, sizeof *search->public_rules);
	for (size_t i = 0; i < rules->count; i++)
		if (rules->items[i].tried)
			search->public_rules[count++] = (struct perun_fuzz_rule){
				rules->items[i].name, rules->items[i].tried, rules->items[i].used};
	qsort(search->public_rules, count, sizeof *search->public_rules, compare_rules);
	search->result.rules = search->public_rules;
	search->result.rule_count = count;
}

static void list_finds(struct perun_fuzz *search)
{
	search->public_finds =
		perun_alloc_zero(search->find_count + 1, sizeof *search->public_finds);
	for (size_t i = 0; i < search->find_count; i++) {
		const struct fuzz_find *find = &search->finds[i];

		search->public_finds[i] = (struct perun_fuzz_find){
			.struct_size = sizeof(struct perun_fuzz_find),
			.name = find->name,
			.size = find->entry.size,
			.bytes = find->entry.bytes,
			.found_size = find->found->size,
			.found_ratio = find->found->ratio,
			.cost = find->entry.cost,
			.expected = fuzz_expected_cost(search, find->entry.size),
			.ratio = find->entry.ratio,
			.hung = find->entry.hung,
			.by_time = find->entry.by_time,
			.smallest = find->smallest,
			.rules = find->found->history,
			.growth = find->growth,
			.usual_growth = find->usual_growth,
			.verdict = find->verdict,
			.edges = find->edges,
			.edge_count = find->edge_count};
	}
	search->result.finds = search->public_finds;
	search->result.find_size = sizeof *search->public_finds;
	search->result.find_count = search->find_count;
}

static void conclude(struct perun_fuzz *search)
{
	struct perun_fuzz_result *result = &search->result;

	result->struct_size = sizeof *result;
	result->counting = search->counting <= FUZZ_EDGES_OF_GCOV  ? PERUN_FUZZ_EDGES
			   : search->counting == FUZZ_INSTRUCTIONS ? PERUN_FUZZ_INSTRUCTIONS
								   : PERUN_FUZZ_NANOSECONDS;
	result->runs = atomic_load(&search->runs);
	result->seconds = clock_now() - search->start;
	result->inputs = search->count;
	result->edges = atomic_load(&search->edges);
	result->all_edges = search->all_edges && !search->is_hashed ? search->all_edges - 1 : 0;
	result->crashes = search->crashes;
	result->hangs = search->hangs;
	result->moments = search->moments;
	result->moment_count = search->moment_count;
	list_rules(search);
	list_finds(search);
}

const struct perun_fuzz_result *perun_fuzz_result(const struct perun_fuzz *search)
{
	return &search->result;
}

/* ---- start and end --------------------------------------------------------------------------- */

static void fill_in(struct perun_fuzz *search)
{
	struct perun_fuzz_options *options = &search->options;
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	if (!options->seconds)
		options->seconds = DEFAULT_SECONDS;
	if (!options->ratio)
		options->ratio = DEFAULT_RATIO;
	if (!options->workers)
		options->workers = processors > 0 ? (unsigned)processors : 1;
	if (options->most_bytes > PERUN_FUZZ_MAX_INPUT)
		options->most_bytes = PERUN_FUZZ_MAX_INPUT;
	search->program =
		(struct fuzz_program){.words = options->command, .memory_limit = options->memory};
	search->start = clock_now();
	search->deadline = search->start + options->seconds;
	search->program.deadline = search->deadline;
	search->search_deadline = search->start + options->seconds * (1 - EXAMINING);
}

/* Where all runs are made before the time is over, finds are examined for as long as the search took. */
static void shorten_examining(struct perun_fuzz *search)
{
	double now = clock_now();

	if (now < search->search_deadline)
		search->deadline =
			fmin(search->deadline, now + fmax(now - search->start, EXAMINING_LEAST));
}

int perun_fuzz_search(struct perun_ctx *ctx, const struct perun_fuzz_options *options,
		      struct perun_fuzz **made)
{
	struct perun_fuzz *search = perun_alloc_zero(1, sizeof *search);
	int status, searched;

	*made = search;
	pthread_mutex_init(&search->lock, NULL);
	PERUN_STRUCT_TAKE(&search->options, options);
	fill_in(search);
	status = fuzz_rules_new(ctx, search->options.rules, &search->rules);
	if (!status && search->options.dictionary)
		status = fuzz_rules_dictionary(ctx, search->options.dictionary, &search->rules);
	if (!status)
		status = make_folders(ctx, &search->options);
	if (!status)
		status = begin(ctx, search);
	if (status)
		return status;
	searched = fuzz_work(ctx, search);
	shorten_examining(search);
	if (!searched || searched == PERUN_CANCELLED)
		status = fuzz_finds_examine(ctx, search);
	conclude(search);
	return searched ? searched : status;
}

void perun_fuzz_free(struct perun_fuzz *search)
{
	if (!search)
		return;
	fuzz_finds_free(search);
	fuzz_inputs_free(search);
	fuzz_rules_free(&search->rules);
	perun_free(search->public_finds);
	perun_free(search->public_rules);
	pthread_mutex_destroy(&search->lock);
	perun_free(search);
}
