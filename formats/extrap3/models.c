/* SPDX-License-Identifier: BSD-3-Clause */
/* Generators and their models, brought into the form in which Extra-P 4 stores models. */
#include <stdio.h>
#include <string.h>

#include "extrap3.h"

/* ---- generators ------------------------------------------------------------------------------- */

/* Newer files say more about sparse measurements; nothing says whether they do. */
static void try_sparse(struct extrap3_reading *reading)
{
	static const char *const single[] = {"FIRST_POINTS_FOUND", "MAX_NUMBER_POINTS",
					     "CHEAPEST_POINTS"};
	static const char *const several[] = {"INCREASING_COST", "DECREASING_COST"};
	struct extrap3_bytes *bytes = &reading->bytes;
	size_t start = bytes->at;

	if (bytes->status)
		return;
	bytes->trying = true;
	extrap3_integer(bytes); /* points at least */
	extrap3_word(bytes, single, 3);
	extrap3_integer(bytes); /* whether points are added, and how many */
	extrap3_integer(bytes);
	extrap3_word(bytes, several, 2);
	bytes->trying = false;
	if (bytes->status) {
		bytes->status = PERUN_OK;
		bytes->at = start;
	} else {
		reading->sparse = true;
	}
}

static struct perun_json *text_of(struct extrap3_text text)
{
	return perun_json_string(text.text, text.length);
}

/* "SimpleTerm", the kind and the exponent of each factor. */
static struct perun_json *read_factors(struct extrap3_reading *reading)
{
	static const char *const tag[] = {"SimpleTerm"};
	static const char *const kinds[] = {"polynomial", "logarithm"};
	struct extrap3_bytes *bytes = &reading->bytes;
	struct perun_json *factors = perun_json_array();
	int64_t count = extrap3_integer(bytes);

	for (int64_t i = 0; i < count && !bytes->status; i++) {
		struct perun_json *factor = perun_json_object();

		extrap3_word(bytes, tag, 1);
		perun_json_set(factor, "term_type",
			       perun_json_text(kinds[extrap3_word(bytes, kinds, 2)]));
		perun_json_set(factor, "exponent", perun_json_double(extrap3_number(bytes)));
		perun_json_append(factors, factor);
	}
	return factors;
}

/* A coefficient and factors. */
static struct perun_json *read_term(struct extrap3_reading *reading)
{
	static const char *const tag[] = {"CompoundTerm"};
	struct perun_json *term = perun_json_object();

	extrap3_word(&reading->bytes, tag, 1);
	perun_json_set(term, "coefficient", perun_json_double(extrap3_number(&reading->bytes)));
	perun_json_set(term, "simple_terms", read_factors(reading));
	return term;
}

static void set_flag(struct perun_json *object, const char *key, bool value)
{
	perun_json_set(object, key, perun_json_bool(value));
}

void extrap3_read_generator(struct extrap3_reading *reading, bool several, bool terms)
{
	static const char *const measures[] = {"GENERATE_MODEL_MEAN", "GENERATE_MODEL_MEDIAN"};
	struct extrap3_bytes *bytes = &reading->bytes;
	struct extrap3_generator own = {.modeler = perun_json_object()};
	struct perun_json *options = perun_json_object();
	bool validated = true;

	perun_json_set(own.modeler, "name", text_of(extrap3_text(bytes)));
	if (!several) {
		validated = !extrap3_is(extrap3_text(bytes), "CROSSVALIDATION_NONE");
		extrap3_number(bytes); /* the least contribution of a term */
	}
	own.median = extrap3_word(bytes, measures, 2) == 1;
	try_sparse(reading);
	if (terms) { /* the space that was searched */
		int64_t count = extrap3_integer(bytes);

		for (int64_t i = 0; i < count && !bytes->status; i++)
			perun_json_free(read_term(reading));
		extrap3_integer(bytes); /* terms at most */
	}
	set_flag(options, "use_median", own.median);
	perun_json_set(options, "use_measure", perun_json_text(own.median ? "MEDIAN" : "MEAN"));
	if (!several)
		set_flag(options, "use_crossvalidation", validated);
	perun_json_set(options, "$type",
		       perun_json_text(several ? "MultiParameterModeler"
				       : terms ? "SingleParameterModeler"
					       : "RefiningModeler"));
	perun_json_set(own.modeler, "modeler", options);
	perun_json_set(own.modeler, "models", perun_json_object());
	PERUN_GROW(reading->generators, reading->generator_count, reading->generator_room);
	reading->generators[reading->generator_count++] = own;
}

