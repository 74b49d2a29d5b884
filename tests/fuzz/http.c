/* SPDX-License-Identifier: MIT
 *
 * Any bytes as the answers of a web server, one after the other, divided by zero bytes: the download is refused with a
 * sentence, or the file is no longer than it may be. An "http_proxy" makes sure that nothing but this server is ever
 * asked, wherever a redirect leads. A first byte of '+' leaves a part that the download goes on with.
 */
#include "io/download.h"
#include "io/file.h"
#include "refusal.h"
#include "support/temporary.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_BYTES = 300, PART = 5 };

static char folder[TEMPORARY_LENGTH], path[TEMPORARY_LENGTH + 8];
static int listener;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for what is left of the answers */
static const uint8_t *left;
static size_t n_left;

static void answer(int client)
{
    char request[4096];
    size_t used = 0;
    for (ssize_t n = 1; n > 0 && used < sizeof request - 1 && !memmem(request, used, "\r\n\r\n", 4); used += (size_t)n)
        if ((n = recv(client, request + used, sizeof request - 1 - used, 0)) <= 0) return;
    pthread_mutex_lock(&lock);
    const uint8_t *end = n_left ? memchr(left, 0, n_left) : NULL;
    size_t n = end ? (size_t)(end - left) : n_left;
    if (n > 0) (void)send(client, left, n, MSG_NOSIGNAL);
    left += end ? n + 1 : n;
    n_left -= end ? n + 1 : n;
    pthread_mutex_unlock(&lock);
}

static void *serve(void *unused)
{
    for (;;) {
        int client = accept(listener, NULL, NULL);
        if (client < 0) continue;
        answer(client);
        shutdown(client, SHUT_WR);
        close(client);
    }
    return unused;
}

static void begin(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    pthread_t thread;
    char url[64];
    if (path[0]) return;
    if (!temporary_folder_in_memory(folder)) abort();
    snprintf(path, sizeof path, "%s/a.zip", folder);
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 64) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) != 0 ||
        pthread_create(&thread, NULL, serve, NULL) != 0)
        abort();
    snprintf(url, sizeof url, "http://127.0.0.1:%d", ntohs(address.sin_port));
    setenv("http_proxy", url, 1);
    setenv("https_proxy", url, 1);
    setenv("all_proxy", url, 1);
    unsetenv("no_proxy");
    unsetenv("NO_PROXY");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct l2r_download request = {.url = "http://fuzz.invalid/a.zip",
                                         .path = path,
                                         .max_bytes = MOST_BYTES,
                                         .stall_seconds = 5,
                                         .max_seconds = 9};
    struct l2r_download_end end;
    struct l2r_error error = {0};
    struct stat info;
    begin();
    bool part = size > 0 && data[0] == '+';
    (void)unlink(path);
    if (part && l2r_file_write(path, "PK\3\4x", PART, NULL) != L2R_OK) abort();
    pthread_mutex_lock(&lock);
    left = data + part;
    n_left = size - part;
    pthread_mutex_unlock(&lock);
    if (l2r_download(&end, &request, &error) != L2R_OK)
        expect_refusal(&error);
    else if (stat(path, &info) != 0 || info.st_size > MOST_BYTES || (end.resumed && info.st_size == 0))
        abort();
    pthread_mutex_lock(&lock); /* the input is gone after this call */
    n_left = 0;
    pthread_mutex_unlock(&lock);
    return 0;
}
