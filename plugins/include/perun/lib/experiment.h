/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A profile as an experiment: what was measured at which values of the parameters. Of the growing part of the
 * interface: see perun/lib/version.h.
 * Threads: an experiment is read only; builders and readers belong to one thread at a time.
 */
#ifndef PERUN_LIB_EXPERIMENT_H
#define PERUN_LIB_EXPERIMENT_H

#include <perun/format.h>
#include <perun/lib/model.h>
#include <perun/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * How an experiment is stored in a profile: the table "resources" has the columns `stack` (the call path),
 * `metric` (STRING), `point` (POINT), `value` (METRIC; a row for each repetition) and perhaps
 * `repetition`. Of ready-made statistics, `value` is the mean, and the columns `median`, `minimum`,
 * `maximum`, `std` (STATISTIC) and `repetitions` the rest. Call paths are in the order of the pool of
 * stacks, points in that of the pool of points; metrics in the order of the document's `metrics`, then
 * of their appearance.
 *
 * A column `subtype` (STRING) says PERUN_OVERLAP in rows whose time other rows of the metric have, too: what a
 * graphics processor did while a call waited for it. To all that adds costs up these rows are a metric of their own,
 * "time(overlap)" (see perun_metrics()); a series of them has the metric "time", as in Extra-P, and a mark.
 */
#define PERUN_OVERLAP "overlap"

/* Statistics over the repetitions at one point. `std` is that of the population. */
struct perun_measurement {
	uint32_t point;
	uint32_t repetitions;                       /* 0 = not known */
	double mean, median, minimum, maximum, std; /* NaN = not known */
};

/* Measurements [first, first + count), in order of their appearance. */
struct perun_experiment_series {
	uint32_t callpath, metric;
	size_t first, count;
	bool overlaps; /* other series have the same cost: it is not part of a sum or ranking */
};

struct perun_experiment {
	const struct perun_profile *profile; /* borrowed: it must live longer */
	size_t parameters, points, callpaths, metric_count, series_count, measurement_count;
	const char **parameter_names;           /* of the profile */
	double *coordinates;                    /* points times parameters */
	char **callpath_names;                  /* frames from the root, joined by "->" */
	const char **metrics;                   /* of the profile */
	struct perun_experiment_series *series; /* in order of appearance */
	struct perun_measurement *measurements;
	bool statistics_known; /* they were computed here: a NaN is a result */
};

/*
 * Make the experiment of a profile. Fails (PERUN_INPUT) without the columns above, and when a call path
 * was not measured at every point, or at one of them twice (unless `allow_missing`, or the document says
 * extra.extrap.missing_points).
 */
PERUN_EXPORT int perun_experiment_new(struct perun_ctx *ctx, const struct perun_profile *profile,
				      bool allow_missing, struct perun_experiment **experiment);
PERUN_EXPORT void perun_experiment_free(struct perun_experiment *experiment); /* NULL is fine */

/* The unit of a metric; "s" for a metric "time" of which nothing else is known, as in Extra-P; else "". Borrowed. */
PERUN_EXPORT const char *perun_experiment_unit(const struct perun_experiment *experiment,
					       size_t metric);
/* Whether a metric is a time: by its unit, or by its name "time" where the unit is none of times. */
PERUN_EXPORT bool perun_experiment_is_time(const struct perun_experiment *experiment,
					   size_t metric);

/* What of the repetitions at a point is modelled. */
enum perun_repeated {
	PERUN_REPEATED_MEAN,
	PERUN_REPEATED_MEDIAN,
	PERUN_REPEATED_MINIMUM,
	PERUN_REPEATED_MAXIMUM
};
/* What the model of a series is found from. Clear it. */
PERUN_EXPORT void perun_experiment_observations(const struct perun_experiment *experiment,
						size_t series, enum perun_repeated repeated,
						struct perun_observations *observations);
PERUN_EXPORT void perun_observations_clear(struct perun_observations *observations);
/*
 * Find the models of all series, in several threads: `*growths` is one for each. Series that lack points
 * are modelled by what is there. Fails when the options do not fit the number of parameters.
 */
PERUN_EXPORT int perun_experiment_fit(struct perun_ctx *ctx,
				      const struct perun_experiment *experiment,
				      const struct perun_modeler_options *options,
				      enum perun_repeated repeated,
				      struct perun_scaling_model **growths);
/*
 * The model of a series for people: a copy without constants that are nothing but what rounding left, and without its
 * rival. Clear it with perun_scaling_model_clear().
 */
