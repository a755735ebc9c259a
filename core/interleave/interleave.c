/* SPDX-License-Identifier: BSD-3-Clause */
/* A program in two directories, run alternately in random order until the difference is clear. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <perun/collect.h>
#include <perun/json.h>
#include <perun/lib/advice.h>
#include <perun/lib/interleave.h>
#include <perun/lib/program.h>
#include <perun/lib/registry.h>
#include <perun/lib/statistics.h>

#include "core/context/random.h"
#include "core/context/clock.h"
#include "core/context/structs.h"
#include "core/interleave/interleave.h"
#include "core/job/program.h"

/*
 * All looks at a session together report a change by chance with this probability at most: a first session,
 * and one that confirms, which has to say the same.
 */
#define LEVEL         0.01
#define CONFIRM_LEVEL 0.05
/* Where there are more pairs than this, neighbours are taken together. */
#define BLOCKS 20
/* Quick programs are run more often while it is undecided: this number of times as often, for this many seconds. */
#define LONGEST 512
#define QUICK   30
/* The environment of each run is up to this many bytes larger: its size moves the stack. */
#define PADDING 512
#define PAIRS   20
/* Words for the collector that limit the time of runs. */
#define LIMIT_WORDS 2

/* ---- preparing ------------------------------------------------------------------------------- */

static char *join_words(char *const *argv)
{
	struct perun_buffer text = {0};

	for (; *argv; argv++)
		perun_buffer_printf(&text, "%s%s", text.length ? " " : "", *argv);
	return perun_buffer_take(&text);
}

static uint64_t new_seed(void)
{
	uint32_t seed = 0;

	if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
		seed = (uint32_t)time(NULL);
	return seed;
}

/* The texts are borrowed. */
static const char **copy_words(const char *const *words)
{
	size_t count = 0;
	const char **copy;

	while (words && words[count])
		count++;
	copy = perun_alloc_zero(count + 1, sizeof *copy);
	for (size_t i = 0; i < count; i++)
		copy[i] = words[i];
	return copy;
}

/* The words for the collector: what makes it run the program once, and what the caller adds. The texts are borrowed. */
static int collector_words(struct perun_ctx *ctx, const char *collector, const char *metric,
			   const char *const *more, const char ***words)
{
	const struct perun_plugin *plugin;
	struct perun_collect_ops ops;
	const char *const *once;
	size_t count = 0, given = 0;
	int status;

	if (!collector)
		return perun_fail(ctx, PERUN_USAGE, "no collector is named that measures runs");
	status = perun_registry_load(ctx, PERUN_KIND_COLLECT, collector, &plugin);
	if (status)
		return status;
	perun_plugin_ops(plugin, &ops, sizeof ops);
	if (!ops.once)
		return perun_fail(ctx, PERUN_MISSING, "the collector %s cannot measure single runs",
				  plugin->name);
	once = ops.once(metric);
	while (once[count])
		count++;
	while (more && more[given])
		given++;
	*words = perun_alloc_zero(count + given + LIMIT_WORDS + 1, sizeof **words);
	memcpy(*words, once, count * sizeof **words);
	for (size_t i = 0; i < given; i++)
		(*words)[count + i] = more[i];
	return PERUN_OK;
}

static const char **copy_environment(const char *const *given)
{
	const char **environment;
	size_t count = 0;

	while (given && given[count])
		count++;
	environment = perun_alloc_zero(count + 2, sizeof *environment);
	for (size_t i = 0; i < count; i++)
		environment[i + 1] = given[i];
	return environment;
}

int perun_interleave_new(struct perun_ctx *ctx, char *const *argv,
			 const struct perun_interleave_options *given,
			 struct perun_interleave **made)
{
	struct perun_interleave *interleave = perun_alloc_zero(1, sizeof *interleave);
	struct perun_interleave_options options = {0};
	struct perun_interleave_facts *facts = &interleave->facts;
	int status;

