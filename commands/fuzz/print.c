/* SPDX-License-Identifier: BSD-3-Clause */
/* What perun fuzz found, for people and as JSON. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/json.h>
#include <perun/lib/units.h>

#include "collectors/common/symbols.h"
#include "commands/common/output.h"
#include "commands/fuzz/fuzz.h"

/* Functions that are named for each find, and rules at the end. */
enum { SHOWN_FUNCTIONS = 3, SHOWN_RULES = 5, SHOWN_BYTES = 64 };
/* A function with less than this share of the extra cost is not named. */
#define MIN_SHARE 0.02

const struct perun_fuzz_find *fuzz_find_at(const struct perun_fuzz_result *result, size_t i)
{
	return (const struct perun_fuzz_find *)((const char *)result->finds +
						i * result->find_size);
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/* ---- as text --------------------------------------------------------------------------------- */

static void add_count(struct perun_buffer *out, double count, const char *unit)
{
	perun_add_amount(out, count, unit);
}

static void print_line(const struct perun_command_call *call, struct perun_buffer *line, int indent)
{
	if (line->length)
		commands_print_wrapped(call, line->data, indent);
	perun_buffer_clear(line);
}

void fuzz_add_summary(struct perun_buffer *line, const struct perun_fuzz_result *result)
{
	add_count(line, (double)result->runs, "");
	perun_buffer_printf(line, " input%s in ", plural(result->runs));
	perun_add_amount(line, result->seconds * 1e9, "ns");
	if (result->edges && result->all_edges)
		perun_buffer_printf(line, ", %zu of %zu edges reached", result->edges,
				    result->all_edges);
	else if (result->edges)
		perun_buffer_printf(line, ", %zu edge%s reached", result->edges,
				    plural(result->edges));
	perun_buffer_printf(line, ", %zu kept", result->inputs);
	if (result->crashes)
		perun_buffer_printf(line, ", %zu crash%s", result->crashes,
				    result->crashes == 1 ? "" : "es");
	if (result->hangs)
		perun_buffer_printf(line, ", %zu hang%s", result->hangs, plural(result->hangs));
}

void fuzz_add_growth(struct perun_buffer *line, const struct perun_fuzz_find *find)
{
	if (!find->growth.class_name)
		return;
	perun_buffer_printf(line, ", grows as %s", find->growth.class_name);
	if (find->usual_growth.class_name)
		perun_buffer_printf(line, " (the seed repeated: %s)",
				    find->usual_growth.class_name);
}

/* Three digits say all that these numbers have to say. */
static double rounded(double number)
{
	double digit = number > 0 ? pow(10, floor(log10(number)) - 2) : 1;

	return round(number / digit) * digit;
}

static void add_factor(struct perun_buffer *line, double ratio, bool unicode)
{
	perun_buffer_printf(line, ratio >= 99.5 ? "%.0f%s" : "%.2g%s",
			    ratio >= 99.5 ? rounded(ratio) : ratio, unicode ? "×" : "x");
}

void fuzz_add_ratio(struct perun_buffer *line, const struct perun_fuzz_find *find, bool unicode)
{
	perun_buffer_add_text(line, find->hung ? "over " : "");
	add_factor(line, find->ratio, unicode);
	perun_buffer_printf(line, " what %zu byte%s cost otherwise", find->size,
			    plural(find->size));
}

/* Whole numbers from ten thousand on as "4.87 million": nobody reads more of their digits. */
static void add_rounded(struct perun_buffer *line, double count)
{
	static const struct {
		double least;
		const char *word;
	} words[] = {{1e9, " thousand million"}, {1e6, " million"}, {1e4, ",000"}};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (count < words[i].least)
			continue;
		if (i < 2)
			perun_buffer_printf(line, "%.3g%s", count / words[i].least, words[i].word);
		else
			perun_buffer_printf(line, "%.0f%s", count / 1e3, words[i].word);
		return;
	}
	perun_buffer_printf(line, "%.0f", count);
}