/* ---- functions -------------------------------------------------------------------------------- */

static struct perun_json *read_pairs(struct extrap3_reading *reading)
{
	struct extrap3_bytes *bytes = &reading->bytes;
	struct perun_json *pairs = perun_json_object();
	int64_t count = extrap3_integer(bytes);

	for (int64_t i = 0; i < count && !bytes->status; i++) {
		size_t at = bytes->at;
		struct extrap3_text name = extrap3_text(bytes);
		char *parameter = perun_strndup(name.text, name.length), key[32];
		perun_id id = bytes->status
				      ? 0
				      : perun_builder_parameter(reading->builder, parameter, NULL);

		perun_free(parameter);
		if (!bytes->status && id >= reading->parameters)
			extrap3_fail(bytes, at, "a term of a parameter that there is not");
		snprintf(key, sizeof key, "%u", (unsigned)id);
		perun_json_set(pairs, key, read_term(reading));
	}
	return pairs;
}

/* Also one of the kinds that are never a whole function of a model is read, and then none. */
static struct perun_json *read_function(struct extrap3_reading *reading)
{
	static const char *const kinds[] = {"SingleParameterFunction", "MultiParameterFunction",
					    "Function", "SimpleTerm", "CompoundTerm"};
	struct extrap3_bytes *bytes = &reading->bytes;
	int kind = extrap3_word(bytes, kinds, 5);
	struct perun_json *function, *terms;
	int64_t count;

	if (bytes->status || kind == 2)
		return NULL;
	if (kind >= 3) {
		if (kind == 3)
			extrap3_text(bytes);
		extrap3_number(bytes);
		if (kind == 4)
			perun_json_free(read_factors(reading));
		return NULL;
	}
	function = perun_json_object();
	terms = perun_json_array();
	perun_json_set(function, "constant_coefficient", perun_json_double(extrap3_number(bytes)));
	count = extrap3_integer(bytes);
	for (int64_t i = 0; i < count && !bytes->status; i++) {
		struct perun_json *term;

		if (kind == 0) {
			term = read_term(reading);
		} else {
			term = perun_json_object();
			perun_json_set(term, "coefficient",
				       perun_json_double(extrap3_number(bytes)));
			perun_json_set(term, "parameter_term_pairs", read_pairs(reading));
		}
		perun_json_append(terms, term);
	}
	if (perun_json_count(terms))
		perun_json_set(function, "compound_terms", terms);
	else
		perun_json_free(terms);
	perun_json_set(function, "$type",
		       perun_json_text(count > 0 ? kinds[kind] : "ConstantFunction"));
	return function;
}

/* ---- models ----------------------------------------------------------------------------------- */

/* Where each segment of parameters was measured; nothing stores that any more. */
static void pass_ranges(struct extrap3_bytes *bytes)
{
	int64_t count = extrap3_integer(bytes);

	for (int64_t i = 0; i < count && !bytes->status; i++) {
		int64_t pairs;

		extrap3_text(bytes);
		pairs = extrap3_integer(bytes);
		for (int64_t k = 0; k < pairs && !bytes->status; k++) {
			extrap3_number(bytes);
			extrap3_number(bytes);
		}
	}
}

static struct perun_json *read_comments(struct extrap3_reading *reading)
{
	struct extrap3_bytes *bytes = &reading->bytes;
	struct perun_json *comments = perun_json_array();
	int64_t count = extrap3_integer(bytes);

	for (int64_t i = 0; i < count && !bytes->status; i++) {
		size_t comment = extrap3_find(reading, &reading->comment_ids, "comment");

		if (!bytes->status)
			perun_json_append(comments, text_of(reading->comments[comment]));
	}
	return comments;
}

