/* SPDX-License-Identifier: BSD-3-Clause */
/* perun model --print FORMAT: lines with placeholders, as Extra-P has them. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model.h"

/* What a placeholder is in: each has its own. */
enum level { LINE, PARAMETERS, POINTS, POINT, MEASUREMENTS };

struct format {
	const struct model_run *run;
	uint32_t series;
	size_t point, parameter;
	const struct perun_measurement *measurement;
	uint32_t last_callpath, last_metric; /* printed by {?callpath} and {?metric}; MODEL_NONE */
	bool points_done, parameters_done;   /* by {?points} and {?parameters} */
	struct perun_buffer out;
};

/* "name: sep:'...'; format:'...'" taken apart. Texts are NULL when they are not there. */
struct placeholder {
	char *name, *rest; /* rest: what follows the first colon */
	char *separator, *format;
	bool once; /* a '?' before the name */
};

static int expand(struct format *format, enum level level, const char *text);

/* ---- parsing --------------------------------------------------------------------------------- */

static size_t run_of(const char *text, char c)
{
	size_t count = 0;

	while (text[count] == c)
		count++;
	return count;
}

/* The brace that closes the placeholder which begins after `text`; an even number of them are signs. */
static const char *closing_brace(const char *text)
{
	for (int depth = 1; *text;) {
		size_t run = *text == '{' || *text == '}' ? run_of(text, *text) : 0;

		if (run % 2 == 0) {
			text += run ? run : 1;
			continue;
		}
		depth += *text == '{' ? 1 : -1;
		if (depth == 0)
			return text;
		text += run;
	}
	return NULL;
}

/* A text in apostrophes; \' is one of them, and those within placeholders belong to these. */
static const char *read_quoted(const char *text, char **value)
{
	struct perun_buffer buffer = {0};
	int depth = 0;

	perun_buffer_add_text(&buffer, "");
	for (text++; *text && (*text != '\'' || depth > 0); text++) {
		if (depth == 0 && text[0] == '\\' && text[1] == '\'')
			text++;
		else if (*text == '{')
			depth++;
		else if (*text == '}')
			depth--;
		perun_buffer_add_char(&buffer, *text);
	}
	*value = perun_buffer_take(&buffer);
	return *text ? text + 1 : NULL;
}

static bool read_options(struct placeholder *placeholder)
{
	const char *text = placeholder->rest;

	while (text && *text) {
		char **value;

		text += strspn(text, " ;");
		if (*text == '\0')
			break;
		value = strncmp(text, "sep:", 4) == 0      ? &placeholder->separator
			: strncmp(text, "format:", 7) == 0 ? &placeholder->format
							   : NULL;
		if (!value)
			return false;
		text = strchr(text, ':') + 1;
		text += strspn(text, " ");
		perun_free(*value);
		*value = NULL;
		if (*text != '\'')
			return false;
		text = read_quoted(text, value);
	}
	return text != NULL;
}

static void read_placeholder(const char *text, size_t length, struct placeholder *placeholder)
{
	const char *colon = memchr(text, ':', length), *end = colon ? colon : text + length;

	*placeholder = (struct placeholder){.once = length && *text == '?'};
	text += placeholder->once;
	length -= placeholder->once;
	while (end > text && end[-1] == ' ')
		end--;
	placeholder->name = perun_strndup(text, (size_t)(end - text));
	placeholder->rest = perun_strndup(colon ? colon + 1 : "",
					  colon ? (size_t)(text + length - colon - 1) : 0);
}

