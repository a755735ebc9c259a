/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of stacks at a change: which of their changes say something. One rule for pairs and for histories. */
#ifndef PERUN_CORE_HISTORY_FUNCTIONS_H
#define PERUN_CORE_HISTORY_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <perun/context.h>

/* What the rule says of a function. */
enum perun_function_fate {
	PERUN_FUNCTION_KEPT,      /* its change, or that it has none, remains */
	PERUN_FUNCTION_SMALL,     /* it hardly matters in the whole */
	PERUN_FUNCTION_MOVED,     /* renamed or inlined: `other` costs as much less or more */
	PERUN_FUNCTION_EXPLAINED, /* a total of which functions or another total say enough */
	PERUN_FUNCTION_NAMED /* its own cost explains a total: it takes the change of `other` */
};

/* What a function costs before and after: itself, or with all that it calls. */
struct perun_function_change {
	const char *name, *workload;
	double before, after;
	double sample; /* what one sample adds; 0 = the costs are exact */
	bool inclusive;
	bool both;    /* it costs something before and after */
	bool changed; /* more than noise does */
	enum perun_function_fate fate;
	size_t other;
};

/* Functions that took over the cost of others, as a text of several. */
struct perun_moves {
	struct perun_buffer text;
	size_t count;
};
/* Add one: `from` is gone, and `to` costs as much more, or is new (renamed). */
void perun_moves_add(struct perun_moves *moves, const char *from, const char *to, bool renamed);
/* "emit is emit_all now (renamed), ... and 3 more", the caller's; NULL = nothing was added. Empties it. */
char *perun_moves_take(struct perun_moves *moves);

/* The least change that counts of exact costs, as a share of everything. */
#define PERUN_EXACT_SHARE 0.005

/* The least change of a function that matters, as a share of everything. */
double perun_function_share(double sample, double exact_share);
/* Find the fate of each of the functions of one metric. `exact_share`: see PERUN_EXACT_SHARE. */
void perun_relate_functions(struct perun_function_change *functions, size_t count,
			    double exact_share);

#endif
