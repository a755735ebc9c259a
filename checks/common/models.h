/* SPDX-License-Identifier: BSD-3-Clause */
/* The models of two profiles, as checks pair them. */
#ifndef CHECKS_MODELS_H
#define CHECKS_MODELS_H

#include <perun/check.h>
#include <perun/query.h>

/* A model; of a non-parametric one also its values at evenly spaced points of its interval. */
struct checks_model {
	struct perun_model model;
	const struct perun_profile *profile; /* that has it; borrowed */
	bool parametric;
	double *values;
	size_t value_count;
};

struct checks_models {
	struct checks_model *items;
	size_t count;
};

/* All parametric models of one kind. */
void checks_models_free(struct checks_models *models);

/* Two models of the same uid. */
struct checks_pair {
	const struct checks_model *baseline, *target;
};

/*
 * Pair the models of two lists: by uid alone, by uid and whether they are parametric, or by uid and
 * kind. Where several models of a list have the same key, the last one counts.
 * In the order of the baseline's. The caller frees the array.
 */
enum checks_pairing { CHECKS_BY_UID, CHECKS_BY_CLASS, CHECKS_BY_KIND };
void checks_models_pair(const struct checks_models *baseline, const struct checks_models *target,
			enum checks_pairing pairing, struct checks_pair **pairs, size_t *count);
/* How the models of a type are paired. */
enum checks_pairing checks_pairing_of(enum perun_models_type type);

/*
 * The model of a uid with the highest r_square above 0, the first of equals, by binary search in what
 * checks_models_index() made (the caller frees it); NULL when there is none.
 */
const struct checks_model **checks_models_index(const struct checks_models *models);
const struct checks_model *checks_models_find(const struct checks_model *const *index, size_t count,
					      const char *uid);

/*
 * The models of all profiles of a side. Of what checks_models_pair() would pair as the same in several
 * profiles, the model with the highest r_square counts; the order is that of the first profiles.
 */
void checks_models_load_all(struct perun_profile *const *profiles, size_t count,
			    enum perun_models_type type, struct checks_models *models);
/* All parametric models of one kind, of all profiles. */
void checks_models_load_all_of_kind(struct perun_profile *const *profiles, size_t count,
				    const char *kind, struct checks_models *models);

/* What each model check calls for each pair. */
typedef int checks_visit(void *data, struct perun_ctx *ctx, const struct checks_pair *pair,
			 struct perun_report *report);
/*
 * Load the models of all profiles of a comparison by `type`, and visit each pair. `data` is
 * handed to `visit`. Returns the first status that is not PERUN_OK; PERUN_NOT_COMPARED where there is no pair.
 */
int checks_each_pair(struct perun_ctx *ctx, const struct perun_comparison *comparison,
		     enum perun_models_type type, checks_visit *visit, void *data,
		     struct perun_report *report);

/* The smaller r_square of a pair. */
double checks_confidence(const struct checks_pair *pair);

#endif