void fuzz_add_cost(struct perun_buffer *line, const struct perun_fuzz_find *find,
		   enum perun_fuzz_counting counting)
{
	if (find->by_time) {
		perun_buffer_printf(line,
				    "measured by time: the %s that are counted do not show it",
				    perun_fuzz_counting_name(counting));
		return;
	}
	if (counting == PERUN_FUZZ_NANOSECONDS) {
		perun_add_amount(line, (double)find->cost, "ns");
		perun_buffer_add_text(line, " instead of ");
		perun_add_amount(line, find->expected, "ns");
		return;
	}
	add_rounded(line, (double)find->cost);
	perun_buffer_printf(line, " %s instead of ", perun_fuzz_counting_name(counting));
	add_rounded(line, find->expected);
}

static void print_head(const struct perun_command_call *call, const struct perun_fuzz_find *find,
		       const struct perun_fuzz_result *result)
{
	struct perun_buffer line = {0};

	commands_print_color(call, VIEWS_HOT);
	fuzz_add_ratio(&line, find, call->unicode);
	perun_output_text(call->output, line.data);
	commands_print_color(call, VIEWS_PLAIN);
	perun_buffer_clear(&line);
	fuzz_add_growth(&line, find);
	perun_buffer_add_text(&line, "\n");
	perun_output_text(call->output, line.data);
	perun_buffer_clear(&line);
	fuzz_add_cost(&line, find, result->counting);
	print_line(call, &line, 4);
	perun_buffer_free(&line);
}

void fuzz_add_functions(struct perun_buffer *line, const struct fuzz_functions *functions)
{
	double more = (double)functions->count_sum - (double)functions->usual_sum;

	for (size_t i = 0; i < functions->count && i < SHOWN_FUNCTIONS; i++) {
		const struct fuzz_function *function = &functions->items[i];
		double own = (double)function->count - (double)function->usual;

		if (own < MIN_SHARE * more || own <= 0)
			break;
		/* What others cost less makes it more than all. */
		perun_buffer_printf(line, "%s%s (%.3g %% of the extra cost)", i ? ", " : "in ",
				    function->name, fmin(100, 100 * own / more));
	}
}

void fuzz_add_times(struct perun_buffer *line, const struct perun_verdict *verdict)
{
	if (!verdict->after_count)
		return;
	perun_add_amount(line, rounded(verdict->after) * 1e9, "ns");
	perun_buffer_add_text(line, " against ");
	perun_add_amount(line, rounded(verdict->before) * 1e9, "ns");
	perun_buffer_add_text(line, " of the seed repeated to the same length: ");
	if (verdict->answer == PERUN_VERDICT_INCREASE)
		perun_buffer_printf(line,
				    verdict->p < 1e-6 ? "slower (p < 1e-6)" : "slower (p = %.1g)",
				    verdict->p);
	else
		perun_buffer_add_text(line, verdict->answer == PERUN_VERDICT_UNDECIDED
						    ? "undecided"
						    : "no slower");
}

void fuzz_add_input(struct perun_buffer *line, const struct perun_fuzz_find *find, size_t most)
{
	size_t shown = find->size < most ? find->size : most;

	perun_buffer_add_text(line, shown < find->size ? "the input begins: \"" : "the input: \"");
	for (size_t i = 0; i < shown; i++) {
		unsigned char byte = (unsigned char)find->bytes[i];

		if (byte == '\n')
			perun_buffer_add_text(line, "\\n");
		else if (byte < ' ' || byte > '~')
			perun_buffer_printf(line, "\\x%02x", byte);
		else if (byte == '"' || byte == '\\')
			perun_buffer_printf(line, "\\%c", byte);
		else
			perun_buffer_add_char(line, (char)byte);
	}
	perun_buffer_add_char(line, '"');
}

/* The last ones: what they are applied to is an input that was kept before. */
static void add_rules(struct perun_buffer *line, const char *rules)
{
	const char *at = rules;

	for (int i = 0; i < SHOWN_RULES && *at; i++) {
		at += strcspn(at, ",");
		at += i + 1 < SHOWN_RULES && *at == ',';
	}
	perun_buffer_add(line, rules, (size_t)(at - rules));
	if (*at)
		perun_buffer_add_text(line, " and others before");
}

