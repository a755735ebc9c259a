/* SPDX-License-Identifier: BSD-3-Clause */
/* The history of a metric: a value for each version of a line. */
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include <perun/lib/units.h>
#include <perun/machine.h>

#include "core/context/structs.h"
#include "core/history/history.h"
#include "core/history/thresholds.h"
#include "core/history/values.h"
#include "core/history/verdict-key.h"
#include "core/job/machine-class.h"
#include "core/profile/pool.h"
#include "core/store/store.h"

/* Names of metrics in a message end after that many bytes. */
#define MAX_NAMES 400
/* Versions whose profiles are read at once. */
#define AT_ONCE 256

/* What is measured at the version that is being read, for each strand, whose repeats are appended to it. */
struct measured {
	size_t parts; /* profiles that have some of them */
	double median, deviation, load;
};

/* The clocks that judge each other; what is read. */
static const char *const clock_names[] = {"time(real)", "time(cpu)", "time(user)", "time(sys)"};
enum clocks { EVERYTHING, ALL_CLOCKS, PROCESSOR_CLOCKS };

struct loading {
	struct perun_ctx *ctx;
	struct perun_store *store;
	const struct perun_history_options *options;
	struct perun_history *history;
	struct perun_reader *reader;
	struct measured *measured; /* of each strand */
	size_t measured_capacity, hint;
	size_t first, fresh; /* see perun_history_load_last(); 0 = all */
	enum clocks clocks; /* that alone are read, to judge others; these have none of their own */
	size_t version;     /* that is being read */
	double factor;      /* of the last value, to the unit of its strand */
	/*
	 * The value before this one, whose strand is in the place before `hint`: metric and unit are compared by where they
	 * are, which is in the same profile.
	 */
	const char *metric, *unit;
	bool beside; /* nothing but its location differs */
	/* The command of a value, with its workload, and what it was made of. */
	struct perun_buffer command, plain_command, workload;
	struct perun_pool *keys; /* names of strands */
	size_t *named;           /* the first strand of each */
	size_t named_count, named_capacity;
	uint32_t profiles; /* read so far */
	struct perun_profile
		*newest; /* has the machine of the newest profile; NULL = any will do */
	char *machine;   /* the last one that was read, as JSON without its loads */
	struct perun_buffer rest;
	bool taken;   /* whether it is of the newest one's class */
	double load;  /* that it states, for each processor; of this machine it is */
	double share; /* this share of the number in the text */
	struct perun_json *directions;
};

/* ---- strands ---------------------------------------------------------------------------------- */

/* What profiles say, what the caller or the store says, what the unit or the name says. */
static void set_direction(const struct loading *loading, const struct perun_value *value,
			  struct perun_strand *strand)
{
	enum perun_direction kept = perun_directions_find(loading->directions, value->metric);

	if (kept == PERUN_BETTER_UNKNOWN)
		kept = value->likely;
	strand->higher = perun_higher_is_better(value->better, loading->options->better, kept);
	strand->undirected = value->better == PERUN_BETTER_UNKNOWN &&
			     loading->options->better == PERUN_BETTER_UNKNOWN &&
			     kept == PERUN_BETTER_UNKNOWN;
}

/* Units that do not convert are other strands. */
static bool is_strand(struct loading *loading, const struct perun_strand_builder *builder,
		      const struct perun_value *value, const char *command, const char *machine)
{
	if (strcmp(builder->location, value->location) != 0)
		return false;
	/* As the strand of the value before it is in the place before this one. */
	if (loading->beside && builder->beside)
		return true;
	loading->factor = strcmp(value->unit, builder->unit) == 0
				  ? 1
				  : (double)perun_unit_factor(value->unit, builder->unit);
	return loading->factor != 0 && strcmp(builder->command, command) == 0 &&
	       strcmp(builder->metric, value->metric) == 0 &&
	       strcmp(builder->machine, machine) == 0;
}

/* The first strand of the names of a value, SIZE_MAX = none yet: the next one is it. */
static size_t first_named(struct loading *loading, const struct perun_value *value,
			  const char *command, const char *machine)
{
	struct perun_buffer key = {0};
	perun_id id;

	perun_bytes_add_text(&key, value->location);
	perun_bytes_add_text(&key, value->metric);
	perun_bytes_add_text(&key, command);
	perun_bytes_add_text(&key, machine);
	id = perun_pool_add(&loading->keys, key.data, key.length);
	perun_buffer_free(&key);
	if (id < loading->named_count)
		return loading->named[id];
	PERUN_GROW(loading->named, loading->named_count, loading->named_capacity);
	loading->named[loading->named_count++] = loading->history->count;
	return SIZE_MAX;
}

