/* SPDX-License-Identifier: MIT
 *
 * See predictor.h: opening a model, and what its file records of the run (data, split). Scoring is in scoring.c. */
#include "model/predictor_state.h"

#include "base/json.h"
#include "base/memory.h"
#include "data/reader.h"
#include "io/file.h"
#include "io/staging.h"
#include "model/data_place.h"
#include "model/model_file.h"
#include "model/run_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A finished run in a folder of l2r train --seeds, --folds or --replicates. */
static bool first_member(char *out, size_t size, const char *folder)
{
    char path[4400];
    for (int kind = 0; kind < L2R_N_SIBLINGS; kind++)
        for (int number = 0; number < 100; number++) {
            (void)l2r_sibling_folder(out, size, folder, (enum l2r_sibling)kind, number);
            snprintf(path, sizeof path, "%s/" L2R_BEST_FILE, out);
            if (l2r_path_is_file(path)) return true;
        }
    return false;
}

enum l2r_status l2r_predictor_from_trained(struct l2r_predictor **predictor, struct l2r_trained *trained,
                                           struct l2r_error *error)
{
    struct l2r_predictor *p = l2r_alloc(1, sizeof *p);
    *predictor = p;
    if (!p) {
        l2r_trained_free(trained);
        return l2r_fail_memory(error, sizeof *p, "a predictor");
    }
    l2r_tape_init(&p->tape);
    p->trained = trained;
    p->committee = l2r_trained_committee(trained);
    p->batch_size = l2r_config_int(trained->config, "eval-batch-size");
    snprintf(p->checkpoint, sizeof p->checkpoint, "a model in memory");
    return L2R_OK;
}

/* The predictor of an opened file. */
static enum l2r_status from_file(struct l2r_predictor **predictor, const struct l2r_safetensors *file,
                                 const char *where, struct l2r_error *error)
{
    struct l2r_trained *trained = NULL;
    enum l2r_status status = l2r_trained_read(&trained, file, where, error);
    return status == L2R_OK ? l2r_predictor_from_trained(predictor, trained, error) : status;
}

enum l2r_status l2r_predictor_from_bytes(struct l2r_predictor **predictor, const void *bytes, size_t n_bytes,
                                         struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_safetensors *file = NULL;
    if (!predictor || !bytes) return l2r_fail(error, L2R_ERR_ARGUMENT, "%s is NULL", bytes ? "predictor" : "bytes");
    *predictor = NULL;
    L2R_TRY(l2r_model_file_parse(&file, bytes, n_bytes, "a model in memory", l2r_format_model, error));
    L2R_TRY(from_file(predictor, file, "a model in memory", error));
done:
    l2r_safetensors_free(file);
    return status;
}

/* A run writes its model at the end; its metrics, a line for each epoch, show how far it is. */
static enum l2r_status refuse_unfinished(const char *dir, struct l2r_error *error)
{
    char path[4200], *text = NULL, how_far[80] = "";
    size_t length = 0;
    long long epochs = 0;
    if (l2r_path_join(path, sizeof path, dir, L2R_METRICS_FILE, NULL) == L2R_OK)
        (void)l2r_file_read(&text, &length, path, 1 << 30, NULL);
    for (size_t i = 0; i < length; i++) epochs += text[i] == '\n';
    l2r_free(text);
    if (epochs > 0) snprintf(how_far, sizeof how_far, ": %lld epochs are trained", epochs);
    return l2r_fail(error, L2R_ERR_IO, "%s: the run is not finished%s; continue it with `resume`", dir, how_far);
}

/* A model that validation chose belongs to the run beside it only if that run's model names it. */
static enum l2r_status check_chosen(const struct l2r_safetensors *chosen, const char *path, struct l2r_error *error)
{
    struct l2r_safetensors *best = NULL;
    char beside[4200];
    if (!l2r_chosen_is(path)) return L2R_OK;
    (void)l2r_path_beside(beside, sizeof beside, path, L2R_BEST_FILE);
    if (!l2r_path_is_file(beside)) return L2R_OK;
    enum l2r_status status = l2r_model_file_open(&best, beside, l2r_format_model, error);
    const char *expected = best ? l2r_safetensors_metadata(best, "chosen") : NULL;
    const char *found = l2r_safetensors_metadata(chosen, "xxh3");
    if (status == L2R_OK && expected && (!found || strcmp(found, expected) != 0))
        status = l2r_fail(error, L2R_ERR_FORMAT, "%s: is not the model that validation chose in the run of %s", path,
                          beside);
    l2r_safetensors_free(best);
    return status;
}

