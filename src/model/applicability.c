/* SPDX-License-Identifier: MIT
 *
 * The applicability domain of a trained network (the second half of domain.h): representations of its training and
 * validation graphs in, distances out. */
#include "model/domain.h"

#include "base/memory.h"
#include "model/committee.h"

/* The representations of a part, or of at most `most` graphs evenly spaced in it. The caller frees *z. */
static enum l2r_status represent(float **z, int64_t *n, int64_t most, const struct l2r_committee *committee,
                                 struct l2r_tape *tape, const struct l2r_dataset *data, const struct l2r_split *split,
                                 int part, int64_t batch_size, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t all = l2r_split_size(split, part);
    const int32_t *graphs = l2r_split_part(split, part);
    *n = all < most ? all : most;
    size_t size = (size_t)*n * (size_t)committee->members[0]->width;
    int32_t *some = l2r_alloc((size_t)*n, sizeof *some);
    *z = l2r_alloc_raw(size, sizeof **z);
    if (!*z || !some) {
        status = l2r_fail_memory(error, size * sizeof **z, "the representations of a part");
        goto done;
    }
    for (int64_t i = 0; i < *n; i++) some[i] = graphs[i * all / *n];
    const struct l2r_committee_rows rows = {.z = *z};
    L2R_TRY(l2r_committee_score(&rows, committee, tape, data, some, *n, batch_size, error));
done:
    l2r_free(some);
    return status;
}

static enum l2r_status calibrate(struct l2r_domain *domain, const float *z, int64_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    float *distance = l2r_alloc((size_t)n, sizeof *distance);
    if (!distance) return l2r_fail_memory(error, (size_t)n * sizeof *distance, "distances");
    l2r_domain_distances(distance, domain, z, n);
    L2R_TRY(l2r_domain_calibrate(domain, distance, n, error));
    if (!l2r_domain_is_sound(domain))
        L2R_FAIL(L2R_ERR_DIVERGED, "the representation of a validation graph is not finite");
done:
    l2r_free(distance);
    return status;
}

enum l2r_status l2r_applicability_make(struct l2r_domain *domain, const struct l2r_committee *committee,
                                       struct l2r_tape *tape, const struct l2r_dataset *data,
                                       const struct l2r_split *split, int64_t batch_size, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    float *train = NULL, *valid = NULL;
    int64_t n, width = committee->members[0]->width;
    *domain = (struct l2r_domain){0};
    if (width > L2R_DOMAIN_COLUMNS)
        L2R_FAIL(L2R_ERR_ARGUMENT, "distances are measured in at most %d columns, the representations have %lld",
                 L2R_DOMAIN_COLUMNS, (long long)width);
    if (l2r_split_size(split, L2R_PART_TRAIN) == 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "there are no training graphs to measure distances to");
    L2R_TRY(represent(&train, &n, L2R_DOMAIN_ROWS, committee, tape, data, split, L2R_PART_TRAIN, batch_size, error));
    L2R_TRY(l2r_domain_keep(domain, train, n, width, error));
    domain->n_train = l2r_split_size(split, L2R_PART_TRAIN);
    L2R_TRY(l2r_domain_measure(domain, error));
    if (l2r_split_size(split, L2R_PART_VALID) == 0) goto done;
    L2R_TRY(represent(&valid, &n, L2R_DOMAIN_ROWS, committee, tape, data, split, L2R_PART_VALID, batch_size, error));
    L2R_TRY(calibrate(domain, valid, n, error));
done:
    l2r_free(train);
    l2r_free(valid);
    if (status != L2R_OK) l2r_domain_clear(domain);
    return status;
}
