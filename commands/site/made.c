/* SPDX-License-Identifier: BSD-3-Clause */
/* What a site is made of: while that is the same, nothing is read and no history is searched. */
#include <config.h>

#include <dlfcn.h>
#include <string.h>

#include <perun/json.h>
#include <perun/lib/settings.h>

#include "site.h"

static uint64_t add_number(uint64_t hash, uint64_t number)
{
	return site_hash(hash, &number, sizeof number);
}

/* The file that holds an address of code: while people work on Perun, versions do not change. */
static bool add_code(uint64_t *hash, const void *address)
{
	Dl_info code;
	struct stat info;

	if (!dladdr(address, &code) || !code.dli_fname || stat(code.dli_fname, &info) != 0)
		return false;
	*hash = add_number(*hash, (uint64_t)info.st_size);
	*hash = add_number(*hash, (uint64_t)info.st_ino);
	*hash = add_number(*hash, (uint64_t)info.st_mtim.tv_sec);
	*hash = add_number(*hash, (uint64_t)info.st_mtim.tv_nsec);
	return true;
}

static bool add_settings(uint64_t *hash, const struct site *site)
{
	const struct perun_setting *setting;
	struct perun_buffer text = {0};
	int status = PERUN_OK;

	for (size_t i = 0; !status && (setting = perun_setting_at(i)); i++) {
		struct perun_json *value = NULL;

		status = perun_config_inspect(site->ctx, site->store, PERUN_CONFIG_NEAREST,
					      setting->key, &value);
		if (!value)
			continue;
		perun_buffer_clear(&text);
		perun_json_print(value, &text, PERUN_JSON_COMPACT, 0);
		*hash = site_hash(site_hash_text(*hash, setting->key), text.data, text.length);
		perun_json_free(value);
	}
	perun_buffer_free(&text);
	return !status;
}

/* What people said: of changes, and of which values are better. */
static bool add_documents(uint64_t *hash, const struct site *site)
{
	static const char *const names[] = {PERUN_ACKNOWLEDGED, PERUN_DIRECTIONS};
	struct perun_buffer text = {0};
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < sizeof names / sizeof *names; i++) {
		char *name = perun_format("%s.json", names[i]);

		status = site_read_file(site->ctx, perun_store_path(site->store), name, &text);
		*hash = site_hash(*hash, text.data, text.length);
		perun_free(name);
	}
	perun_buffer_free(&text);
	return !status;
}

uint64_t site_made_of(const struct site *site)
{
	uint64_t hash = site_stamp(site);

	/* Views are drawn by plugins, each of which may be another one now. */
	if (site->full || !add_code(&hash, perun_version()) || !add_code(&hash, site_made_of) ||
	    !add_settings(&hash, site) || !add_documents(&hash, site)) {
		perun_ctx_clear(site->ctx);
		return 0;
	}
	hash = add_number(hash, (uint64_t)site->user_better);
	hash = site_hash(hash, &site->threshold, sizeof site->threshold);
	hash = site_hash_text(hash, site->branch);
	hash = add_number(hash, site->line);
	for (size_t i = 0; i < site->count; i++) {
		const struct site_version *version = &site->versions[i];

		hash = site_hash_text(hash, version->info->checksum);
		hash = add_number(hash, version->key);
		hash = add_number(hash, version->checks);
	}
	return hash | 1;
}
