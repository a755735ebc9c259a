# The store: .perun and what is in it.
core_sources += \
	core/store/add.c \
	core/store/changes.c core/store/changes.h \
	core/store/document.c \
	core/store/entries.c \
	core/store/facts.c \
	core/store/fans.c \
	core/store/fans.h \
	core/store/file.c \
	core/store/find.c \
	core/store/fsck.c \
	core/store/gc.c \
	core/store/index.c \
	core/store/index-file.c \
	core/store/load.c \
	core/store/lock.c \
	core/store/names.c \
	core/store/object.c \
	core/store/owner.c \
	core/store/owner.h \
	core/store/pack.c \
	core/store/pack.h \
	core/store/pending.c \
	core/store/plain.c \
	core/store/plain.h \
	core/store/prepare.c \
	core/store/prepare.h \
	core/store/quick.c \
	core/store/quick.h \
	core/store/remove.c \
	core/store/repository.c \
	core/store/scan.c \
	core/store/scan.h \
	core/store/sha.c \
	core/store/sort.c \
	core/store/open.c \
	core/store/store.h \
	core/store/sums.c \
	core/store/template.c \
	core/store/transaction.c
