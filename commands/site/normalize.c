/* SPDX-License-Identifier: BSD-3-Clause */
/* Sampled profiles: what each has in common with the others is divided out, as in histories. */
#include <config.h>

#include <string.h>

#include <perun/lib/statistics.h>

#include "site.h"

#define NONE UINT32_MAX

/* The functions of a sampled metric of a command, and its profiles. */
struct family {
	const struct site_strand *first;
	size_t functions, profiles;
};

struct normalizing {
	struct site *site;
	struct family *families;
	size_t count, capacity;
	uint32_t *family; /* of each strand; NONE = it is not sampled */
	uint32_t *row;    /* of each strand in the family's table; NONE = what all cost together */
	uint32_t *column; /* of each profile in the table of the family at hand */
	size_t profiles;
};

static bool is_of(const struct site_strand *one, const struct site_strand *other)
{
	return strcmp(one->metric, other->metric) == 0 && strcmp(one->cmd, other->cmd) == 0 &&
	       strcmp(one->workload, other->workload) == 0 &&
	       strcmp(one->machine, other->machine) == 0;
}

static void find_families(struct normalizing *all)
{
	for (size_t s = 0; s < all->site->strand_count; s++) {
		const struct site_strand *strand = &all->site->strands[s];
		size_t f = 0;

		all->family[s] = all->row[s] = NONE;
		if (strand->noise != PERUN_NOISE_SAMPLED || !(strand->sample > 0))
			continue;
		while (f < all->count && !is_of(all->families[f].first, strand))
			f++;
		if (f == all->count) {
			PERUN_GROW(all->families, all->count, all->capacity);
			all->families[all->count++] = (struct family){.first = strand};
		}
		all->family[s] = (uint32_t)f;
		if (*strand->location)
			all->row[s] = (uint32_t)all->families[f].functions++;
	}
}

/* Call `each` for each number of a family. */
typedef void each_number(struct normalizing *all, size_t strand, uint32_t profile, double *number,
			 void *data);
static void walk(struct normalizing *all, size_t family, each_number *each, void *data)
{
	for (size_t i = 0; i < all->site->count; i++) {
		const struct site_values *values = &all->site->versions[i].values;

		for (size_t k = 0; k < values->count; k++) {
			if (all->family[values->strands[k]] != family)
				continue;
			for (size_t r = values->starts[k]; r < values->starts[k + 1]; r++)
				each(all, values->strands[k], values->profiles[r],
				     &values->repeats[r], data);
		}
	}
}

static void note_profile(struct normalizing *all, size_t strand, uint32_t profile, double *number,
			 void *data)
{
	struct family *family = data;

	(void)strand;
	(void)number;
	if (all->column[profile] == NONE)
		all->column[profile] = (uint32_t)family->profiles++;
}

static void count_samples(struct normalizing *all, size_t strand, uint32_t profile, double *number,
			  void *data)
{
	size_t profiles = all->families[all->family[strand]].profiles;
	double *counts = data;

	if (all->row[strand] != NONE)
		counts[all->row[strand] * profiles + all->column[profile]] +=
			*number / all->site->strands[strand].sample;
}

/* What profiles have in common, and what they have but for the leading function, of this row. */
struct factors {
	double *common, *others;
	size_t leading;
};

static void divide(struct normalizing *all, size_t strand, uint32_t profile, double *number,
		   void *data)
{
	const struct factors *factors = data;
	bool leads = all->row[strand] != NONE && all->row[strand] == factors->leading;

	*number /= (leads ? factors->others : factors->common)[all->column[profile]];
}

static void normalize(struct normalizing *all, size_t f)
{
	struct family *family = &all->families[f];
	struct factors factors;
	double *counts, sample;

	memset(all->column, 0xff, (all->profiles + 1) * sizeof *all->column);
	walk(all, f, note_profile, family);
	counts = perun_alloc_zero(family->functions * family->profiles + 1, sizeof *counts);
	factors.common = perun_alloc_zero(family->profiles + 1, sizeof *factors.common);
	factors.others = perun_alloc_zero(family->profiles + 1, sizeof *factors.others);
	walk(all, f, count_samples, counts);
	perun_common_factors(counts, family->functions, family->profiles, factors.common);
	factors.leading = perun_leading_factors(counts, family->functions, family->profiles,
						factors.others, &sample);
	walk(all, f, divide, &factors);
	for (size_t i = 0; i < all->site->strand_count && factors.leading != SIZE_MAX; i++)
		if (all->family[i] == f && all->row[i] == factors.leading)
			all->site->strands[i].sample *= sample;
	perun_free(counts);
	perun_free(factors.common);
	perun_free(factors.others);
}

static void find_medians(struct normalizing *all)
{
	for (size_t i = 0; i < all->site->count; i++) {
		const struct site_values *values = &all->site->versions[i].values;

		for (size_t k = 0; k < values->count; k++) {
			if (all->family[values->strands[k]] != NONE)
				values->medians[k] =
					perun_median(values->repeats + values->starts[k],
						     values->starts[k + 1] - values->starts[k]);
		}
	}
}

void site_normalize(struct site *site, size_t profiles)
{
	struct normalizing all = {.site = site, .profiles = profiles};

	all.family = perun_alloc_zero(site->strand_count + 1, sizeof *all.family);
	all.row = perun_alloc_zero(site->strand_count + 1, sizeof *all.row);
	all.column = perun_alloc_zero(profiles + 1, sizeof *all.column);
	find_families(&all);
	for (size_t f = 0; f < all.count; f++)
		normalize(&all, f);
	find_medians(&all);
	perun_free(all.families);
	perun_free(all.family);
	perun_free(all.row);
	perun_free(all.column);
}
