# The values of all versions, and what is said of them.
core_sources += \
	core/history/acknowledgements.c \
	core/history/announcements.c \
	core/history/cache.c \
	core/history/cache.h \
	core/history/candidate-paths.c \
	core/history/candidates.c \
	core/history/cases.c \
	core/history/cases.h \
	core/history/deviations.c \
	core/history/directions.c \
	core/history/earlier.c \
	core/history/import-names.c \
	core/history/history.c \
	core/history/history.h \
	core/history/line.c \
	core/history/metric-names.c \
	core/history/noise.c \
	core/history/normalize.c \
	core/history/profile-values.c \
	core/history/reader.c \
	core/history/relevance.c \
	core/history/strands.c \
	core/history/strands-profile.c \
	core/history/value-file.c \
	core/history/value-walk.c \
	core/history/values-bytes.c \
	core/history/values-of-stacks.c \
	core/history/values.c \
	core/history/values.h
