/* SPDX-License-Identifier: BSD-3-Clause */
/* Versions, profiles and values of a store as rows; only those of versions whose profiles changed are read. */
#include <config.h>

#ifdef HAVE_SQLITE3

#include <math.h>
#include <string.h>

#include <perun/json.h>
#include <perun/lib/lookup.h>
#include <perun/lib/statistics.h>

#include "database.h"

/* Versions whose profiles are read at once. */
enum { AT_ONCE = 256 };

struct filling {
	struct database *database;
	struct perun_store *store;
	struct perun_version_line *line;
	struct perun_reader *reader;
	struct strand_finder strands;
	struct perun_json *directions;
	sqlite3_stmt *find_version, *insert_version, *update_version, *find_machine;
	sqlite3_stmt *insert_machine, *insert_profile, *insert_measurement, *insert_repeat;
	sqlite3_stmt *delete_profiles, *find_profile, *note_earlier, *count_earlier;
	int64_t *ids;    /* of the versions of the line */
	int64_t *states; /* as they are in the store now */
	bool *stale;     /* whose profiles are to be read */
	bool imported;   /* a profile's workload may come from what other files are called */
};

static int prepare(struct filling *filling)
{
	const struct {
		sqlite3_stmt **statement;
		const char *text;
	} all[] = {
		{&filling->find_version,
		 "SELECT id, state, position FROM versions WHERE checksum = ?"},
		{&filling->insert_version,
		 "INSERT INTO versions (checksum, position, date, author, email, subject, state) "
		 "VALUES (?, ?, ?, ?, ?, ?, ?)"},
		{&filling->update_version,
		 "UPDATE versions SET position = ?, state = ? WHERE id = ?"},
		{&filling->find_machine, "SELECT id FROM machines WHERE document = ?"},
		{&filling->insert_machine, "INSERT INTO machines (name, document) VALUES (?, ?)"},
		{&filling->insert_profile,
		 "INSERT INTO profiles (version_id, machine_id, checksum, name, time, command, "
		 "workload, file, failed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"},
		{&filling->insert_measurement,
		 "INSERT INTO measurements (profile_id, strand_id, median, mean, minimum, maximum, "
		 "deviation, runs) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"},
		{&filling->insert_repeat,
		 "INSERT INTO repeats (measurement_id, number, value) VALUES (?, ?, ?)"},
		{&filling->delete_profiles, "DELETE FROM profiles WHERE version_id = ?"},
		{&filling->find_profile,
		 "SELECT count(*) FROM profiles WHERE version_id = ? AND "
		 "checksum = ? AND name = ? AND command = ? AND workload = ?"},
		{&filling->note_earlier,
		 "INSERT OR IGNORE INTO temp.earlier "
		 "SELECT checksum || ' ' || name FROM profiles WHERE version_id = ?"},
		{&filling->count_earlier,
		 "SELECT count(*) FROM profiles WHERE version_id = ? AND "
		 "checksum || ' ' || name IN (SELECT name FROM temp.earlier)"},
	};
	int status =
		database_run(filling->database,
			     "CREATE TEMP TABLE IF NOT EXISTS earlier (name TEXT PRIMARY KEY)");

	for (size_t i = 0; !status && i < sizeof all / sizeof *all; i++)
		status = database_prepare(filling->database, all[i].text, all[i].statement);
	return status;
}

static void finalize(struct filling *filling)
{
	sqlite3_stmt *const all[] = {
		filling->find_version,       filling->insert_version, filling->update_version,
		filling->find_machine,       filling->insert_machine, filling->insert_profile,
		filling->insert_measurement, filling->insert_repeat,  filling->delete_profiles,
		filling->find_profile,       filling->note_earlier,   filling->count_earlier};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		sqlite3_finalize(all[i]);
}

/* ---- values ----------------------------------------------------------------------------------- */

static int insert_repeats(struct filling *filling, const double *repeats, size_t count)
{
	sqlite3_stmt *row = filling->insert_repeat;
	int64_t measurement = sqlite3_last_insert_rowid(filling->database->handle);
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < count; i++) {
		sqlite3_bind_int64(row, 1, measurement);
		sqlite3_bind_int64(row, 2, (int64_t)i + 1);
		sqlite3_bind_double(row, 3, repeats[i]);
		status = database_step(filling->database, row);
	}
	return status;
}

