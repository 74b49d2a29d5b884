/* SPDX-License-Identifier: MIT
 * The stack machine of pickles (pickle.h): its bytes, values and stack. */
#ifndef L2R_IO_PICKLE_MACHINE_H
#define L2R_IO_PICKLE_MACHINE_H

#include "io/pickle.h"

#include <stdbool.h>
#include <stdint.h>

struct l2r_machine {
    struct l2r_arena *arena;
    const unsigned char *bytes;
    size_t at, length;
    struct l2r_pickle **stack; /* [depth]; NULL: a mark */
    size_t depth, capacity;
    struct l2r_pickle **memo; /* [n_memo]; NULL: nothing was kept there */
    size_t n_memo, memo_capacity, kept;
    size_t n_values;
    bool ended;
    enum l2r_status status; /* sticks */
    struct l2r_error *error;
    const char *where;
};

/* After a failure all of them do nothing and return NULL. */
void l2r_machine_damaged(struct l2r_machine *m, const char *what);
void l2r_machine_out_of_memory(struct l2r_machine *m);
/* The next n bytes, or NULL after a failure. */
const unsigned char *l2r_machine_take(struct l2r_machine *m, uint64_t n);
/* Unsigned, little endian. */
uint64_t l2r_machine_number(struct l2r_machine *m, int n);
struct l2r_pickle *l2r_machine_make(struct l2r_machine *m, enum l2r_pickle_kind kind);
bool l2r_machine_is_container(const struct l2r_pickle *v);
/* Appends n items. */
void l2r_machine_put_items(struct l2r_machine *m, struct l2r_pickle *to, struct l2r_pickle *const *items, size_t n);
void l2r_machine_push(struct l2r_machine *m, struct l2r_pickle *value);
/* Never a mark. */
struct l2r_pickle *l2r_machine_pop(struct l2r_machine *m);
struct l2r_pickle *l2r_machine_top(struct l2r_machine *m);
/* Takes what lies above the last mark, and the mark: *n values, which stay where they are until the next push. */
struct l2r_pickle **l2r_machine_above_mark(struct l2r_machine *m, size_t *n);
void l2r_machine_push_text(struct l2r_machine *m, enum l2r_pickle_kind kind, uint64_t n);
void l2r_machine_push_int(struct l2r_machine *m, int64_t integer, enum l2r_pickle_kind kind);
/* A long of n bytes, two's complement; of more than eight only the nearest real number is kept. */
void l2r_machine_push_long(struct l2r_machine *m, uint64_t n);
void l2r_machine_push_real(struct l2r_machine *m, uint64_t n);
/* items from the stack, which pop does not free */
void l2r_machine_push_list(struct l2r_machine *m, enum l2r_pickle_kind kind, struct l2r_pickle *const *items, size_t n);
void l2r_machine_push_last(struct l2r_machine *m, size_t n);
void l2r_machine_two_lines(struct l2r_machine *m, uint64_t n);
void l2r_machine_two_texts(struct l2r_machine *m, uint64_t n);
/* What a call would make; OrderedDict(…) and set(…) are what they hold. */
void l2r_machine_push_object(struct l2r_machine *m, struct l2r_pickle *class, struct l2r_pickle *arguments);

#endif
