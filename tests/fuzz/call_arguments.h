/* SPDX-License-Identifier: MIT
 *
 * Bytes of a fuzzer as arguments of calls: mostly sound, so that a sequence gets somewhere, and every now and then
 * hostile.
 */
#ifndef L2R_FUZZ_CALL_ARGUMENTS_H
#define L2R_FUZZ_CALL_ARGUMENTS_H

#include <l2r/l2r.h>

#include "refusal.h"

#include <math.h>

struct input {
    const uint8_t *at, *end;
};

static inline uint8_t byte(struct input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

/* Mostly small numbers, some of them negative, and the extremes. */
static inline int32_t number(struct input *in)
{
    static const int32_t extremes[] = {INT32_MIN, INT32_MAX, -1, 1 << 20, 77};
    uint8_t b = byte(in);
    return b >= 250 ? extremes[b - 250 < 5 ? b - 250 : 0] : b % 9 - 2;
}

static inline float real(struct input *in)
{
    static const float odd[] = {0, 1, NAN, INFINITY, -INFINITY, 0.5f, 2, 3e38f};
    return odd[byte(in) % 8];
}

static inline const char *text(struct input *in)
{
    static const char *const texts[] = {NULL,   "",      "epochs",   "model", "hidden", "1",
                                        "-1",   "nan",   "{\"lr\":", "gin",   "2",      "dropout",
                                        "none", "split", "official", "random"};
    return texts[byte(in) % 16];
}

static inline void check(enum l2r_status status, struct l2r_error *error)
{
    if (status != L2R_OK) expect_refusal(error);
    *error = (struct l2r_error){0};
}

/* One argument in eight is hostile, so that most sequences get somewhere. */
static inline int32_t mostly(struct input *in, int32_t usual)
{
    return byte(in) % 8 ? usual : number(in);
}

/* A struct's size, mostly as it is and never beyond its memory: who says more than there is cannot be caught. */
static inline size_t size_of(struct input *in, size_t size)
{
    int32_t given = mostly(in, (int32_t)size);
    return given > (int32_t)size && given < 1 << 16 ? size : (size_t)given;
}

/* What a sequence has made. */
struct handles {
    struct l2r_config *config;
    struct l2r_builder *builder;
    int32_t n_tasks; /* of the builder: so many labels a graph must lend */
    struct l2r_dataset *data;
    struct l2r_split *split;
    struct l2r_training *training;
    struct l2r_predictor *predictor;
};

/* From now on this is the data; NULL: what there is stays. */
static inline void take(struct handles *h, struct l2r_dataset *made)
{
    if (!made) return;
    l2r_training_free(h->training); /* it needs the data that goes */
    h->training = NULL;
    l2r_dataset_free(h->data);
    h->data = made;
}

#endif
