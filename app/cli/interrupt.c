/* SPDX-License-Identifier: MIT
 *
 * The one piece of global state of the program: a signal handler can reach nothing else.
 */
#include "cli/interrupt.h"

#include "cli/command.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t asked;

static void on_signal(int number)
{
    static const char message[] = "\nl2r: stopped at once\n";
    (void)number;
    if (asked) {
        ssize_t written = write(STDERR_FILENO, message, sizeof message - 1);
        (void)written;
        _exit(CLI_INTERRUPTED);
    }
    asked = 1;
}

/* Nobody reads the output any more, or a launcher or batch system says that time is up (SIGUSR1, which mpirun passes on
 * to all ranks): save and stop. */
static void on_request(int number)
{
    (void)number;
    asked = 1;
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
}

bool cli_interrupt_asked(void *context)
{
    (void)context;
    return asked != 0;
}