	PERUN_STRUCT_TAKE(&options, given);
	if (!options.pairs)
		options.pairs = PAIRS;
	interleave->argv = argv;
	interleave->command = join_words(argv);
	interleave->environment = copy_environment(options.environment);
	if (options.shell) {
		interleave->shell[0] = (char *)"/bin/sh";
		interleave->shell[1] = (char *)"-c";
		interleave->shell[2] = interleave->command;
		interleave->argv = interleave->shell;
	}
	interleave->given = copy_words(options.words);
	interleave->collector = options.collector;
	interleave->sampler = options.sampler;
	interleave->warmup = options.warmup;
	*facts = (struct perun_interleave_facts){
		.struct_size = sizeof *facts,
		.command = interleave->command,
		.metric = options.metric ? options.metric : "real",
		.second = options.metric ? NULL : "cpu",
		.pairs = options.pairs,
		.max_pairs = options.max_pairs ? options.max_pairs : 8 * options.pairs,
		.threshold = options.threshold,
		.budget = options.budget,
		.seed = options.seeded ? options.seed : new_seed()};
	if (facts->pairs > facts->max_pairs)
		facts->pairs = facts->max_pairs;
	interleave->longest = options.max_pairs ? options.max_pairs : LONGEST * facts->pairs;
	interleave->random = facts->seed;
	interleave->limit_option = options.limit_option;
	status = collector_words(ctx, options.collector, facts->metric, options.words,
				 &interleave->words);
	while (!status && interleave->words[interleave->word_count])
		interleave->word_count++;
	if (!status)
		status = perun_scratch_make(ctx, "perun-compare", &interleave->scratch);
	if (status) {
		perun_interleave_free(interleave);
		interleave = NULL;
	}
	*made = interleave;
	return status;
}

void perun_interleave_free(struct perun_interleave *interleave)
{
	if (!interleave)
		return;
	perun_scratch_remove(&interleave->scratch);
	perun_free(interleave->command);
	perun_free(interleave->words);
	perun_free(interleave->environment);
	perun_free(interleave->given);
	perun_free(interleave->own_argv);
	perun_free(interleave->own_words);
	perun_free(interleave->own_environment);
	perun_free(interleave);
}

const struct perun_interleave_facts *
perun_interleave_facts(const struct perun_interleave *interleave)
{
	return &interleave->facts;
}

void perun_interleave_drop_second(struct perun_interleave *interleave)
{
	interleave->facts.second = NULL;
}

void perun_interleave_limit(struct perun_interleave *interleave, double seconds)
{
	interleave->facts.budget = seconds;
}

void perun_interleave_limit_runs(struct perun_interleave *interleave, double times)
{
	const char **limit = interleave->words + interleave->word_count;

	/* Before there was a run nothing is known. */
	if (!interleave->limit_option || !(interleave->longest_run > 0))
		return;
	snprintf(interleave->run_limit, sizeof interleave->run_limit, "%.3f",
		 times * interleave->longest_run + 1);
	limit[0] = interleave->limit_option;
	limit[1] = interleave->run_limit;
}

const char *perun_interleave_unit(const char *metric)
{
	if (strcmp(metric, "max_rss") == 0)
		return "B";
	return strcmp(metric, "instructions") == 0 || strcmp(metric, "cycles") == 0 ? "" : "s";
}

/* ---- one run --------------------------------------------------------------------------------- */

static size_t draw(struct perun_interleave *interleave, size_t end)
{
	return (size_t)(random_next(&interleave->random) % end);
}

static int read_value(struct perun_ctx *ctx, const struct perun_json *run, const char *metric,
		      double *value)
{
	double more = 0;

	if (strcmp(metric, "cpu") == 0) {
		if (perun_json_as_double(perun_json_get(run, "user"), value) &&
		    perun_json_as_double(perun_json_get(run, "sys"), &more)) {
			*value += more;
			return PERUN_OK;
		}
	} else if (perun_json_as_double(perun_json_get(run, metric), value)) {
		return PERUN_OK;
	}
	return perun_fail(ctx, PERUN_MISSING, "%s of a run cannot be measured on this machine%s",
			  metric, perun_advice(PERUN_ADVICE_OTHER_METRIC));
}

