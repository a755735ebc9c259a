/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the program remembers what it made for the user: nobody else writes there. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perun/lib/path.h>

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
	if (perun_path_ensure_directories(path, 0700) == 0 && lstat(path, &info) == 0 &&
	    S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
	    !(info.st_mode & (S_IWGRP | S_IWOTH)))
		return path;
	perun_free(path);
	return NULL;
}
