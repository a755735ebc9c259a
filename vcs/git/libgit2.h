/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libgit2, loaded when it is first needed: its start reads all certificates of the system for TLS, which Perun never
 * speaks, and takes three times as long as all else that `perun status` does. Functions of libgit2 are called by
 * their names; each is in the two lists below (one that is not fails to link).
 */
#ifndef PERUN_VCS_GIT_LIBGIT2_H
#define PERUN_VCS_GIT_LIBGIT2_H

#include <git2.h>
#include <perun/vcs.h>

/* clang-format off */
#define GITVCS_LIBGIT2(FUNCTION) \
	FUNCTION(git_branch_iterator_free) \
	FUNCTION(git_branch_iterator_new) \
	FUNCTION(git_branch_next) \
	FUNCTION(git_config_foreach) \
	FUNCTION(git_config_free) \
	FUNCTION(git_config_get_bool) \
	FUNCTION(git_config_open_ondisk) \
	FUNCTION(git_diff_free) \
	FUNCTION(git_diff_get_delta) \
	FUNCTION(git_diff_num_deltas) \
	FUNCTION(git_diff_tree_to_tree) \
	FUNCTION(git_error_last) \
	FUNCTION(git_index_find) \
	FUNCTION(git_index_find_prefix) \
	FUNCTION(git_index_free) \
	FUNCTION(git_libgit2_init) \
	FUNCTION(git_libgit2_opts) \
	FUNCTION(git_libgit2_shutdown) \
	FUNCTION(git_object_free) \
	FUNCTION(git_object_id) \
	FUNCTION(git_object_peel) \
	FUNCTION(git_odb_free) \
	FUNCTION(git_odb_hash) \
	FUNCTION(git_odb_object_data) \
	FUNCTION(git_odb_object_free) \
	FUNCTION(git_odb_object_size) \
	FUNCTION(git_odb_object_type) \
	FUNCTION(git_odb_read) \
	FUNCTION(git_odb_read_header) \
	FUNCTION(git_reference_free) \
	FUNCTION(git_reference_iterator_free) \
	FUNCTION(git_reference_iterator_glob_new) \
	FUNCTION(git_reference_lookup) \
	FUNCTION(git_reference_name) \
	FUNCTION(git_reference_name_to_id) \
	FUNCTION(git_reference_next) \
	FUNCTION(git_reference_peel) \
	FUNCTION(git_reference_symbolic_target) \
	FUNCTION(git_reference_target) \
	FUNCTION(git_repository_commondir) \
	FUNCTION(git_repository_config_snapshot) \
	FUNCTION(git_repository_free) \
	FUNCTION(git_repository_head_unborn) \
	FUNCTION(git_repository_index) \
	FUNCTION(git_repository_init) \
	FUNCTION(git_repository_is_shallow) \
	FUNCTION(git_repository_is_worktree) \
	FUNCTION(git_repository_odb) \
	FUNCTION(git_repository_open_ext) \
	FUNCTION(git_repository_path) \
	FUNCTION(git_repository_set_workdir) \
	FUNCTION(git_repository_state) \
	FUNCTION(git_repository_workdir) \
	FUNCTION(git_revparse_single) \
	FUNCTION(git_tree_entry_bypath) \
	FUNCTION(git_tree_entry_filemode_raw) \
	FUNCTION(git_tree_entry_free) \
	FUNCTION(git_tree_entry_id) \
	FUNCTION(git_tree_entry_type) \
	FUNCTION(git_tree_free) \
	FUNCTION(git_tree_id)
/* clang-format on */

#define GITVCS_MEMBER(name) __typeof__(name) *name;
struct gitvcs_libgit2 {
	GITVCS_LIBGIT2(GITVCS_MEMBER)
};

/* Its functions; NULL each before gitvcs_start(). */
extern struct gitvcs_libgit2 gitvcs_libgit2;

/* Load and start libgit2; each success is ended by gitvcs_stop(). PERUN_MISSING, with the reason, where that fails. */
int gitvcs_start(struct perun_ctx *ctx);
void gitvcs_stop(void);

/* perun_fail() with the words of libgit2's last error added. */
int gitvcs_fail(struct perun_ctx *ctx, int status, const char *format, ...) PERUN_PRINTF(3, 4);

/* What libgit2 says of ids, for those who do not need it otherwise. */
int gitvcs_oid_cmp(const git_oid *one, const git_oid *other);
/* 0, or -1 when the first 40 characters are not digits. */
int gitvcs_oid_fromstrn(git_oid *id, const char *text, size_t length);
int gitvcs_oid_fromstr(git_oid *id, const char *text);
/* 0 when `text` names `id`. */
int gitvcs_oid_streq(const git_oid *id, const char *text);
/* `size` is at least GIT_OID_HEXSZ + 1. */
char *gitvcs_oid_tostr(char *text, size_t size, const git_oid *id);
/* In memory of the thread that the next call uses again. */
char *gitvcs_oid_tostr_s(const git_oid *id);

