/* SPDX-License-Identifier: BSD-3-Clause */
/* Whose store it is: nothing of another user's is read unless the user listed it. */
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/json.h>
#include <perun/lib/advice.h>

#include "core/store/owner.h"
#include "core/store/store.h"

#define SAFE_KEY "safe.store"

static bool is_ours(uid_t owner)
{
	const char *sudo = getenv("SUDO_UID");
	char *end;
	unsigned long caller;

	if (owner == geteuid())
		return true;
	if (geteuid() != 0 || !sudo || !*sudo)
		return false;
	errno = 0;
	caller = strtoul(sudo, &end, 10);
	return *end == '\0' && errno == 0 && caller == owner;
}

bool perun_owner_shared(const char *directory)
{
	struct stat info;

	return stat(directory, &info) != 0 || (info.st_mode & S_IWOTH);
}

/* ---- safe.store ------------------------------------------------------------------------------ */

/* An entry is "*", the directory that holds the store, or the store. */
static bool names(const struct perun_json *entry, const char *root)
{
	const char *text = perun_json_as_string(entry, NULL);
	char *real, *slash;
	bool same;

	if (!text)
		return false;
	if (strcmp(text, "*") == 0)
		return true;
	real = text[0] == '/' ? realpath(text, NULL) : NULL;
	slash = real ? strrchr(real, '/') : NULL;
	if (slash && strcmp(slash, "/" PERUN_STORE_NAME) == 0)
		slash[slash == real] = '\0';
	same = real && strcmp(real, root) == 0;
	free(real);
	return same;
}

bool perun_owner_listed(const char *root)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_json *list = NULL;
	bool listed = false;

	if (perun_config_document(quiet, NULL, PERUN_CONFIG_SHARED, SAFE_KEY, &list))
		list = NULL;
	listed = names(list, root);
	for (size_t i = 0; !listed && i < perun_json_count(list); i++)
		listed = names(perun_json_at(list, i), root);
	perun_json_free(list);
	perun_ctx_free(quiet);
	return listed;
}

/* ---- the check ------------------------------------------------------------------------------- */

int perun_owner_check(struct perun_ctx *ctx, const char *root, const char *path, int fd)
{
	const struct passwd *user;
	const char *advice;
	struct stat info;
	int status;
	char *name;

	if (fstat(fd, &info) != 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot open %s", path);
	if (is_ours(info.st_uid) || perun_owner_listed(root))
		return PERUN_OK;
	user = getpwuid(info.st_uid);
	name = user ? perun_strdup(user->pw_name)
		    : perun_format("the user with the number %lu", (unsigned long)info.st_uid);
	advice = perun_advice(PERUN_ADVICE_TRUST_OWNER);
	status = perun_fail(ctx, PERUN_INPUT, "%s belongs to %s and is not used%s%s", path, name,
			    advice, *advice ? root : "");
	perun_free(name);
	return status;
}