static void clear_placeholder(struct placeholder *placeholder)
{
	perun_free(placeholder->name);
	perun_free(placeholder->rest);
	perun_free(placeholder->separator);
	perun_free(placeholder->format);
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Python's format: [[fill]align][sign][0][width][.precision][type]. */
struct spec {
	char fill, align, sign, type;
	bool zeros;
	int width, precision;
};

static bool read_spec(const char *text, struct spec *spec)
{
	*spec = (struct spec){.fill = ' ', .align = '>', .precision = -1};
	if (*text && text[1] && strchr("<>^", text[1]))
		spec->fill = *text++;
	if (*text && strchr("<>^", *text))
		spec->align = *text++;
	if (*text && strchr("+- ", *text))
		spec->sign = *text++;
	spec->zeros = *text == '0';
	for (; *text >= '0' && *text <= '9' && spec->width < 1000; text++)
		spec->width = spec->width * 10 + (*text - '0');
	if (*text == '.') {
		spec->precision = 0;
		for (text++; *text >= '0' && *text <= '9' && spec->precision < 100; text++)
			spec->precision = spec->precision * 10 + (*text - '0');
	}
	if (*text && strchr("eEfFgG%", *text))
		spec->type = *text++;
	return *text == '\0';
}

/* The digits; without a type and a precision the shortest that read back the same. */
static char *digits_of(const struct spec *spec, double number)
{
	char shortest[PERUN_JSON_NUMBER_SIZE];
	int precision = spec->precision < 0 ? 6 : spec->precision;

	switch (spec->type) {
	case 'e':
		return perun_format("%.*e", precision, number);
	case 'E':
		return perun_format("%.*E", precision, number);
	case 'f':
	case 'F':
		return perun_format("%.*f", precision, number);
	case 'G':
		return perun_format("%.*G", precision, number);
	case '%':
		return perun_format("%.*f%%", precision, 100 * number);
	case 'g':
		return perun_format("%.*g", precision, number);
	default:
		if (spec->precision >= 0)
			return perun_format("%.*g", precision, number);
		if (!isfinite(number))
			return perun_format("%g", number);
		perun_json_print_double(number, shortest);
		return perun_strdup(shortest);
	}
}

static void add_number(struct perun_buffer *out, const struct spec *spec, double number)
{
	char *digits = digits_of(spec, fabs(number));
	const char *sign = signbit(number) && !isnan(number) ? "-"
			   : spec->sign == '+'               ? "+"
			   : spec->sign == ' '               ? " "
							     : "";
	int blank = spec->width - (int)(strlen(digits) + strlen(sign));
	int left = spec->align == '<' ? 0 : spec->align == '^' ? blank / 2 : blank;

	if (spec->zeros) {
		perun_buffer_add_text(out, sign);
		for (int i = 0; i < blank; i++)
			perun_buffer_add_char(out, '0');
		perun_buffer_add_text(out, digits);
		perun_free(digits);
		return;
	}
	for (int i = 0; i < left; i++)
		perun_buffer_add_char(out, spec->fill);
	perun_buffer_printf(out, "%s%s", sign, digits);
	for (int i = left; i < blank; i++)
		perun_buffer_add_char(out, spec->fill);
	perun_free(digits);
}

static bool number_of(const struct format *format, enum level level, const char *name,
		      double *number)
{
	const struct perun_scaling_model *growth = &format->run->growths[format->series];
	const struct perun_measurement none = {0}, *m = format->measurement;
	const struct perun_experiment *experiment = format->run->experiment;
	const struct {
		enum level level;
		const char *name;
		double value;
	} numbers[] = {
		{LINE, "smape", growth->smape},
		{LINE, "rrss", growth->relative_rss},
		{LINE, "rss", growth->rss},
		{LINE, "re", growth->relative_error},
		{LINE, "ar2", growth->adjusted_r2},
		{MEASUREMENTS, "mean", (m ? m : &none)->mean},
		{MEASUREMENTS, "median", (m ? m : &none)->median},
		{MEASUREMENTS, "std", (m ? m : &none)->std},
		{MEASUREMENTS, "min", (m ? m : &none)->minimum},
		{MEASUREMENTS, "max", (m ? m : &none)->maximum},
		{POINT, "coordinate",
		 experiment
			 ->coordinates[format->point * experiment->parameters + format->parameter]},
	};

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		if (numbers[i].level == level && strcmp(numbers[i].name, name) == 0) {
			*number = numbers[i].value;
			return true;
		}
	}
	return false;
}

/* ---- lists ----------------------------------------------------------------------------------- */

static void add_point(struct format *format)
{
	const struct perun_experiment *experiment = format->run->experiment;

	for (size_t p = 0; p < experiment->parameters; p++)
		perun_buffer_printf(
			&format->out, "%s%.2E", p ? ", " : "",
			experiment->coordinates[format->point * experiment->parameters + p]);
}