static bool is_beside(const struct perun_strand_builder *before,
		      const struct perun_strand_builder *builder)
{
	return strcmp(before->unit, builder->unit) == 0 &&
	       strcmp(before->command, builder->command) == 0 &&
	       strcmp(before->metric, builder->metric) == 0 &&
	       strcmp(before->machine, builder->machine) == 0;
}

/* The number of the strand of a value, and the factor of its unit. */
static size_t strand_of(struct loading *loading, const struct perun_value *value,
			const char *command, const char *machine)
{
	struct perun_history *history = loading->history;
	struct perun_strand_builder *builder;
	size_t at = loading->hint, last = SIZE_MAX;

	/* Profiles have their functions in much the same order. */
	if (at < history->count &&
	    is_strand(loading, &history->strands[at], value, command, machine)) {
		loading->hint = at + 1;
		return at;
	}
	loading->beside = false;
	for (at = first_named(loading, value, command, machine); at != SIZE_MAX;
	     at = history->strands[at].namesake ? history->strands[at].namesake : SIZE_MAX) {
		if (is_strand(loading, &history->strands[at], value, command, machine)) {
			loading->hint = at + 1;
			return at;
		}
		last = at;
	}
	if (last != SIZE_MAX)
		history->strands[last].namesake = history->count;
	builder = perun_history_add_strand(history, command, value->metric, value->unit,
					   value->location, machine);
	builder->strand.kind = value->kind;
	builder->strand.whole = value->whole && !*value->location;
	builder->strand.noise = value->noise;
	builder->strand.sample = value->sample;
	builder->strand.stacks = value->stacks;
	builder->strand.inclusive = value->inclusive;
	builder->strand.recorded = value->recorded;
	builder->strand.says = value->better != PERUN_BETTER_UNKNOWN;
	set_direction(loading, value, &builder->strand);
	builder->beside = history->count > 1 && is_beside(builder - 1, builder);
	PERUN_GROW(loading->measured, history->count - 1, loading->measured_capacity);
	loading->measured[history->count - 1] = (struct measured){0};
	loading->factor = 1;
	return history->count - 1;
}

static void set_text(struct perun_buffer *buffer, const char *text)
{
	perun_buffer_clear(buffer);
	perun_buffer_add_text(buffer, text);
	*perun_buffer_reserve(buffer, 1) = '\0';
}

/* Command and workload of a value as one text. */
static const char *command_of(struct loading *loading, const struct perun_value *value)
{
	struct perun_buffer *command = &loading->command;

	/* Values that follow each other are mostly of one command. */
	if (command->length && strcmp(value->command, loading->plain_command.data) == 0 &&
	    strcmp(value->workload, loading->workload.data) == 0)
		return command->data;
	loading->beside = false;
	set_text(&loading->plain_command, value->command);
	set_text(&loading->workload, value->workload);
	perun_buffer_clear(command);
	perun_buffer_add_text(command, value->command);
	if (*value->workload && command->length)
		perun_buffer_add_char(command, ' ');
	perun_buffer_add_text(command, value->workload);
	return command->data ? command->data : "";
}

/* Repeats of a profile are a session of their own. */
static void add_repeats(struct loading *loading, const struct perun_value *value,
			const char *machine)
{
	struct perun_strand_builder *builder;
	struct measured *measured;
	const char *command;
	size_t s;

	command = command_of(loading, value);
	loading->beside &= value->metric == loading->metric && value->unit == loading->unit;
	s = strand_of(loading, value, command, machine);
	loading->beside = s + 1 == loading->hint;
	loading->metric = value->metric;
	loading->unit = value->unit;
	builder = &loading->history->strands[s];
	measured = &loading->measured[s];
	builder->strand.recorded &= value->recorded;
	if (!value->count)
		return;
	/* A function that appears later was not measured before. */
	if (measured->parts == 0)
		perun_strand_pad(builder, loading->version);
	PERUN_GROW(builder->profiles, builder->session_count, builder->profile_capacity);
	builder->profiles[builder->session_count] = loading->profiles;
	PERUN_GROW(builder->sessions, builder->session_count, builder->session_capacity);
	builder->sessions[builder->session_count++] = builder->repeat_count;
	measured->deviation = fmax(measured->deviation, value->deviation);
	measured->load = fmax(measured->load, loading->load);
	measured->median = value->median;
	/* Rounded, it need not be the median in another unit. */
	measured->parts += loading->factor == 1 ? 1 : 2;
	perun_strand_append(builder, value->repeats, value->count, loading->factor);
}

