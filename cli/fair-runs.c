/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs of two versions run in turns, in random order, until the difference is clear. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <perun/collect.h>
#include <perun/json.h>

#include "cli/fair.h"
#include "core/job/scratch.h"

/*
 * All looks at a session together tell a change by chance with this probability at most: a first session,
 * and one that confirms, which has to tell the same.
 */
#define LEVEL         0.01
#define CONFIRM_LEVEL 0.05
/* Where there are more pairs than this, neighbours are taken together. */
#define BLOCKS 20
/* Programs that take milliseconds are run more often where it does not decide, up to so many times. */
#define LONGEST 512
/* The environment of each run is up to so many bytes larger: its size moves the stack. */
#define PADDING 512

/* ---- options --------------------------------------------------------------------------------- */

static char *join_words(char *const *argv)
{
	struct perun_buffer text = {0};
	char *joined;

	for (; *argv; argv++)
		perun_buffer_printf(&text, "%s%s", text.length ? " " : "", *argv);
	joined = perun_strdup(text.data ? text.data : "");
	perun_buffer_free(&text);
	return joined;
}

static uint64_t new_seed(void)
{
	uint32_t seed = 0;

	if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
		seed = (uint32_t)time(NULL);
	return seed;
}

/* The words for the collector: the texts belong to the options, but for one. */
static void collector_words(const struct perun_options *options, struct cli_fair *fair)
{
	size_t count = 0;
	const char *const passed[] = {"pin", "input", "timeout"};
	static const char *const names[] = {"--pin", "--input", "--timeout"};

	fair->options = perun_alloc_zero(16, sizeof *fair->options);
	fair->options[count++] = "--warmup";
	fair->options[count++] = "0";
	fair->options[count++] = "--repeat";
	fair->options[count++] = "1";
	if (strcmp(fair->metric, "instructions") != 0 && strcmp(fair->metric, "cycles") != 0)
		fair->options[count++] = "--no-counters";
	for (size_t i = 0; i < 3; i++) {
		if (!perun_option_given(options, passed[i]))
			continue;
		fair->options[count++] = names[i];
		fair->options[count++] = perun_option_string_at(options, passed[i], 0);
	}
}

int cli_fair_start(struct cli *cli, const struct perun_options *options, char *const *argv,
		   struct cli_fair *fair)
{
	struct perun_scratch *scratch = perun_alloc_zero(1, sizeof *scratch);
	int64_t pairs = perun_option_integer(options, "repeat");
	int64_t most = perun_option_integer(options, "most");

	*fair = (struct cli_fair){
		.cli = cli,
		.argv = argv,
		.text = join_words(argv),
		.metric = perun_option_given(options, "metric")
				  ? perun_option_string(options, "metric")
				  : "real",
		.other = perun_option_given(options, "metric") ? NULL : "cpu",
		.warmup = (size_t)perun_option_integer(options, "warmup"),
		.pairs = (size_t)pairs,
		.most = (size_t)(perun_option_given(options, "most") ? most : 8 * pairs),
		.budget = perun_option_number(options, "budget"),
		.threshold = perun_option_number(options, "threshold") / 100,
		.scratch = scratch,
	};
	if (fair->most < fair->pairs)
		fair->pairs = fair->most;
	fair->longest = perun_option_given(options, "most") ? fair->most : LONGEST * fair->pairs;
	fair->seed = perun_option_given(options, "seed")
			     ? (uint64_t)perun_option_integer(options, "seed")
			     : new_seed();
	fair->random = fair->seed;
	collector_words(options, fair);
	return perun_scratch_make(cli->ctx, "perun-compare", scratch);
}

void cli_fair_free(struct cli_fair *fair)
{
	if (fair->scratch)
		perun_scratch_remove(fair->scratch);
	perun_free(fair->scratch);
	perun_free(fair->text);
	perun_free(fair->options);
	*fair = (struct cli_fair){0};
}

/* ---- one run --------------------------------------------------------------------------------- */

/* SplitMix64 (Steele, Lea and Flood, 2014). */
size_t cli_fair_random(struct cli_fair *fair, size_t end)
{
	uint64_t z = fair->random += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return (size_t)((z ^ (z >> 31)) % end);
}

static int read_value(const struct cli_fair *fair, const struct perun_json *run, const char *metric,
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
	return perun_fail(fair->cli->ctx, PERUN_MISSING,
			  "%s of a run cannot be measured on this machine; --metric real can",
			  metric);
}

