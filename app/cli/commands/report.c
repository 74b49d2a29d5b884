/* SPDX-License-Identifier: MIT
 *
 * l2r report: runs as one HTML page (report/page.h).
 */
#include "base/memory.h"
#include "cli/command.h"
#include "io/file.h"
#include "report/page.h"

#include <stdio.h>
#include <string.h>

static const struct l2r_option options[] = {
    {.name = "out",
     .kind = L2R_OPTION_TEXT,
     .value = "FILE",
     .group = "Page",
     .help = "the page; by default report.html in the folder of the first run"},
    {.name = "title", .kind = L2R_OPTION_TEXT, .value = "TEXT", .help = "heading of the page"},
    {.name = "predictions",
     .kind = L2R_OPTION_FLAG,
     .fallback = "true",
     .help = "load models and data, and show predictions and weights"},
    {.name = "extremes",
     .kind = L2R_OPTION_INT,
     .fallback = "4",
     .min = 0,
     .max = 100,
     .help = "graphs to draw with the largest and with the smallest weights"},
    {.name = "data",
     .kind = L2R_OPTION_TEXT,
     .value = "WHERE",
     .group = "Graphs",
     .help = "where the data of the runs is, if it has moved"},
    CLI_OPTION_CACHE,
    CLI_OPTION_THREADS,
    {0}};

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_run_list list = {0};
    char *html = NULL, path[4096];
    const char *out = l2r_config_text(call->options, "out");
    const struct l2r_report_settings settings = {.title = l2r_config_text(call->options, "title"),
                                                 .data = l2r_config_text(call->options, "data"),
                                                 .evidence = l2r_config_flag(call->options, "predictions"),
                                                 .extremes = l2r_config_int(call->options, "extremes"),
                                                 .cache = l2r_config_flag(call->options, "cache")};
    l2r_threads_set((int)l2r_config_int(call->options, "threads"));
    for (int i = 0; i < call->n_arguments; i++) L2R_TRY(l2r_run_list_add(&list, call->arguments[i], error));
    L2R_TRY(l2r_report_page(&html, &list, &settings, error));
    if (out == NULL) L2R_TRY(l2r_path_join(path, sizeof path, call->arguments[0], "report.html", error));
    L2R_TRY(l2r_file_write(out != NULL ? out : path, html, strlen(html), error));
    printf("report of %zu run%s in %s\n", list.n, list.n == 1 ? "" : "s", out != NULL ? out : path);
done:
    l2r_free(html);
    l2r_run_list_clear(&list);
    return status;
}

const struct l2r_command l2r_command_report = {
    .name = "report",
    .summary = "show runs on one HTML page",
    .usage = "RUN… [--out FILE] [OPTIONS]",
    .about = "RUN is the folder of a run, or of runs of several seeds. Runs that differ only in their seed form one "
             "row: mean ± sd, and the paired difference from erm. The page shows learning curves, weights with the "
             "graphs at both extremes, predictions, the drawings of 'l2r explain' and all options, with differences "
             "marked. It is a single file that works offline, has a light and a dark theme, and can be printed.",
    .examples = "l2r report runs/motif-gin-erm-0\n"
                "l2r report runs/gcn-erm runs/gcn-l2r --out compare.html",
    .section = CLI_SECTION_MODELS,
    .min_arguments = 1,
    .max_arguments = 1000,
    .options = {options},
    .run = run,
};
