/* SPDX-License-Identifier: MIT
 *
 * Python pickles as inert values. A pickle is a program for a stack machine that may name any function of any module
 * and call it. This reader runs the machine without that: a name stays a name, and a call becomes an object that holds
 * the name, the arguments and the state, for the caller to look at.
 *
 *     {"weight": rebuild(storage 0, [2, 3])}
 *
 *     dict ── "weight" ── object   class "torch._utils._rebuild_tensor_v2"
 *                                  items (storage, [2, 3])
 *
 * Known are the codes that pickles of protocol 2 to 4 consist of, as PyTorch and pickle.dump write them; any other code
 * is an error that names it. Values refer to the bytes of the pickle, which must outlive them. They may form cycles, so
 * code that walks them follows keys that it knows and never recurses.
 */
#ifndef L2R_IO_PICKLE_H
#define L2R_IO_PICKLE_H

#include "base/memory.h"
#include "base/status.h"

enum l2r_pickle_kind {
    L2R_PICKLE_NONE,
    L2R_PICKLE_FLAG,
    L2R_PICKLE_INT,
    L2R_PICKLE_REAL,
    L2R_PICKLE_TEXT,    /* text and bytes */
    L2R_PICKLE_LIST,    /* lists, tuples and sets */
    L2R_PICKLE_DICT,    /* items are key, value, key, value, … */
    L2R_PICKLE_NAME,    /* "module.name", not looked up anywhere */
    L2R_PICKLE_OBJECT,  /* what a call of a name, or a class, would make */
    L2R_PICKLE_FOREIGN, /* a reference to data beside the pickle: items[0] says which */
};

struct l2r_pickle {
    enum l2r_pickle_kind kind;
    int64_t integer;                 /* flag, int */
    double real;                     /* int, real */
    const char *text;                /* text, name: [n], without a 0 at the end */
    size_t n, capacity;              /* bytes of the text, or items */
    const struct l2r_pickle **items; /* list, dict, foreign; of an object: its arguments */
    const struct l2r_pickle *class;  /* object: what was called, mostly a name; else NULL */
    struct l2r_pickle *state;        /* object: what it was given afterwards, a dict or a list; NULL: nothing */
    struct l2r_pickle *members;      /* object: items put into it as into a dict; NULL: none */
};

/* Limits that no model needs. */
enum { L2R_PICKLE_BYTES = 1 << 24, L2R_PICKLE_VALUES = 1 << 21 };

/* The value that a pickle describes. Values come from the arena. L2R_ERR_FORMAT: it is damaged, or uses what is not
 * known here; `where` names it in errors. */
enum l2r_status l2r_pickle_read(const struct l2r_pickle **value, struct l2r_arena *arena, const void *bytes,
                                size_t length, const char *where, struct l2r_error *error);

/* A value of a dict, or of an object's members or state, by its key; NULL: none. value NULL is fine. */
const struct l2r_pickle *l2r_pickle_get(const struct l2r_pickle *value, const char *key);
/* Is it this text or name? A name also when its last part is `text`. */
bool l2r_pickle_is(const struct l2r_pickle *value, const char *text);
/* The name of an object's class, or the name itself; NULL: neither. *n: its bytes. */
const char *l2r_pickle_class(size_t *n, const struct l2r_pickle *value);

#endif
