/* SPDX-License-Identifier: MIT
 *
 * PNG files, painted by a process of their own. librsvg, Pango and GLib end the process that uses them when memory or
 * threads are short; this must not be the main process, which holds results. The painter is a copy of this process that
 * lives as long as its caller wants pictures, so that fonts are looked up once:
 *
 *     here -> painter    struct request, SVG text
 *     painter -> here    struct answer, PNG or an error message
 *
 * The file is written here, and appears whole or not at all. A painter that has died is an error like any other, and
 * the next picture starts a new one. A painter whose caller has died finds the connection closed and ends.
 */
#include "base/memory.h"
#include "base/system.h"
#include "draw/draw.h"
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGEST_PNG = 1 << 30 };

struct request {
    size_t length;
    double scale;
};

struct answer {
    enum l2r_status status;
    size_t length; /* of the PNG, or of the sentence */
};

/* All n bytes; false when the other side has gone. */
static bool pass(int socket, const void *bytes, size_t n)
{
    for (size_t done = 0; done < n;) {
        ssize_t more = send(socket, (const char *)bytes + done, n - done, MSG_NOSIGNAL);
        if (more < 0 && errno == EINTR) continue;
        if (more <= 0) return false;
        done += (size_t)more;
    }
    return true;
}

static bool take(void *bytes, int socket, size_t n)
{
    for (size_t done = 0; done < n;) {
        ssize_t more = l2r_sys_read(socket, (char *)bytes + done, n - done);
        if (more <= 0) return false;
        done += (size_t)more;
    }
    return true;
}

/* ---- The painter's side ---- */

static bool paint_one(int socket)
{
    struct request request;
    struct answer answer = {0};
    struct l2r_error error = {0};
    char *png = NULL;
    if (!take(&request, socket, sizeof request)) return false;
    char *svg = l2r_alloc_raw(request.length + 1, 1);
    if (!svg || !take(svg, socket, request.length)) _exit(1);
    svg[request.length] = '\0';
    answer.status = l2r_svg_paint(&png, &answer.length, svg, request.scale, &error);
    if (answer.status != L2R_OK) answer.length = strlen(error.message);
    bool passed = pass(socket, &answer, sizeof answer) && pass(socket, png ? png : error.message, answer.length);
    l2r_free(png);
    l2r_free(svg);
    return passed;
}

/* Keeps nothing of its parent but the connection: no lock, no file, no output. A signal that stops the parent stops the
 * painter with it. */
static _Noreturn void paint_for_others(int socket)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGUSR1};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], SIG_IGN);
    int silence = l2r_sys_open("/dev/null", O_RDWR);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) (void)dup2(silence, fd);
    if (dup2(socket, STDERR_FILENO + 1) < 0) _exit(1);
    closefrom(STDERR_FILENO + 2);
    while (paint_one(STDERR_FILENO + 1)) continue;
    _exit(0);
}

/* ---- The caller's side ---- */

enum l2r_status l2r_painter_start(struct l2r_painter *painter, struct l2r_error *error)
{
    int ends[2];
    if (painter->process > 0) return L2R_OK;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return l2r_fail(error, L2R_ERR_IO, "no picture can be painted: %s", strerror(errno));
    pid_t process = fork();
    if (process == 0) {
        close(ends[0]);
        paint_for_others(ends[1]);
    }
    int reason = errno;
    close(ends[1]);
    if (process > 0) {
        *painter = (struct l2r_painter){.process = process, .socket = ends[0]};
        return L2R_OK;
    }
    close(ends[0]);
    return l2r_fail(error, L2R_ERR_IO, "no process can be started that paints PNG files: %s; SVG files need none",
                    strerror(reason));
}

/* Returns its exit status, as waitpid does. */
static int end_painter(struct l2r_painter *painter)
{
    int how = 0;
    if (painter->process <= 0) return 0;
    close(painter->socket);
    while (waitpid((pid_t)painter->process, &how, 0) < 0 && errno == EINTR) continue;
    *painter = (struct l2r_painter){0};
    return how;
}

void l2r_painter_stop(struct l2r_painter *painter)
{
    (void)end_painter(painter);
}

static enum l2r_status fail_ended(struct l2r_painter *painter, const char *path, struct l2r_error *error)
{
    int how = end_painter(painter);
    return l2r_fail(error, L2R_ERR_MEMORY,
                    "%.400s: the library that paints PNG files has ended (%s %d), most likely out of memory or of "
                    "threads; SVG files need neither",
                    path, WIFSIGNALED(how) ? "signal" : "exit code", WIFSIGNALED(how) ? WTERMSIG(how) : how >> 8);
}

/* *bytes, freed with l2r_free, are the PNG. */
static enum l2r_status request_png(char **bytes, size_t *length, struct l2r_painter *painter, const char *svg,
                                   const char *path, double scale, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct request request = {.length = strlen(svg), .scale = scale};
    struct answer answer;
    L2R_TRY(l2r_painter_start(painter, error));
    if (!pass(painter->socket, &request, sizeof request) || !pass(painter->socket, svg, request.length) ||
        !take(&answer, painter->socket, sizeof answer) || answer.length > LARGEST_PNG)
        return fail_ended(painter, path, error);
    *bytes = l2r_alloc_raw(answer.length + 1, 1);
    if (!*bytes) {
        l2r_painter_stop(painter); /* with its last message */
        return l2r_fail_memory(error, answer.length, path);
    }
    if (!take(*bytes, painter->socket, answer.length)) return fail_ended(painter, path, error);
    (*bytes)[answer.length] = '\0';
    *length = answer.length;
    if (answer.status != L2R_OK) L2R_FAIL(answer.status, "%.400s: %s", path, *bytes);
done:
    return status;
}

enum l2r_status l2r_svg_write_png(struct l2r_painter *painter, const char *svg, const char *path, double scale,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char *png = NULL;
    size_t length = 0;
    L2R_TRY(request_png(&png, &length, painter, svg, path, scale, error));
    L2R_TRY(l2r_file_write(path, png, length, error));
done:
    l2r_free(png);
    return status;
}

enum l2r_status l2r_svg_write(struct l2r_painter *painter, const char *svg, const char *stem, unsigned formats,
                              struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char path[4096];
    if (strlen(stem) + 5 > sizeof path) L2R_FAIL(L2R_ERR_ARGUMENT, "the path %.100s… is too long", stem);
    if (formats & L2R_DRAW_SVG) {
        snprintf(path, sizeof path, "%s.svg", stem);
        L2R_TRY(l2r_file_write(path, svg, strlen(svg), error));
    }
    if (formats & L2R_DRAW_PNG) {
        snprintf(path, sizeof path, "%s.png", stem);
        L2R_TRY(l2r_svg_write_png(painter, svg, path, 2, error));
    }
done:
    return status;
}
