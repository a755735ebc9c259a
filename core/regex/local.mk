# Regular expressions.
core_sources += \
	core/regex/re2.c \
	core/regex/regex.c \
	core/regex/regex.h
