/* SPDX-License-Identifier: MIT
 *
 * The applicability domain of a trained network (the second half of domain.h): representations of its training and
 * validation graphs in, RUN/domain.safetensors out, and back. A file is read with the same suspicion as a model: sizes
 * within the limits of domain.h, sealed header, the right model, and numbers that can be distances. */
#include "predict/domain.h"

#include "base/decimal.h"
#include "base/memory.h"
#include "io/file.h"
#include "io/safetensors.h"
#include "predict/predictor_state.h"
#include "predict/run_names.h"
#include "predict/score.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The representations of a part, or of at most `most` graphs evenly spaced in it. The caller frees *z. */
static enum l2r_status represent(float **z, int64_t *n, int64_t most, const struct l2r_network *network,
                                 struct l2r_tape *tape, const struct l2r_dataset *data, const struct l2r_split *split,
                                 int part, int64_t batch_size, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t all = l2r_split_size(split, part);
    const int32_t *graphs = l2r_split_part(split, part);
    *n = all < most ? all : most;
    size_t size = (size_t)*n * (size_t)network->width;
    int32_t *some = l2r_alloc((size_t)*n, sizeof *some);
    *z = l2r_alloc_raw(size, sizeof **z);
    if (!*z || !some) {
        status = l2r_fail_memory(error, size * sizeof **z, "the representations of a part");
        goto done;
    }
    for (int64_t i = 0; i < *n; i++) some[i] = graphs[i * all / *n];
    L2R_TRY(l2r_score_represent(NULL, *z, network, tape, data, some, *n, batch_size, error));
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

enum l2r_status l2r_applicability_make(struct l2r_domain *domain, const struct l2r_network *network,
                                       struct l2r_tape *tape, const struct l2r_dataset *data,
                                       const struct l2r_split *split, int64_t batch_size, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    float *train = NULL, *valid = NULL;
    int64_t n;
    *domain = (struct l2r_domain){0};
    if (network->width > L2R_DOMAIN_COLUMNS)
        L2R_FAIL(L2R_ERR_ARGUMENT, "distances are measured in at most %d columns, the representations have %lld",
                 L2R_DOMAIN_COLUMNS, (long long)network->width);
    if (l2r_split_size(split, L2R_PART_TRAIN) == 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "there are no training graphs to measure distances from");
    L2R_TRY(represent(&train, &n, L2R_DOMAIN_ROWS, network, tape, data, split, L2R_PART_TRAIN, batch_size, error));
    L2R_TRY(l2r_domain_keep(domain, train, n, network->width, error));
    domain->n_train = l2r_split_size(split, L2R_PART_TRAIN);
    L2R_TRY(l2r_domain_measure(domain, error));
    if (l2r_split_size(split, L2R_PART_VALID) == 0) goto done;
    L2R_TRY(represent(&valid, &n, L2R_DOMAIN_ROWS, network, tape, data, split, L2R_PART_VALID, batch_size, error));
    L2R_TRY(calibrate(domain, valid, n, error));
done:
    l2r_free(train);
    l2r_free(valid);
    if (status != L2R_OK) l2r_domain_clear(domain);
    return status;
}

enum l2r_status l2r_applicability_write(const struct l2r_domain *domain, const char *path, const char *model,
                                        struct l2r_error *error)
{
    size_t size = (size_t)domain->n_rows * (size_t)domain->d;
    float *rows = l2r_alloc_raw(size, sizeof *rows);
    if (!rows) return l2r_fail_memory(error, size * sizeof *rows, "the rows of an applicability domain");
    l2r_domain_rows(rows, domain);
    struct l2r_tensor tensors[] = {
        {.name = "rows", .dtype = L2R_DTYPE_F32, .n_dims = 2, .shape = {domain->n_rows, domain->d}, .data = rows},
        {.name = "checked",
         .dtype = L2R_DTYPE_F32,
         .n_dims = 1,
         .shape = {domain->n_checked},
         .data = domain->checked}};
    char n_train[24], n_valid[24], scale[32];
    snprintf(n_train, sizeof n_train, "%" PRId64, domain->n_train);
    snprintf(n_valid, sizeof n_valid, "%" PRId64, domain->n_valid);
    l2r_decimal_print(scale, sizeof scale, "%.17g", domain->scale);
    struct l2r_metadatum metadata[] = {
        {"format", "l2r-domain-2"}, {"model", model}, {"n_train", n_train}, {"n_valid", n_valid}, {"scale", scale}};
    enum l2r_status status = l2r_safetensors_write(path, tensors, sizeof tensors / sizeof *tensors, metadata,
                                                   sizeof metadata / sizeof *metadata, error);
    l2r_free(rows);
    return status;
}

static double number_in(const struct l2r_safetensors *file, const char *key)
{
    const char *text = l2r_safetensors_metadata(file, key);
    return text ? l2r_decimal_read(text, NULL) : 0;
}

/* -1: none, or out of range. */
static int64_t count_in(const struct l2r_safetensors *file, const char *key)
{
    double number = number_in(file, key);
    return number >= 0 && number <= 1e15 ? (int64_t)number : -1;
}

/* A tensor of floats with so many dimensions; NULL: there is none. */
static const struct l2r_tensor *find(const struct l2r_safetensors *file, const char *name, int32_t n_dims)
{
    const struct l2r_tensor *tensor = l2r_safetensors_find(file, name);
    return tensor && tensor->dtype == L2R_DTYPE_F32 && tensor->n_dims == n_dims ? tensor : NULL;
}

enum l2r_status l2r_applicability_read(struct l2r_domain *domain, const char *path, const char *model, int64_t width,
                                       struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_safetensors *file = NULL;
    *domain = (struct l2r_domain){0};
    L2R_TRY(l2r_safetensors_read(&file, path, error));
    const char *format = l2r_safetensors_metadata(file, "format"), *whose = l2r_safetensors_metadata(file, "model");
    const struct l2r_tensor *rows = find(file, "rows", 2), *checked = find(file, "checked", 1);
    /* The first format had no checksum of its header. */
    bool sound = format && (strcmp(format, "l2r-domain-2") == 0 ? l2r_safetensors_is_sealed(file)
                                                                : strcmp(format, "l2r-domain-1") == 0);
    if (!sound || !whose || !rows || !checked) L2R_FAIL(L2R_ERR_FORMAT, "%s: not an applicability domain of l2r", path);
    if (strcmp(whose, model) != 0)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: belongs to a model other than the one beside it", path);
    int64_t n = rows->shape[0], n_checked = checked->shape[0];
    if (rows->shape[1] != width || width < 1 || width > L2R_DOMAIN_COLUMNS || n < 1 || n > L2R_DOMAIN_ROWS ||
        n_checked > L2R_DOMAIN_CHECKED)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: its sizes are out of range", path);
    L2R_TRY(l2r_domain_keep(domain, rows->data, n, width, error));
    domain->n_train = count_in(file, "n_train");
    domain->scale = number_in(file, "scale");
    domain->checked = l2r_alloc((size_t)n_checked, sizeof *domain->checked);
    if (!domain->checked) {
        status = l2r_fail_memory(error, (size_t)n_checked * sizeof *domain->checked, "an applicability domain");
        goto done;
    }
    memcpy(domain->checked, checked->data, (size_t)n_checked * sizeof *domain->checked);
    domain->n_checked = (int32_t)n_checked;
    domain->n_valid = count_in(file, "n_valid");
    if (domain->n_train < 0 || domain->n_valid < 0 || !l2r_domain_is_sound(domain))
        L2R_FAIL(L2R_ERR_FORMAT, "%s: holds numbers that cannot be counts or distances", path);
done:
    l2r_safetensors_free(file);
    if (status != L2R_OK) l2r_domain_clear(domain);
    return status;
}

enum l2r_status l2r_applicability_path(char *out, size_t size, const char *checkpoint, struct l2r_error *error)
{
    int written = l2r_path_beside(out, size, checkpoint, L2R_DOMAIN_FILE);
    if (written < 0 || (size_t)written >= size)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "%.200s…: the path is longer than %zu bytes", checkpoint, size - 1);
    return L2R_OK;
}

