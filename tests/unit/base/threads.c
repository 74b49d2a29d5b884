/* SPDX-License-Identifier: MIT
 * Chunks of work: each is run exactly once, results do not depend on the number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

enum { N = 10007, CHUNK = 64 };

struct work {
    int calls[N];
    double part[N];
};

static void count_call(void *context, int64_t chunk)
{
    ((struct work *)context)->calls[chunk]++; /* no atomics: two threads on one chunk are a race that tsan reports */
}

static void every_chunk_runs_once(void **state)
{
    (void)state;
    static struct work work;
    for (int threads = 1; threads <= 4; threads++) {
        memset(&work, 0, sizeof work);
        l2r_threads_set(threads);
        l2r_parallel(N, count_call, &work);
        for (int i = 0; i < N; i++) assert_int_equal(work.calls[i], 1);
    }
    memset(&work, 0, sizeof work);
    l2r_parallel(1, count_call, &work);
    assert_int_equal(work.calls[0], 1);
    l2r_parallel(0, count_call, &work);
    assert_int_equal(work.calls[0], 1);
    assert_int_equal(work.calls[1], 0);
}

static void sum_chunk(void *context, int64_t chunk)
{
    struct work *work = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, N, CHUNK, chunk);
    work->part[chunk] = 0;
    for (int64_t i = begin; i < end; i++) {
        struct l2r_rng rng = l2r_rng_at(1, L2R_RANDOM_TEST, (uint64_t)i);
        work->part[chunk] += exp(l2r_rng_normal(&rng));
    }
}

static double ordered_sum(struct work *work, int threads)
{
    double sum = 0;
    int64_t n_chunks = l2r_chunk_count(N, CHUNK);
    l2r_threads_set(threads);
    l2r_parallel(n_chunks, sum_chunk, work);
    for (int64_t i = 0; i < n_chunks; i++) sum += work->part[i];
    return sum;
}

static void sums_have_the_same_bits(void **state)
{
    (void)state;
    static struct work work;
    double one = ordered_sum(&work, 1);
    for (int threads = 2; threads <= 5; threads++) {
        double many = ordered_sum(&work, threads);
        assert_memory_equal(&one, &many, sizeof one);
    }
}

static void chunks_cover_all_items(void **state)
{
    (void)state;
    for (int64_t n = 0; n < 200; n++) {
        for (int64_t size = 1; size < 70; size += 3) {
            int64_t covered = 0, begin, end;
            for (int64_t c = 0; c < l2r_chunk_count(n, size); c++) {
                l2r_chunk_range(&begin, &end, n, size, c);
                assert_true(begin == covered && end > begin && end <= n);
                covered = end;
            }
            assert_true(covered == n);
        }
    }
}

static void the_number_of_threads_is_kept(void **state)
{
    (void)state;
    l2r_threads_set(3);
    assert_int_equal(l2r_threads_get(), 3);
    l2r_threads_set(0);
    assert_true(l2r_threads_get() >= 1);
}

struct desks {
    _Atomic int taken[4];
    _Atomic int clashes;
};

static void use_desk(void *context, int64_t chunk)
{
    struct desks *desks = context;
    int mine = l2r_worker();
    volatile double work = (double)chunk;
    if (mine < 0 || mine >= 4 || desks->taken[mine]++ != 0) desks->clashes++;
    for (int i = 0; i < 2000; i++) work = sqrt(work + i);
    desks->taken[mine & 3]--;
}

static void nested_loop(void *context, int64_t chunk)
{
    (void)chunk;
    int before = l2r_worker();
    struct desks own = {0}; /* a loop inside a chunk has one thread, number 0 */
    l2r_parallel(3, use_desk, &own);
    if (own.clashes > 0 || l2r_worker() != before) ((struct desks *)context)->clashes++;
}

static void workers_do_not_share_numbers(void **state)
{
    (void)state;
    struct desks desks = {0};
    l2r_threads_set(4);
    l2r_parallel(500, use_desk, &desks);
    l2r_parallel(100, nested_loop, &desks);
    assert_int_equal(desks.clashes, 0);
    assert_int_equal(l2r_worker(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_chunk_runs_once),        cmocka_unit_test(sums_have_the_same_bits),
        cmocka_unit_test(chunks_cover_all_items),       cmocka_unit_test(the_number_of_threads_is_kept),
        cmocka_unit_test(workers_do_not_share_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
