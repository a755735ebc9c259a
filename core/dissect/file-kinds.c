/* SPDX-License-Identifier: BSD-3-Clause */
/* What a file of a project is for, as far as its name says. */
#include <config.h>

#include <string.h>

#include <perun/context.h>
#include <perun/lib/path.h>

#include "core/dissect/file-kinds.h"

/* Whether a list, with a blank around each word, has a word. */
static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; length && (at = strstr(at, word)); at++) {
		if (at > list && at[-1] == ' ' && at[length] == ' ')
			return true;
	}
	return false;
}

static bool has_ending(const char *path, const char *endings)
{
	const char *dot = strrchr(perun_path_base_name(path), '.');

	return dot && has_word(endings, dot + 1);
}

bool file_is_source(const char *path)
{
	return has_ending(path,
			  " c cc cpp cxx c++ C m mm go rs f f90 F s S asm zig d java kt swift "
			  "ml hs ");
}

bool file_is_header(const char *path)
{
	return has_ending(path, " h hh hpp hxx h++ H inl inc ipp tcc def ");
}

bool file_is_text(const char *path)
{
	return has_ending(path, " md rst adoc html 1 2 3 4 5 6 7 8 mdoc svg png po pot ");
}

bool file_is_test(const char *path)
{
	size_t length = strlen(path);

	return length > 8 && strcmp(path + length - 8, "_test.go") == 0;
}

bool file_is_build(const char *path)
{
	return has_word(" Makefile GNUmakefile makefile CMakeLists.txt meson.build "
			"meson_options.txt "
			"configure BUILD go.mod go.sum Cargo.toml Cargo.lock build.zig Kconfig "
			".gitignore .gitattributes ",
			perun_path_base_name(path)) ||
	       has_ending(path, " mk am ac m4 cmake in ninja gn gni bazel bzl ");
}

bool file_is_by_product(const char *path)
{
	return file_is_source(path) || file_is_header(path) || file_is_build(path) ||
	       has_ending(path, " o d a lo la lai Plo Po Tpo gch pch dwo log obj tmp i make "
				"ninja_log ninja_deps rmeta rlib ");
}
