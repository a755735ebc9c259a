/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the program remembers what it made for the user: nobody else writes there. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perun/lib/path.h>

/* mkdir -p, for the user alone. */
static bool make_directories(char *path)
{
	for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
		if (slash)
			*slash = '\0';
		if (mkdir(path, 0700) != 0 && errno != EEXIST)
			return false;
		if (!slash)
			return true;
		*slash = '/';
	}
}

char *perun_state_directory(const char *name)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	struct stat info;
	char *path;

	if (state && *state == '/')
		path = perun_format("%s/perun/%s", state, name);
	else if (home && *home == '/')
		path = perun_format("%s/.local/state/perun/%s", home, name);
	else
		return NULL;
	/* Of another user, whose home it is: sudo. */
	if (make_directories(path) && lstat(path, &info) == 0 && S_ISDIR(info.st_mode) &&
	    info.st_uid == geteuid() && !(info.st_mode & (S_IWGRP | S_IWOTH)))
		return path;
	perun_free(path);
	return NULL;
}
