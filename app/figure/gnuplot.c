/* SPDX-License-Identifier: MIT
 * See gnuplot.h. The child reads no start-up file of the user (-d), and its words come back through a pipe. */
#include "figure/gnuplot.h"

#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int start(pid_t *child, const char *dir, const char *script, int words)
{
    posix_spawn_file_actions_t actions;
    char program[] = "gnuplot", defaults[] = "-d", file[300];
    char *const arguments[] = {program, defaults, file, NULL};
    snprintf(file, sizeof file, "%s", script);
    int reason = posix_spawn_file_actions_init(&actions);
    if (reason != 0) return reason;
    reason = posix_spawn_file_actions_addchdir_np(&actions, dir);
    if (reason == 0) reason = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (reason == 0) reason = posix_spawn_file_actions_adddup2(&actions, words, STDOUT_FILENO);
    if (reason == 0) reason = posix_spawn_file_actions_adddup2(&actions, words, STDERR_FILENO);
    if (reason == 0) reason = posix_spawnp(child, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return reason;
}

/* The first `size` bytes; the rest is read too, or the child would wait for ever. */
static void listen_to(char *words, size_t size, int from)
{
    char more[512];
    size_t n = 0;
    for (;;) {
        ssize_t got = read(from, more, sizeof more);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        size_t room = size - 1 - n, take = (size_t)got < room ? (size_t)got : room;
        memcpy(words + n, more, take);
        n += take;
    }
    words[n] = '\0';
}

/* The line that says what is wrong. gnuplot shows the place first: an empty line, the command, a caret below it, then
 * "file.gp" line 12: the reason. */
static const char *reason_in(char *words)
{
    char *found = strstr(words, "line ");
    char *begin = found != NULL ? found : words + strspn(words, "\n ");
    begin[strcspn(begin, "\n")] = '\0';
    return *begin != '\0' ? begin : "it gave no reason";
}

enum l2r_status l2r_gnuplot_run(bool *found, const char *dir, const char *name, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int pipe_ends[2] = {-1, -1}, how = 0;
    pid_t child;
    char script[256], words[4096] = "";
    *found = true;
    snprintf(script, sizeof script, "%s.gp", name);
    if (!l2r_path_is_dir(dir)) L2R_FAIL(L2R_ERR_IO, "%s: there is no such folder to draw in", dir);
    if (pipe2(pipe_ends, O_CLOEXEC) != 0) L2R_FAIL(L2R_ERR_IO, "no pipe to gnuplot: %s", strerror(errno));
    int reason = start(&child, dir, script, pipe_ends[1]);
    if (reason == ENOENT) *found = false;
    if (reason == ENOENT) goto done;
    if (reason != 0) L2R_FAIL(L2R_ERR_IO, "gnuplot cannot be started: %s", strerror(reason));
    close(pipe_ends[1]);
    pipe_ends[1] = -1;
    listen_to(words, sizeof words, pipe_ends[0]);
    while (waitpid(child, &how, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(how) || WEXITSTATUS(how) != 0)
        L2R_FAIL(L2R_ERR_IO, "%s/%s: gnuplot failed: %.300s", dir, script, reason_in(words));
done:
    for (int i = 0; i < 2; i++)
        if (pipe_ends[i] >= 0) close(pipe_ends[i]);
    return status;
}
