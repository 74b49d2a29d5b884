/* SPDX-License-Identifier: MIT
 *
 * l2r version: the facts about this build and this machine for a bug report.
 */
#include "base/threads.h"
#include "cli/command.h"
#include "cli/runs.h"
#include "cli/terminal.h"
#include "kernels/vector.h"
#include "results/results.h"

#include <archive.h>
#ifdef L2R_WITH_CURL
#include <curl/curlver.h>
#else
#define LIBCURL_VERSION "none"
#endif
#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>
#include <zlib.h>

static const struct l2r_option options[] = {
    {.name = "json", .kind = L2R_OPTION_FLAG, .group = "Output", .help = "print as JSON"}, {0}};

/* libcurl is loaded when needed only (base/module.h): its version is that built against. */
static json_t *libraries(void)
{
    char dnnl[32], hash[32];
    const dnnl_version_t *d = dnnl_version();
    snprintf(dnnl, sizeof dnnl, "%d.%d.%d", d->major, d->minor, d->patch);
    unsigned x = XXH_versionNumber();
    snprintf(hash, sizeof hash, "%u.%u.%u", x / 10000, x / 100 % 100, x % 100);
    const char *archive = archive_version_string(); /* "libarchive 3.6.2" */
    const char *blank = strchr(archive, ' ');
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "oneDNN", dnnl, "jansson", jansson_version_str(), "libarchive",
                     blank != NULL ? blank + 1 : archive, "libcurl", LIBCURL_VERSION, "xxhash", hash, "zlib",
                     zlibVersion());
}

static const char *compiler(void)
{
#if defined(__clang__)
    return "clang " __clang_version__;
#else
    return "gcc " __VERSION__;
#endif
}

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    json_t *list = libraries();
    const char *name;
    json_t *version;
    struct cli_table table;
    char processor[128];
    l2r_processor_name(processor);
    l2r_threads_set(0);
    if (l2r_config_flag(call->options, "json"))
        return cli_json_print(stdout,
                              json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:o}", "version", l2r_version(), "commit",
                                        l2r_build_commit, "compiler", compiler(), "cpu", l2r_vector_of_processor(),
                                        "vector", l2r_vector_width(), "processor", processor, "threads",
                                        l2r_threads_get(), "libraries", list),
                              error);
    printf("l2r %s\n\n", l2r_version());
    cli_table_init(&table, "ll");
    table.no_heading = true;
    cli_table_add(&table, "commit");
    cli_table_add(&table, "%s", l2r_build_commit);
    cli_table_add(&table, "compiler");
    cli_table_add(&table, "%s", compiler());
    cli_table_add(&table, "processor");
    cli_table_add(&table, "%s", processor);
    cli_table_add(&table, "cpu");
    cli_table_add(&table, "%s", l2r_vector_of_processor());
    cli_table_add(&table, "vector");
    cli_table_add(&table, "%s", l2r_vector_width());
    cli_table_add(&table, "threads");
    cli_table_add(&table, "%d", l2r_threads_get());
    json_object_foreach(list, name, version)
    {
        cli_table_add(&table, "%s", name);
        cli_table_add(&table, "%s", json_string_value(version));
    }
    cli_table_print(&table, stdout, "");
    cli_table_clear(&table);
    json_decref(list);
    return L2R_OK;
}

const struct l2r_command l2r_command_version = {
    .name = "version",
    .summary = "versions of the program, its compiler and its libraries",
    .usage = "[--json]",
    .examples = "l2r version\n"
                "l2r version --json",
    .section = CLI_SECTION_PROGRAM,
    .options = {options},
    .run = run,
};
