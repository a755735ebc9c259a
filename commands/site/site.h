/* SPDX-License-Identifier: BSD-3-Clause */
/* The site of a store: what is read, what is found in it, and how it becomes files. */
#ifndef PERUN_COMMANDS_SITE_H
#define PERUN_COMMANDS_SITE_H

#include <sys/stat.h>

#include <perun/command.h>
#include <perun/lib/history.h>
#include <perun/lib/lookup.h>

/* Versions of a file of data: a page loads only the files it shows. */
#define SITE_BLOCK 512
/* Where the site keeps what it needs to write only what changed, below its directory. */
#define SITE_STATE ".perun-site"
/* Raised when pages or data of the same content are written in another way: then all is written again. */
#define SITE_FORM 6

/* ---- what was measured ----------------------------------------------------------------------- */

/* A metric of a place of a command with a workload: what has a history. */
struct site_strand {
	char *cmd, *workload, *metric, *unit; /* with arguments, with the case of a sweep */
	char *machine;                        /* its class; "" = not known */
	char *location;                       /* uid; "" = all together */
	enum perun_direction better;          /* as the first profile with it says */
	enum perun_direction likely;          /* as its unit or name says */
	enum perun_noise noise;               /* likewise */
	double sample;
	bool higher;     /* is better, once directions are known */
	bool undirected; /* nothing says which values are better */
	uint64_t hash;   /* of the texts without the unit: the name of its file */
	uint64_t key;    /* of the same, in tables */
	uint32_t page;   /* the page that shows it */
	double largest;  /* of all its medians, without sign */
	bool shown;
	const struct perun_strand
		*history; /* what all commands judge by; NULL = it is not judged */
};

/* What was measured of a version, by strand in ascending order. */
struct site_values {
	uint32_t *strands;
	uint32_t *starts; /* count + 1 places in repeats */
	double *repeats;
	double *medians;
	uint32_t *profiles; /* of each repeat: a number of the profile; NULL = none is sampled */
	size_t count;
};

struct site_version {
	struct perun_minor_version *info;
	uint64_t key;    /* of the index as it lies on the disk; 0 = no profiles */
	uint64_t checks; /* the same of what checks found in it */
	bool on_line;    /* one of the first parents of the head: a point of each history */
	struct site_values values;
};

/* A command with a workload and a metric: its strands, all together first. */
struct site_page {
	uint32_t *strands;
	size_t count, capacity;
	size_t hidden; /* places that are too small to be shown */
	uint64_t hash; /* of its strand without a location, also when there is none */
	uint64_t key;  /* of the same, in tables */
};

struct site_found; /* of a strand, see below */

struct site {
	struct perun_ctx *ctx;
	struct perun_store *store;
	const char *directory;
	enum perun_direction user_better; /* by --better: where profiles do not say */
	double threshold; /* least difference that counts at the latest version, a share */
	size_t places;    /* shown of each page */
	bool full;        /* write views of all profiles, too */
	bool has_lines;   /* perun bisect --lines found some */
	char **views;     /* that draw pages; without `full` none */
	size_t view_count;
	const char *link;              /* an address of commits with %s, or NULL */
	struct site_version *versions; /* of the line, oldest first, then others */
	size_t count, capacity, line;
	struct site_strand *strands;
	size_t strand_count, strand_capacity;
	uint32_t *table; /* strands by hash */
	size_t table_size;
	struct site_page *pages;
	size_t page_count, page_capacity;
	struct site_found *found; /* of each strand */
	bool several_machines;    /* more than one class: pages name theirs */
	bool damaged;             /* a profile could not be read, which is to be said each time */
	struct perun_acknowledgements *known;
	struct perun_history *history; /* of the line, with its changes */
	/* The line, and what its commits announce; the history's as soon as that is there. */
	struct perun_version_line *parents;
	char *branch, *name; /* of the head, of the project */
	struct site_files *files;
};

/* ---- hashes (hash.c) -------------------------------------------------------------------- */

