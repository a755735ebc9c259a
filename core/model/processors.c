/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a profile holds what several processors did, each with a label of its own. */
#include <stdlib.h>
#include <string.h>

#include "core/model/model.h"

static int compare_labels(const void *a, const void *b)
{
	const struct perun_label *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->text != y->text)
		return x->text < y->text ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* All labels of a profile, sorted; the caller frees them. */
static struct perun_label *sorted_labels(const struct perun_profile *profile, size_t *count)
{
	struct perun_label *labels = NULL;
	size_t room = 0;

	*count = 0;
	for (size_t i = 0; i < perun_profile_label_sets(profile); i++) {
		size_t own;
		const struct perun_label *set = perun_profile_labels(profile, (perun_id)i, &own);

		for (size_t k = 0; k < own; k++) {
			PERUN_GROW(labels, *count, room);
			labels[(*count)++] = set[k];
		}
	}
	if (*count)
		qsort(labels, *count, sizeof *labels, compare_labels);
	return labels;
}

bool perun_has_processors(const struct perun_profile *profile, double wanted)
{
	size_t count, distinct = 0;
	struct perun_label *labels = sorted_labels(profile, &count);
	bool found = false;

	for (size_t i = 0; i < count && !found; i++) {
		if (i == 0 || labels[i].key != labels[i - 1].key)
			distinct = 0;
		if (distinct == 0 || compare_labels(&labels[i], &labels[i - 1]) != 0)
			distinct++;
		if (i + 1 == count || labels[i + 1].key != labels[i].key)
			found = (double)distinct == wanted;
	}
	perun_free(labels);
	return found;
}