static int insert_measurement(struct filling *filling, int64_t profile, int64_t strand,
			      double *repeats, size_t count)
{
	sqlite3_stmt *row = filling->insert_measurement;
	double low = INFINITY, high = -INFINITY, mean = 0, squares = 0;
	int status;

	for (size_t i = 0; i < count; i++) {
		low = fmin(low, repeats[i]);
		high = fmax(high, repeats[i]);
		mean += repeats[i] / (double)count;
	}
	for (size_t i = 0; i < count; i++)
		squares += (repeats[i] - mean) * (repeats[i] - mean);
	sqlite3_bind_int64(row, 1, profile);
	sqlite3_bind_int64(row, 2, strand);
	database_bind_number(row, 3, perun_median(repeats, count));
	database_bind_number(row, 4, mean);
	database_bind_number(row, 5, low);
	database_bind_number(row, 6, high);
	database_bind_number(row, 7, count > 1 ? sqrt(squares / (double)(count - 1)) : NAN);
	sqlite3_bind_int64(row, 8, (int64_t)count);
	status = database_step(filling->database, row);
	return status ? status : insert_repeats(filling, repeats, count);
}

static int add_value(struct filling *filling, int64_t profile, const struct perun_value *value)
{
	enum perun_direction kept = perun_directions_find(filling->directions, value->metric);
	const struct strand_names names = {.command = value->command,
					   .workload = value->workload,
					   .metric = value->metric,
					   .unit = value->unit,
					   .location = value->location,
					   .kind = value->kind,
					   .noise = value->noise,
					   .better = value->better ? value->better
						     : kept        ? kept
								   : value->likely,
					   .inclusive = value->inclusive};
	int64_t strand;
	double factor, *repeats;
	int status = strand_find(&filling->strands, &names, &strand, &factor);

	if (status)
		return status;
	repeats = perun_memdup(value->repeats, value->count * sizeof *repeats);
	for (size_t i = 0; i < value->count; i++)
		repeats[i] *= factor;
	status = insert_measurement(filling, profile, strand, repeats, value->count);
	perun_free(repeats);
	return status;
}

/* ---- profiles --------------------------------------------------------------------------------- */

/* The number of the machine of a profile; 0 = it says nothing of it. */
static int find_machine(struct filling *filling, const struct perun_measured_profile *profile,
			int64_t *id)
{
	int status;

	*id = 0;
	if (!*profile->machine_document)
		return PERUN_OK;
	database_bind_text(filling->find_machine, 1, profile->machine_document);
	status = database_find(filling->database, filling->find_machine, 0, id);
	if (status || *id)
		return status;
	database_bind_text(filling->insert_machine, 1, profile->machine);
	database_bind_text(filling->insert_machine, 2, profile->machine_document);
	status = database_step(filling->database, filling->insert_machine);
	*id = sqlite3_last_insert_rowid(filling->database->handle);
	return status;
}

static int add_profile(struct filling *filling, int64_t version,
		       const struct perun_measured_profile *profile)
{
	sqlite3_stmt *row = filling->insert_profile;
	const struct perun_value *value;
	int64_t machine, id;
	int status = find_machine(filling, profile, &machine);

	if (status)
		return status;
	sqlite3_bind_int64(row, 1, version);
	if (machine)
		sqlite3_bind_int64(row, 2, machine);
	else
		sqlite3_bind_null(row, 2);
	database_bind_text(row, 3, profile->checksum);
	database_bind_text(row, 4, profile->name);
	sqlite3_bind_int64(row, 5, profile->time);
	database_bind_text(row, 6, profile->command);
	database_bind_text(row, 7, profile->workload);
	database_bind_text(row, 8, profile->file);
	database_bind_text(row, 9, *profile->failed ? profile->failed : NULL);
	status = database_step(filling->database, row);
	id = sqlite3_last_insert_rowid(filling->database->handle);
	filling->database->added++;
	while (!status && !filling->database->no_values &&
	       (value = perun_reader_value(filling->reader))) {
		if (value->count && perun_value_has_history(value))
			status = add_value(filling, id, value);
	}
	return status;
}

/* The profiles of a version go, and are noted. */
static int drop_profiles(struct filling *filling, int64_t version, size_t *count)
{
	struct database *database = filling->database;
	int status;

	*count = 0;
	sqlite3_bind_int64(filling->note_earlier, 1, version);
	status = database_step(database, filling->note_earlier);
	sqlite3_bind_int64(filling->delete_profiles, 1, version);
	if (!status)
		status = database_step(database, filling->delete_profiles);
	if (!status)
		*count = (size_t)sqlite3_changes(database->handle);
	database->removed += *count;
	return status;
}