/* Note the benchmarks of a profile that have no value at version `i` since they failed. */
static int note_failed(struct loading *loading, const struct perun_measured_profile *profile,
		       size_t i)
{
	struct perun_history *history = loading->history;
	struct perun_json *failed, *patterns;
	char *command;
	int status = *profile->failed ? perun_json_parse(loading->ctx, profile->failed,
							 strlen(profile->failed), NULL, &failed)
				      : PERUN_OK;

	if (status || !*profile->failed)
		return status;
	command =
		perun_format("%s%s%s", profile->command,
			     *profile->command && *profile->workload ? " " : "", profile->workload);
	patterns = perun_failure_patterns(failed);
	for (size_t s = 0; s < history->count; s++) {
		struct perun_strand_builder *builder = &history->strands[s];
		const char *why;

		if (loading->measured[s].parts || strcmp(builder->command, command) != 0)
			continue;
		why = perun_failure_of(failed, patterns, builder->location);
		if (!why)
			continue;
		if (!builder->failed)
			builder->failed =
				perun_alloc_zero(history->line->count, sizeof *builder->failed);
		perun_free(builder->failed[i]);
		builder->failed[i] = perun_strdup(*why ? why : "it failed");
	}
	perun_free(command);
	perun_json_free(patterns);
	perun_json_free(failed);
	return PERUN_OK;
}

/* ---- machines --------------------------------------------------------------------------------- */

/* A profile that has the machine and nothing else. */
static int make_machine(struct perun_ctx *ctx, const char *text, struct perun_profile **profile)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_json *machine = NULL;
	int status = *text ? perun_json_parse(ctx, text, strlen(text), NULL, &machine) : PERUN_OK;

	*profile = NULL;
	if (machine)
		perun_json_set(perun_builder_document(builder), "machine", machine);
	if (!status)
		return perun_builder_finish(ctx, builder, profile);
	perun_builder_free(builder);
	return status;
}

/*
 * The machine of a profile without its loads, which are others each time: the rest says which class it is of. `*load` is the one that
 * the profile states of the processors, as a text (machine.cpu.load); the other one is a number, the mean of a minute.
 */
static void strip_loads(const char *document, struct perun_buffer *rest, double *load)
{
	static const char member[] = "\"load\":";
	const char *at;

	*load = 0;
	perun_buffer_clear(rest);
	while ((at = strstr(document, member))) {
		at += sizeof member - 1;
		perun_buffer_add(rest, document, (size_t)(at - document));
		at += strspn(at, " ");
		if (*at == '"')
			perun_json_scan_double(at + 1, strlen(at + 1), load);
		document = at + strcspn(at, ",}");
	}
	perun_buffer_add_text(rest, document);
	*perun_buffer_reserve(rest, 1) = '\0';
}

/* Looks at the machine of a profile, unless the one before had the same. */
static int read_machine(struct loading *loading, const char *document)
{
	struct perun_history *history = loading->history;
	struct perun_profile *machine;
	char *difference = NULL;
	double load;
	int status;

	strip_loads(document, &loading->rest, &load);
	if (loading->machine && strcmp(loading->machine, loading->rest.data) == 0) {
		loading->load = load * loading->share;
		return PERUN_OK;
	}
	status = make_machine(loading->ctx, document, &machine);
	if (status)
		return status;
	if (loading->newest && *document)
		difference = perun_machine_difference(machine, loading->newest);
	loading->load = perun_load_of(machine);
	loading->share = load > 0 ? loading->load / load : 0;
	perun_profile_unref(machine);
	perun_free(loading->machine);
	loading->machine = perun_strdup(loading->rest.data);
	loading->taken = !difference;
	if (!history->difference)
		history->difference = difference;
	else
		perun_free(difference);
	return PERUN_OK;
}

