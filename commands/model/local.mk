commands_model_libs = $(view_libs) commands/common/libcommands.la