/* The model file that a path, a file or the folder of a run, stands for. */
static enum l2r_status find_file(char *file, size_t size, const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char other[4200];
    if (l2r_path_is_dir(path))
        L2R_TRY(l2r_path_join(file, size, path, L2R_BEST_FILE, error));
    else
        snprintf(file, size, "%s", path);
    if (l2r_path_is_file(file)) goto done;
    if (first_member(other, sizeof other, path))
        L2R_FAIL(L2R_ERR_ARGUMENT, "%s holds several runs; name one of them, such as %s", path, other);
    (void)l2r_path_beside(other, sizeof other, file, L2R_RESULT_FILE);
    bool ended = l2r_path_is_there(other) || l2r_path_is_occupied(file);
    (void)l2r_path_beside(other, sizeof other, file, L2R_STATE_FOLDER);
    if (!ended && l2r_path_is_dir(path) && l2r_path_is_dir(other)) return refuse_unfinished(path, error);
    L2R_FAIL(L2R_ERR_IO, "%s: no such model; expected the folder of a finished run, or a .safetensors file", file);
done:
    return status;
}

enum l2r_status l2r_predictor_open(struct l2r_predictor **predictor, const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_safetensors *file = NULL;
    char checkpoint[4096], run[4096];
    if (!predictor || !path) return l2r_fail(error, L2R_ERR_ARGUMENT, "%s is NULL", path ? "predictor" : "path");
    *predictor = NULL;
    L2R_TRY(find_file(checkpoint, sizeof checkpoint, path, error));
    L2R_TRY(l2r_model_file_open(&file, checkpoint, l2r_format_model, error));
    L2R_TRY(check_chosen(file, checkpoint, error));
    L2R_TRY(from_file(predictor, file, checkpoint, error));
    struct l2r_predictor *p = *predictor;
    memcpy(p->checkpoint, checkpoint, sizeof checkpoint);
    const char *typed = l2r_config_text(p->trained->config, "data");
    (void)l2r_path_beside(run, sizeof run, checkpoint, ".");
    if (typed) l2r_data_place_find(p->where, sizeof p->where, run, typed);
done:
    l2r_safetensors_free(file);
    return status;
}

enum l2r_status l2r_predictor_from_network(struct l2r_predictor **predictor, const struct l2r_network *network,
                                           const struct l2r_config *config, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trained *t = NULL;
    *predictor = NULL;
    L2R_TRY(l2r_trained_new(&t, config, error));
    L2R_TRY(l2r_trained_add(t, network, config, error));
    return l2r_predictor_from_trained(predictor, t, error);
done:
    l2r_trained_free(t);
    return status;
}

void l2r_predictor_free(struct l2r_predictor *p)
{
    if (!p) return;
    l2r_trained_free(p->trained);
    l2r_tape_clear(&p->tape);
    l2r_free(p);
}

enum l2r_status l2r_predictor_copy(struct l2r_predictor **copy, const struct l2r_predictor *predictor,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_predictor *p = predictor;
    struct l2r_trained *trained = NULL;
    if (copy) *copy = NULL;
    if (!copy || !p) return l2r_fail(error, L2R_ERR_ARGUMENT, "%s is NULL", copy ? "predictor" : "copy");
    L2R_TRY(l2r_trained_copy(&trained, p->trained, error));
    L2R_TRY(l2r_predictor_from_trained(copy, trained, error));
    /* It belongs to the same run, so the other files of the run are found beside it. */
    memcpy((*copy)->checkpoint, p->checkpoint, sizeof p->checkpoint);
    memcpy((*copy)->where, p->where, sizeof p->where);
    (*copy)->batch_size = p->batch_size;
done:
    return status;
}

int32_t l2r_predictor_n_members(const struct l2r_predictor *predictor)
{
    return predictor ? predictor->trained->n : 0;
}

enum l2r_status l2r_predictor_member(struct l2r_predictor **member, const struct l2r_predictor *predictor, int32_t k,
                                     struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trained *trained = NULL;
    if (member) *member = NULL;
    if (!member || !predictor) return l2r_fail(error, L2R_ERR_ARGUMENT, "%s is NULL", member ? "predictor" : "member");
    const struct l2r_trained *from = predictor->trained;
    if (k < 0 || k >= from->n)
        L2R_FAIL(L2R_ERR_ARGUMENT, "k = %d; the model has %d member%s", (int)k, (int)from->n, from->n > 1 ? "s" : "");
    L2R_TRY(l2r_trained_new(&trained, from->members[k]->config, error));
    L2R_TRY(l2r_trained_add(trained, from->networks[k], from->members[k]->config, error));
    memcpy(trained->data, from->data, sizeof trained->data);
    memcpy(trained->split, from->split, sizeof trained->split);
    L2R_TRY(l2r_predictor_from_trained(member, trained, error));
    trained = NULL;
    memcpy((*member)->checkpoint, predictor->checkpoint, sizeof predictor->checkpoint);
    memcpy((*member)->where, predictor->where, sizeof predictor->where);
done:
    l2r_trained_free(trained);
    return status;
}

enum l2r_status l2r_predictor_save(const struct l2r_predictor *predictor, const char *path, struct l2r_error *error)
{
    const struct l2r_predictor *p = predictor;
    if (!p || !path) return l2r_fail(error, L2R_ERR_ARGUMENT, "%s is NULL", p ? "path" : "predictor");
    return l2r_trained_write(p->trained, path, error);
}