/* Whether a profile is of the class of the newest one. */
static int take_machine(struct loading *loading, const struct perun_measured_profile *measured,
			bool *taken)
{
	int status = read_machine(loading, measured->machine_document);

	*taken = loading->taken;
	loading->history->left_out += !status && !*taken;
	return status;
}

/* The load that the last profile was measured under is that of its version, where it states one. */
static void note_load(const struct loading *loading, size_t version)
{
	struct perun_history *history = loading->history;

	if (!(loading->load > 0))
		return;
	if (!history->loads)
		history->loads = perun_alloc_zero(history->line->count, sizeof *history->loads);
	history->loads[version] = fmax(history->loads[version], loading->load);
}

/* The newest of a version's profiles with the metric, of the machine that is asked for. */
static int find_newest_of(struct loading *loading, size_t i, char **document, char **name)
{
	const char *wanted = loading->options->machine;
	const struct perun_measured_profile *measured;
	uint32_t time = 0;
	int status = perun_reader_version(loading->ctx, loading->reader,
					  loading->history->line->checksums[i]);

	while (!status &&
	       !(status = perun_reader_profile(loading->ctx, loading->reader, &measured)) &&
	       measured) {
		if (!measured->measured || (*name && measured->time < time) ||
		    (wanted && !strcasestr(measured->machine, wanted)))
			continue;
		perun_free(*document);
		perun_free(*name);
		*document = perun_strdup(measured->machine_document);
		*name = perun_strdup(measured->machine);
		time = measured->time;
	}
	return status;
}

/* The newest profile: its class of machine is that of the history. */
static int find_newest(struct loading *loading)
{
	struct perun_history *history = loading->history;
	char *document = NULL;
	int status = PERUN_OK;

	for (size_t i = history->line->count; !status && !history->machine && i-- > 0;)
		status = find_newest_of(loading, i, &document, &history->machine);
	if (!status && history->machine)
		status = make_machine(loading->ctx, document, &loading->newest);
	else if (!status && loading->options->machine)
		status = perun_fail(loading->ctx, PERUN_USAGE,
				    "no profile with the metric was measured on a machine of "
				    "class '%s'",
				    loading->options->machine);
	perun_free(document);
	return status;
}

/* ---- versions --------------------------------------------------------------------------------- */

bool perun_value_has_history(const struct perun_value *value)
{
	return !value->total || value->recorded ||
	       (value->stacks && value->noise != PERUN_NOISE_SAMPLED);
}

/*
 * Answers that follow from the values are kept beside the store (kept-changes.c). The values of this store may be kept in
 * it, where whoever gave it away could have written them: they answer for no other store.
 */
static void start_hash(struct loading *loading)
{
	const struct perun_history_options *options = loading->options;
	const uint32_t choices[] = {!options->metric, options->every_metric, options->measured};
	struct perun_hash *hash = &loading->history->profiles;
	struct stat info;

	perun_sha256_start(hash);
	perun_verdict_key_add_text(hash, options->metric);
	perun_hash_add(hash, choices, sizeof choices);
	if (fstat(loading->store->directory, &info) == 0) {
		perun_hash_add(hash, &info.st_dev, sizeof info.st_dev);
		perun_hash_add(hash, &info.st_ino, sizeof info.st_ino);
	}
}

static void hash_profile(const struct loading *loading, size_t version, const char *machine)
{
	struct perun_hash *hash = &loading->history->profiles;

	perun_hash_add(hash, &version, sizeof version);
	perun_verdict_key_add_text(hash, machine);
	perun_reader_hash_profile(loading->reader, hash);
}

static bool is_read(enum clocks clocks, const char *metric)
{
	for (size_t i = clocks == PROCESSOR_CLOCKS; clocks != EVERYTHING; i++) {
		if (i == sizeof clock_names / sizeof *clock_names)
			return false;
		if (strcmp(metric, clock_names[i]) == 0)
			break;
	}
	return true;
}

