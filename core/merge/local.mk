# Profiles with stacks into one.
core_sources += \
	core/merge/apart.c \
	core/merge/header.c \
	core/merge/labels.c \
	core/merge/merge.h \
	core/merge/merger.c \
	core/merge/places.c \
	core/merge/plan.c \
	core/merge/result.c \
	core/merge/rows.c \
	core/merge/types.c \
	core/merge/units.c