uint64_t site_hash(uint64_t hash, const void *data, size_t size);
uint64_t site_hash_text(uint64_t hash, const char *text); /* with its end */

/* ---- strands (strands.c) --------------------------------------------------------------------- */

/* The strand of these texts, made when it is new. */
uint32_t site_strand(struct site *site, const struct site_strand *like);
/* Whether a strand is that of these texts. */
bool site_is_strand(const struct site *site, uint32_t number, const struct site_strand *like);
/* Put strands on pages and choose which are shown. */
void site_make_pages(struct site *site);
/* Divide out what sampled profiles have in common; `profiles`: how many were read. */
void site_normalize(struct site *site, size_t profiles);
/* The place of a strand among the values of a version, SIZE_MAX = not measured. `*hint`: begin with 0. */
size_t site_find(const struct site_values *values, uint32_t strand, size_t *hint);
void site_values_free(struct site_values *values);

/* ---- reading the store (read.c, line.c) ------------------------------------------------------ */

/* The versions of the line and those of others that have profiles. */
int site_load_versions(struct site *site);
/* Read the profiles of all versions, those of the line together with their history. */
int site_read_versions(struct site *site);

/* ---- what a site is made of (made.c) --------------------------------------------------------- */

/*
 * A key of all that its files are made of, once its versions are loaded: where it is as it was, they are. 0 = not
 * known, so that everything is to be looked at.
 */
uint64_t site_made_of(const struct site *site);

/* ---- the history (history.c) ----------------------------------------------------------------- */

/* Find the changes as all commands do, and the strands that they are of. */
int site_find_history(struct site *site);

/* ---- what is found (find.c) ------------------------------------------------------------------ */

/* The values of a strand at each version of the line. */
struct site_series {
	double *values, *repeats;
	size_t *starts; /* count + 1 places in repeats */
	size_t count, repeat_count, repeat_capacity;
	enum perun_noise noise;
	double sample;
};
/* The same for functions that want a strand. */
struct perun_strand site_view(const struct site_series *series);

struct site_found {
	struct perun_segmentation changes;
	char **known;              /* for each change: why it is no news, or NULL */
	struct site_series series; /* without repeats once it is written */
	bool *blocks;              /* which of its files of data there are */
	struct perun_latest latest;
};
/* Whether the history has a change at the latest measured version. */
bool site_changed_last(const struct site_found *found);
/* Which values are better: what profiles say, else what the user said, now or before. */
/* Whether higher values are better, in JSON: null = nobody says it. */
const char *site_higher(const struct site_strand *strand);
int site_find_directions(struct site *site);
/* Look at all strands that are shown, and write their histories. */
int site_find_all(struct site *site);
void site_found_free(struct site_found *found);
/* The first of the versions that may be a change: after the last one that was measured before it. */
size_t site_first_candidate(const struct site_found *found, size_t index);
/* The version of the change after which the level is back where it was before change k, by more than half; NULL = it never was. */
const char *site_taken_back(const struct site *site, const struct site_found *found, size_t k);
/* Print all changes as JSON. */
void site_print_facts(const struct site *site, const struct perun_command_call *call);
/* Confidence times effect, what open changes are sorted by. */
double site_weight(const struct perun_change_point *point);

/* ---- what others say (said.c) ---------------------------------------------------------------- */

/* A change of a strand. */
struct site_place {
	uint32_t strand, change;
	double weight;
	bool said; /* user and system time, and rates, where the real time of the same says it */
};
/* Set `said` of all changes of the site. */
void site_find_said(const struct site *site, struct site_place *places, size_t count);

/* ---- files (files.c) ------------------------------------------------------------------------- */

struct site_files;
/* Make the directory and read what was written before, unless the stamp is another one. */
int site_files_open(struct perun_ctx *ctx, const char *directory, uint64_t stamp,
		    struct site_files **files);
