core_sources += \
	core/json/capture.c \
	core/json/document.c \
	core/json/document.h \
	core/json/exact-number.c \
	core/json/number.h \
	core/json/object.c \
	core/json/parse-number.c \
	core/json/powers.c \
	core/json/print-number.c \
	core/json/quote.c \
	core/json/read-document.c \
	core/json/reader.c \
	core/json/reader.h \
	core/json/string.c \
	core/json/token.c \
	core/json/utf8.h \
	core/json/writer.c

EXTRA_DIST += core/json/powers.py
