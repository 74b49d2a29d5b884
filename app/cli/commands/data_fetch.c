/* SPDX-License-Identifier: MIT
 *
 * l2r data fetch: downloads a public data set, with a line of progress on a terminal.
 */
#include "base/clock.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/process.h"
#include "cli/runs.h"
#include "cli/terminal.h"
#include "io/fetch.h"

#include <stdio.h>
#include <string.h>

static const struct l2r_option options[] = {
    {.name = "out",
     .kind = L2R_OPTION_TEXT,
     .fallback = "data",
     .value = "DIR",
     .group = "Download",
     .help = "folder to put it into"},
    {.name = "base-url", .kind = L2R_OPTION_TEXT, .value = "URL", .help = "download URL/FILE.zip from a mirror"},
    {.name = "sha256",
     .kind = L2R_OPTION_TEXT,
     .value = "HEX",
     .help = "refuse a zip with a different SHA-256 checksum"},
    {.name = "sums",
     .kind = L2R_OPTION_TEXT,
     .value = "FILE",
     .help = "the same for every zip named in FILE, which has lines as sha256sum writes them"},
    CLI_OPTION_JSON,
    CLI_OPTION_QUIET,
    {0}};

struct meter {
    bool live, drawn;
    double drawn_at;
};

static void draw(struct meter *meter, const char *step, int64_t done, int64_t total)
{
    double time = l2r_clock_seconds();
    if (!meter->live || (time - meter->drawn_at < 0.1 && done != total)) return;
    if (total > 0) {
        char bar[512];
        int columns = cli_terminal_width(stderr, 80) - 36;
        columns = columns < 0 ? 0 : columns > 40 ? 40 : columns;
        cli_format_bar(bar, sizeof bar, stderr, (double)done / (double)total, columns);
        fprintf(stderr, "\r%-8s  %s %3d%%  %.1f of %.1f MB\033[K", step, bar, (int)(100 * done / total),
                (double)done / 1e6, (double)total / 1e6);
    } else {
        fprintf(stderr, "\r%-8s  %.1f MB\033[K", step, (double)done / 1e6);
    }
    fflush(stderr);
    meter->drawn = true;
    meter->drawn_at = time;
}

static bool on_progress(void *context, const char *step, int64_t done, int64_t total)
{
    draw(context, step, done, total);
    return !cli_stop_requested(NULL);
}

static enum l2r_status print_json(const struct l2r_fetch_result *result, struct l2r_error *error)
{
    json_t *json = json_pack("{s:o, s:b, s:s*, s:b}", "path", l2r_json_name(result->path), "already_there",
                             (int)result->already_there, "sha256", result->sha256[0] ? result->sha256 : NULL,
                             "sha256_compared", (int)result->compared);
    return cli_json_print(stdout, json, error);
}

static enum l2r_status print_text(const struct l2r_fetch_result *result)
{
    char quoted[sizeof result->path];
    printf("%s%s; use it with --data %s\n", result->path, result->already_there ? " is already there" : "",
           cli_format_shell(quoted, sizeof quoted, result->path));
    if (result->sha256[0])
        printf("SHA-256 of the zip: %s%s\n", result->sha256,
               result->compared ? ", as expected" : " (nothing to compare it with: pass it with --sha256 next time)");
    return L2R_OK;
}

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    const struct l2r_config *config = call->options;
    struct meter meter = {.live = cli_terminal_is_live(stderr) && !l2r_config_flag(config, "quiet")};
    struct l2r_fetch_result result = {0};
    struct l2r_fetch_request request = {.name = call->arguments[0],
                                        .out_dir = l2r_config_text(config, "out"),
                                        .base_url = l2r_config_text(config, "base-url"),
                                        .sha256 = l2r_config_text(config, "sha256"),
                                        .sums = l2r_config_text(config, "sums"),
                                        .progress = on_progress,
                                        .context = &meter};
    cli_interrupt_catch();
    enum l2r_status status = l2r_fetch(&result, &request, error);
    if (meter.drawn) fprintf(stderr, "\r\033[K");
    if (status != L2R_OK) return status;
    return l2r_config_flag(config, "json") ? print_json(&result, error) : print_text(&result);
}

const struct l2r_command l2r_command_data_fetch = {
    .name = "data fetch",
    .summary = "download a public data set",
    .usage = "NAME [--out DIR] [--base-url URL] [--sha256 HEX | --sums FILE]",
    .about = "Knows the TU sets and the molecule sets of OGB; 'l2r list datasets' names some. An interrupted download "
             "continues where it stopped; nothing appears under its final name before it is complete and checked. Sets "
             "whose "
             "SHA-256 is known are compared with it. What began with https stays with https; SSL_CERT_FILE names the "
             "certificates to trust.",
    .examples = "l2r data fetch PROTEINS\n"
                "l2r data fetch ogbg-molbace --out data",
    .section = CLI_SECTION_DATA,
    .min_arguments = 1,
    .max_arguments = 1,
    .options = {options},
    .run = run,
};