/* Over the parameters: of {parameters} and of {point}. */
static int expand_parameters(struct format *format, const struct placeholder *placeholder,
			     enum level level)
{
	const struct perun_experiment *experiment = format->run->experiment;
	const char *separator = placeholder->separator ? placeholder->separator
				: level == POINT       ? ", "
						       : " ";
	int status = PERUN_OK;

	if (level == POINT && !placeholder->format && !placeholder->separator) {
		add_point(format);
		return PERUN_OK;
	}
	for (size_t p = 0; p < experiment->parameters && !status; p++) {
		format->parameter = p;
		if (p)
			perun_buffer_add_text(&format->out, separator);
		status = expand(format, level,
				placeholder->format ? placeholder->format
				: level == POINT    ? "{coordinate:.2E}"
						    : "{parameter}");
	}
	return status;
}

/* Over the points: of {points} and of {measurements}. */
static int expand_points(struct format *format, const struct placeholder *placeholder,
			 enum level level)
{
	const struct perun_experiment *experiment = format->run->experiment;
	const struct perun_experiment_series *series = &experiment->series[format->series];
	bool measured = level == MEASUREMENTS;
	const char *separator = placeholder->separator ? placeholder->separator
				: measured             ? "\n"
						       : " | ";
	int status = PERUN_OK;

	for (size_t i = 0; i < experiment->points && !status; i++) {
		format->point = i;
		format->measurement = NULL;
		for (size_t k = 0; k < series->count; k++)
			if (experiment->measurements[series->first + k].point == i)
				format->measurement = &experiment->measurements[series->first + k];
		if (i)
			perun_buffer_add_text(&format->out, separator);
		status = expand(format, level,
				placeholder->format ? placeholder->format
				: measured ? "({point}) Mean: {mean:.2E} Median: {median:.2E}"
					   : "({point})");
	}
	return status;
}

/* ---- placeholders ---------------------------------------------------------------------------- */

static int refuse(const struct format *format, const char *what, const char *name)
{
	return perun_fail(format->run->ctx, PERUN_USAGE, "--print: %s {%s}", what, name);
}

/* Characters of a UTF-8 text, as Extra-P counts them. */
static size_t columns_of(const char *text)
{
	size_t columns = 0;

	for (; *text; text++)
		columns += ((unsigned char)*text & 0xc0) != 0x80;
	return columns;
}

/* What was printed from `start` on becomes as many blanks. */
static void blank_out(struct perun_buffer *out, size_t start)
{
	size_t columns = columns_of(out->data + start);

	out->length = start;
	while (columns--)
		perun_buffer_add_char(out, ' ');
}

static int expand_list(struct format *format, const struct placeholder *placeholder)
{
	size_t start = format->out.length;
	bool *done = NULL;
	int status;

	if (strcmp(placeholder->name, "parameters") == 0) {
		done = &format->parameters_done;
		status = expand_parameters(format, placeholder, PARAMETERS);
	} else if (strcmp(placeholder->name, "points") == 0) {
		done = &format->points_done;
		status = expand_points(format, placeholder, POINTS);
	} else {
		status = expand_points(format, placeholder, MEASUREMENTS);
	}
	if (!status && placeholder->once && done) {
		if (*done)
			blank_out(&format->out, start);
		*done = true;
	}
	return status;
}

static void expand_name(struct format *format, const struct placeholder *placeholder, bool metric)
{
	const struct perun_experiment *experiment = format->run->experiment;
	const struct perun_experiment_series *series = &experiment->series[format->series];
	uint32_t number = metric ? series->metric : series->callpath;
	uint32_t *last = metric ? &format->last_metric : &format->last_callpath;
	size_t start = format->out.length;

	perun_buffer_add_text(&format->out, metric ? experiment->metrics[number]
						   : experiment->callpath_names[number]);
	if (!placeholder->once)
		return;
	if (*last == number)
		blank_out(&format->out, start);
	*last = number;
}