enum l2r_status l2r_applicability_save(const char *checkpoint, const char *checksum, const struct l2r_network *network,
                                       struct l2r_tape *tape, const struct l2r_dataset *data,
                                       const struct l2r_split *split, int64_t batch_size, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_domain domain = {0};
    char path[4200];
    L2R_TRY(l2r_applicability_path(path, sizeof path, checkpoint, error));
    L2R_TRY(l2r_applicability_make(&domain, network, tape, data, split, batch_size, error));
    if (!l2r_comm_leads(tape->pass.ranks)) goto done;
    if (!checksum[0]) L2R_FAIL(L2R_ERR_FORMAT, "%s: carries no checksum", checkpoint);
    L2R_TRY(l2r_applicability_write(&domain, path, checksum, error));
done:
    l2r_domain_clear(&domain);
    return status;
}

/* ---- of a predictor ---- */

/* From the data and the split that the run names, as at its end. */
static enum l2r_status make_domain(struct l2r_predictor *p, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_dataset *data = NULL, view;
    struct l2r_split split = {0};
    struct l2r_arena arena;
    l2r_arena_init(&arena);
    L2R_TRY(l2r_predictor_open_data(&data, &split, p, error));
    L2R_TRY(l2r_signature_view(&view, &arena, &p->network.signature, data, error));
    L2R_TRY(l2r_applicability_make(&p->domain, &p->network, &p->tape, &view, &split, p->batch_size, error));
done:
    l2r_split_clear(&split);
    l2r_arena_clear(&arena);
    l2r_dataset_free(data);
    return status;
}

enum l2r_status l2r_predictor_domain(const struct l2r_domain **domain, struct l2r_predictor *p, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char path[4200];
    if (p->domain.d == 0) {
        L2R_TRY(l2r_applicability_path(path, sizeof path, p->checkpoint, error));
        bool there = l2r_path_is_file(path);
        if (!there || l2r_applicability_read(&p->domain, path, p->checksum, p->network.width, NULL) != L2R_OK) {
            L2R_TRY(make_domain(p, error));
            bool place = !l2r_chosen_is(p->checkpoint); /* that of the run's model lies there */
            if (p->checksum[0] && place) (void)l2r_applicability_write(&p->domain, path, p->checksum, NULL);
        }
    }
    *domain = &p->domain;
done:
    return status;
}
