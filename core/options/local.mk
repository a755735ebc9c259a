core_sources += \
	core/options/complete.c \
	core/options/document.c \
	core/options/help.c \
	core/options/options.c \
	core/options/parse.c \
	core/options/suggest.c \
	core/options/table.c \
	core/options/table.h \
	core/options/value.c \
	core/options/value.h
