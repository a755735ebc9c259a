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

/* All looks at a session together tell a change by chance with this probability at most. */
#define LEVEL 0.01
/* Where there are more pairs than this, neighbours are taken together. */
#define BLOCKS 20
/* Programs that take milliseconds are run more often where it does not decide, for so many seconds. */
#define PATIENCE 5
#define LONGEST  64
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
		.metric = perun_option_string(options, "metric"),
		.warmup = (size_t)perun_option_integer(options, "warmup"),
		.pairs = (size_t)pairs,
		.most = (size_t)(perun_option_given(options, "most") ? most : 8 * pairs),
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

static int read_value(const struct cli_fair *fair, const struct perun_profile *profile,
		      double *value)
{
	const struct perun_json *run =
		perun_json_at(perun_json_get(perun_profile_document(profile), "runs"), 0);
	double more = 0;

	if (strcmp(fair->metric, "cpu") == 0) {
		if (perun_json_as_double(perun_json_get(run, "user"), value) &&
		    perun_json_as_double(perun_json_get(run, "sys"), &more)) {
			*value += more;
			return PERUN_OK;
		}
	} else if (perun_json_as_double(perun_json_get(run, fair->metric), value)) {
		return PERUN_OK;
	}
	return perun_fail(fair->cli->ctx, PERUN_MISSING,
			  "%s of a run cannot be measured on this machine; --metric real can",
			  fair->metric);
}

int cli_fair_run(struct cli_fair *fair, const char *directory, double *value)
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
		status = read_value(fair, profile, value);
	perun_profile_unref(profile);
	return status;
}

/* ---- sessions -------------------------------------------------------------------------------- */

static int warm_up(struct cli_fair *fair, const char *const directories[2])
{
	double ignored;
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < 2 * fair->warmup; i++)
		status = cli_fair_run(fair, directories[i % 2], &ignored);
	return status;
}

static void reserve(struct cli_fair_session *session, size_t count)
{
	if (count <= session->capacity)
		return;
	for (int side = 0; side < 2; side++)
		session->values[side] =
			perun_realloc(session->values[side], count * sizeof *session->values[side]);
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
		status = cli_fair_run(fair, directories[first], &session->values[first][i]);
		if (!status)
			status = cli_fair_run(fair, directories[!first],
					      &session->values[!first][i]);
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
static size_t make_blocks(const struct cli_fair_session *session, size_t block, double *blocks[2])
{
	size_t count = session->count / block;

	for (int side = 0; side < 2; side++) {
		blocks[side] = perun_alloc_zero(count + 1, sizeof *blocks[side]);
		for (size_t i = 0; i < count; i++)
			blocks[side][i] = perun_median(session->values[side] + i * block, block);
	}
	return count;
}

static void judge(const struct cli_fair *fair, struct cli_fair_session *session)
{
	struct perun_verdict_options options = {.struct_size = sizeof options,
						.threshold = fair->threshold,
						.level = session->level,
						.paired = true};
	double *blocks[2];
	size_t count;

	session->block = session->count >= 2 * BLOCKS ? session->count / BLOCKS : 1;
	count = make_blocks(session, session->block, blocks);
	perun_judge(blocks[0], count, blocks[1], count, &options, &session->verdict);
	perun_free(blocks[0]);
	perun_free(blocks[1]);
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

/* Run pairs until it is clear what they tell. */
static int run_session(struct cli_fair *fair, const char *const directories[2], size_t pairs,
		       bool confirms, struct cli_fair_session *session)
{
	double start = cli_now();
	size_t target = pairs, most = fair->most;
	bool open;
	int status;

	session->level = LEVEL / (double)count_looks(pairs, fair->longest);
	do {
		status = cli_fair_pairs(fair, directories, target - session->count, session);
		if (!status)
			judge(fair, session);
		open = confirms ? session->verdict.answer == PERUN_UNDECIDED
				: is_open(fair, &session->verdict);
		if (session->count == most && cli_now() - start < PATIENCE)
			most = most * 2 < fair->longest ? most * 2 : fair->longest;
		target = target * 2 < most ? target * 2 : most;
	} while (!status && session->count < most && open);
	return status;
}

int cli_fair_compare(struct cli_fair *fair, const char *const directories[2],
		     struct cli_fair_result *result)
{
	struct cli_fair_session *first = &result->sessions[0], *second = &result->sessions[1];
	int status;

	*result = (struct cli_fair_result){.count = 1};
	status = run_session(fair, directories, fair->pairs, false, first);
	result->answer = first->verdict.answer;
	if (status || (result->answer != PERUN_INCREASE && result->answer != PERUN_DECREASE))
		return status;
	result->count = 2;
	status = run_session(fair, directories, first->count, true, second);
	if (status)
		return status;
	if (second->verdict.answer != result->answer) {
		result->unconfirmed = true;
		result->answer = PERUN_UNDECIDED;
	}
	return status;
}

void cli_fair_session_free(struct cli_fair_session *session)
{
	perun_free(session->values[0]);
	perun_free(session->values[1]);
	*session = (struct cli_fair_session){0};
}

void cli_fair_result_free(struct cli_fair_result *result)
{
	cli_fair_session_free(&result->sessions[0]);
	cli_fair_session_free(&result->sessions[1]);
	*result = (struct cli_fair_result){0};
}
