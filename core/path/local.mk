# Files that are opened, made and removed without following links.
core_sources += \
	core/path/beneath.c \
	core/path/path.c \
	core/path/project.c \
	core/path/state.c \
	core/path/tree.c \
	core/path/write.c \
	core/path/write.h