static int read_values(struct perun_ctx *ctx, const struct perun_interleave *interleave,
		       const struct perun_profile *profile, double *value, double *second)
{
	const struct perun_json *run =
		perun_json_at(perun_json_get(perun_profile_document(profile), "runs"), 0);
	int status = read_value(ctx, run, interleave->facts.metric, value);

	return status || !interleave->facts.second
		       ? status
		       : read_value(ctx, run, interleave->facts.second, second);
}

static int run_once(struct perun_ctx *ctx, struct perun_interleave *interleave,
		    const char *directory, double *value, double *second)
{
	char padding[PADDING + 32] = "PERUN_PADDING=";
	struct perun_collect_job job = {.struct_size = sizeof job,
					.command = interleave->command,
					.arguments = "",
					.workload = "",
					.argv = interleave->argv,
					.directory = directory,
					.scratch = interleave->scratch.path,
					.environment = interleave->environment};
	struct perun_profile *profile = NULL;
	size_t length = strlen(padding);
	double started = clock_now();
	int status;

	memset(padding + length, 'x', draw(interleave, PADDING));
	interleave->environment[0] = padding;
	status = perun_collect(ctx, interleave->collector, interleave->words, &job, &profile);
	if (!status)
		interleave->longest_run = fmax(interleave->longest_run, clock_now() - started);
	if (status == PERUN_INPUT || status == PERUN_MISSING)
		perun_warn_of_missing_paths(ctx, interleave->argv, directory);
	if (!status)
		status = read_values(ctx, interleave, profile, value, second);
	perun_profile_unref(profile);
	return status;
}

int perun_interleave_sample(struct perun_ctx *ctx, struct perun_interleave *interleave,
			    const char *directory, struct perun_profile **profile)
{
	struct perun_collect_job job = {.struct_size = sizeof job,
					.command = interleave->command,
					.arguments = "",
					.workload = "",
					.argv = interleave->argv,
					.directory = directory,
					.scratch = interleave->scratch.path};

	if (!interleave->sampler)
		return perun_fail(ctx, PERUN_USAGE, "no collector is named that samples runs");
	return perun_collect(ctx, interleave->sampler, interleave->given, &job, profile);
}

/* ---- sessions -------------------------------------------------------------------------------- */

static int warm_up(struct perun_ctx *ctx, struct perun_interleave *interleave,
		   const char *const directories[2])
{
	double ignored[2];
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < 2 * interleave->warmup; i++)
		status = run_once(ctx, interleave, directories[i % 2], &ignored[0], &ignored[1]);
	return status;
}

static void reserve(struct perun_interleave_session *session, size_t count)
{
	double **arrays[] = {&session->first.values[0], &session->first.values[1],
			     &session->second.values[0], &session->second.values[1]};

	if (count <= session->capacity)
		return;
	for (int i = 0; i < 4; i++)
		*arrays[i] = perun_realloc(*arrays[i], count * sizeof **arrays[i]);
	session->capacity = count;
}

/* Whether another pair, which takes as long as those before, would end after `deadline`. */
static bool is_over(const struct perun_interleave_session *session, double began, size_t before,
		    double deadline)
{
	double time = clock_now();
	size_t done = session->count - before;

	return session->count && time + (done ? (time - began) / (double)done : 0) > deadline;
}

/* Run pairs until there are `end`, or `deadline` comes. */
static int run_pairs(struct perun_ctx *ctx, struct perun_interleave *interleave,
		     const char *const directories[2], size_t end, double deadline,
		     struct perun_interleave_session *session)
{
	int status = session->count ? PERUN_OK : warm_up(ctx, interleave, directories);
	double began = clock_now();
	size_t before = session->count;

	reserve(session, end);
	while (!status && session->count < end && !is_over(session, began, before, deadline)) {
		size_t first = draw(interleave, 2), i = session->count;

		perun_progress(ctx, "pairs of runs", i, end);
		for (size_t turn = 0; !status && turn < 2; turn++) {
			size_t side = turn ? !first : first;

			status = run_once(ctx, interleave, directories[side],
					  &session->first.values[side][i],
					  &session->second.values[side][i]);
		}
		if (!status)
			session->count++;
	}
	if (!status)
		perun_progress(ctx, "pairs of runs", end, end);
	return status;
}

