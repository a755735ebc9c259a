/* SPDX-License-Identifier: BSD-3-Clause */
/* Formulas: making, evaluating and printing them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/model/model.h"
#include "perun/json.h"

struct perun_formula *perun_formula_new(uint32_t terms, uint32_t factors, uint32_t piecewise)
{
	struct perun_formula *formula =
		perun_alloc_zero(1, sizeof *formula + terms * sizeof(struct perun_term) +
					    factors * sizeof(struct perun_factor) +
					    piecewise * sizeof(struct perun_piecewise));

	formula->term_count = terms;
	formula->factor_count = factors;
	formula->piecewise_count = piecewise;
	formula->terms = (struct perun_term *)(formula + 1);
	formula->factors = (struct perun_factor *)(formula->terms + terms);
	formula->piecewise = (struct perun_piecewise *)(formula->factors + factors);
	return formula;
}

struct perun_formula *perun_formula_copy(const struct perun_formula *formula)
{
	struct perun_formula *copy = perun_formula_new(formula->term_count, formula->factor_count,
						       formula->piecewise_count);

	copy->constant = formula->constant;
	memcpy(copy->terms, formula->terms, formula->term_count * sizeof *copy->terms);
	memcpy(copy->factors, formula->factors, formula->factor_count * sizeof *copy->factors);
	if (formula->piecewise_count)
		memcpy(copy->piecewise, formula->piecewise,
		       formula->piecewise_count * sizeof *copy->piecewise);
	for (uint32_t i = 0; i < copy->factor_count; i++)
		if (copy->factors[i].piecewise)
			copy->factors[i].piecewise =
				copy->piecewise + (copy->factors[i].piecewise - formula->piecewise);
	return copy;
}

struct perun_formula *perun_formula_of_candidate(double c0, double c1,
						 const struct perun_candidate *candidate,
						 uint32_t parameter)
{
	bool poly = candidate && candidate->poly.value != 0;
	bool log = candidate && candidate->log.value != 0;
	struct perun_formula *formula = perun_formula_new(candidate != NULL, poly + log, 0);

	formula->constant = c0;
	if (!candidate)
		return formula;
	formula->terms[0] = (struct perun_term){c1, 0, poly + log};
	if (poly)
		formula->factors[0] =
			(struct perun_factor){.parameter = parameter, .exponent = candidate->poly};
	if (log)
		formula->factors[poly] = (struct perun_factor){
			.parameter = parameter, .logarithm = true, .exponent = candidate->log};
	return formula;
}

struct perun_formula *perun_formula_of_piece(const struct perun_model_piece *piece,
					     uint32_t parameter)
{
	struct perun_candidate candidate = {piece->power, piece->logarithm};

	return perun_formula_of_candidate(piece->constant, piece->coefficient,
					  piece->coefficient != 0 ? &candidate : NULL, parameter);
}

double perun_piecewise_value(const struct perun_piecewise *piecewise, double x)
{
	const struct perun_model_piece *piece = &piecewise->pieces[x > piecewise->until];
	struct perun_candidate candidate = {piece->power, piece->logarithm};

	if (piece->coefficient == 0)
		return piece->constant;
	return piece->constant + piece->coefficient * perun_candidate_value(&candidate, x);
}

static double factor_value(const struct perun_factor *factor, double x)
{
	if (factor->piecewise)
		return perun_piecewise_value(factor->piecewise, x);
	return pow(factor->logarithm ? log2(x) : x, factor->exponent.value);
}

double perun_formula_value(const struct perun_formula *formula, const double *coordinate)
{
	double sum = formula->constant;

	for (uint32_t i = 0; i < formula->term_count; i++) {
		const struct perun_term *term = &formula->terms[i];
		double product = term->coefficient;

		for (uint32_t k = 0; k < term->count; k++) {
			const struct perun_factor *factor = &formula->factors[term->first + k];

			product *= factor_value(factor, coordinate[factor->parameter]);
		}
		sum += product;
	}
	return sum;
}

/*
 * Multiplies terms [first, ...) of `out` by what a factor is at the end. A last piece has a constant and a term:
 * of each term two are made, the constant's and the other's.
 */
static void multiply_piece(struct perun_formula *out, uint32_t first, uint32_t parameter,
			   const struct perun_model_piece *piece)
{
	uint32_t count = out->term_count;

	for (uint32_t i = first; i < count; i++) {
		struct perun_term *term = &out->terms[i], *other = &out->terms[out->term_count++];
		const struct perun_exponent exponents[] = {piece->power, piece->logarithm};

		*other = (struct perun_term){term->coefficient * piece->coefficient,
					     out->factor_count, term->count};
		memcpy(out->factors + other->first, out->factors + term->first,
		       term->count * sizeof *out->factors);
		for (int k = 0; k < 2; k++)
			if (exponents[k].value != 0)
				out->factors[other->first + other->count++] =
					(struct perun_factor){.parameter = parameter,
							      .logarithm = k == 1,
							      .exponent = exponents[k]};
		out->factor_count += other->count;
		term->coefficient *= piece->constant;
	}
}

/* The term at the end of `out` loses nothing but what is 0. */
static void drop_zeros(struct perun_formula *out)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < out->term_count; i++) {
		if (out->terms[i].coefficient == 0)
			continue;
		if (out->terms[i].count == 0)
			out->constant += out->terms[i].coefficient;
		else
			out->terms[kept++] = out->terms[i];
	}
	out->term_count = kept;
}