static int read_profiles(struct loading *loading, size_t i, bool *measured)
{
	const struct perun_history_options *options = loading->options;
	const struct perun_measured_profile *profile;
	const struct perun_value *value;
	bool apart = options->machines_apart;
	const char *machine = "";
	int status;

	for (;;) {
		bool taken = false;

		status = perun_reader_profile(loading->ctx, loading->reader, &profile);
		if (status || !profile)
			return status;
		if (profile->measured || *profile->failed)
			status = take_machine(loading, profile, &taken);
		if (status)
			return status;
		/* What is compatible with the newest class is of it, whatever it does not say. */
		if (apart && profile->measured) {
			machine = taken ? loading->history->machine : profile->machine;
			machine = machine ? machine : "";
			taken = true;
		}
		*measured |= taken;
		loading->profiles++;
		loading->beside = false;
		if (taken)
			hash_profile(loading, i, machine);
		if (options->visit)
			options->visit(options->data, i, profile, NULL);
		while ((taken || options->visit) && (value = perun_reader_value(loading->reader))) {
			if (options->visit)
				options->visit(options->data, i, profile, value);
			if (taken && perun_value_has_history(value) &&
			    is_read(loading->clocks, value->metric))
				add_repeats(loading, value, machine);
		}
		if (taken)
			status = note_failed(loading, profile, i);
		if (status)
			return status;
		if (taken)
			note_load(loading, i);
	}
}

/* Keep what is known of a version, where it is. */
static void keep(const struct perun_history *history, double **known, size_t i, double value)
{
	if (value > 0 && !*known)
		*known = perun_alloc_zero(history->line->count, sizeof **known);
	if (value > 0)
		(*known)[i] = value;
}

static void end_value(struct perun_strand_builder *builder, const struct measured *measured)
{
	size_t count = perun_strand_appended(builder);

	perun_strand_end_value(
		builder,
		measured->parts == 1
			? measured->median
			: perun_median(builder->repeats + builder->repeat_count - count, count));
}

static int read_version(struct loading *loading, size_t i)
{
	struct perun_history *history = loading->history;
	bool measured = false;
	int status =
		perun_reader_version(loading->ctx, loading->reader, history->line->checksums[i]);

	loading->version = i;
	if (!status)
		status = read_profiles(loading, i, &measured);
	history->measured += measured;
	for (size_t s = 0; !status && s < history->count; s++) {
		struct measured *found = &loading->measured[s];

		if (found->parts == 0)
			continue;
		end_value(&history->strands[s], found);
		keep(history, &history->strands[s].deviations, i, found->deviation);
		keep(history, &history->strands[s].loads, i, found->load);
		*found = (struct measured){0};
	}
	return status;
}

static bool has_few_versions(const struct loading *loading)
{
	const struct perun_version_line *line = loading->history->line;
	size_t count = 0;

	for (size_t i = line->count; i > 0 && count < HISTORY_FEW; i--)
		count +=
			perun_store_has_index(loading->ctx, loading->store, line->checksums[i - 1]);
	return count < HISTORY_FEW;
}

/* Where the last versions with profiles begin that are asked for. */
static size_t first_version(const struct loading *loading)
{
	const struct perun_version_line *line = loading->history->line;
	size_t i = line->count;

	for (size_t left = loading->options->last; i > 0 && left > 0; i--)
		left -= perun_store_has_index(loading->ctx, loading->store, line->checksums[i - 1]);
	return loading->options->last ? i : loading->first;
}

static int read_versions(struct loading *loading)
{
	const struct perun_version_line *line = loading->history->line;
	size_t first = first_version(loading);
	int status = PERUN_OK;

	loading->history->few = has_few_versions(loading);

	for (size_t i = first; !status && i < line->count; i++) {
		if ((i - first) % AT_ONCE == 0)
			status = perun_reader_prefetch(
				loading->ctx, loading->reader, line->checksums + i,
				line->count - i < AT_ONCE ? line->count - i : AT_ONCE);
		if (!status)
			status = read_version(loading, i);
	}
	for (size_t s = 0; !status && s < loading->history->count; s++)
		perun_strand_pad(&loading->history->strands[s], line->count);
	return status;
}

/* ---- nothing found ---------------------------------------------------------------------------- */

