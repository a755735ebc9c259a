# What commands share, those of cli/ as well: a library that is a part of each of them.
noinst_LTLIBRARIES += commands/common/libcommands.la
commands_common_libcommands_la_SOURCES = $(commands_common_files)
commands_common_libcommands_la_CFLAGS = $(plugin_cflags)
command_libs = commands/common/libcommands.la $(plugin_libs)