enum l2r_status l2r_predictor_to_bytes(void **bytes, size_t *n_bytes, const struct l2r_predictor *predictor,
                                       struct l2r_error *error)
{
    if (bytes) *bytes = NULL;
    if (n_bytes) *n_bytes = 0;
    if (!bytes || !n_bytes || !predictor)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "%s is NULL", !bytes ? "bytes" : n_bytes ? "predictor" : "n_bytes");
    return l2r_trained_pack(bytes, n_bytes, predictor->trained, error);
}

const struct l2r_config *l2r_predictor_config(const struct l2r_predictor *p)
{
    return p ? p->trained->config : NULL;
}

const char *l2r_predictor_data(const struct l2r_predictor *p)
{
    return p->where[0] ? p->where : l2r_config_text(p->trained->config, "data");
}

const struct l2r_trained *l2r_predictor_trained(const struct l2r_predictor *p)
{
    return p->trained;
}

const struct l2r_committee *l2r_predictor_committee(const struct l2r_predictor *p)
{
    return &p->committee;
}

const struct l2r_signature *l2r_predictor_signature(const struct l2r_predictor *p)
{
    return l2r_committee_signature(&p->committee);
}

void l2r_predictor_divide(struct l2r_predictor *p, struct l2r_comm *comm)
{
    p->tape.pass.ranks = comm;
}

void l2r_predictor_limit_batch(struct l2r_predictor *p, int64_t graphs)
{
    if (p && graphs > 0 && graphs < p->batch_size) p->batch_size = graphs;
}

const char *l2r_predictor_task_name(const struct l2r_predictor *p, int32_t task)
{
    if (!p || task < 0 || task >= l2r_predictor_signature(p)->n_tasks) return NULL;
    return l2r_signature_task_name(l2r_predictor_signature(p), task);
}

const char *l2r_predictor_checkpoint(const struct l2r_predictor *p)
{
    return p->checkpoint;
}

bool l2r_predictor_trained_on(const struct l2r_predictor *p, const struct l2r_dataset *data)
{
    char found[17];
    if (!p || !data || !p->trained->data[0]) return false;
    snprintf(found, sizeof found, "%016" PRIx64, l2r_dataset_fingerprint(data));
    return strcmp(found, p->trained->data) == 0;
}

enum l2r_status l2r_predictor_check_data(const struct l2r_predictor *p, const struct l2r_dataset *data,
                                         const char *where, struct l2r_error *error)
{
    if (!p->trained->data[0] || l2r_predictor_trained_on(p, data)) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT,
                    "%s: its graphs or labels have changed since %s was trained, so the split of the run may be wrong "
                    "for them",
                    where, p->checkpoint);
}

enum l2r_status l2r_predictor_read_split(struct l2r_split *split, bool *known, const struct l2r_predictor *p,
                                         const char *path, const struct l2r_dataset *data, struct l2r_error *error)
{
    char found[17];
    *known = p->trained->split[0] != '\0';
    enum l2r_status status = l2r_split_read(split, path, data, error);
    if (status != L2R_OK || !*known) return status;
    snprintf(found, sizeof found, "%016" PRIx64, l2r_split_fingerprint(split));
    if (strcmp(found, p->trained->split) == 0) return L2R_OK;
    l2r_split_clear(split);
    return l2r_fail(
        error, L2R_ERR_FORMAT,
        "%s: not the split that %s was trained with; restore it, let the run make it again with `resume`, or "
        "split the data anew with `split`",
        path, p->checkpoint);
}

enum l2r_status l2r_predictor_open_data(struct l2r_dataset **data, struct l2r_split *split,
                                        const struct l2r_predictor *p, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    bool known;
    char path[4200];
    const char *where = l2r_predictor_data(p);
    *data = NULL;
    *split = (struct l2r_split){0};
    if (!where) L2R_FAIL(L2R_ERR_ARGUMENT, "%s does not record which data it was trained on", p->checkpoint);
    L2R_TRY(
        l2r_dataset_load_with(data, where, p->trained->config, l2r_config_flag(p->trained->config, "cache"), error));
    (void)l2r_path_beside(path, sizeof path, p->checkpoint, L2R_SPLIT_FILE);
    L2R_TRY(l2r_predictor_read_split(split, &known, p, path, *data, error));
    L2R_TRY(l2r_predictor_check_data(p, *data, where, error));
done:
    if (status != L2R_OK) {
        l2r_split_clear(split);
        l2r_dataset_free(*data);
        *data = NULL;
    }
    return status;
}

enum l2r_status l2r_predictor_domain(const struct l2r_domain **domain, const struct l2r_predictor *p,
                                     struct l2r_error *error)
{
    *domain = &p->trained->domain;
    if (p->trained->domain.d > 0) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT,
                    "%s has no applicability domain: it was not written at the end of a run with training graphs",
                    p->checkpoint);
}