void site_files_free(struct site_files *files);
/* Whether a file was made of the same; if so it stays. May be asked by many threads. */
bool site_is_current(struct site_files *files, const char *path, uint64_t key);
/*
 * A file as a run before this one wrote it, and the key that it was written with; 0 = it is not that any more, or that
 * run wrote files in another way. May be asked by many threads.
 */
uint64_t site_read_back(struct site_files *files, const char *path, struct perun_buffer *text);
/* Write a file, unless it has the same bytes. `key`: what site_is_current() is asked, 0 = the bytes'. */
int site_write(struct perun_ctx *ctx, struct site_files *files, const char *path, uint64_t key,
	       const void *data, size_t size);
/* The same for things that are known to be no file. */
bool site_is_noted(struct site_files *files, const char *path, uint64_t key);
void site_note(struct site_files *files, const char *path, uint64_t key);
/* Remove what belongs to the site no more, and remember what was written. */
int site_files_close(struct perun_ctx *ctx, struct site_files *files);
/* A key of the paths and contents of the files that are kept, else of those that were listed. */
uint64_t site_files_digest(const struct site_files *files, bool kept);
/* Keep all files as they are, unless one is gone. */
bool site_files_keep(struct site_files *files);
/* How many there are whose paths begin so. */
size_t site_files_below(const struct site_files *files, const char *beginning);
size_t site_files_written(const struct site_files *files);
size_t site_files_count(const struct site_files *files);
/* A whole file; `*data` is the caller's, NULL when it is not there. */
int site_read_file(struct perun_ctx *ctx, const char *directory, const char *path,
		   struct perun_buffer *data);

/* ---- data and pages (text.c, data.c, page.c, catalog.c) -------------------------------------- */

/* A text in quotation marks, safe in JSON, scripts and markup. */
void site_add_text(struct perun_buffer *out, const char *text);
/* Why change k is not open: somebody said so, or a later one took it back; else null. */
void site_add_known(struct perun_buffer *out, const struct site *site,
		    const struct site_found *found, size_t k);
/* A number, or null. */
void site_add_number(struct perun_buffer *out, double value);
/* A text in markup. */
void site_add_markup(struct perun_buffer *out, const char *text);
/* "page/0123456789abcdef" ... of a hash. */
void site_name(char name[17], uint64_t hash);
/* The beginning of an object that says which metric of which command it is. */
void site_add_metric(struct perun_buffer *out, const struct site *site,
		     const struct site_strand *strand, uint64_t hash);
/* The list of a history's files of data. */
void site_add_blocks(struct perun_buffer *out, const struct site *site,
		     const struct site_found *found);
/* Its workload, with the class of machine where the site has several. The caller frees it. */
char *site_workload(const struct site *site, const struct site_strand *strand);

int site_write_assets(struct site *site);
/* data/STRAND/BLOCK.js: the history of a strand. */
int site_write_history(struct perun_ctx *ctx, struct site *site, size_t strand);
/* data/versions-N.js. */
int site_write_versions(struct site *site);
/* data/catalog.js, data/changes.js. */
int site_write_catalog(struct site *site);
/* data/places.js. */
int site_write_places(struct site *site);
/* index.html, metric/, version/. */
int site_write_pages(struct site *site);
/* version/CHECKSUM.html. */
int site_write_version_pages(struct site *site);
/* The key of all assets and options. */
uint64_t site_stamp(const struct site *site);

/* ---- serving (serve.c) ----------------------------------------------------------------------- */

/* What is served, and how it is kept up to date. All borrowed. */
struct site_service {
	const char *directory;
	struct perun_store *store;
	struct perun_output *output; /* where the address is printed */
	unsigned port;
	/* Write the site again; called when the store changed, with a new handle on it, on any thread but on one at a time. */
	int (*make)(struct perun_ctx *ctx, struct perun_store *store, void *data);
	void *data;
};
/* Serve on the loopback address until interrupted. */
int site_serve(struct perun_ctx *ctx, const struct site_service *service);

#endif