int perun_interleave_pairs(struct perun_ctx *ctx, struct perun_interleave *interleave,
			   const char *const directories[2], size_t count,
			   struct perun_interleave_session *session)
{
	return run_pairs(ctx, interleave, directories, session->count + count, INFINITY, session);
}

int perun_interleave_round(struct perun_ctx *ctx, struct perun_interleave *interleave,
			   const char *const *directories, size_t count, double *values,
			   double *seconds)
{
	size_t order[8] = {0, 1, 2, 3, 4, 5, 6, 7};
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < count && i < sizeof order / sizeof *order; i++) {
		size_t other = i + draw(interleave, count - i), side = order[other];

		order[other] = order[i];
		status =
			run_once(ctx, interleave, directories[side], &values[side], &seconds[side]);
	}
	return status;
}

/*
 * Medians of blocks of neighbouring pairs: their noise is less than that of single runs, and which side
 * of a block is which may be exchanged as it may in a pair.
 */
static size_t make_blocks(const struct perun_interleave_series *series, size_t pairs,
			  double *blocks[2])
{
	size_t block = series->block, count = pairs / block;

	for (int side = 0; side < 2; side++) {
		blocks[side] = perun_alloc_zero(count + 1, sizeof *blocks[side]);
		for (size_t i = 0; i < count; i++)
			blocks[side][i] = perun_median(series->values[side] + i * block, block);
	}
	return count;
}

static void judge_series(const struct perun_interleave *interleave,
			 const struct perun_interleave_session *session,
			 struct perun_interleave_series *series)
{
	struct perun_verdict_options options = {.struct_size = sizeof options,
						.strict = true,
						.threshold = interleave->facts.threshold,
						.level = session->level,
						.paired = true};
	double *blocks[2];
	size_t count;

	series->block = session->count >= 2 * BLOCKS ? session->count / BLOCKS : 1;
	count = make_blocks(series, session->count, blocks);
	perun_judge(blocks[0], count, blocks[1], count, &options, &series->verdict);
	perun_free(blocks[0]);
	perun_free(blocks[1]);
}

void interleave_judge(const struct perun_interleave *interleave,
		      struct perun_interleave_session *session)
{
	judge_series(interleave, session, &session->first);
	if (interleave->facts.second)
		judge_series(interleave, session, &session->second);
}

static bool is_change(enum perun_answer answer)
{
	return answer == PERUN_VERDICT_INCREASE || answer == PERUN_VERDICT_DECREASE;
}

/* Whether more runs could change the answer. */
static bool is_open(const struct perun_interleave *interleave, const struct perun_verdict *verdict)
{
	/* A machine that is too noisy for changes that count has not shown that there are none. */
	return verdict->answer == PERUN_VERDICT_UNDECIDED ||
	       (verdict->answer == PERUN_VERDICT_SAME &&
		verdict->effect > interleave->facts.threshold * fabs(verdict->before) * 1.001);
}

/* Looks at a session: after `pairs`, twice as many and so on. */
static size_t count_looks(size_t pairs, size_t most)
{
	size_t looks = 1;

	for (; pairs < most; pairs *= 2)
		looks++;
	return looks;
}

/* Whether the metric is inconclusive, but the second one shows a change. */
bool interleave_is_turned(const struct perun_interleave *interleave,
			  const struct perun_interleave_session *session)
{
	return interleave->facts.second && is_open(interleave, &session->first.verdict) &&
	       is_change(session->second.verdict.answer);
}

/* A session that confirms needs to settle only what the first one reported; NULL: it is the first. */
static bool is_settled(const struct perun_interleave *interleave,
		       const struct perun_interleave_session *session, const bool *turned)
{
	if (turned && *turned)
		return !is_open(interleave, &session->second.verdict);
	return !is_open(interleave, &session->first.verdict) ||
	       (!turned && interleave_is_turned(interleave, session));
}

/*
 * Run pairs until the answer is clear or `deadline` comes. A session that confirms another one knows whether
 * that `turned` to the second metric.
 */
