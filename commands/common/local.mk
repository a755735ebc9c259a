# What commands share, those of cli/ as well: a library that is a part of each of them.
noinst_LTLIBRARIES += commands/common/libcommands.la
commands_common_libcommands_la_SOURCES = $(commands_common_files)
commands_common_libcommands_la_CFLAGS = $(plugin_cflags)
command_libs = commands/common/libcommands.la $(plugin_libs)

# What serves pages, for the commands that do: the only user of libmicrohttpd.
noinst_LTLIBRARIES += commands/common/libserver.la
commands_common_libserver_la_SOURCES = $(commands_common_server_files)
commands_common_libserver_la_CFLAGS = $(plugin_cflags) $(MICROHTTPD_CFLAGS)
server_libs = commands/common/libserver.la views/common/libviews.la $(command_libs) $(MICROHTTPD_LIBS)

# Machine code and the programs that print it: nm and objdump.
noinst_LTLIBRARIES += commands/common/libcode.la
commands_common_libcode_la_SOURCES = $(commands_common_code_files)
commands_common_libcode_la_CFLAGS = $(plugin_cflags)
