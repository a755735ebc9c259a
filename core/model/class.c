/* SPDX-License-Identifier: BSD-3-Clause */
/* Classes of growth: which terms of a formula outgrow the others. */
#include <string.h>

#include "core/model/model.h"

/* The exponents of each parameter in a term: of its power and of its logarithm. */
struct order {
	double poly, log;
};

static uint32_t parameters_of(const struct perun_formula *formula)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < formula->factor_count; i++)
		if (formula->factors[i].parameter >= count)
			count = formula->factors[i].parameter + 1;
	return count;
}

static struct order order_of(const struct perun_formula *formula, const struct perun_term *term,
			     uint32_t parameter)
{
	struct order order = {0};

	for (uint32_t i = 0; i < term->count; i++) {
		const struct perun_factor *factor = &formula->factors[term->first + i];

		if (factor->parameter == parameter && factor->logarithm)
			order.log += factor->exponent.value;
		else if (factor->parameter == parameter)
			order.poly += factor->exponent.value;
	}
	return order;
}

static int compare_orders(struct order a, struct order b)
{
	if (a.poly != b.poly)
		return a.poly < b.poly ? -1 : 1;
	return a.log < b.log ? -1 : a.log > b.log;
}

/* Whether term `a` grows no faster than `b` in any parameter; `same` if in none slower. */
static bool is_within(const struct perun_formula *one, const struct perun_term *a,
		      const struct perun_formula *other, const struct perun_term *b, bool *same)
{
	uint32_t count = parameters_of(one), more = parameters_of(other);

	*same = true;
	for (uint32_t p = 0; p < (count > more ? count : more); p++) {
		int difference = compare_orders(order_of(one, a, p), order_of(other, b, p));

		if (difference > 0)
			return false;
		*same &= difference == 0;
	}
	return true;
}

/* The constant is a term without factors, after the others. */
static struct perun_term term_at(const struct perun_formula *formula, uint32_t i)
{
	struct perun_term constant = {.coefficient = formula->constant};

	return i < formula->term_count ? formula->terms[i] : constant;
}

static uint32_t terms_of(const struct perun_formula *formula)
{
	return formula->term_count + (formula->constant != 0 || formula->term_count == 0);
}

/* Whether no other term outgrows this one. Of equal ones the first counts. */
static bool is_leading(const struct perun_formula *formula, uint32_t i)
{
	struct perun_term term = term_at(formula, i);

	for (uint32_t k = 0; k < terms_of(formula); k++) {
		struct perun_term other = term_at(formula, k);
		bool same;

		if (k != i && is_within(formula, &term, formula, &other, &same) && (!same || k < i))
			return false;
	}
	return true;
}

void perun_formula_print_class(const struct perun_formula *formula, const char *const *names,
			       struct perun_buffer *out)
{
	struct perun_formula *end = perun_formula_at_end(formula);
	struct perun_formula *leading = perun_formula_copy(end);

	formula = end;
	leading->term_count = 0;
	for (uint32_t i = 0; i < terms_of(formula); i++) {
		struct perun_term term = term_at(formula, i);

		if (!is_leading(formula, i))
			continue;
		if (term.count == 0) {
			leading->constant = 1;
			continue;
		}
		leading->constant = 0;
		term.coefficient = 1;
		leading->terms[leading->term_count++] = term;
	}
	if (leading->term_count == 0)
		leading->constant = 1;
	perun_buffer_add_text(out, "O(");
	perun_formula_print(leading, names, PERUN_SPELLING_SHORT, out);
	perun_buffer_add_char(out, ')');
	perun_free(leading);
	perun_free(end);
}

/* Whether every term of `one` is within some term of `other`. */
static bool class_within(const struct perun_formula *one, const struct perun_formula *other)
{
	for (uint32_t i = 0; i < terms_of(one); i++) {
		struct perun_term term = term_at(one, i);
		bool found = false, same;

		for (uint32_t k = 0; k < terms_of(other) && !found; k++) {
			struct perun_term limit = term_at(other, k);

			found = is_within(one, &term, other, &limit, &same);
		}
		if (!found && is_leading(one, i))
			return false;
	}
	return true;
}

enum perun_class_order perun_formula_compare_class(const struct perun_formula *one,
						   const struct perun_formula *other)
{
	struct perun_formula *a = perun_formula_at_end(one), *b = perun_formula_at_end(other);
	bool lower = class_within(a, b), higher = class_within(b, a);

	perun_free(a);
	perun_free(b);
	return lower && higher ? PERUN_CLASS_SAME
	       : lower         ? PERUN_CLASS_LOWER
	       : higher        ? PERUN_CLASS_HIGHER
			       : PERUN_CLASS_OTHER;
}
