# core_sources += \
#	core/profile/....c
