# SPDX-License-Identifier: BSD-3-Clause
# Plugins that misbehave: each costs one clear line and the right exit code, and no other plugin suffers.
. "${top_srcdir:-.}/tests/cli/lib.sh"
[ -e "$top_builddir/core/.libs/libperun.so" ] || skip_all 'a static build loads no plugins'
mkdir bad twin
export PERUN_PLUGIN_PATH=$work/here/bad:$work/here/twin:$top_builddir/plugins-built

# view NAME STATEMENTS [DECLARATIONS [MEMBERS]]: a view whose show() does that.
view() {
	cat >"$1.c" <<SOURCE
#include <stdlib.h>
#include <perun/view.h>
${3-}
static int show(void *instance, struct perun_ctx *ctx, struct perun_profile *const *profiles, const char *const *names,
		size_t count, const struct perun_canvas *canvas)
{
	(void)instance, (void)ctx, (void)profiles, (void)names, (void)count, (void)canvas;
	$2
}
static const struct perun_view_ops ops = {.forms = PERUN_FORM_TERMINAL, .show = show, ${4-}};
PERUN_PLUGIN(view, $1) = {PERUN_PLUGIN_HEAD(PERUN_KIND_VIEW, "$1", "a plugin that misbehaves"), .version = "1",
	.license = "BSD-3-Clause", PERUN_PLUGIN_OPS(ops), ${5-}};
SOURCE
	${CC:-cc} -shared -fPIC -O0 -I"$top_srcdir/plugins/include" -o "bad/perun-view-$1.so" "$1.c" 2>cc.log || sed 's/^/# /' cc.log
}
open='static int open_it(struct perun_ctx *ctx, const struct perun_options *options, const char *subcommand, void **instance) {
	(void)ctx, (void)options, (void)subcommand, (void)instance; raise(SIGSEGV); return 0; }'
view status 'return 77;'
view silent 'return PERUN_INPUT;'
view negative 'return -5;'
view leaves 'exit(0);'
view crash 'return 0;' "#include <signal.h>
$open" '.open = open_it'
view undefined 'extern int nobody_has_this(void); return nobody_has_this();'
view newer 'return 0;' '' '' '.abi_major = 99'
cp bad/perun-view-status.so twin/
head -c 3000 bad/perun-view-status.so >bad/perun-view-cut.so
cp bad/perun-view-status.so bad/perun-view-renamed.so
echo text >bad/perun-view-text.so
mkfifo bad/perun-view-fifo.so
cat >uneven.c <<'SOURCE'
#include <perun/format.h>
static int probe(const struct perun_probe *asked)
{
	(void)asked;
	return 0;
}
static int read_it(void *instance, struct perun_ctx *ctx, struct perun_input *input, struct perun_builder *builder)
{
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	static const struct perun_column_info one = {.name = "amount", .type = PERUN_TYPE_INT64, .role = PERUN_ROLE_METRIC},
					      two = {.name = "uid", .type = PERUN_TYPE_INT64, .role = PERUN_ROLE_KEY};
	const int64_t values[3] = {1, 2, 3};
	(void)instance, (void)ctx, (void)input;
	perun_column_append_int64(perun_table_add_column(table, &one), values, 3);
	perun_column_append_int64(perun_table_add_column(table, &two), values, 2);
	perun_table_end_rows(table, 3);
	return PERUN_OK;
}
static const struct perun_format_ops ops = {.probe = probe, .read = read_it};
PERUN_PLUGIN(format, uneven) = {PERUN_PLUGIN_HEAD(PERUN_KIND_FORMAT, "uneven", "rows that are uneven"), .version = "1",
	.license = "BSD-3-Clause", PERUN_PLUGIN_OPS(ops)};
