# Two versions, strand by strand.
core_sources += \
	core/compare/compare.c \
	core/compare/compare.h \
	core/compare/functions.c \
	core/compare/sampled.c \
	core/compare/strands.c \
	core/compare/timed.c