static int read_values(const struct cli_fair *fair, const struct perun_profile *profile,
		       double *value, double *other)
{
	const struct perun_json *run =
		perun_json_at(perun_json_get(perun_profile_document(profile), "runs"), 0);
	int status = read_value(fair, run, fair->metric, value);

	return status || !fair->other ? status : read_value(fair, run, fair->other, other);
}

int cli_fair_run(struct cli_fair *fair, const char *directory, double *value, double *other)
{
	char padding[PADDING + 32] = "PERUN_PADDING=";
	const char *environment[] = {padding, NULL};
	struct perun_collect_job job = {.struct_size = sizeof job,
					.command = fair->text,
					.arguments = "",
					.workload = "",
					.argv = fair->argv,
					.directory = directory,
					.scratch = fair->scratch->path,
					.environment = environment};
	struct perun_profile *profile = NULL;
	size_t length = strlen(padding);
	int status;

	memset(padding + length, 'x', cli_fair_random(fair, PADDING));
	status = perun_collect(fair->cli->ctx, "time", fair->options, &job, &profile);
	if (!status)
		status = read_values(fair, profile, value, other);
	perun_profile_unref(profile);
	return status;
}

/* ---- sessions -------------------------------------------------------------------------------- */

static int warm_up(struct cli_fair *fair, const char *const directories[2])
{
	double ignored[2];
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < 2 * fair->warmup; i++)
		status = cli_fair_run(fair, directories[i % 2], &ignored[0], &ignored[1]);
	return status;
}

static void reserve(struct cli_fair_session *session, size_t count)
{
	double **arrays[] = {&session->told.values[0], &session->told.values[1],
			     &session->other.values[0], &session->other.values[1]};

	if (count <= session->capacity)
		return;
	for (int i = 0; i < 4; i++)
		*arrays[i] = perun_realloc(*arrays[i], count * sizeof **arrays[i]);
	session->capacity = count;
}

int cli_fair_pairs(struct cli_fair *fair, const char *const directories[2], size_t count,
		   struct cli_fair_session *session)
{
	struct perun_ctx *ctx = fair->cli->ctx;
	size_t end = session->count + count;
	int status = session->count ? PERUN_OK : warm_up(fair, directories);

	reserve(session, end);
	while (!status && session->count < end) {
		size_t first = cli_fair_random(fair, 2), i = session->count;

		perun_progress(ctx, "pairs of runs", i, end);
		for (size_t turn = 0; !status && turn < 2; turn++) {
			size_t side = turn ? !first : first;

			status = cli_fair_run(fair, directories[side],
					      &session->told.values[side][i],
					      &session->other.values[side][i]);
		}
		if (!status)
			session->count++;
	}
	if (!status)
		perun_progress(ctx, "pairs of runs", end, end);
	return status;
}

/*
 * Medians of blocks of neighbouring pairs: their noise is less than that of single runs, and which side
 * of a block is which may be exchanged as it may in a pair.
 */
static size_t make_blocks(const struct cli_fair_series *series, size_t pairs, double *blocks[2])
{
	size_t block = series->block, count = pairs / block;

	for (int side = 0; side < 2; side++) {
		blocks[side] = perun_alloc_zero(count + 1, sizeof *blocks[side]);
		for (size_t i = 0; i < count; i++)
			blocks[side][i] = perun_median(series->values[side] + i * block, block);
	}
	return count;
}