PERUN_EXPORT struct perun_scaling_model
perun_experiment_tidy_model(const struct perun_experiment *experiment, size_t series,
			    const struct perun_scaling_model *growth);
PERUN_EXPORT void perun_scaling_models_free(struct perun_scaling_model *growths, size_t count);

/*
 * Any profiles as an experiment. A parameter is, in this order: a column of numbers of the resources (each
 * row has its own value); a member of the document, of its header, header.params, collector_info,
 * collector_info.params or machine ("workload", "params.n"), a number or a text with one number in it, or with several and
 * "NAME[2]" for the second; "file": its own name; an argument in header.args, cmd or workload: "--NAME V", "NAME=V"; the
 * number that follows NAME in its own name: "app.p4n10".
 * Call paths are stacks, else flat uids, else "<root>"; all metrics are taken. Rows with stacks are
 * summed: each profile has one value for a call path and point; others are repetitions.
 */
enum perun_gathered_rows { PERUN_ROWS_DEFAULT, PERUN_ROWS_SUM, PERUN_ROWS_EACH };
struct perun_gathering {
	const char *const *parameters; /* where they are found, as above */
	const char *const *names;      /* what they are called in formulas */
	size_t parameter_count;
	enum perun_gathered_rows rows;
};
/*
 * `*result` is a new profile that holds the experiment, for perun_experiment_new(). `names`: of the
 * profiles, for messages. Fails when a profile lacks a parameter. Rows without one are left out.
 */
PERUN_EXPORT int perun_experiment_gather(struct perun_ctx *ctx, const struct perun_gathering *what,
					 struct perun_profile *const *profiles,
					 const char *const *names, size_t count,
					 struct perun_profile **result);

/* Parameters for a gathering, where none are given. Free with perun_varying_free(). */
struct perun_varying {
	uint32_t struct_size;
	char **parameters, **names;
	size_t count;
};
/*
 * The numbers that vary among the workloads of profiles, then those among their arguments that are not settled by
 * these: "--size=100" and "-size 100" are called size, others after their place ("args[2]"). None where no number
 * varies. PERUN_INPUT when workloads or arguments differ in more than numbers.
 */
PERUN_EXPORT int perun_experiment_varying(struct perun_ctx *ctx,
					  struct perun_profile *const *profiles, size_t count,
					  struct perun_varying *varying);
PERUN_EXPORT void perun_varying_free(struct perun_varying *varying);
/*
 * The command, the arguments and the workload of a profile with an N for each number of the latter two, as
 * "./app --size=N": profiles of one kind make an experiment. The caller frees it with perun_free().
 */
PERUN_EXPORT char *perun_experiment_kind(const struct perun_profile *profile);

/*
 * The single values of all measurements, for writers: those of measurement i are values [starts[i],
 * starts[i + 1]), in order of their rows. Of a measurement of which only statistics are known it is the
 * mean alone, and `summaries` counts these.
 */
struct perun_repetitions {
	double *values;
	size_t *starts; /* one more than measurements */
	size_t summaries;
};
PERUN_EXPORT void perun_experiment_repetitions(const struct perun_experiment *experiment,
					       struct perun_repetitions *repetitions);
PERUN_EXPORT void perun_repetitions_clear(struct perun_repetitions *repetitions);

/*
 * For readers: the columns of an experiment in a builder, made empty; and rows for the repetitions of
 * one measurement.
 */
struct perun_experiment_rows {
	struct perun_table_builder *table;
	struct perun_column_builder *stack, *metric, *point, *value;
	struct perun_column_builder *subtype; /* NULL until something overlaps */
	perun_id overlap;                     /* what `subtype` has in the next rows */
};
PERUN_EXPORT void perun_experiment_begin(struct perun_builder *builder,
					 struct perun_experiment_rows *rows);
PERUN_EXPORT void perun_experiment_add(const struct perun_experiment_rows *rows, perun_id callpath,
				       perun_id metric, perun_id point, const double *values,
				       size_t count);
/* Whether the rows that are added from now on overlap with others (at first: no). */
PERUN_EXPORT void perun_experiment_overlap(struct perun_builder *builder,
					   struct perun_experiment_rows *rows, bool overlaps);
/* Fix the place of a metric in the order of metrics, and say that its repeats are rows; its string's id. */
PERUN_EXPORT perun_id perun_builder_metric(struct perun_builder *builder, const char *name,
					   size_t length);
/*
 * What is said of a metric (of its string's id) in the document's `metrics`: `text` under `key`, whatever it said there
 * before. It is held in a few bytes and in the document when the builder is finished, where what the document has already
 * stays, or when it is taken: an object, the caller's, NULL where no metric is described.
 */