static uint32_t pieces_of(const struct perun_formula *formula, const struct perun_term *term)
{
	uint32_t count = 0;

	for (uint32_t k = 0; k < term->count; k++)
		count += formula->factors[term->first + k].piecewise != NULL;
	return count;
}

struct perun_formula *perun_formula_at_end(const struct perun_formula *formula)
{
	uint32_t terms = 0, factors = 0;
	struct perun_formula *out;

	for (uint32_t i = 0; i < formula->term_count; i++) {
		const struct perun_term *term = &formula->terms[i];
		uint32_t pieces = pieces_of(formula, term);

		terms += 1u << pieces;
		factors += (1u << pieces) * (term->count + pieces);
	}
	out = perun_formula_new(terms, factors, 0);
	out->constant = formula->constant;
	out->term_count = out->factor_count = 0;
	for (uint32_t i = 0; i < formula->term_count; i++) {
		const struct perun_term *term = &formula->terms[i];
		uint32_t first = out->term_count;
		struct perun_term *plain = &out->terms[out->term_count++];

		*plain = (struct perun_term){term->coefficient, out->factor_count, 0};
		for (uint32_t k = 0; k < term->count; k++)
			if (!formula->factors[term->first + k].piecewise)
				out->factors[plain->first + plain->count++] =
					formula->factors[term->first + k];
		out->factor_count += plain->count;
		for (uint32_t k = 0; k < term->count; k++) {
			const struct perun_factor *factor = &formula->factors[term->first + k];

			if (factor->piecewise)
				multiply_piece(out, first, factor->parameter,
					       &factor->piecewise->pieces[1]);
		}
	}
	drop_zeros(out);
	return out;
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

static void print_sum(const struct perun_formula *formula, const char *const *names,
		      enum perun_spelling spelling, struct perun_buffer *out);

/* {f for p<=a; g for p>=b}; in Python's and LaTeX's words where they have such. */
static void print_piecewise(const struct perun_factor *factor, const char *const *names,
			    enum perun_spelling spelling, struct perun_buffer *out)
{
	static const char *const texts[][4] = {
		{"{", " for %s<=", "; ", " for %s>="},
		{"((", ") if %s<=", " else (", ""},
		{"\\begin{cases}", " & %s\\le ", " \\\\ ", " & %s\\ge "},
		{"{", " for %s <= ", "; ", " for %s >= "},
	};
	static const char *const ends[] = {"}", "))", "\\end{cases}", "}"};
	const struct perun_piecewise *piecewise = factor->piecewise;
	const double edges[] = {piecewise->until, piecewise->from};

	for (int i = 0; i < 2; i++) {
		struct perun_formula *formula =
			perun_formula_of_piece(&piecewise->pieces[i], factor->parameter);
		const char *edge = texts[spelling][2 * i + 1];

		perun_buffer_add_text(out, texts[spelling][2 * i]);
		print_sum(formula, names, spelling, out);
		perun_free(formula);
		if (!*edge)
			continue;
		perun_buffer_printf(out, edge, names[factor->parameter]);
		if (spelling == PERUN_SPELLING_SHORT)
			perun_buffer_printf(out, "%g", edges[i]);
		else
			print_number(edges[i], out);
	}
	perun_buffer_add_text(out, ends[spelling]);
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

/* A factor of one is left out: for people, also one that looks like it. */
static bool is_one(double coefficient, enum perun_spelling spelling)
{
	char *text = spelling == PERUN_SPELLING_SHORT ? perun_format("%.4g", coefficient) : NULL;
	bool one = text ? strcmp(text, "1") == 0 : coefficient == 1;

	perun_free(text);
	return one;
}

static void print_term(const struct perun_formula *formula, const struct perun_term *term,
		       const char *const *names, enum perun_spelling spelling,
		       struct perun_buffer *out)
{
	static const char *const times[] = {" * ", "*", "\\cdot ", " * "};
	bool first = term->count && is_one(term->coefficient, spelling);

	if (!first)
		print_coefficient(term->coefficient, spelling, out);
	for (uint32_t k = 0; k < term->count; k++) {
		const struct perun_factor *factor = &formula->factors[term->first + k];

		if (!first)
			perun_buffer_add_text(out, times[spelling]);
		first = false;
		if (factor->piecewise)
			print_piecewise(factor, names, spelling, out);
		else
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

static void print_sum(const struct perun_formula *formula, const char *const *names,
		      enum perun_spelling spelling, struct perun_buffer *out)
{
	bool constant = formula->constant != 0 || formula->term_count == 0;

	if (constant)
		print_coefficient(formula->constant, spelling, out);
	for (uint32_t i = 0; i < formula->term_count; i++) {
		const struct perun_term *term = &formula->terms[i];
		struct perun_term turned;

		if (constant || i)
			term = print_plus(term, &turned, spelling, out);
		print_term(formula, term, names, spelling, out);
	}
}

void perun_formula_print(const struct perun_formula *formula, const char *const *names,
			 enum perun_spelling spelling, struct perun_buffer *out)
{
	if (spelling == PERUN_SPELLING_LATEX)
		perun_buffer_add_char(out, '$');
	print_sum(formula, names, spelling, out);
	if (spelling == PERUN_SPELLING_LATEX)
		perun_buffer_add_char(out, '$');
}
