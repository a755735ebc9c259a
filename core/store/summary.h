/* SPDX-License-Identifier: BSD-3-Clause */
/* What a store says of a profile that it keeps in its own format; private to core/store. */
#ifndef PERUN_CORE_STORE_SUMMARY_H
#define PERUN_CORE_STORE_SUMMARY_H

#include <perun/profile.h>

struct perun_json;

/* {METRIC: {"rows": N, "sum": X, "unit": U}} of its metrics, the first hundreds of many. The caller frees it. */
struct perun_json *perun_summary_totals(const struct perun_profile *profile);
/*
 * The metric whose total is not what `totals` says, or one that is not there on either side; NULL when all are as
 * they were. Owned by `totals` or the profile.
 */
const char *perun_summary_difference(const struct perun_profile *profile,
				     const struct perun_json *totals);
/* Resources of the functions with the largest values of their own, for the first metrics: uid, type, amount. */
void perun_summary_leading(const struct perun_profile *profile, struct perun_builder *builder);

#endif
