/* SPDX-License-Identifier: MIT
 * The communicator on threads: sums are the same bits everywhere, gathers keep their order, the first rank that differs
 * is named to all; alone nothing happens. */
#include "support/thread_ranks.h"

#include "comm/comm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SIZE = 4 };

struct received {
    double sum[3];
    char text[SIZE + 1];
    struct l2r_error same, other;
    enum l2r_status same_status, other_status;
    struct l2r_traffic traffic;
};

static void talk(struct l2r_comm *comm, void *context)
{
    struct received *h = context;
    static const int64_t start[SIZE + 1] = {0, 1, 1, 3, 4}; /* rank 1 has nothing */
    for (int k = 0; k < 3; k++) h->sum[k] = 0.1 * (comm->rank + 1) + k;
    l2r_comm_start_sum(comm, h->sum, 2, sizeof *h->sum);
    l2r_comm_sum(comm, h->sum + 2, 1, sizeof *h->sum);
    l2r_comm_finish_sums(comm);
    for (int64_t i = start[comm->rank]; i < start[comm->rank + 1]; i++) h->text[i] = (char)('a' + comm->rank);
    l2r_comm_gather(comm, h->text, start);
    h->same_status = l2r_comm_agree(comm, 7, "has another number", &h->same);
    h->other_status = l2r_comm_agree(comm, comm->rank < 2 ? 7 : 8, "has another number", &h->other);
    h->traffic = comm->traffic;
}

static void ranks_talk(void **state)
{
    (void)state;
    struct received received[SIZE] = {0};
    void *contexts[SIZE];
    for (int k = 0; k < SIZE; k++) contexts[k] = &received[k];
    on_ranks(SIZE, talk, contexts);
    for (int k = 0; k < SIZE; k++) {
        assert_memory_equal(received[k].sum, received[0].sum, sizeof received[0].sum);
        assert_true(received[k].sum[2] > 8.999 && received[k].sum[2] < 9.001);
        assert_string_equal(received[k].text, "accd");
        assert_int_equal(received[k].same_status, L2R_OK);
        assert_int_equal(received[k].other_status, L2R_ERR_ARGUMENT);
        assert_string_equal(received[k].other.message, "rank 2 of 4 has another number");
        assert_int_equal(received[k].traffic.calls, 7);
        assert_int_equal(received[k].traffic.bytes, 3 * 8 + 4 + 2 * (8 + SIZE * L2R_COMPLAINT));
    }
}

static void alone_nothing_happens(void **state)
{
    (void)state;
    double one = 1;
    l2r_comm_sum(NULL, &one, 1, sizeof one);
    l2r_comm_broadcast(NULL, &one, sizeof one);
    l2r_comm_finish_sums(NULL);
    assert_true(one == 1 && l2r_comm_n_ranks(NULL) == 1 && l2r_comm_leads(NULL));
    assert_int_equal(l2r_comm_agree(NULL, 3, "", NULL), L2R_OK);
}

static void launchers_are_noticed(void **state)
{
    (void)state;
    int rank = -1;
    struct l2r_comm *comm;
    unsetenv("OMPI_COMM_WORLD_SIZE");
    unsetenv("PMIX_RANK");
    assert_false(l2r_launched(&rank));
    assert_int_equal(l2r_comm_open(&comm, NULL), L2R_OK);
    assert_null(comm);
    setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
    setenv("OMPI_COMM_WORLD_RANK", "0", 1);
    assert_false(l2r_launched(&rank));
    setenv("OMPI_COMM_WORLD_SIZE", "3", 1);
    setenv("OMPI_COMM_WORLD_RANK", "2", 1);
    assert_true(l2r_launched(&rank));
    assert_int_equal(rank, 2);
    unsetenv("OMPI_COMM_WORLD_SIZE");
    setenv("PMIX_RANK", "5", 1);
    assert_true(l2r_launched(&rank));
    assert_int_equal(rank, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"ranks talk", ranks_talk, NULL, NULL, NULL},
        {"alone nothing happens", alone_nothing_happens, NULL, NULL, NULL},
        {"launchers are noticed", launchers_are_noticed, NULL, NULL, NULL},
    };
    return cmocka_run_group_tests_name("comm", tests, NULL, NULL);
}