#ifndef GITVCS_LIBGIT2_ITSELF
#define git_branch_iterator_free        gitvcs_libgit2.git_branch_iterator_free
#define git_branch_iterator_new         gitvcs_libgit2.git_branch_iterator_new
#define git_branch_next                 gitvcs_libgit2.git_branch_next
#define git_config_foreach              gitvcs_libgit2.git_config_foreach
#define git_config_free                 gitvcs_libgit2.git_config_free
#define git_config_get_bool             gitvcs_libgit2.git_config_get_bool
#define git_config_open_ondisk          gitvcs_libgit2.git_config_open_ondisk
#define git_diff_free                   gitvcs_libgit2.git_diff_free
#define git_diff_get_delta              gitvcs_libgit2.git_diff_get_delta
#define git_diff_num_deltas             gitvcs_libgit2.git_diff_num_deltas
#define git_diff_tree_to_tree           gitvcs_libgit2.git_diff_tree_to_tree
#define git_error_last                  gitvcs_libgit2.git_error_last
#define git_index_find                  gitvcs_libgit2.git_index_find
#define git_index_find_prefix           gitvcs_libgit2.git_index_find_prefix
#define git_index_free                  gitvcs_libgit2.git_index_free
#define git_libgit2_init                gitvcs_libgit2.git_libgit2_init
#define git_libgit2_opts                gitvcs_libgit2.git_libgit2_opts
#define git_libgit2_shutdown            gitvcs_libgit2.git_libgit2_shutdown
#define git_object_free                 gitvcs_libgit2.git_object_free
#define git_object_id                   gitvcs_libgit2.git_object_id
#define git_object_peel                 gitvcs_libgit2.git_object_peel
#define git_odb_free                    gitvcs_libgit2.git_odb_free
#define git_odb_hash                    gitvcs_libgit2.git_odb_hash
#define git_odb_object_data             gitvcs_libgit2.git_odb_object_data
#define git_odb_object_free             gitvcs_libgit2.git_odb_object_free
#define git_odb_object_size             gitvcs_libgit2.git_odb_object_size
#define git_odb_object_type             gitvcs_libgit2.git_odb_object_type
#define git_odb_read                    gitvcs_libgit2.git_odb_read
#define git_odb_read_header             gitvcs_libgit2.git_odb_read_header
#define git_reference_free              gitvcs_libgit2.git_reference_free
#define git_reference_iterator_free     gitvcs_libgit2.git_reference_iterator_free
#define git_reference_iterator_glob_new gitvcs_libgit2.git_reference_iterator_glob_new
#define git_reference_lookup            gitvcs_libgit2.git_reference_lookup
#define git_reference_name              gitvcs_libgit2.git_reference_name
#define git_reference_name_to_id        gitvcs_libgit2.git_reference_name_to_id
#define git_reference_next              gitvcs_libgit2.git_reference_next
#define git_reference_peel              gitvcs_libgit2.git_reference_peel
#define git_reference_symbolic_target   gitvcs_libgit2.git_reference_symbolic_target
#define git_reference_target            gitvcs_libgit2.git_reference_target
#define git_repository_commondir        gitvcs_libgit2.git_repository_commondir
#define git_repository_config_snapshot  gitvcs_libgit2.git_repository_config_snapshot
#define git_repository_free             gitvcs_libgit2.git_repository_free
#define git_repository_head_unborn      gitvcs_libgit2.git_repository_head_unborn
#define git_repository_index            gitvcs_libgit2.git_repository_index
#define git_repository_init             gitvcs_libgit2.git_repository_init
#define git_repository_is_shallow       gitvcs_libgit2.git_repository_is_shallow
#define git_repository_is_worktree      gitvcs_libgit2.git_repository_is_worktree
#define git_repository_odb              gitvcs_libgit2.git_repository_odb
#define git_repository_open_ext         gitvcs_libgit2.git_repository_open_ext
#define git_repository_path             gitvcs_libgit2.git_repository_path
#define git_repository_set_workdir      gitvcs_libgit2.git_repository_set_workdir
#define git_repository_state            gitvcs_libgit2.git_repository_state
#define git_repository_workdir          gitvcs_libgit2.git_repository_workdir
#define git_revparse_single             gitvcs_libgit2.git_revparse_single
#define git_tree_entry_bypath           gitvcs_libgit2.git_tree_entry_bypath
#define git_tree_entry_filemode_raw     gitvcs_libgit2.git_tree_entry_filemode_raw
#define git_tree_entry_free             gitvcs_libgit2.git_tree_entry_free
#define git_tree_entry_id               gitvcs_libgit2.git_tree_entry_id
#define git_tree_entry_type             gitvcs_libgit2.git_tree_entry_type
#define git_tree_free                   gitvcs_libgit2.git_tree_free
#define git_tree_id                     gitvcs_libgit2.git_tree_id

#define git_oid_cmp                     gitvcs_oid_cmp
#define git_oid_cpy(to, from)           (*(to) = *(from))
#define git_oid_equal(a, b)             (gitvcs_oid_cmp(a, b) == 0)
#define git_oid_fromstr                 gitvcs_oid_fromstr
#define git_oid_fromstrn                gitvcs_oid_fromstrn
#define git_oid_streq                   gitvcs_oid_streq
#define git_oid_tostr                   gitvcs_oid_tostr
#define git_oid_tostr_s                 gitvcs_oid_tostr_s
#endif

#endif