void fuzz_add_origin(struct perun_buffer *line, const struct perun_fuzz_find *find,
		     const char *directory, bool unicode)
{
	perun_buffer_printf(line, "%s/slow/%s", directory, find->name);
	if (find->found_size != find->size) {
		perun_buffer_printf(line, ", reduced from %zu bytes that cost ", find->found_size);
		add_factor(line, find->found_ratio, unicode);
	}
	perun_buffer_add_text(line, ", by: ");
	add_rules(line, find->rules);
}

static void print_find(const struct perun_command_call *call,
		       const struct perun_fuzz_result *result, const struct perun_fuzz_find *find,
		       struct symbols *symbols, const char *directory)
{
	struct fuzz_functions functions;
	struct perun_buffer line = {0};

	perun_output_text(call->output, "\n");
	print_head(call, find, result);
	fuzz_functions_find(symbols, find, &functions);
	fuzz_add_functions(&line, &functions);
	fuzz_functions_free(&functions);
	print_line(call, &line, 4);
	fuzz_add_times(&line, &find->verdict);
	print_line(call, &line, 4);
	fuzz_add_input(&line, find, SHOWN_BYTES);
	print_line(call, &line, 4);
	fuzz_add_origin(&line, find, directory, call->unicode);
	print_line(call, &line, 4);
	perun_buffer_free(&line);
}

static void print_rules(const struct perun_command_call *call,
			const struct perun_fuzz_result *result)
{
	struct perun_buffer line = {0};

	for (size_t i = 0; i < result->rule_count && i < SHOWN_RULES && result->rules[i].kept; i++)
		perun_buffer_printf(&line, "%s%s (%llu of %llu)",
				    i ? ", " : "rules that made the inputs that were kept: ",
				    result->rules[i].name,
				    (unsigned long long)result->rules[i].kept,
				    (unsigned long long)result->rules[i].tried);
	if (!line.length)
		return;
	perun_output_text(call->output, "\n");
	print_line(call, &line, 0);
	perun_buffer_free(&line);
}

void fuzz_print(const struct perun_command_call *call, const struct perun_fuzz_result *result,
		const char *directory)
{
	struct symbols *symbols = collectors_symbols_new(".");
	struct perun_buffer line = {0};

	fuzz_add_summary(&line, result);
	print_line(call, &line, 0);
	perun_buffer_free(&line);
	if (!result->find_count)
		perun_output_text(call->output, "No input costs more than its length explains.\n");
	for (size_t i = 0; i < result->find_count; i++)
		print_find(call, result, fuzz_find_at(result, i), symbols, directory);
	print_rules(call, result);
	collectors_symbols_free(symbols);
}

/* ---- as JSON --------------------------------------------------------------------------------- */

static struct perun_json *growth_json(const struct perun_fuzz_growth *growth)
{
	struct perun_json *object = perun_json_object(), *points = perun_json_array();

	for (size_t i = 0; i < growth->count; i++) {
		struct perun_json *point = perun_json_object();

		perun_json_set(point, "size", perun_json_double(growth->sizes[i]));
		perun_json_set(point, "cost", perun_json_double(growth->costs[i]));
		perun_json_append(points, point);
	}
	perun_json_set(object, "class", commands_text(growth->class_name));
	perun_json_set(object, "points", points);
	return object;
}

static struct perun_json *functions_json(struct symbols *symbols,
					 const struct perun_fuzz_find *find)
{
	struct perun_json *list = perun_json_array();
	struct fuzz_functions functions;

	fuzz_functions_find(symbols, find, &functions);
	for (size_t i = 0; i < functions.count; i++) {
		struct perun_json *object = perun_json_object();

		perun_json_set(object, "function", perun_json_text(functions.items[i].name));
		perun_json_set(object, "count", perun_json_uint64(functions.items[i].count));
		perun_json_set(object, "usual", perun_json_uint64(functions.items[i].usual));
		perun_json_append(list, object);
	}
	fuzz_functions_free(&functions);
	return list;
}

static const char *answer_name(const struct perun_verdict *verdict)
{
	static const char *const names[] = {[PERUN_VERDICT_SAME] = "no change",
					    [PERUN_VERDICT_INCREASE] = "slower",
					    [PERUN_VERDICT_DECREASE] = "faster",
					    [PERUN_VERDICT_UNDECIDED] = "undecided"};

	return verdict->after_count ? names[verdict->answer] : NULL;
}

