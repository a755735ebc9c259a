if PLUGIN_COMMAND_MODEL
plugins += commands/model/perun-command-model.la
commands_model_perun_command_model_la_SOURCES = \
	commands/model/compare.c \
	commands/model/cost.c \
	commands/model/doubt.c \
	commands/model/format.c \
	commands/model/input.c \
	commands/model/json.c \
	commands/model/model.c \
	commands/model/model.h \
	commands/model/table.c \
	commands/model/text.c \
	commands/model/tree.c
commands_model_perun_command_model_la_CFLAGS = $(plugin_cflags)
commands_model_perun_command_model_la_LDFLAGS = $(plugin_ldflags)
commands_model_perun_command_model_la_LIBADD = $(view_libs) commands/common/libcommands.la
generated_mans += commands/model/perun-model.1
endif
EXTRA_DIST += commands/model/perun-model.mdoc
