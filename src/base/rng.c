/* SPDX-License-Identifier: MIT
 *
 * See rng.h. Ten rounds of Philox4x32: two 32x32->64 bit products a round, keys raised by Weyl constants. The constants
 * are the paper's; tests compare with its known answers. Every draw below is made of whole 32-bit words in a fixed
 * order, so a stream gives the same numbers on every machine; only l2r_rng_normal passes through the C library (log,
 * cos).
 */
#include "base/rng.h"

#include <math.h>

static void philox(uint32_t out[4], uint64_t high, uint64_t low, const uint32_t key[2])
{
    uint32_t c0 = (uint32_t)low, c1 = (uint32_t)(low >> 32), c2 = (uint32_t)high, c3 = (uint32_t)(high >> 32);
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)0xD2511F53u * c0, b = (uint64_t)0xCD9E8D57u * c2;
        c0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)b;
        c2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)a;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0, out[1] = c1, out[2] = c2, out[3] = c3;
}

struct l2r_rng l2r_rng_at(uint64_t seed, enum l2r_purpose purpose, uint64_t place)
{
    /* The purpose is spread over the key by an odd multiplier, so that nearby seeds and purposes do not collide. */
    uint64_t key = seed + (uint64_t)purpose * 0x9E3779B97F4A7C15u;
    return (struct l2r_rng){.key = {(uint32_t)key, (uint32_t)(key >> 32)}, .high = place};
}

uint32_t l2r_rng_u32(struct l2r_rng *rng)
{
    if (rng->left == 0) {
        philox(rng->buffer, rng->high, rng->low++, rng->key);
        rng->left = 4;
    }
    return rng->buffer[4 - rng->left--];
}

uint64_t l2r_rng_u64(struct l2r_rng *rng)
{
    uint64_t high = l2r_rng_u32(rng);
    return high << 32 | l2r_rng_u32(rng);
}

double l2r_rng_uniform(struct l2r_rng *rng)
{
    return (double)(l2r_rng_u64(rng) >> 11) * 0x1p-53; /* 53 bits: every value is exact, and 1 is never reached */
}

double l2r_rng_normal(struct l2r_rng *rng)
{
    /* Box–Muller; 1 - u avoids log(0). One of the pair is dropped: a stream stays a plain function of its counter. */
    double radius = sqrt(-2.0 * log(1.0 - l2r_rng_uniform(rng)));
    return radius * cos(2.0 * 3.14159265358979323846 * l2r_rng_uniform(rng));
}

uint64_t l2r_rng_below(struct l2r_rng *rng, uint64_t n)
{
    uint64_t limit = UINT64_MAX - UINT64_MAX % n; /* a multiple of n: values past it would favour small results */
    uint64_t value;
    do {
        value = l2r_rng_u64(rng);
    } while (value >= limit);
    return value % n;
}

void l2r_rng_shuffle(struct l2r_rng *rng, int32_t *items, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)l2r_rng_below(rng, i);
        int32_t held = items[i - 1];
        items[i - 1] = items[j];
        items[j] = held;
    }
}
