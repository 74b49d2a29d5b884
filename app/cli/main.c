/* SPDX-License-Identifier: MIT
 *
 * The program `l2r`: finds the command, parses its words, runs it, turns the status into an exit code and the error
 * into one line on stderr. The commands themselves are in commands/.
 */
#include "cli/command.h"
#include "cli/help.h"
#include "cli/process.h"
#include "cli/terminal.h"
#include "io/temporary.h"
#include "kernels/vector.h"
#include "recipe/table_defaults.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static enum l2r_status check_count(struct cli_call *call, struct l2r_error *error)
{
    const struct l2r_command *command = call->command;
    if (call->n_arguments < command->min_arguments)
        return cli_misuse(call, error, "'l2r %s' needs more arguments: l2r %s %s", command->name, command->name,
                          command->usage);
    if (call->n_arguments > command->max_arguments)
        return cli_misuse(call, error, "'%s' is one argument too many: l2r %s %s",
                          call->arguments[command->max_arguments], command->name, command->usage);
    return L2R_OK;
}

/* Output that could not be written (a full disk) must not look like success. */
static enum l2r_status check_output(struct l2r_error *error)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return L2R_OK;
    return l2r_fail(error, L2R_ERR_IO, "cannot write to standard output%s%s", errno ? ": " : "",
                    errno ? strerror(errno) : "");
}

/* Removes unfinished files of killed processes where this command reads or writes. */
static void remove_litter(const struct cli_call *call)
{
    static const char *const outputs[] = {"out", "results"};
    const struct l2r_option *option;
    for (size_t i = 0; (option = l2r_config_option(call->options, i)) != NULL; i++)
        for (size_t k = 0; k < sizeof outputs / sizeof *outputs; k++)
            if (strcmp(option->name, outputs[k]) == 0 && l2r_config_text(call->options, option->name) != NULL)
                l2r_remove_litter_at(l2r_config_text(call->options, option->name));
    for (int i = 0; i < call->n_arguments; i++) l2r_remove_litter_at(call->arguments[i]);
}

static int run_command(const struct l2r_command *command, int rank, int argc, char **argv)
{
    struct l2r_error error = {0};
    struct cli_call call;
    bool parsed = false;
    enum l2r_status status = L2R_OK;
    L2R_TRY(cli_call_begin(&call, command, argc, argv, &error));
    L2R_TRY(cli_arguments_parse(&call, argc, argv, &error));
    if (call.help || !command->divides) {
        char words[128];
        snprintf(words, sizeof words, "%s%s", command->name, call.help ? " --help" : "");
        int alike = cli_ranks_part(words);
        if (call.help && rank == 0 && alike == CLI_DONE) {
            const char *data = l2r_config_has(call.subject, "members") ? l2r_config_text(call.subject, "data") : NULL;
            if (data != NULL && l2r_run_resolve(call.subject, l2r_run_reads_table(data), NULL) == L2R_OK) {
                (void)l2r_config_set_default(call.subject, "model", l2r_config_text(call.subject, "model"), NULL);
                if (l2r_run_reads_table(data)) (void)l2r_config_set_default(call.subject, "members", "auto", NULL);
            }
            cli_help_command(stdout, &call);
        }
        if (call.help || rank > 0 || alike != CLI_DONE) {
            cli_call_clear(&call);
            return alike;
        }
    }
    L2R_TRY(check_count(&call, &error));
    parsed = true;
    L2R_TRY(l2r_vector_check(&error));
    if (command->divides) L2R_TRY(cli_ranks_join(&call, &error));
    if (l2r_comm_leads(call.comm)) remove_litter(&call);
    L2R_TRY(command->run(&call, &error));
    L2R_TRY(check_output(&error));
done:;
    bool misused = call.misuse || (!parsed && status == L2R_ERR_ARGUMENT);
    struct l2r_comm *comm = call.comm;
    cli_call_clear(&call);
    int code = misused ? CLI_MISUSED : status == L2R_ERR_INTERRUPTED ? CLI_INTERRUPTED : CLI_FAILED;
    return cli_ranks_leave(comm, &error, status == L2R_OK ? CLI_DONE : code);
}

/* If a standard descriptor is closed, the next file opened takes its number and messages end up in that file; so closed
 * ones are replaced by descriptors that fail. Exceeding the shell's file size limit (ulimit -f) becomes an error like a
 * full disk instead of a signal that kills. Where addresses are limited (ulimit -v), threads share one heap: the
 * allocator would set 64 MB aside for each. */
static void prepare_process(void)
{
    struct rlimit addresses;
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
        if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            _exit(CLI_FAILED); /* open takes the lowest free number */
    }
    signal(SIGXFSZ, SIG_IGN);
    if (getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY) (void)mallopt(M_ARENA_MAX, 1);
}

/* Words that are no command: help, the version, or a mistake. */
static int answer(int argc, char **argv)
{
    struct l2r_error error = {0};
    if (argc == 0) {
        cli_help_overview(stderr, NULL);
        return CLI_MISUSED;
    }
    if (strcmp(argv[0], "--version") == 0) {
        printf("l2r %s\n", l2r_version());
        return CLI_DONE;
    }
    if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0) {
        cli_help_overview(stdout, NULL);
        return CLI_DONE;
    }
    if (cli_command_is_prefix(argv[0]) && (argc == 1 || argv[1][0] == '-')) {
        bool requested = argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
        cli_help_overview(requested ? stdout : stderr, argv[0]);
        return requested ? CLI_DONE : CLI_MISUSED;
    }
    cli_command_unknown(argc, argv, &error);
    return cli_ranks_leave(NULL, &error, CLI_MISUSED);
}

int main(int argc, char **argv)
{
    int used = 0;
    prepare_process();
    cli_end_with_reader();
    int rank =
        cli_ranks_hush(); /* this reopens streams, so it comes before the guard, whose streams cannot be reopened */
    cli_terminal_guard();
    argc--, argv++;
    const struct l2r_command *command = argc > 0 ? cli_command_find(&used, argc, argv) : NULL;
    if (command != NULL) return run_command(command, rank, argc - used, argv + used);
    int alike = cli_ranks_part(argc > 0 ? argv[0] : "");
    return rank > 0 || alike != CLI_DONE ? alike : answer(argc, argv);
}
