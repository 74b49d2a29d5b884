/* SPDX-License-Identifier: MIT
 * The smallest program that uses the installed library. */
#include <l2r/l2r.h>
#include <stdio.h>

int main(void)
{
    printf("%s\n", l2r_version());
    return 0;
}