static struct perun_json *read_hypothesis(struct extrap3_reading *reading,
					  const struct extrap3_generator *generator)
{
	struct extrap3_bytes *bytes = &reading->bytes;
	struct perun_json *hypothesis = perun_json_object(), *function = read_function(reading);
	bool constant = !perun_json_get(function, "compound_terms");

	for (int i = 0; i < 6; i++) /* bounds of three intervals of confidence */
		perun_json_free(read_function(reading));
	if (!function) {
		function = perun_json_object();
		perun_json_set(function, "constant_coefficient", perun_json_double(0));
		perun_json_set(function, "$type", perun_json_text("ConstantFunction"));
	}
	perun_json_set(hypothesis, "function", function);
	perun_json_set(hypothesis, "RSS", perun_json_double(extrap3_number(bytes)));
	perun_json_set(hypothesis, "rRSS", perun_json_double(0));
	perun_json_set(hypothesis, "AR2", perun_json_double(extrap3_number(bytes)));
	perun_json_set(hypothesis, "SMAPE", perun_json_double(extrap3_number(bytes)));
	perun_json_set(hypothesis, "RE",
		       perun_json_double(reading->sparse ? extrap3_number(bytes) : 0));
	set_flag(hypothesis, "_use_median", generator->median);
	perun_json_set(hypothesis, "_use_measure",
		       perun_json_text(generator->median ? "MEDIAN" : "MEAN"));
	set_flag(hypothesis, "_costs_are_calculated", true);
	perun_json_set(hypothesis, "$type",
		       perun_json_text(constant                   ? "ConstantHypothesis"
				       : reading->parameters == 1 ? "SingleParameterHypothesis"
								  : "MultiParameterHypothesis"));
	return hypothesis;
}

static void keep_model(struct extrap3_reading *reading, struct extrap3_generator *generator,
		       size_t callpath, size_t metric, struct perun_json *model)
{
	struct perun_json *models = perun_json_get(generator->modeler, "models"), *own;
	struct perun_buffer path = {0};
	size_t length;
	const char *name;

	extrap3_print_callpath(reading, callpath, &path);
	own = perun_json_get_n(models, path.data, path.length);
	if (!own) {
		own = perun_json_object();
		perun_json_set_n(models, path.data, path.length, own);
	}
	name = perun_builder_string_at(reading->builder, reading->metrics[metric], &length);
	perun_json_set_n(own, name, length, model);
	perun_buffer_free(&path);
	generator->models++;
}

void extrap3_read_model(struct extrap3_reading *reading)
{
	struct extrap3_bytes *bytes = &reading->bytes;
	size_t metric = extrap3_find(reading, &reading->metric_ids, "metric");
	size_t callpath = extrap3_find(reading, &reading->callpath_ids, "call path");
	size_t at = bytes->at;
	int64_t number = extrap3_integer(bytes);
	struct extrap3_generator *generator;
	struct perun_json *model, *comments;

	if (!bytes->status && (number < 0 || (uint64_t)number >= reading->generator_count))
		extrap3_fail(bytes, at, "there is no generator %lld", (long long)number);
	if (bytes->status)
		return;
	generator = &reading->generators[number];
	model = perun_json_object();
	perun_json_set(model, "hypothesis", read_hypothesis(reading, generator));
	comments = read_comments(reading);
	if (perun_json_count(comments))
		perun_json_set(model, "comments", comments);
	else
		perun_json_free(comments);
	pass_ranges(bytes);
	if (bytes->status)
		perun_json_free(model);
	else
		keep_model(reading, generator, callpath, metric, model);
}

struct perun_json *extrap3_take_models(struct extrap3_reading *reading)
{
	struct perun_json *list = perun_json_array();

	for (size_t i = 0; i < reading->generator_count; i++) {
		struct extrap3_generator *generator = &reading->generators[i];

		if (generator->models)
			perun_json_append(list, generator->modeler);
		else
			perun_json_free(generator->modeler);
		generator->modeler = NULL;
	}
	if (perun_json_count(list))
		return list;
	perun_json_free(list);
	return NULL;
}