static int run_session(struct perun_ctx *ctx, struct perun_interleave *interleave,
		       const char *const directories[2], size_t pairs, const bool *turned,
		       double deadline, struct perun_interleave_session *session)
{
	double start = clock_now(), level = turned ? CONFIRM_LEVEL : LEVEL;
	size_t target = pairs, most = interleave->facts.max_pairs;
	bool settled = false, over = false;
	int status;

	session->level = level / (double)count_looks(pairs, interleave->longest);
	do {
		status = run_pairs(ctx, interleave, directories, target, deadline, session);
		if (!status) {
			interleave_judge(interleave, session);
			settled = is_settled(interleave, session, turned);
			over = session->count < target;
		}
		/* Twice as many take twice as long. */
		if (session->count == most &&
		    2 * (clock_now() - start) <
			    (interleave->facts.budget ? interleave->facts.budget : QUICK))
			most = most * 2 < interleave->longest ? most * 2 : interleave->longest;
		target = target * 2 < most ? target * 2 : most;
	} while (!status && session->count < most && !settled && !over);
	if (!status && over)
		perun_note(ctx,
			   "the budget of %g s ended a session after %zu pair%s of runs; more time "
			   "may decide",
			   interleave->facts.budget, session->count,
			   session->count == 1 ? "" : "s");
	return status;
}

enum perun_answer perun_interleave_agreed(const struct perun_interleave_result *result, bool second)
{
	enum perun_answer answers[2] = {PERUN_VERDICT_UNDECIDED, PERUN_VERDICT_UNDECIDED};

	for (size_t i = 0; i < result->count; i++)
		answers[i] = (second ? &result->sessions[i].second : &result->sessions[i].first)
				     ->verdict.answer;
	return result->count == 2 && answers[0] != answers[1] ? PERUN_VERDICT_UNDECIDED
							      : answers[0];
}

/* The second metric takes the place of the one that noise hides. */
static void turn(struct perun_interleave *interleave, struct perun_interleave_result *result)
{
	const char *hidden = interleave->facts.metric;

	interleave->facts.metric = interleave->facts.second;
	interleave->facts.second = hidden;
	for (size_t i = 0; i < result->count; i++) {
		struct perun_interleave_session *session = &result->sessions[i];
		struct perun_interleave_series first = session->first;

		session->first = session->second;
		session->second = first;
	}
	result->turned = true;
}

void interleave_conclude(struct perun_interleave *interleave,
			 struct perun_interleave_result *result, bool turned)
{
	result->answer = perun_interleave_agreed(result, false);
	if (interleave->facts.second && !is_change(result->answer) &&
	    (turned || is_change(perun_interleave_agreed(result, true)))) {
		turn(interleave, result);
		result->answer = perun_interleave_agreed(result, false);
	}
	result->unconfirmed = result->count == 2 && !is_change(result->answer);
}

int perun_interleave_compare(struct perun_ctx *ctx, struct perun_interleave *interleave,
			     const char *const directories[2],
			     struct perun_interleave_result *result)
{
	struct perun_interleave_session *first = &result->sessions[0],
					*second = &result->sessions[1];
	enum perun_answer answer;
	double budget = interleave->facts.budget, start = clock_now();
	bool turned;
	int status;

	*result = (struct perun_interleave_result){.count = 1};
	/* A session that confirms takes as long as the first. */
	status = run_session(ctx, interleave, directories, interleave->facts.pairs, NULL,
			     budget ? start + budget / 2 : INFINITY, first);
	turned = !status && interleave_is_turned(interleave, first);
	answer = turned ? first->second.verdict.answer : first->first.verdict.answer;
	if (!status && is_change(answer)) {
		result->count = 2;
		status = run_session(ctx, interleave, directories, first->count, &turned,
				     budget ? start + budget : INFINITY, second);
	}
	if (status)
		return status;
	interleave_conclude(interleave, result, turned);
	return PERUN_OK;
}

void perun_interleave_session_free(struct perun_interleave_session *session)
{
	for (int side = 0; side < 2; side++) {
		perun_free(session->first.values[side]);
		perun_free(session->second.values[side]);
	}
	*session = (struct perun_interleave_session){0};
}

void perun_interleave_result_free(struct perun_interleave_result *result)
{
	perun_interleave_session_free(&result->sessions[0]);
	perun_interleave_session_free(&result->sessions[1]);
	*result = (struct perun_interleave_result){0};
}