/* Those that were there before were neither added nor removed. */
static int count_earlier(struct filling *filling, int64_t version)
{
	struct database *database = filling->database;
	int64_t count = 0;
	int status;

	sqlite3_bind_int64(filling->count_earlier, 1, version);
	status = database_find(database, filling->count_earlier, 0, &count);
	database->again += (size_t)count;
	return status ? status : database_run(database, "DELETE FROM temp.earlier");
}

/* The profiles of version i of the line take the place of those that the database has of it. */
static int add_profiles(struct filling *filling, size_t i)
{
	struct database *database = filling->database;
	const struct perun_measured_profile *profile;
	size_t dropped;
	int status = drop_profiles(filling, filling->ids[i], &dropped);

	if (!status)
		status = perun_reader_version(database->ctx, filling->reader,
					      perun_version_line_checksums(filling->line)[i]);
	while (!status &&
	       !(status = perun_reader_profile(database->ctx, filling->reader, &profile)) &&
	       profile)
		status = add_profile(filling, filling->ids[i], profile);
	return status || !dropped ? status : count_earlier(filling, filling->ids[i]);
}

/* A new version may show that the names of older files are not an identity: see perun_reader_join_files(). */
static int compare_names(struct filling *filling, size_t i)
{
	struct database *database = filling->database;
	sqlite3_stmt *find = filling->find_profile;
	const struct perun_measured_profile *profile;
	int64_t found = 1;
	int status = perun_reader_version(database->ctx, filling->reader,
					  perun_version_line_checksums(filling->line)[i]);

	while (!status && found &&
	       !(status = perun_reader_profile(database->ctx, filling->reader, &profile)) &&
	       profile) {
		sqlite3_bind_int64(find, 1, filling->ids[i]);
		database_bind_text(find, 2, profile->checksum);
		database_bind_text(find, 3, profile->name);
		database_bind_text(find, 4, profile->command);
		database_bind_text(find, 5, profile->workload);
		status = database_find(database, find, 0, &found);
	}
	filling->stale[i] = !found;
	return status;
}

/* ---- versions --------------------------------------------------------------------------------- */

static int insert_version(struct filling *filling, size_t i)
{
	const struct perun_minor_version *version = perun_version_line_version(filling->line, i);
	char *subject = perun_version_subject(version);
	sqlite3_stmt *row = filling->insert_version;
	int status;

	database_bind_text(row, 1, version->checksum);
	sqlite3_bind_int64(row, 2, (int64_t)i + 1);
	sqlite3_bind_int64(row, 3, version->date);
	database_bind_text(row, 4, version->author);
	database_bind_text(row, 5, version->email);
	database_bind_text(row, 6, subject);
	sqlite3_bind_int64(row, 7, filling->states[i]);
	status = database_step(filling->database, row);
	filling->ids[i] = sqlite3_last_insert_rowid(filling->database->handle);
	filling->stale[i] = filling->states[i] != 0;
	filling->database->same = false;
	perun_free(subject);
	return status;
}

/* Note the number of version i, and whether its profiles are as they were. */
static int find_version(struct filling *filling, size_t i)
{
	const char *checksum = perun_version_line_checksums(filling->line)[i];
	struct database *database = filling->database;
	sqlite3_stmt *find = filling->find_version;
	bool moved;
	int code;

	filling->states[i] = (int64_t)perun_version_key(database->ctx, filling->store, checksum);
	database_bind_text(find, 1, checksum);
	code = sqlite3_step(find);
	if (code != SQLITE_ROW) {
		sqlite3_reset(find);
		return code == SQLITE_DONE ? insert_version(filling, i) : database_fail(database);
	}
	filling->ids[i] = sqlite3_column_int64(find, 0);
	filling->stale[i] = sqlite3_column_int64(find, 1) != filling->states[i];
	moved = sqlite3_column_int64(find, 2) != (int64_t)i + 1;
	sqlite3_reset(find);
	if (!moved && !filling->stale[i])
		return PERUN_OK;
	database->same = false;
	sqlite3_bind_int64(filling->update_version, 1, (int64_t)i + 1);
	sqlite3_bind_int64(filling->update_version, 2, filling->states[i]);
	sqlite3_bind_int64(filling->update_version, 3, filling->ids[i]);
	return database_step(database, filling->update_version);
}

