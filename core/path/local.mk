# Files that are opened, made and removed without following links.
core_sources += \
	core/path/beneath.c \
	core/path/beneath.h \
	core/path/path.c \
	core/path/path.h \
	core/path/project.c \
	core/path/state.c \
	core/path/tree.c
