/* SPDX-License-Identifier: BSD-3-Clause */
/* Formulas: making, evaluating and printing them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/model/model.h"
#include "perun/json.h"

struct perun_formula *perun_formula_new(uint32_t terms, uint32_t factors)
{
	struct perun_formula *formula =
		perun_alloc_zero(1, sizeof *formula + terms * sizeof(struct perun_term) +
					    factors * sizeof(struct perun_factor));

	formula->term_count = terms;
	formula->factor_count = factors;
	formula->terms = (struct perun_term *)(formula + 1);
	formula->factors = (struct perun_factor *)(formula->terms + terms);
	return formula;
}

struct perun_formula *perun_formula_copy(const struct perun_formula *formula)
{
	struct perun_formula *copy = perun_formula_new(formula->term_count, formula->factor_count);

	copy->constant = formula->constant;
	memcpy(copy->terms, formula->terms, formula->term_count * sizeof *copy->terms);
	memcpy(copy->factors, formula->factors, formula->factor_count * sizeof *copy->factors);
	return copy;
}

struct perun_formula *perun_formula_of_candidate(double c0, double c1,
						 const struct perun_candidate *candidate,
						 uint32_t parameter)
{
	bool poly = candidate && candidate->poly.value != 0;
	bool log = candidate && candidate->log.value != 0;
	struct perun_formula *formula = perun_formula_new(candidate != NULL, poly + log);

	formula->constant = c0;
	if (!candidate)
		return formula;
	formula->terms[0] = (struct perun_term){c1, 0, poly + log};
	if (poly)
		formula->factors[0] = (struct perun_factor){parameter, false, candidate->poly};
	if (log)
		formula->factors[poly] = (struct perun_factor){parameter, true, candidate->log};
	return formula;
}

double perun_formula_value(const struct perun_formula *formula, const double *coordinate)
{
	double sum = formula->constant;

	for (uint32_t i = 0; i < formula->term_count; i++) {
		const struct perun_term *term = &formula->terms[i];
		double product = term->coefficient;

		for (uint32_t k = 0; k < term->count; k++) {
			const struct perun_factor *factor = &formula->factors[term->first + k];
			double x = coordinate[factor->parameter];

			product *= pow(factor->logarithm ? log2(x) : x, factor->exponent.value);
		}
		sum += product;
	}
	return sum;
}

/* ---- printing -------------------------------------------------------------------------------- */

static void print_number(double number, struct perun_buffer *out)
{
	char text[PERUN_JSON_NUMBER_SIZE];

	perun_buffer_add(out, text, perun_json_print_double(number, text));
}

static void print_exponent(const struct perun_exponent *exponent, struct perun_buffer *out)
{
	if (exponent->denominator == 0)
		print_number(exponent->value, out);
	else if (exponent->denominator == 1)
		perun_buffer_printf(out, "%d", exponent->numerator);
	else
		perun_buffer_printf(out, "%d/%d", exponent->numerator, exponent->denominator);
}

/* Nothing for 1; parentheses only where they are needed. */
static void print_short_exponent(const struct perun_exponent *exponent, struct perun_buffer *out)
{
	bool whole = exponent->denominator == 1 && exponent->numerator >= 0;

	if (exponent->value == 1)
		return;
	perun_buffer_add_text(out, whole ? "^" : "^(");
	print_exponent(exponent, out);
	if (!whole)
		perun_buffer_add_char(out, ')');
}

static void print_factor(const struct perun_factor *factor, const char *name,
			 enum perun_spelling spelling, struct perun_buffer *out)
{
	static const char *const forms[][2] = {{"%s^(", "log2(%s)^("},
					       {"%s**(", "log2(%s)**("},
					       {"%s^{", "\\log_2{%s}^{"},
					       {"%s", "log2(%s)"}};
	const struct perun_exponent *exponent = &factor->exponent;

	perun_buffer_printf(out, forms[spelling][factor->logarithm], name);
	if (spelling == PERUN_SPELLING_SHORT) {
		print_short_exponent(exponent, out);
		return;
	}
	print_exponent(exponent, out);
	perun_buffer_add_char(out, spelling == PERUN_SPELLING_LATEX ? '}' : ')');
}

/* Four digits, and a power of ten outside of [0.001, 10000). */
static void print_latex_number(double number, struct perun_buffer *out)
{
	double size = fabs(number);
	int exponent;

	exponent = size == 0 || !isfinite(number) ? 0 : (int)floor(log10(size));
	if (exponent >= -3 && exponent < 4) {
		perun_buffer_printf(out, "%.*f", 3 - exponent, number);
		return;
	}
	perun_buffer_printf(out, "%.3f\\times10^{%d}", number / pow(10, exponent), exponent);
}

static void print_coefficient(double number, enum perun_spelling spelling, struct perun_buffer *out)
{
	if (spelling == PERUN_SPELLING_LATEX)
		print_latex_number(number, out);
	else if (spelling == PERUN_SPELLING_SHORT)
		perun_buffer_printf(out, "%.4g", number);
	else
		print_number(number, out);
}

static void print_term(const struct perun_formula *formula, const struct perun_term *term,
		       const char *const *names, enum perun_spelling spelling,
		       struct perun_buffer *out)
{
	static const char *const times[] = {" * ", "*", "\\cdot ", " * "};
	bool first = term->coefficient == 1 && term->count;

	if (!first)
		print_coefficient(term->coefficient, spelling, out);
	for (uint32_t k = 0; k < term->count; k++) {
		const struct perun_factor *factor = &formula->factors[term->first + k];

		if (!first)
			perun_buffer_add_text(out, times[spelling]);
		first = false;
		print_factor(factor, names[factor->parameter], spelling, out);
	}
}

/* The sign before a term. Where people read it, a minus is taken out of the term: "1 - 2 * p". */
static const struct perun_term *print_plus(const struct perun_term *term, struct perun_term *turned,
					   enum perun_spelling spelling, struct perun_buffer *out)
{
	bool negative = term->coefficient < 0;

	if (spelling == PERUN_SPELLING_PLAIN) {
		perun_buffer_add_text(out, " + ");
	} else if (spelling == PERUN_SPELLING_SHORT) {
		perun_buffer_add_text(out, negative ? " - " : " + ");
		*turned = *term;
		turned->coefficient = fabs(term->coefficient);
		return turned;
	} else if (!negative) {
		perun_buffer_add_char(out, '+');
	}
	return term;
}

void perun_formula_print(const struct perun_formula *formula, const char *const *names,
			 enum perun_spelling spelling, struct perun_buffer *out)
{
	bool constant = formula->constant != 0 || formula->term_count == 0;

	if (spelling == PERUN_SPELLING_LATEX)
		perun_buffer_add_char(out, '$');
	if (constant)
		print_coefficient(formula->constant, spelling, out);
	for (uint32_t i = 0; i < formula->term_count; i++) {
		const struct perun_term *term = &formula->terms[i];
		struct perun_term turned;

		if (constant || i)
			term = print_plus(term, &turned, spelling, out);
		print_term(formula, term, names, spelling, out);
	}
	if (spelling == PERUN_SPELLING_LATEX)
		perun_buffer_add_char(out, '$');
}