/* No version has the metric: say which ones the newest measured version has. */
static int fail_unmeasured(struct loading *loading)
{
	const char *metric = loading->options->metric;
	struct perun_buffer names = {0};
	struct perun_buffer who = {0};
	const size_t versions = loading->history->line->count;
	size_t count;
	char **list;
	int status;

	if (versions == 0)
		return perun_fail(loading->ctx, PERUN_USAGE, "there are no versions in %s",
				  loading->options->range);
	status = perun_history_metrics(loading->ctx, loading->store, loading->options->range, &list,
				       &count);
	if (versions == 1)
		perun_buffer_add_text(&who, "the version has no profile with");
	else
		perun_buffer_printf(&who, "none of the %zu versions has a profile with", versions);
	if (metric)
		perun_buffer_printf(&who, " the metric %s", *metric ? metric : "''");
	for (size_t i = 0; i < count && names.length < MAX_NAMES; i++)
		perun_buffer_printf(&names, "%s%s", i ? ", " : "", list[i]);
	if (!status)
		status = perun_fail(loading->ctx, PERUN_USAGE, "%s%s%s%s", who.data,
				    metric ? "" : " a metric", names.length ? "; there are " : "",
				    names.length ? names.data : "");
	perun_buffer_free(&who);
	perun_buffer_free(&names);
	perun_history_metrics_free(list, count);
	return status;
}

/* ---- what real times are judged with ---------------------------------------------------------- */

static bool has_metric(const struct perun_history *history, const char *metric)
{
	for (size_t s = 0; s < history->count; s++) {
		if (strcmp(history->strands[s].metric, metric) == 0)
			return true;
	}
	return false;
}

/* What may be made of a time has that time's answer; so have its parts. */
static bool has_made_of_time(const struct perun_history *history)
{
	for (size_t s = 0; s < history->count; s++) {
		const struct perun_strand_builder *builder = &history->strands[s];

		if (builder->strand.noise == PERUN_NOISE_TIMED &&
		    (!perun_is_clock(builder->metric) || perun_is_part_of_time(builder->metric)))
			return true;
	}
	return false;
}

/* Whether there are clocks besides that of a history. */
static bool are_others(const struct perun_history *history, char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (is_read(ALL_CLOCKS, names[i]) && !has_metric(history, names[i]))
			return true;
	}
	return false;
}

static int load_versions(struct perun_ctx *ctx, struct perun_store *store,
			 const struct perun_history_options *given, struct perun_version_line *line,
			 size_t first, size_t fresh, enum clocks clocks,
			 struct perun_history **result);

/*
 * The clocks that one metric alone is judged with, as where all are read: real times by processor times, which show when a machine
 * was busy, parts of a time and what is made of one by the real time, which is judged with all of them.
 */
static int load_clocks(struct loading *loading)
{
	struct perun_history *history = loading->history;
	struct perun_history_options options = *loading->options;
	char **names;
	size_t count;
	bool real = has_metric(history, "time(real)"), others;
	int status;

	if (loading->clocks != EVERYTHING || options.every_metric ||
	    (!real && !has_made_of_time(history)))
		return PERUN_OK;
	status = perun_history_metrics(loading->ctx, loading->store, options.range, &names, &count);
	others = !status && are_others(history, names, count);
	perun_history_metrics_free(names, count);
	options.metric = NULL;
	options.every_metric = true;
	options.visit = NULL;
	options.struct_size = sizeof options;
	if (others)
		status = load_versions(loading->ctx, loading->store, &options, NULL, 0, 0,
				       real ? PROCESSOR_CLOCKS : ALL_CLOCKS, &history->clocks);
	/* A location may have no processor time. */
	if (status == PERUN_USAGE) {
		perun_ctx_clear(loading->ctx);
		status = PERUN_OK;
	}
	return status;
}

/* ---- all of it -------------------------------------------------------------------------------- */

/* The strands of the location that is asked for come first; the others are judged with them. */
static void choose_shown(const struct loading *loading)
{
	struct perun_history *history = loading->history;
	const char *location = loading->options->location;
	struct perun_strand_builder *sorted;
	size_t next = 0;

	history->shown = history->count;
	if (!location || !history->count)
		return;
	sorted = perun_alloc(history->count * sizeof *sorted);
	for (unsigned other = 0; other < 2; other++) {
		for (size_t s = 0; s < history->count; s++) {
			if ((strcmp(history->strands[s].location, location) != 0) == other)
				sorted[next++] = history->strands[s];
		}
		history->shown = other ? history->shown : next;
	}
	perun_free(history->strands);
	history->strands = sorted;
	history->capacity = history->count;
}