PERUN_EXPORT void perun_builder_describe(struct perun_builder *builder, perun_id metric,
					 const char *key, const char *text);
PERUN_EXPORT bool perun_builder_is_described(const struct perun_builder *builder, perun_id metric);
PERUN_EXPORT struct perun_json *perun_builder_take_described(struct perun_builder *builder);

/*
 * For readers of directories whose names say the point: [PREFIX.]NAME VALUE [.,] NAME VALUE ... [.rN],
 * as "mm.x1.5y20.r2", where a ',' in a value is a decimal point, too.
 */
enum { PERUN_POINT_PARAMETERS = 32 };
struct perun_point_name {
	size_t count;
	char *names[PERUN_POINT_PARAMETERS];
	double values[PERUN_POINT_PARAMETERS];
};
/* Fails (PERUN_INPUT) when there is no parameter in it. Clear the result. */
PERUN_EXPORT int perun_point_name_parse(struct perun_ctx *ctx, const char *name,
					struct perun_point_name *point);
PERUN_EXPORT void perun_point_name_clear(struct perun_point_name *point);

/* The files in such directories, by point; several of a point are repetitions. */
struct perun_point_file {
	char *folder, *name;
	double *values; /* of all parameters that the names have */
	size_t point;   /* from 0, in ascending order of the values */
};
struct perun_point_files {
	struct perun_point_file *items; /* in the order of their points */
	size_t count, points;
	char *names[PERUN_POINT_PARAMETERS];
	size_t name_count;
	bool varies[PERUN_POINT_PARAMETERS]; /* others have one value, and are not parameters */
};
/*
 * Those whose names end in `ending`, in the directories of `input`. Fails (PERUN_INPUT) when there are
 * none, their parameters differ, or none of these varies. Clear the result in any case.
 */
PERUN_EXPORT int perun_point_files_list(struct perun_ctx *ctx, struct perun_input *input,
					const char *ending, struct perun_point_files *files);
PERUN_EXPORT void perun_point_files_clear(struct perun_point_files *files);
/* Give the builder the parameters that vary; and make the points, an id for each: the caller frees. */
PERUN_EXPORT void perun_point_files_parameters(const struct perun_point_files *files,
					       struct perun_builder *builder);
PERUN_EXPORT perun_id *perun_point_files_points(const struct perun_point_files *files,
						struct perun_builder *builder);

/*
 * For readers of records, each a JSON object with one measurement: how its members are called, and
 * what is meant where one is missing (NULL: that is an error).
 */
struct perun_json_reader;
struct perun_record_keys {
	const char *parameters, *callpath, *metric, *value;
	const char *default_callpath, *default_metric;
};
struct perun_records;
PERUN_EXPORT struct perun_records *perun_records_new(struct perun_builder *builder,
						     const struct perun_record_keys *keys);
PERUN_EXPORT void perun_records_free(struct perun_records *records); /* NULL is fine */
/*
 * Add the object that begins with the reader's last token. The first one names the parameters; others
 * must have these, and may have more, which are ignored. A value may be a list: repetitions.
 */
PERUN_EXPORT int perun_records_add(struct perun_records *records, struct perun_json_reader *reader);
/* The number of records so far. */
PERUN_EXPORT size_t perun_records_count(const struct perun_records *records);
/*
 * Read numbers, nested in lists or not, from the reader's last token on, and append them. Those of a measurement may be the
 * whole file: with `rows`, thousands of them are put there as they come, and `passed` says how many no longer are in `values`.
 */
struct perun_numbers {
	double *values;
	size_t count, room;
	const struct perun_experiment_rows *rows; /* NULL: all stay in `values` */
	size_t passed;
};
PERUN_EXPORT int perun_numbers_read(struct perun_json_reader *reader, const char *what,
				    struct perun_numbers *numbers);
/* The rows of a measurement whose repetitions were read so; then there are none. */
PERUN_EXPORT void perun_experiment_add_numbers(struct perun_numbers *numbers, perun_id callpath,
					       perun_id metric, perun_id point);

/*
 * For readers: the call path "a->b->c" as a stack. Parts are taken as they are between the arrows,
 * blanks included; "" is a call path of one empty name.
 */
PERUN_EXPORT perun_id perun_builder_callpath(struct perun_builder *builder, const char *path,
					     size_t length);
/* Appends the call path of a stack. */
PERUN_EXPORT void perun_callpath_print(const struct perun_profile *profile, perun_id stack,
				       struct perun_buffer *out);

#ifdef __cplusplus
}
#endif
#endif
