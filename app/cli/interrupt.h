/* SPDX-License-Identifier: MIT
 *
 * Ctrl-C and SIGTERM: the first asks the work to save and stop, the second ends the program at once. A closed pipe asks
 * too.
 */
#ifndef L2R_CLI_INTERRUPT_H
#define L2R_CLI_INTERRUPT_H

#include <stdbool.h>

void cli_interrupt_catch(void);
/* Was a stop asked for? The argument is not used: it fits l2r_watch.stop. */
bool cli_interrupt_asked(void *context);

#endif
