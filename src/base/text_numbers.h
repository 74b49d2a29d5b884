/* SPDX-License-Identifier: MIT
 *
 * Numbers for texts, in the order of first sight: equal texts have equal numbers.
 */
#ifndef L2R_BASE_TEXT_NUMBERS_H
#define L2R_BASE_TEXT_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct l2r_text_numbers {
    char *text; /* all texts, each ending with 0 */
    size_t used, capacity;
    size_t *start; /* [n]: where text k begins */
    size_t start_capacity;
    int32_t n;
    int32_t *slots; /* [n_slots], a power of two: number + 1, or 0 */
    size_t n_slots;
};

/* Zero the struct before the first call. -1: out of memory. */
int32_t l2r_text_numbers_add(struct l2r_text_numbers *t, const char *text);
void l2r_text_numbers_clear(struct l2r_text_numbers *t);

static inline const char *l2r_text_numbers_text(const struct l2r_text_numbers *numbers, int32_t k)
{
    return numbers->text + numbers->start[k];
}

#endif