static int expand_model(struct format *format, const struct placeholder *placeholder)
{
	const struct perun_scaling_model *growth = &format->run->growths[format->series];
	const char *word = placeholder->rest + strspn(placeholder->rest, " ");
	enum perun_spelling spelling = strcmp(word, "python") == 0  ? PERUN_SPELLING_PYTHON
				       : strcmp(word, "latex") == 0 ? PERUN_SPELLING_LATEX
								    : PERUN_SPELLING_PLAIN;

	if (*word && spelling == PERUN_SPELLING_PLAIN)
		return refuse(format, "expected python or latex in", placeholder->name);
	model_print_formula(format->run, growth, spelling, &format->out);
	return PERUN_OK;
}

static int expand_placeholder(struct format *format, enum level level,
			      struct placeholder *placeholder)
{
	static const char *const lists = " parameters points measurements ";
	const char *name = placeholder->name;
	char *word = perun_format(" %s ", name);
	bool is_list = level == LINE && strstr(lists, word);
	bool is_point = (level == POINTS || level == MEASUREMENTS) && strcmp(name, "point") == 0;
	double number;

	perun_free(word);
	if ((is_list || is_point) && !read_options(placeholder))
		return refuse(format, "expected sep:'...' and format:'...' in", name);
	if (is_list)
		return expand_list(format, placeholder);
	if (is_point)
		return expand_parameters(format, placeholder, POINT);
	if (level == LINE && strcmp(name, "model") == 0)
		return expand_model(format, placeholder);
	if (level == LINE && (strcmp(name, "metric") == 0 || strcmp(name, "callpath") == 0)) {
		expand_name(format, placeholder, strcmp(name, "metric") == 0);
	} else if ((level == PARAMETERS || level == POINT) && strcmp(name, "parameter") == 0) {
		perun_buffer_add_text(&format->out,
				      format->run->experiment->parameter_names[format->parameter]);
	} else if (number_of(format, level, name, &number)) {
		struct spec spec;

		if (!read_spec(placeholder->rest, &spec))
			return refuse(format, "a form of numbers is not understood in", name);
		add_number(&format->out, &spec, number);
	} else {
		return refuse(format, "there is no placeholder", name);
	}
	return PERUN_OK;
}

static int expand(struct format *format, enum level level, const char *text)
{
	int status = PERUN_OK;

	while (*text && !status) {
		struct placeholder placeholder;
		const char *end;

		if (*text != '{' || text[1] == '{') {
			text += (*text == '{' || (*text == '}' && text[1] == '}'));
			perun_buffer_add_char(&format->out, *text++);
			continue;
		}
		end = closing_brace(text + 1);
		if (!end)
			return refuse(format, "the braces do not match from", text);
		read_placeholder(text + 1, (size_t)(end - text - 1), &placeholder);
		status = expand_placeholder(format, level, &placeholder);
		clear_placeholder(&placeholder);
		text = end + 1;
	}
	return status;
}

/* Line feeds and tabs may be written as \n and \t. */
static void print_line(const struct model_run *run, const char *text)
{
	struct perun_buffer line = {0};

	for (; *text; text++) {
		bool escaped = text[0] == '\\' && (text[1] == 'n' || text[1] == 't');

		perun_buffer_add_char(&line, !escaped ? *text : text[1] == 'n' ? '\n' : '\t');
		text += escaped;
	}
	perun_buffer_add_char(&line, '\n');
	for (char *start = line.data; start && *start;) {
		size_t length = strcspn(start, "\n\t");
		char sign = start[length];

		start[length] = '\0';
		model_print_safe(run, start);
		if (sign)
			model_print(run, "%c", sign);
		start += length + (sign != '\0');
	}
	perun_buffer_free(&line);
}

int model_format(const struct model_run *run, const char *text)
{
	struct format format = {.run = run, .last_callpath = MODEL_NONE, .last_metric = MODEL_NONE};
	int status = PERUN_OK;

	for (uint32_t i = 0; i < run->experiment->series_count && !status; i++) {
		format.series = i;
		perun_buffer_clear(&format.out);
		perun_buffer_add_text(&format.out, "");
		status = expand(&format, LINE, text);
		if (!status)
			print_line(run, format.out.data);
	}
	perun_buffer_free(&format.out);
	return status;
}
