/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of strands: each has one unit, which all of its values are in. */
#include <config.h>

#ifdef HAVE_SQLITE3

#include <string.h>

#include <perun/lib/units.h>

#include "database.h"

/* Its texts in one block, since a store may have a million. */
struct known_strand {
	int64_t id;
	char *texts; /* command, workload, metric, location, unit, each with its NUL */
};

int strand_finder_open(struct database *database, struct strand_finder *finder)
{
	int status;

	*finder = (struct strand_finder){.database = database};
	status = database_prepare(database,
				  "SELECT id, unit FROM strands WHERE command = ? AND workload = ? "
				  "AND metric = ? AND location = ?",
				  &finder->find);
	return status ? status
		      : database_prepare(
				database,
				"INSERT INTO strands (command, workload, metric, location, "
				"unit, kind, noise, better, inclusive) "
				"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
				&finder->insert);
}

void strand_finder_close(struct strand_finder *finder)
{
	for (size_t i = 0; i < finder->count; i++)
		perun_free(finder->known[i].texts);
	perun_free(finder->known);
	perun_free(finder->places);
	sqlite3_finalize(finder->find);
	sqlite3_finalize(finder->insert);
}

/* Compare with the texts of a block, and step to the next one. */
static bool is_next(const char **texts, const char *text)
{
	const char *own = *texts;

	*texts += strlen(own) + 1;
	return strcmp(own, text) == 0;
}

static bool is_known(const struct known_strand *known, const struct strand_names *names)
{
	const char *texts = known->texts;

	return is_next(&texts, names->command) && is_next(&texts, names->workload) &&
	       is_next(&texts, names->metric) && is_next(&texts, names->location) &&
	       strcmp(texts, names->unit) == 0;
}

/* Profiles have their strands in much the same order: the one after the last is tried first. */
static void remember(struct strand_finder *finder, const struct strand_names *names, int64_t id)
{
	const char *const texts[] = {names->command, names->workload, names->metric,
				     names->location, names->unit};
	struct perun_buffer block = {0};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		perun_buffer_add(&block, texts[i], strlen(texts[i]) + 1);
	PERUN_GROW(finder->known, finder->count, finder->capacity);
	finder->known[finder->count].id = id;
	finder->known[finder->count++].texts = perun_buffer_take(&block);
	finder->hint = finder->count;
	while ((int64_t)finder->place_count <= id) {
		PERUN_GROW(finder->places, finder->place_count, finder->place_capacity);
		finder->places[finder->place_count++] = 0;
	}
	finder->places[id] = finder->count;
}

static const char *better_text(enum perun_direction better)
{
	return better == PERUN_BETTER_HIGHER  ? "higher"
	       : better == PERUN_BETTER_LOWER ? "lower"
					      : NULL;
}

static int insert(struct strand_finder *finder, const struct strand_names *names, int64_t *id)
{
	static const char *const kinds[] = {[PERUN_VALUE_REPEATS] = "repeats",
					    [PERUN_VALUE_SUM] = "sum",
					    [PERUN_VALUE_SAMPLED] = "sampled"};
	static const char *const noises[] = {[PERUN_NOISE_TIMED] = "timed",
					     [PERUN_NOISE_EXACT] = "exact",
					     [PERUN_NOISE_SAMPLED] = "sampled"};
	sqlite3_stmt *row = finder->insert;
	int status;

	database_bind_text(row, 1, names->command);
	database_bind_text(row, 2, names->workload);
	database_bind_text(row, 3, names->metric);
	database_bind_text(row, 4, names->location);
	database_bind_text(row, 5, names->unit);
	database_bind_text(row, 6, names->kind <= PERUN_VALUE_SAMPLED ? kinds[names->kind] : "sum");
	database_bind_text(row, 7,
			   names->noise <= PERUN_NOISE_SAMPLED ? noises[names->noise] : "timed");
	database_bind_text(row, 8, better_text(names->better));
	sqlite3_bind_int(row, 9, names->inclusive);
	status = database_step(finder->database, row);
	*id = sqlite3_last_insert_rowid(finder->database->handle);
	return status;
}

/* Of the strands with these names the one whose unit converts; 0 = there is none. */
static int find(struct strand_finder *finder, const struct strand_names *names, int64_t *id,
		double *factor)
{
	int code = SQLITE_DONE;

	*id = 0;
	database_bind_text(finder->find, 1, names->command);
	database_bind_text(finder->find, 2, names->workload);
	database_bind_text(finder->find, 3, names->metric);
	database_bind_text(finder->find, 4, names->location);
	while (!*id && (code = sqlite3_step(finder->find)) == SQLITE_ROW) {
		const char *unit = (const char *)sqlite3_column_text(finder->find, 1);

		*factor = (double)perun_unit_factor(names->unit, unit ? unit : "");
		if (*factor != 0)
			*id = sqlite3_column_int64(finder->find, 0);
	}
	sqlite3_reset(finder->find);
	return *id || code == SQLITE_DONE ? PERUN_OK : database_fail(finder->database);
}

int strand_find(struct strand_finder *finder, const struct strand_names *names, int64_t *id,
		double *factor)
{
	size_t at = finder->hint < finder->count ? finder->hint : 0;
	int status;

	*factor = 1;
	if (at < finder->count && is_known(&finder->known[at], names)) {
		*id = finder->known[at].id;
		finder->hint = at + 1;
		return PERUN_OK;
	}
	status = find(finder, names, id, factor);
	if (!status && !*id)
		status = insert(finder, names, id);
	if (status || *factor != 1)
		return status;
	if (*id < (int64_t)finder->place_count && finder->places[*id])
		finder->hint = finder->places[*id];
	else
		remember(finder, names, *id);
	return PERUN_OK;
}

#endif
