/* SPDX-License-Identifier: MIT
 *
 * l2r serve: models and runs in a browser, and over HTTP for programs (serve/server.h).
 */
#include "base/memory.h"
#include "cli/command.h"
#include "cli/process.h"
#include "cli/selection.h"
#include "io/file.h"
#include "serve/guard.h"
#include "serve/server.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

extern char **environ;

static const struct l2r_option options[] = {
    {.name = "port",
     .kind = L2R_OPTION_INT,
     .fallback = "8080",
     .min = 0,
     .max = 65535,
     .group = "Server",
     .help = "the port to listen on; 0: a free one"},
    {.name = "bind",
     .kind = L2R_OPTION_TEXT,
     .value = "ADDRESS",
     .help = "listen on this address instead of 127.0.0.1; requests then need a token"},
    {.name = "runs", .kind = L2R_OPTION_TEXT, .value = "DIR", .help = "show the runs below this folder, as they grow"},
    {.name = "allow-train",
     .kind = L2R_OPTION_TEXT,
     .value = "DIR",
     .help = "let the page train models on the tables in this folder, into new runs below --runs"},
    {.name = "sketcher",
     .kind = L2R_OPTION_TEXT,
     .value = "FILE",
     .help = "draw molecules with the JSME in this folder, zip or Python wheel (such as admet_ai's)"},
    {.name = "token-file",
     .kind = L2R_OPTION_TEXT,
     .value = "FILE",
     .help = "a file whose first line is the token that requests need; with --bind one is made where none is given"},
    {.name = "open", .kind = L2R_OPTION_FLAG, .help = "open the page in the desktop's browser (xdg-open)"},
    CLI_OPTION_THREADS,
    {.name = "max-body",
     .kind = L2R_OPTION_INT,
     .fallback = "64",
     .min = 1,
     .max = 4096,
     .value = "MB",
     .group = "Limits",
     .help = "largest body of a request"},
    {.name = "max-molecules",
     .kind = L2R_OPTION_INT,
     .fallback = "1000000",
     .min = 1,
     .max = 1000000000,
     .help = "molecules of a request"},
    {.name = "max-waiting",
     .kind = L2R_OPTION_INT,
     .fallback = "1000",
     .min = 1,
     .max = 1000000,
     .help = "requests that wait or are being predicted; more are refused with 429"},
    {.name = "max-connections",
     .kind = L2R_OPTION_INT,
     .fallback = "1000",
     .min = 1,
     .max = 100000,
     .help = "open connections; others wait"},
    {.name = "timeout",
     .kind = L2R_OPTION_REAL,
     .fallback = "60",
     .min = 0.001,
     .max = 1e6,
     .value = "SECONDS",
     .help = "how long a request may wait for its first prediction before it is refused with 503"},
    {0}};

enum { LARGEST_TOKEN_FILE = 1 << 16, SHORTEST_TOKEN = 16, LONGEST_TOKEN = 128, GRACE = 10 /* seconds */ };

/* ---- the token ---- */

static enum l2r_status read_token(char token[LONGEST_TOKEN + 1], const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char *text = NULL;
    size_t length;
    L2R_TRY(l2r_file_read(&text, &length, path, LARGEST_TOKEN_FILE, error));
    length = strcspn(text, "\r\n");
    text[length] = '\0';
    bool plain = true;
    for (const char *c = text; *c; c++) plain = plain && *c > ' ' && *c < 127 && !strchr("\";,\\", *c);
    if (length < SHORTEST_TOKEN || length > LONGEST_TOKEN || !plain)
        L2R_FAIL(L2R_ERR_FORMAT,
                 "%s:1: no token; expected %d to %d letters, digits and signs, without blanks, quotes, commas, "
                 "semicolons and backslashes",
                 path, (int)SHORTEST_TOKEN, (int)LONGEST_TOKEN);
    memcpy(token, text, length + 1);
done:
    l2r_free(text);
    return status;
}

static bool is_loopback(const char *address)
{
    return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0;
}

/* token: "" where none is needed. */
static enum l2r_status find_token(char token[LONGEST_TOKEN + 1], const struct cli_call *call, struct l2r_error *error)
{
    const char *file = l2r_config_text(call->options, "token-file"), *bind = l2r_config_text(call->options, "bind");
    *token = '\0';
    if (file) return read_token(token, file, error);
    if (bind && !is_loopback(bind) && !l2r_token_make(token))
        return l2r_fail(error, L2R_ERR_IO, "the system gives no random numbers: %s", strerror(errno));
    return L2R_OK;
}

/* ---- models ---- */

/* Each argument is a model: a folder of seeds stands for the mean of its runs. */
static enum l2r_status add_models(struct l2r_shelf *shelf, const struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    for (int i = 0; i < call->n_arguments; i++) {
        struct cli_models models = {0};
        struct cli_call one = *call;
        one.arguments = call->arguments + i;
        one.n_arguments = 1;
        status = cli_models_of(&models, &one, error);
        if (status == L2R_OK)
            status = l2r_shelf_add(shelf, call->arguments[i], (const char *const *)models.paths, models.n, error);
        cli_models_clear(&models);
        if (status != L2R_OK) goto done;
    }
done:
    return status;
}