static void judge_series(const struct cli_fair *fair, const struct cli_fair_session *session,
			 struct cli_fair_series *series)
{
	struct perun_verdict_options options = {.struct_size = sizeof options,
						.threshold = fair->threshold,
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

static void judge(const struct cli_fair *fair, struct cli_fair_session *session)
{
	judge_series(fair, session, &session->told);
	if (fair->other)
		judge_series(fair, session, &session->other);
}

static bool is_change(enum perun_answer answer)
{
	return answer == PERUN_INCREASE || answer == PERUN_DECREASE;
}

/* Whether more runs could change what is told. */
static bool is_open(const struct cli_fair *fair, const struct perun_verdict *verdict)
{
	/* A machine that is too noisy for changes that count has not shown that there are none. */
	return verdict->answer == PERUN_UNDECIDED ||
	       (verdict->answer == PERUN_SAME &&
		verdict->effect > fair->threshold * fabs(verdict->before) * 1.001);
}

/* Looks at a session: after `pairs`, twice as many and so on. */
static size_t count_looks(size_t pairs, size_t most)
{
	size_t looks = 1;

	for (; pairs < most; pairs *= 2)
		looks++;
	return looks;
}

/* Whether the metric says nothing that is clear, but the other one tells a change. */
static bool is_turned(const struct cli_fair *fair, const struct cli_fair_session *session)
{
	return fair->other && is_open(fair, &session->told.verdict) &&
	       is_change(session->other.verdict.answer);
}

/* A session that confirms needs to settle only what the first one told; NULL: it is the first. */
static bool is_settled(const struct cli_fair *fair, const struct cli_fair_session *session,
		       const bool *turned)
{
	if (turned && *turned)
		return !is_open(fair, &session->other.verdict);
	return !is_open(fair, &session->told.verdict) || (!turned && is_turned(fair, session));
}

/*
 * Run pairs until it is clear what they tell. A session that confirms another one is told whether that
 * `turned` to the other metric.
 */
static int run_session(struct cli_fair *fair, const char *const directories[2], size_t pairs,
		       const bool *turned, struct cli_fair_session *session)
{
	double start = cli_now(), level = turned ? CONFIRM_LEVEL : LEVEL;
	size_t target = pairs, most = fair->most;
	bool settled;
	int status;

	session->level = level / (double)count_looks(pairs, fair->longest);
	do {
		status = cli_fair_pairs(fair, directories, target - session->count, session);
		if (!status)
			judge(fair, session);
		settled = is_settled(fair, session, turned);
		/* Twice as many take twice as long. */
		if (session->count == most && 2 * (cli_now() - start) < fair->budget)
			most = most * 2 < fair->longest ? most * 2 : fair->longest;
		target = target * 2 < most ? target * 2 : most;
	} while (!status && session->count < most && !settled);
	return status;
}

enum perun_answer cli_fair_agreed(const struct cli_fair_result *result, bool other)
{
	enum perun_answer answers[2] = {PERUN_UNDECIDED, PERUN_UNDECIDED};

	for (size_t i = 0; i < result->count; i++)
		answers[i] = (other ? &result->sessions[i].other : &result->sessions[i].told)
				     ->verdict.answer;
	return result->count == 2 && answers[0] != answers[1] ? PERUN_UNDECIDED : answers[0];
}

/* The other metric takes the place of the one that noise hides. */
static void turn(struct cli_fair *fair, struct cli_fair_result *result)
{
	const char *hidden = fair->metric;

	fair->metric = fair->other;
	fair->other = hidden;
	for (size_t i = 0; i < result->count; i++) {
		struct cli_fair_session *session = &result->sessions[i];
		struct cli_fair_series told = session->told;

		session->told = session->other;
		session->other = told;
	}
	result->turned = true;
}

int cli_fair_compare(struct cli_fair *fair, const char *const directories[2],
		     struct cli_fair_result *result)
{
	struct cli_fair_session *first = &result->sessions[0], *second = &result->sessions[1];
	enum perun_answer answer;
	bool turned;
	int status;

	*result = (struct cli_fair_result){.count = 1};
	status = run_session(fair, directories, fair->pairs, NULL, first);
	turned = !status && is_turned(fair, first);
	answer = turned ? first->other.verdict.answer : first->told.verdict.answer;
	if (!status && is_change(answer)) {
		result->count = 2;
		status = run_session(fair, directories, first->count, &turned, second);
	}
	if (status)
		return status;
	result->answer = cli_fair_agreed(result, false);
	if (fair->other && !is_change(result->answer) &&
	    (turned || is_change(cli_fair_agreed(result, true)))) {
		turn(fair, result);
		result->answer = cli_fair_agreed(result, false);
	}
	result->unconfirmed = result->count == 2 && !is_change(result->answer);
	return status;
}

void cli_fair_session_free(struct cli_fair_session *session)
{
	for (int side = 0; side < 2; side++) {
		perun_free(session->told.values[side]);
		perun_free(session->other.values[side]);
	}
	*session = (struct cli_fair_session){0};
}

void cli_fair_result_free(struct cli_fair_result *result)
{
	cli_fair_session_free(&result->sessions[0]);
	cli_fair_session_free(&result->sessions[1]);
	*result = (struct cli_fair_result){0};
}