/* Which names count: of the last versions alone, those that all of them count by, or it is not clear. */
static int join_names(struct loading *loading)
{
	struct perun_history *history = loading->history;
	const char *const *versions = history->line->checksums + loading->first;
	size_t count = history->line->count - loading->first;

	if (!loading->fresh)
		return perun_reader_join_files(loading->ctx, loading->reader, versions, count);
	return perun_import_names_meet_new(loading->ctx, loading->reader, versions, count,
					   loading->fresh - loading->first, &history->unclear);
}

static int load(struct loading *loading)
{
	const struct perun_history_options *options = loading->options;
	const struct perun_reader_options how = {.struct_size = sizeof how,
						 .metric = options->metric,
						 .first_metric =
							 !options->metric && !options->every_metric,
						 .functions = true,
						 .totals = true,
						 .inclusive = true};
	struct perun_history *history = loading->history;
	int status = perun_store_document(loading->ctx, loading->store, PERUN_DIRECTIONS,
					  &loading->directions);

	start_hash(loading);
	if (!status && !history->line)
		status = perun_version_line_load(loading->ctx, loading->store, options->range,
						 &history->line);
	if (!status && options->measured)
		perun_version_line_keep_measured(loading->ctx, loading->store, history->line);
	if (!status)
		status = perun_reader_open(loading->ctx, loading->store, &how, &loading->reader);
	if (!status)
		status = join_names(loading);
	if (!status && !options->across_machines)
		status = find_newest(loading);
	if (!status)
		status = read_versions(loading);
	if (!status && history->measured == 0 && !options->every_metric)
		status = fail_unmeasured(loading);
	choose_shown(loading);
	if (!status && options->location && history->shown == 0)
		status = perun_fail(
			loading->ctx, PERUN_USAGE,
			"no profile has values of '%s': expected a location as histories name it",
			options->location);
	return status;
}

static int load_versions(struct perun_ctx *ctx, struct perun_store *store,
			 const struct perun_history_options *given, struct perun_version_line *line,
			 size_t first, size_t fresh, enum clocks clocks,
			 struct perun_history **result)
{
	struct perun_history_options options = {0};
	struct perun_history *history = perun_alloc_zero(1, sizeof *history);
	struct loading loading = {.ctx = ctx,
				  .store = store,
				  .options = &options,
				  .history = history,
				  .first = first,
				  .fresh = fresh,
				  .clocks = clocks,
				  .keys = perun_pool_new(false)};
	int status;

	history->line = line;
	history->recent = perun_alloc_zero(1, sizeof *history->recent);
	PERUN_STRUCT_TAKE(&options, given);
	status = perun_thresholds_read(ctx, store, &history->thresholds);
	if (!status)
		status = load(&loading);
	if (!status)
		status = load_clocks(&loading);
	if (loading.reader)
		history->names = perun_reader_take_names(loading.reader);
	if (loading.newest)
		history->facts = perun_machine_facts(loading.newest);
	perun_reader_close(loading.reader);
	perun_free(loading.measured);
	perun_pool_unref(loading.keys);
	perun_free(loading.named);
	perun_buffer_free(&loading.command);
	perun_buffer_free(&loading.plain_command);
	perun_buffer_free(&loading.workload);
	perun_free(loading.machine);
	perun_buffer_free(&loading.rest);
	perun_profile_unref(loading.newest);
	perun_json_free(loading.directions);
	*result = NULL;
	if (status) {
		perun_history_free(history);
		return status;
	}
	perun_history_normalize(history);
	perun_history_complete(history);
	history_sum_clocks(history);
	*result = history;
	return PERUN_OK;
}

int perun_history_load(struct perun_ctx *ctx, struct perun_store *store,
		       const struct perun_history_options *given, struct perun_history **result)
{
	return load_versions(ctx, store, given, NULL, 0, 0, EVERYTHING, result);
}

int perun_history_load_line(struct perun_ctx *ctx, struct perun_store *store,
			    const struct perun_history_options *options,
			    struct perun_version_line *line, struct perun_history **history)
{
	return load_versions(ctx, store, options, line, 0, 0, EVERYTHING, history);
}

int perun_history_load_last(struct perun_ctx *ctx, struct perun_store *store,
			    const struct perun_history_options *options,
			    struct perun_version_line *line, size_t first, size_t fresh,
			    struct perun_history **history)
{
	return load_versions(ctx, store, options, line, first, fresh, EVERYTHING, history);
}
