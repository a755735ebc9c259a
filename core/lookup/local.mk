# What names a version, a range, a profile.
core_sources += \
	core/lookup/directory-names.c \
	core/lookup/directory-names.h \
	core/lookup/lookup.h \
	core/lookup/matching-files.c \
	core/lookup/matching-files.h \
	core/lookup/paths.c \
	core/lookup/places.c \
	core/lookup/profile.c \
	core/lookup/roots.c \
	core/lookup/tag.c \
	core/lookup/version.c
