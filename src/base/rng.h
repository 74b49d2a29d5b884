/* SPDX-License-Identifier: MIT
 *
 * Counter-based random numbers (Philox4x32-10, Salmon et al. 2011).
 *
 * A stream is a pure function (seed, purpose, counter) -> 128 bits. There is no hidden state: a resumed run draws the
 * same numbers from its epoch and step, and drawing more numbers for one purpose never shifts those of another.
 *
 *     key      = seed + purpose × odd constant         one stream for each purpose of a seed
 *     counter  = place (64 bits) | block (64 bits)     place: the caller's epoch or step; block: counts up as we draw
 *
 * Not for cryptography.
 */
#ifndef L2R_BASE_RNG_H
#define L2R_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

/* The numbers enter the streams: new purposes go at the end. */
enum l2r_purpose {
    L2R_RANDOM_INIT = 1,
    L2R_RANDOM_SHUFFLE,
    L2R_RANDOM_DROPOUT,
    L2R_RANDOM_FOURIER,
    L2R_RANDOM_SPLIT,
    L2R_RANDOM_DATA,
    L2R_RANDOM_CLUSTER,
    L2R_RANDOM_TEST,
    L2R_RANDOM_CONTROL,
    L2R_RANDOM_EXPLAIN,
    L2R_RANDOM_TUNE,
    L2R_RANDOM_METHOD, /* what a training method draws */
    L2R_RANDOM_MASK,   /* which nodes are masked */
    L2R_RANDOM_TREES
};

struct l2r_rng {
    uint32_t key[2];
    uint64_t high; /* upper half of the counter: the caller's place, e.g. the epoch or the step */
    uint64_t low;  /* lower half: counts blocks drawn */
    uint32_t buffer[4];
    unsigned left; /* words of buffer not yet handed out */
};

/* The stream for one purpose of one seed, at `place` (epoch, step, tensor number…): equal arguments, equal numbers. */
struct l2r_rng l2r_rng_at(uint64_t seed, enum l2r_purpose purpose, uint64_t place);

uint32_t l2r_rng_u32(struct l2r_rng *rng);
uint64_t l2r_rng_u64(struct l2r_rng *rng);
double l2r_rng_uniform(struct l2r_rng *rng);             /* [0, 1) */
double l2r_rng_normal(struct l2r_rng *rng);              /* mean 0, variance 1 */
uint64_t l2r_rng_below(struct l2r_rng *rng, uint64_t n); /* 0 .. n-1 without bias; n > 0 */
/* Fisher–Yates. */
void l2r_rng_shuffle(struct l2r_rng *rng, int32_t *items, size_t n);

#endif
