core_sources += \
	core/profile/append.c \
	core/profile/builder.c \
	core/profile/cells.c \
	core/profile/cells.h \
	core/profile/column-builder.c \
	core/profile/direction.c \
	core/profile/document.c \
	core/profile/edit.c \
	core/profile/flatten.c \
	core/profile/flatten.h \
	core/profile/metric-rows.c \
	core/profile/metrics.c \
	core/profile/model.h \
	core/profile/models.c \
	core/profile/narrow.c \
	core/profile/pool.c \
	core/profile/pool.h \
	core/profile/pools.c \
	core/profile/print.c \
	core/profile/profile.c \
	core/profile/units.c \
	core/profile/validate.c
