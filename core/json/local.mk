# core_sources += \
#	core/json/....c