/* Versions that are not of the line any more go, with all that they have. */
static int drop_versions(struct filling *filling, size_t count)
{
	struct database *database = filling->database;
	sqlite3_stmt *keep = NULL;
	int status = database_run(database,
				  "CREATE TEMP TABLE IF NOT EXISTS kept (id INTEGER PRIMARY KEY);"
				  "DELETE FROM temp.kept");

	if (!status)
		status = database_prepare(database, "INSERT INTO temp.kept VALUES (?)", &keep);
	for (size_t i = 0; !status && i < count; i++) {
		sqlite3_bind_int64(keep, 1, filling->ids[i]);
		status = database_step(database, keep);
	}
	sqlite3_finalize(keep);
	if (status)
		return status;
	status = database_run(database, "DELETE FROM profiles WHERE version_id NOT IN temp.kept");
	if (status)
		return status;
	database->removed += (size_t)sqlite3_changes(database->handle);
	status = database_run(database, "DELETE FROM versions WHERE id NOT IN temp.kept");
	database->same &= sqlite3_changes(database->handle) == 0;
	return status;
}

static int find_versions(struct filling *filling, size_t count)
{
	sqlite3_stmt *imported = NULL;
	int64_t found = 0;
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < count; i++)
		status = find_version(filling, i);
	if (!status)
		status = drop_versions(filling, count);
	if (!status)
		status = database_prepare(filling->database,
					  "SELECT EXISTS (SELECT 1 FROM profiles WHERE file <> '')",
					  &imported);
	if (!status)
		status = database_find(filling->database, imported, 0, &found);
	sqlite3_finalize(imported);
	filling->imported = found != 0 && !filling->database->same;
	return status;
}

/* What is read together: stale versions, and those whose names may have changed. */
static int read_versions(struct filling *filling, size_t first, size_t last)
{
	const char *const *checksums = perun_version_line_checksums(filling->line);
	const char *wanted[AT_ONCE];
	size_t count = 0;
	int status;

	for (size_t i = first; i < last; i++) {
		if (filling->stale[i] || (filling->imported && filling->states[i]))
			wanted[count++] = checksums[i];
	}
	if (!count)
		return PERUN_OK;
	status = perun_reader_prefetch(filling->database->ctx, filling->reader, wanted, count);
	for (size_t i = first; !status && i < last; i++) {
		if (!filling->stale[i] && filling->imported && filling->states[i])
			status = compare_names(filling, i);
		if (!status && filling->stale[i])
			status = add_profiles(filling, i);
	}
	return status;
}

static int fill(struct filling *filling, size_t count)
{
	struct perun_ctx *ctx = filling->database->ctx;
	int status = find_versions(filling, count);

	if (!status && !filling->database->same)
		status = perun_reader_join_files(
			ctx, filling->reader, perun_version_line_checksums(filling->line), count);
	for (size_t i = 0; !status && !filling->database->same && i < count; i += AT_ONCE) {
		perun_progress(ctx, "reading", i, count);
		status = perun_cancelled(ctx)
				 ? PERUN_CANCELLED
				 : read_versions(filling, i,
						 i + AT_ONCE < count ? i + AT_ONCE : count);
	}
	perun_progress(ctx, "reading", count, count);
	/* What nothing refers to any more. */
	if (!status && filling->database->removed)
		status = database_run(
			filling->database,
			"DELETE FROM machines WHERE id NOT IN "
			"(SELECT machine_id FROM profiles WHERE machine_id IS NOT NULL)");
	return status;
}

int database_fill(struct database *database, struct perun_store *store, const char *range)
{
	const struct perun_reader_options how = {
		.struct_size = sizeof how, .functions = true, .totals = true, .inclusive = true};
	struct filling filling = {.database = database, .store = store};
	size_t count;
	int status = perun_version_line_load(database->ctx, store, range, &filling.line);

	database->same = true;
	if (status)
		return status;
	count = perun_version_line_count(filling.line);
	filling.ids = perun_alloc_zero(count + 1, sizeof *filling.ids);
	filling.states = perun_alloc_zero(count + 1, sizeof *filling.states);
	filling.stale = perun_alloc_zero(count + 1, sizeof *filling.stale);
	status = perun_store_document(database->ctx, store, PERUN_DIRECTIONS, &filling.directions);
	if (!status)
		status = perun_reader_open(database->ctx, store, &how, &filling.reader);
	if (!status)
		status = strand_finder_open(database, &filling.strands);
	if (!status)
		status = prepare(&filling);
	if (!status)
		status = fill(&filling, count);
	finalize(&filling);
	strand_finder_close(&filling.strands);
	perun_reader_close(filling.reader);
	perun_json_free(filling.directions);
	perun_version_line_free(filling.line);
	perun_free(filling.ids);
	perun_free(filling.states);
	perun_free(filling.stale);
	return status;
}

#endif
