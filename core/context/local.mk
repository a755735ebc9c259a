core_sources += \
	core/context/buffer.c \
	core/context/context.h \
	core/context/structs.h \
	core/context/error.c \
	core/context/hash.c \
	core/context/hash.h \
	core/context/leftovers.c \
	core/context/memory.c \
	core/context/numbers.c \
	core/context/parallel.c \
	core/context/printable.c \
	core/context/version.c
