# What pages of HTML have in common.
core_sources += core/page/policy.c
