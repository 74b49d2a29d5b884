/* SPDX-License-Identifier: MIT
 *
 * Signals, descriptors and ranks. The two static variables are the only global state of the program: a signal handler
 * can use nothing else, and a silenced rank has no stderr.
 */
#include "cli/process.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/system.h"
#include "base/threads.h"
#include "cli/terminal.h"
#include "comm/comm.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/* ---- signals ---- */

static volatile sig_atomic_t stop_requested;

static void on_signal(int number)
{
    static const char message[] = "\nl2r: stopped at once\n";
    (void)number;
    if (stop_requested) {
        ssize_t written = write(STDERR_FILENO, message, sizeof message - 1);
        (void)written;
        _exit(CLI_INTERRUPTED);
    }
    stop_requested = 1;
}

/* Save and stop: the reader of the output is gone (SIGPIPE), the terminal is gone (SIGHUP, which the kernel and the
 * shell both send, so a second one is ignored), or a launcher or batch system announces the end (SIGUSR1, which mpirun
 * passes on to all ranks). */
static void on_request(int number)
{
    (void)number;
    stop_requested = 1;
}

void cli_interrupt_catch(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = on_request;
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    struct sigaction before;
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* nohup: the program continues */
        sigaction(SIGHUP, &action, NULL);
}

void cli_end_with_reader(void)
{
    signal(SIGPIPE, SIG_DFL);
}

bool cli_stop_requested(void *context)
{
    (void)context;
    return stop_requested != 0;
}

/* ---- ranks ---- */

enum { LONGEST_ERROR = sizeof((struct l2r_error){0}.message) };

static FILE *real_stderr; /* where a silenced rank reports its error; NULL: stderr */

int cli_ranks_hush(void)
{
    int rank;
    if (!l2r_launched(&rank) || rank == 0) return 0;
    int kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    real_stderr = kept >= 0 ? fdopen(kept, "w") : NULL;
    if (real_stderr == NULL || freopen("/dev/null", "w", stdout) == NULL || freopen("/dev/null", "w", stderr) == NULL)
        _exit(CLI_FAILED);
    return rank;
}

/* A hash of the program's own file; 0 if it cannot be read. */
static uint64_t build_of(void)
{
    uint64_t hash = 0;
    struct stat is;
    int file = l2r_sys_open("/proc/self/exe", O_RDONLY);
    if (file < 0) return 0;
    if (fstat(file, &is) == 0 && is.st_size > 0) {
        void *bytes = l2r_sys_map(file, (size_t)is.st_size);
        if (bytes != MAP_FAILED) {
            hash = XXH3_64bits(bytes, (size_t)is.st_size);
            munmap(bytes, (size_t)is.st_size);
        }
    }
    (void)l2r_sys_close(file);
    return hash;
}

/* Command, arguments and options, as far as they must be the same everywhere. */
static json_t *words_of(const struct cli_call *call)
{
    json_t *words = l2r_config_to_json(call->options), *subject = l2r_config_to_json(call->subject),
           *arguments = json_array();
    json_object_update(words, subject);
    for (int i = 0; i < call->n_arguments; i++) json_array_append_new(arguments, json_string(call->arguments[i]));
    json_object_del(words, "threads");
    json_object_set_new(words, " arguments", arguments);
    json_object_set_new(words, " command", json_string(call->command->name));
    json_decref(subject);
    return words;
}

/* The difference from rank 0's arguments; "": none. */
static void find_difference(char *complaint, const json_t *mine, const char *text, size_t length)
{
    json_t *first = json_loadb(text, length, 0, NULL), *value, *here = json_deep_copy(mine);
    const char *name, *other = NULL;
    json_object_foreach(here, name, value) if (!json_equal(value, json_object_get(first, name))) other = name;
    json_object_foreach(first, name, value) if (json_object_get(here, name) == NULL) other = name;
    complaint[0] = '\0';
    if (other != NULL && other[0] == ' ')
        snprintf(complaint, L2R_COMPLAINT, "was given a different%s than rank 0",
                 strcmp(other, " command") == 0 ? other : " argument");
    else if (other != NULL)
        snprintf(complaint, L2R_COMPLAINT, "was given a different --%.100s than rank 0", other);
    json_decref(first);
    json_decref(here);
}

