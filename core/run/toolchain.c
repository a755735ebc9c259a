/* SPDX-License-Identifier: BSD-3-Clause */
/* What a version is built with, beside its commands: another compiler, or other flags, make another build. */
#include <config.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/lib/hash.h>
#include <perun/lib/path.h>

#include "core/run/toolchain.h"

static uint64_t add_text(uint64_t hash, const char *text)
{
	return perun_fnv1a(text, strlen(text) + 1, hash);
}

/* One that has others do the work is the same whichever these are. */
static bool is_wrapper(const char *path)
{
	static const char *const names[] = {"ccache", "sccache", "distcc"};
	char *real = realpath(path, NULL);
	bool is = false;

	for (size_t i = 0; real && i < sizeof names / sizeof *names; i++)
		is |= strcmp(perun_path_base_name(real), names[i]) == 0;
	free(real);
	return is;
}

/* The size and time of a program, which an update changes; whether the file is one. */
static bool add_file(const char *path, uint64_t *hash)
{
	struct stat facts;

	if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode) || access(path, X_OK) != 0 ||
	    is_wrapper(path))
		return false;
	*hash = perun_fnv1a(&facts.st_size, sizeof facts.st_size, *hash);
	*hash = perun_fnv1a(&facts.st_mtim.tv_sec, sizeof facts.st_mtim.tv_sec, *hash);
	return true;
}

/* The first program of a name on the PATH, unless the name is a path. */
static uint64_t add_program(uint64_t hash, const char *name, size_t length)
{
	const char *path = memchr(name, '/', length) ? "" : getenv("PATH"), *end;
	char *file = perun_strndup(name, length);
	bool found = path && !*path && add_file(file, &hash);

	for (; path && *path && !found; path = *end ? end + 1 : end) {
		perun_free(file);
		end = strchrnul(path, ':');
		file = perun_format("%.*s/%.*s", (int)(end - path), path, (int)length, name);
		found = add_file(file, &hash);
	}
	perun_free(file);
	return found ? perun_fnv1a(name, length, hash) : hash;
}

uint64_t perun_toolchain_hash(void)
{
	static const char *const variables[] = {"CC",
						"CXX",
						"CPP",
						"FC",
						"AS",
						"LD",
						"AR",
						"CFLAGS",
						"CXXFLAGS",
						"CPPFLAGS",
						"FFLAGS",
						"FCFLAGS",
						"ASFLAGS",
						"LDFLAGS",
						"LDLIBS",
						"LIBS",
						"GOFLAGS",
						"RUSTFLAGS",
						"CMAKE_BUILD_TYPE"};
	static const char *const programs[] = {"cc",      "c++",      "gcc",   "g++", "clang",
					       "clang++", "gfortran", "rustc", "go",  "javac"};
	uint64_t hash = PERUN_FNV1A;

	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const char *value = getenv(variables[i]);

		if (!value)
			continue;
		hash = add_text(add_text(hash, variables[i]), value);
		/* CC=gcc-12: a program that is not among the usual ones. */
		if (strlen(variables[i]) <= 3)
			hash = add_program(hash, value, strcspn(value, " \t"));
	}
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
		hash = add_program(hash, programs[i], strlen(programs[i]));
	return hash;
}