static struct perun_json *times_json(const struct perun_verdict *verdict)
{
	struct perun_json *object = perun_json_object();
	bool known = verdict->after_count > 0;

	perun_json_set(object, "answer", commands_text(answer_name(verdict)));
	perun_json_set(object, "find", commands_number(known ? verdict->after : NAN));
	perun_json_set(object, "seed", commands_number(known ? verdict->before : NAN));
	perun_json_set(object, "p", commands_number(known ? verdict->p : NAN));
	return object;
}

static struct perun_json *find_json(struct symbols *symbols, const struct perun_fuzz_find *find,
				    const char *directory)
{
	struct perun_json *object = perun_json_object();
	char *path = perun_format("%s/slow/%s", directory, find->name);

	perun_json_set(object, "file", perun_json_text(path));
	perun_json_set(object, "size", perun_json_uint64(find->size));
	perun_json_set(object, "found_size", perun_json_uint64(find->found_size));
	perun_json_set(object, "found_ratio", commands_number(find->found_ratio));
	perun_json_set(object, "cost", perun_json_uint64(find->cost));
	perun_json_set(object, "expected", commands_number(find->expected));
	perun_json_set(object, "ratio", commands_number(find->ratio));
	perun_json_set(object, "hung", perun_json_bool(find->hung));
	perun_json_set(object, "by_time", perun_json_bool(find->by_time));
	perun_json_set(object, "smallest", perun_json_bool(find->smallest));
	perun_json_set(object, "rules", perun_json_text(find->rules));
	perun_json_set(object, "growth", growth_json(&find->growth));
	perun_json_set(object, "seed_growth", growth_json(&find->usual_growth));
	perun_json_set(object, "times", times_json(&find->verdict));
	perun_json_set(object, "functions", functions_json(symbols, find));
	perun_free(path);
	return object;
}

static struct perun_json *rules_json(const struct perun_fuzz_result *result)
{
	struct perun_json *list = perun_json_array();

	for (size_t i = 0; i < result->rule_count; i++) {
		struct perun_json *object = perun_json_object();

		perun_json_set(object, "name", perun_json_text(result->rules[i].name));
		perun_json_set(object, "tried", perun_json_uint64(result->rules[i].tried));
		perun_json_set(object, "kept", perun_json_uint64(result->rules[i].kept));
		perun_json_append(list, object);
	}
	return list;
}

static struct perun_json *moments_json(const struct perun_fuzz_result *result)
{
	struct perun_json *list = perun_json_array();

	for (size_t i = 0; i < result->moment_count; i++) {
		const struct perun_fuzz_moment *moment = &result->moments[i];
		struct perun_json *object = perun_json_object();

		perun_json_set(object, "seconds", commands_number(moment->seconds));
		perun_json_set(object, "runs", perun_json_uint64(moment->runs));
		perun_json_set(object, "edges", perun_json_uint64(moment->edges));
		perun_json_set(object, "ratio", commands_number(moment->ratio));
		perun_json_append(list, object);
	}
	return list;
}

void fuzz_print_json(const struct perun_command_call *call, const struct perun_fuzz_result *result,
		     const char *directory)
{
	struct perun_json *document = perun_json_object(), *finds = perun_json_array();
	struct symbols *symbols = collectors_symbols_new(".");

	perun_json_set(document, "counting",
		       perun_json_text(perun_fuzz_counting_name(result->counting)));
	perun_json_set(document, "runs", perun_json_uint64(result->runs));
	perun_json_set(document, "seconds", commands_number(result->seconds));
	perun_json_set(document, "inputs", perun_json_uint64(result->inputs));
	perun_json_set(document, "edges", perun_json_uint64(result->edges));
	perun_json_set(document, "all_edges", perun_json_uint64(result->all_edges));
	perun_json_set(document, "crashes", perun_json_uint64(result->crashes));
	perun_json_set(document, "hangs", perun_json_uint64(result->hangs));
	for (size_t i = 0; i < result->find_count; i++)
		perun_json_append(finds, find_json(symbols, fuzz_find_at(result, i), directory));
	perun_json_set(document, "finds", finds);
	perun_json_set(document, "rules", rules_json(result));
	perun_json_set(document, "moments", moments_json(result));
	commands_print_json(call, document);
	collectors_symbols_free(symbols);
}