static enum l2r_status compare_words(const struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char complaint[L2R_COMPLAINT];
    json_t *words = words_of(call);
    char *mine = json_dumps(words, JSON_SORT_KEYS | JSON_COMPACT), *first = NULL;
    uint64_t length = mine != NULL ? strlen(mine) : 0;
    l2r_comm_broadcast(call->comm, &length, sizeof length);
    first = l2r_alloc((size_t)length + 1, 1);
    if (mine == NULL || first == NULL) {
        status = l2r_fail_memory(error, (size_t)length, "the options");
        goto done;
    }
    if (call->comm->rank == 0) memcpy(first, mine, (size_t)length);
    l2r_comm_broadcast(call->comm, first, (size_t)length);
    find_difference(complaint, words, first, (size_t)length);
    L2R_TRY(l2r_comm_complain(call->comm, complaint, error));
done:
    free(mine);
    l2r_free(first);
    json_decref(words);
    return status;
}

/* The first message between ranks, whatever they run. */
static enum l2r_status compare_command(struct l2r_comm *comm, const char *words, struct l2r_error *error)
{
    return l2r_comm_agree(comm, XXH3_64bits(words, strlen(words)), "runs a different command than rank 0", error);
}

int cli_ranks_part(const char *words)
{
    struct l2r_error error = {0};
    struct l2r_comm *comm = NULL;
    if (l2r_comm_open(&comm, &error) != L2R_OK || comm == NULL) return CLI_DONE; /* a build without MPI works alone */
    enum l2r_status status = compare_command(comm, words, &error);
    return cli_ranks_leave(comm, &error, status == L2R_OK ? CLI_DONE : CLI_FAILED);
}

enum l2r_status cli_ranks_join(struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(l2r_comm_open(&call->comm, error));
    if (call->comm == NULL) goto done;
    L2R_TRY(compare_command(call->comm, call->command->name, error));
    L2R_TRY(l2r_comm_agree(call->comm, build_of(), "runs a different build of l2r than rank 0", error));
    L2R_TRY(compare_words(call, error));
done:
    return status;
}

/* size 0: not known. */
static void print_message(int rank, int size, const char *message)
{
    FILE *out = real_stderr != NULL ? real_stderr : stderr;
    char text[2 * LONGEST_ERROR];
    fflush(stdout);
    fprintf(out, "%sl2r:%s ", cli_red(out), cli_plain(out));
    if (rank > 0 && size > 0) fprintf(out, "rank %d of %d: ", rank, size);
    if (rank > 0 && size == 0) fprintf(out, "rank %d: ", rank);
    fprintf(out, "%s\n", cli_format_options(text, sizeof text, message));
    fflush(out);
}

/* All ranks have failed. Rank 0 reports its error, the others only an error that differs from rank 0's. */
static void print_shared_message(const struct l2r_comm *comm, const char *all)
{
    const char *mine = all + (size_t)comm->rank * LONGEST_ERROR;
    if (comm->rank == 0 || strcmp(mine, all) != 0) print_message(comm->rank, comm->size, mine);
}

int cli_ranks_leave(struct l2r_comm *comm, const struct l2r_error *error, int code)
{
    int rank;
    bool launched = l2r_launched(&rank);
    if (comm == NULL) {
        /* Rank 0 most likely fails for the same reason, and the launcher ends all ranks as soon as one has failed. */
        if (code != CLI_DONE && launched && rank > 0) sleep(1);
        if (code != CLI_DONE) print_message(launched ? rank : 0, 0, error->message);
        return code;
    }
    if (code != CLI_DONE) {
        char mine[LONGEST_ERROR], *all = l2r_alloc((size_t)comm->size, LONGEST_ERROR);
        snprintf(mine, sizeof mine, "%s", error->message);
        if (all == NULL || !l2r_comm_settle(comm, all, mine, sizeof mine)) {
            print_message(comm->rank, comm->size, mine);
            l2r_comm_abort(comm, code);
        } else {
            print_shared_message(comm, all);
        }
        l2r_free(all);
    }
    l2r_comm_close(comm);
    return code;
}

void cli_ranks_threads(const struct cli_call *call)
{
    int wanted = (int)l2r_config_int(call->options, "threads");
    l2r_threads_set(wanted == 0 && call->comm != NULL ? call->comm->threads : wanted);
}