SOURCE
${CC:-cc} -shared -fPIC -O0 -I"$top_srcdir/plugins/include" -o bad/perun-format-uneven.so uneven.c 2>cc.log || sed 's/^/# /' cc.log
# What a vcs has to give and does not; the letters in WRONG say what.
cat >vcs.c <<'SOURCE'
#include <stdlib.h>
#include <string.h>
#include <perun/vcs.h>
#define OPERATION static int
#define USED (void)instance, (void)ctx
static const char only[] = "0123456789abcdef0123456789abcdef01234567";
static int wrong(char what) { return getenv("WRONG") && strchr(getenv("WRONG"), what); }
OPERATION attach(void *instance, struct perun_ctx *ctx, const char *url) { USED, (void)url; return PERUN_OK; }
OPERATION init(void *instance, struct perun_ctx *ctx, const char *path, const struct perun_vcs_parameter *p, size_t n)
{ USED, (void)path, (void)p, (void)n; return PERUN_OK; }
OPERATION walk(void *instance, struct perun_ctx *ctx, const char *head, perun_minor_version_visit *visit, void *data)
{
	const char *parents[] = {"../../x"};
	struct perun_minor_version version = {.struct_size = sizeof version, .checksum = wrong('c') ? "12" : wrong('n') ? NULL : only,
		.author = wrong('a') ? NULL : "A", .email = "", .description = "one", .parents = parents, .parent_count = wrong('p')};
	int status = visit(data, &version);
	USED, (void)head;
	return status == PERUN_STOP ? PERUN_OK : status;
}
OPERATION majors(void *instance, struct perun_ctx *ctx, perun_major_version_visit *visit, void *data)
{
	struct perun_major_version version = {.struct_size = sizeof version, .name = "trunk", .head = only};
	USED;
	return visit(data, &version);
}
OPERATION head(void *instance, struct perun_ctx *ctx, char **checksum)
{ USED; *checksum = perun_strdup(wrong('h') ? "HEAD" : only); return PERUN_OK; }
OPERATION branch(void *instance, struct perun_ctx *ctx, char **name)
{ USED; *name = wrong('b') ? NULL : perun_strdup("trunk"); return PERUN_OK; }
OPERATION valid(void *instance, struct perun_ctx *ctx, const char *checksum) { USED, (void)checksum; return PERUN_OK; }
OPERATION resolve(void *instance, struct perun_ctx *ctx, const char *text, const char *type, char **checksum)
{ USED, (void)text, (void)type; *checksum = wrong('r') ? NULL : perun_strdup(only); return PERUN_OK; }
OPERATION dirty(void *instance, struct perun_ctx *ctx, bool *is) { USED; *is = false; return PERUN_OK; }
OPERATION save(void *instance, struct perun_ctx *ctx, bool *saved, char **state) { USED, (void)saved, (void)state; return PERUN_OK; }
OPERATION restore(void *instance, struct perun_ctx *ctx, bool saved, const char *state) { USED, (void)saved, (void)state; return PERUN_OK; }
static const struct perun_vcs_ops ops = {.attach = attach, .init = init, .walk_minor_versions = walk, .walk_major_versions = majors,
	.get_minor_head = head, .get_head_major_version = branch, .get_minor_version_info = walk, .check_minor_version_validity = valid,
	.massage_parameter = resolve, .is_dirty = dirty, .save_state = save, .restore_state = restore, .checkout = valid};
PERUN_PLUGIN(vcs, wrong) = {PERUN_PLUGIN_HEAD(PERUN_KIND_VCS, "wrong", "results that are wrong"), .version = "1",
	.license = "BSD-3-Clause", PERUN_PLUGIN_OPS(ops)};
SOURCE
${CC:-cc} -shared -fPIC -O0 -I"$top_srcdir/plugins/include" -o bad/perun-vcs-wrong.so vcs.c 2>cc.log || sed 's/^/# /' cc.log
echo x >file.txt
cat >good.perf <<'P'
{"origin": "", "header": {"type": "time", "units": {"time": "s"}, "cmd": "a", "args": "", "workload": ""},
 "resources": [{"uid": "f", "type": "time", "amount": 1}], "machine": {}, "collector_info": {"name": "time", "params": {}}, "postprocessors": []}
P

# refused NAME STATUS TEXT: showing in it fails so, in one line.
refused() {
	run perun show good.perf "$1"
	expect_text "$2" "$status" "$1: exit status"
	expect_err "$3"
	expect_one_line
}
refused status 3 'view status returned 77 without a reason'
refused silent 3 'view silent returned 3 without a reason'
refused negative 3 'view negative returned -5 without a reason'
refused leaves 3 'called exit(), which no plugin may'
refused undefined 4 'perun-view-undefined.so: undefined symbol: nobody_has_this'
refused newer 4 'is built for plugin interface 99.0'
refused cut 4 'perun-view-cut.so: the file is truncated'
refused renamed 4 'has no symbol perun_plugin_view_renamed'
refused text 4 'cannot load'
refused fifo 4 'perun-view-fifo.so: not a file'
# The signal stays what it was, so that a debugger and a core file have it; sanitizers have handlers of their own.
case ${SANITIZE-} in
'')
	run perun show good.perf crash
	expect_text 139 "$status" 'crash: ends by the signal'
	expect_err 'perun-view-crash.so) crashed: segmentation fault'
	;;
esac
expect_status 3 perun convert --from uneven --to perun file.txt out.perf
expect_err uneven
expect_one_line
check 'nothing is written' test ! -e out.perf
mkdir versions
expect_status 0 perun -C versions init --vcs-type wrong --vcs-path .
expect_status 0 perun -C versions status
expect_status 0 perun -C versions log
# wrong_result LETTER TEXT COMMAND...: one line that names the plugin, and no crash.
wrong_result() {
	local letter=$1 text=$2
	shift 2
	WRONG=$letter expect_status 3 perun -C versions "$@"
	expect_err "vcs wrong $text"
	expect_one_line
}
wrong_result c "named a version '12'" log
wrong_result n "named a version ''" log
wrong_result p "named a version '../../x'" log
wrong_result a 'gave version 01234567 no author' log
wrong_result h "named a version 'HEAD'" status
wrong_result b 'returned nothing from get_head_major_version()' status
wrong_result r 'returned nothing from massage_parameter()' log HEAD~1
expect_status 0 perun show good.perf raw
expect_text '' "$err" 'others say nothing of it'
expect_status 4 perun plugin check
for name in newer cut renamed text fifo undefined; do expect_out "perun-view-$name.so"; done
expect_out 'twin/perun-view-status.so has the same name and is not used'
finish
