core_sources += core/hash/hash.c core/hash/hash.h core/hash/sha-ni.c