/* ---- the command ---- */

static void open_browser(const char *url)
{
    pid_t pid;
    const char *const words[] = {"xdg-open", url, NULL};
    if (posix_spawnp(&pid, words[0], NULL, NULL, (char *const *)(uintptr_t)words, environ) != 0)
        fprintf(stderr, "l2r: xdg-open cannot be started; open %s yourself\n", url);
}

/* The address, for people and for programs that start this one. */
static void announce(const struct l2r_server *server, const struct l2r_server_settings *settings, bool opens)
{
    char url[400];
    const char *address = settings->address ? settings->address : "127.0.0.1";
    bool six = strchr(address, ':') != NULL;
    snprintf(url, sizeof url, "http://%s%s%s:%u/%s%s", six ? "[" : "", address, six ? "]" : "",
             (unsigned)l2r_server_port(server), settings->token ? "?token=" : "",
             settings->token ? settings->token : "");
    printf("serving %d model%s%s%s at %s\n", settings->shelf->n, settings->shelf->n == 1 ? "" : "s",
           settings->runs ? " and the runs in " : "", settings->runs ? settings->runs : "", url);
    fflush(stdout);
    if (opens) open_browser(url);
}

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_shelf shelf;
    struct l2r_server *server = NULL;
    char token[LONGEST_TOKEN + 1];
    const struct l2r_config *o = call->options;
    l2r_shelf_init(&shelf);
    const char *runs = l2r_config_text(o, "runs");
    if (call->n_arguments == 0 && !runs) {
        status = cli_misuse(call, error, "expected a model, or --runs with a folder of runs");
        goto done;
    }
    if (runs && !l2r_path_is_dir(runs)) L2R_FAIL(L2R_ERR_IO, "%s: no such folder of runs", runs);
    const char *tables = l2r_config_text(o, "allow-train");
    if (tables && !runs) {
        status = cli_misuse(call, error, "--allow-train needs --runs, the folder that new runs go into");
        goto done;
    }
    if (tables && !l2r_path_is_dir(tables)) L2R_FAIL(L2R_ERR_IO, "%s: no such folder of tables", tables);
    L2R_TRY(find_token(token, call, error));
    L2R_TRY(add_models(&shelf, call, error));
    const struct l2r_server_settings settings = {.shelf = &shelf,
                                                 .runs = runs,
                                                 .tables = tables,
                                                 .sketcher = l2r_config_text(o, "sketcher"),
                                                 .address = l2r_config_text(o, "bind"),
                                                 .port = (uint16_t)l2r_config_int(o, "port"),
                                                 .token = *token ? token : NULL,
                                                 .largest_body = (size_t)l2r_config_int(o, "max-body") << 20,
                                                 .most_molecules = (size_t)l2r_config_int(o, "max-molecules"),
                                                 .most_waiting = (int)l2r_config_int(o, "max-waiting"),
                                                 .connections = (unsigned)l2r_config_int(o, "max-connections"),
                                                 .seconds = l2r_config_real(o, "timeout"),
                                                 .threads = (int)l2r_config_int(o, "threads")};
    cli_interrupt_catch();
    L2R_TRY(l2r_server_start(&server, &settings, error));
    announce(server, &settings, l2r_config_flag(o, "open"));
    while (!cli_stop_requested(NULL)) {
        const struct timespec pause = {0, 200000000};
        nanosleep(&pause, NULL);
        l2r_server_tick(server);
    }
    fprintf(stderr, "l2r: stopping\n");
done:
    l2r_server_stop(server, GRACE);
    l2r_shelf_clear(&shelf);
    return status;
}

const struct l2r_command l2r_command_serve = {
    .name = "serve",
    .summary = "predict and watch runs in a browser, and over HTTP for programs",
    .usage = "[MODEL…] [--runs DIR] [--port N] [OPTIONS]",
    .about = "MODEL is the folder of a run, a .safetensors file, or a folder of l2r train --seeds: the mean of their "
             "predictions. "
             "The page is part of the program and needs no network; molecules go nowhere but to this server. It "
             "listens on 127.0.0.1 alone unless --bind names another address; then every request needs the token that "
             "is printed with the address. Programs POST to /api/predict: JSON, CSV, SMILES or an SD file in, JSON, "
             "NDJSON or CSV out; /openapi.json describes it, docs/serve.md has examples. --runs shows runs while they "
             "train: their curves grow, and several are compared with paired intervals. --allow-train lets the page "
             "start and stop trainings on the tables of a folder. A model file that changes is "
             "loaded again while the server runs. Ctrl-C answers what is under way and ends.",
    .examples = "l2r serve runs/esol --open\n"
                "l2r serve --runs runs --allow-train tables\n"
                "l2r serve runs/esol runs/bbbp --port 9000\n"
                "l2r serve runs/esol --bind 0.0.0.0 --token-file ~/.l2r-token",
    .section = CLI_SECTION_MODELS,
    .min_arguments = 0,
    .max_arguments = L2R_MOST_SERVED,
    .options = {options},
    .run = run,
};
