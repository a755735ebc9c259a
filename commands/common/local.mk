# What commands share, those of cli/ as well: a library that is a part of each of them.
noinst_LTLIBRARIES += commands/common/libcommands.la
commands_common_libcommands_la_SOURCES = \
	commands/common/builds.c \
	commands/common/builds.h \
	commands/common/change-line.c \
	commands/common/change-line.h \
	commands/common/columns.c \
	commands/common/columns.h \
	commands/common/commits.c \
	commands/common/commits.h \
	commands/common/edit.c \
	commands/common/edit.h \
	commands/common/failure.c \
	commands/common/failure.h \
	commands/common/history.c \
	commands/common/history.h \
	commands/common/interleave-options.c \
	commands/common/interleave-options.h \
	commands/common/interleave-print.c \
	commands/common/interleave-print.h \
	commands/common/lookup.c \
	commands/common/lookup.h \
	commands/common/output.c \
	commands/common/output.h \
	commands/common/profiles.c \
	commands/common/profiles.h \
	commands/common/safe-lines.c \
	commands/common/safe-lines.h
commands_common_libcommands_la_CFLAGS = $(plugin_cflags)
command_libs = commands/common/libcommands.la $(plugin_libs)
