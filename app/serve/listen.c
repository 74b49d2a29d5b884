/* SPDX-License-Identifier: MIT
 * See listen.h. */
#include "serve/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static enum l2r_status find_address(struct sockaddr_storage *to, bool *six, const char *name, uint16_t port,
                                    struct l2r_error *error)
{
    struct sockaddr_in *four = (struct sockaddr_in *)to;
    struct sockaddr_in6 *long_one = (struct sockaddr_in6 *)to;
    memset(to, 0, sizeof *to);
    *six = strchr(name, ':') != NULL;
    if (*six && inet_pton(AF_INET6, name, &long_one->sin6_addr) == 1) {
        long_one->sin6_family = AF_INET6;
        long_one->sin6_port = htons(port);
        return L2R_OK;
    }
    if (!*six && inet_pton(AF_INET, name, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons(port);
        return L2R_OK;
    }
    return l2r_fail(error, L2R_ERR_ARGUMENT, "%s is no address; expected one such as 127.0.0.1, 0.0.0.0 or ::1", name);
}

enum l2r_status l2r_listen(int *out, uint16_t *bound, bool *six, const char *name, uint16_t port,
                           struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct sockaddr_storage address;
    int on = 1, fd = -1;
    L2R_TRY(find_address(&address, six, name, port, error));
    socklen_t size = *six ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    fd = socket(*six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0) (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) != 0 || listen(fd, 1024) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0)
        L2R_FAIL(L2R_ERR_IO, "port %u of %s cannot be listened on: %s%s", (unsigned)port, name, strerror(errno),
                 errno == EADDRINUSE ? " (choose another with `port`; 0 takes a free one)" : "");
    *bound = ntohs(*six ? ((struct sockaddr_in6 *)&address)->sin6_port : ((struct sockaddr_in *)&address)->sin_port);
    *out = fd;
    fd = -1;
done:
    if (fd >= 0) close(fd);
    return status;
}
