core_sources += \
	core/format/ahead.c \
	core/format/ahead.h \
	core/format/described.h \
	core/format/descriptor.h \
	core/format/directory.c \
	core/format/guess.c \
	core/format/inflate.c \
	core/format/inflate.h \
	core/format/input.c \
	core/format/input.h \
	core/format/lines.c \
	core/format/local-path.c \
	core/format/nearest.c \
	core/format/nearest.h \
	core/format/output.c \
	core/format/output.h \
	core/format/output-directory.c \
	core/format/profile-file.c \
	core/format/session.c \
	core/format/session.h \
	core/format/source.c \
	core/format/unzstd.c
