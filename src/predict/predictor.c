/* SPDX-License-Identifier: MIT
 *
 * See predictor.h: how a model is opened, and what its file knows of the run (data, split, applicability domain). What
 * is asked of it is in questions.c. */
#include "predict/predictor_state.h"

#include "base/json.h"
#include "base/memory.h"
#include "data/reader.h"
#include "io/file.h"
#include "io/safetensors.h"
#include "nn/members.h"
#include "predict/data_place.h"
#include "predict/model_file.h"
#include "predict/run_names.h"

#include <inttypes.h>
#include <string.h>

/* Config and signature from the metadata of a checkpoint. */
static enum l2r_status read_metadata(struct l2r_predictor *p, struct l2r_signature *signature,
                                     const struct l2r_safetensors *file, const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *config = NULL, *data = NULL;
    const char *config_text = l2r_safetensors_metadata(file, "config"),
               *data_text = l2r_safetensors_metadata(file, "signature");
    if (!config_text || !data_text)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: not an l2r model (no config or signature in its metadata)", path);
    L2R_TRY(l2r_json_parse(&config, config_text, strlen(config_text), path, error));
    L2R_TRY(l2r_json_parse(&data, data_text, strlen(data_text), path, error));
    const char *model = json_string_value(json_object_get(config, "model"));
    const char *method = json_string_value(json_object_get(config, "method"));
    if (!model || !method) L2R_FAIL(L2R_ERR_FORMAT, "%s: its config names no model or no method", path);
    L2R_TRY(l2r_config_new(&p->config, error));
    L2R_TRY(l2r_run_declare(p->config, model, method, error));
    L2R_TRY(l2r_config_recall(p->config, config, error));
    L2R_TRY(l2r_config_from_json(p->config, config, path, error));
    L2R_TRY(l2r_signature_from_json(signature, &p->arena, data, path, error));
done:
    json_decref(config);
    json_decref(data);
    return status;
}

/* Before memory is asked for: what the metadata describe must not be larger than what the file holds. */
static enum l2r_status check_size(const struct l2r_safetensors *file, const struct l2r_model_type *type,
                                  const struct l2r_config *config, const struct l2r_signature *signature,
                                  const char *path, struct l2r_error *error)
{
    const struct l2r_tensor *tensor;
    size_t held = 0;
    int64_t described = l2r_network_size(type, config, signature);
    for (size_t i = 0; (tensor = l2r_safetensors_at(file, i)); i++) held += l2r_tensor_bytes(tensor) / sizeof(l2r_real);
    /* -1: the model cannot be built, which building it will explain. */
    if (described < 0 || (uint64_t)described <= held) return L2R_OK;
    return l2r_fail(error, L2R_ERR_FORMAT,
                    "%s: its config and signature describe a model of %lld parameters, but the file holds %zu numbers",
                    path, (long long)described, held);
}

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

static enum l2r_status open_bytes(struct l2r_predictor **predictor, const void *bytes, size_t length, bool alone,
                                  struct l2r_error *error);

/* One more member from the bytes of its file, which are copied; there is room for it. Members hold no members, or files
 * within files would take memory by the square of their size. */
static enum l2r_status add_member(struct l2r_predictor *p, const void *from, size_t length, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int32_t k = p->n_members;
    void *bytes = l2r_arena_alloc(&p->arena, length, 1);
    if (!bytes) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a committee");
    memcpy(bytes, from, length);
    L2R_TRY(open_bytes(&p->members[k], bytes, length, true, error));
    p->n_members++;
    L2R_TRY(l2r_member_check(&p->network, &p->members[k]->network, p->checkpoint, (int)k + 2, error));
    p->known[k] = (struct l2r_member){&p->members[k]->network, bytes, length};
    p->network.members = p->known;
    p->network.n_members = p->n_members;
done:
    return status;
}

static enum l2r_status reserve_members(struct l2r_predictor *p, int32_t n, struct l2r_error *error)
{
    p->members = l2r_alloc((size_t)n, sizeof *p->members);
    p->known = l2r_alloc((size_t)n, sizeof *p->known);
    return p->members && p->known ? L2R_OK : l2r_fail(error, L2R_ERR_MEMORY, "out of memory: a committee");
}

/* The other members of a committee lie in the file of the first as the files that they are. */
static enum l2r_status take_members(struct l2r_predictor *p, const struct l2r_safetensors *file,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char name[32];
    int32_t n = 0;
    while (snprintf(name, sizeof name, "member.%d", (int)n + 2) > 0 && l2r_safetensors_find(file, name)) n++;
    if (n > 0) L2R_TRY(reserve_members(p, n, error));
    for (int32_t k = 0; k < n; k++) {
        snprintf(name, sizeof name, "member.%d", (int)k + 2);
        const struct l2r_tensor *tensor = l2r_safetensors_find(file, name);
        L2R_TRY(add_member(p, tensor->data, l2r_tensor_bytes(tensor), error));
    }
done:
    return status;
}

/* The network that an opened file describes, with its numbers; p->checkpoint names it. alone: without members. */
static enum l2r_status take_file(struct l2r_predictor *p, const struct l2r_safetensors *file, bool alone,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_signature signature;
    const char *checkpoint = p->checkpoint;
    if (alone && l2r_safetensors_find(file, "member.2"))
        L2R_FAIL(L2R_ERR_FORMAT, "%s: a member of a committee holds members of its own; train the committee again",
                 checkpoint);
    L2R_TRY(read_metadata(p, &signature, file, checkpoint, error));
    const struct l2r_model_type *type = l2r_model_find(l2r_config_text(p->config, "model"));
    L2R_TRY(check_size(file, type, p->config, &signature, checkpoint, error));
    L2R_TRY(l2r_network_init(&p->network, type, p->config, &signature, 0, error));
    L2R_TRY(l2r_model_file_read_network(&p->network, file, error));
    L2R_TRY(take_members(p, file, error));
    p->batch_size = l2r_config_int(p->config, "eval-batch-size");
    const char *checksum = l2r_safetensors_metadata(file, "xxh3");
    const char *data = l2r_safetensors_metadata(file, "data");
    snprintf(p->checksum, sizeof p->checksum, "%s", checksum ? checksum : "");
    snprintf(p->data, sizeof p->data, "%s", data ? data : "");
    const char *split = l2r_safetensors_metadata(file, "split");
    snprintf(p->split, sizeof p->split, "%s", split ? split : "");
    char run[sizeof p->checkpoint];
    const char *typed = l2r_config_text(p->config, "data");
    (void)l2r_path_beside(run, sizeof run, checkpoint, ".");
    if (typed) l2r_data_place_find(p->where, sizeof p->where, run, typed);
done:
    return status;
}

static enum l2r_status open_bytes(struct l2r_predictor **predictor, const void *bytes, size_t length, bool alone,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_safetensors *file = NULL;
    struct l2r_predictor *p = l2r_alloc(1, sizeof *p);
    *predictor = NULL;
    if (!p) return l2r_fail_memory(error, sizeof *p, "a predictor");
    snprintf(p->checkpoint, sizeof p->checkpoint, "a model in memory");
    L2R_TRY(l2r_model_file_parse(&file, bytes, length, p->checkpoint, error));
    L2R_TRY(take_file(p, file, alone, error));
    *predictor = p;
    p = NULL;
done:
    l2r_safetensors_free(file);
    l2r_predictor_free(p);
    return status;
}

enum l2r_status l2r_predictor_open_memory(struct l2r_predictor **predictor, const void *bytes, size_t length,
                                          struct l2r_error *error)
{
    if (!predictor || !bytes) return l2r_fail(error, L2R_ERR_ARGUMENT, "%s is NULL", bytes ? "predictor" : "bytes");
    return open_bytes(predictor, bytes, length, false, error);
}

static bool is_unfinished(const char *dir)
{
    char last[4200], result[4200];
    return l2r_path_is_dir(dir) && l2r_path_join(last, sizeof last, dir, L2R_LAST_FILE, NULL) == L2R_OK &&
           l2r_path_join(result, sizeof result, dir, L2R_RESULT_FILE, NULL) == L2R_OK && l2r_path_is_file(last) &&
           !l2r_path_is_file(result);
}

/* It writes its model when members and refit are done. */
static enum l2r_status refuse_unfinished(const char *dir, const char *model, struct l2r_error *error)
{
    struct l2r_safetensors *file = NULL;
    json_t *position = NULL, *config = NULL;
    char path[4200], how_far[80] = "";
    if (l2r_path_join(path, sizeof path, dir, L2R_LAST_FILE, NULL) == L2R_OK)
        (void)l2r_model_file_open(&file, path, NULL);
    const char *at = file ? l2r_safetensors_metadata(file, "position") : NULL;
    const char *options = file ? l2r_safetensors_metadata(file, "config") : NULL;
    if (at) (void)l2r_json_parse(&position, at, strlen(at), path, NULL);
    if (options) (void)l2r_json_parse(&config, options, strlen(options), path, NULL);
    if (position && config)
        snprintf(how_far, sizeof how_far, ": %lld of up to %lld epochs are trained",
                 (long long)json_integer_value(json_object_get(position, "epoch")),
                 (long long)json_integer_value(json_object_get(config, "epochs")));
    json_decref(position);
    json_decref(config);
    l2r_safetensors_free(file);
    return l2r_fail(error, L2R_ERR_IO,
                    "%s is not there, because the run in %s is not finished%s; continue it with `resume`", model, dir,
                    how_far);
}

/* A model that validation chose counts as that of the run beside it only if that run's model says so. */
static enum l2r_status check_chosen(const struct l2r_safetensors *chosen, const char *path, struct l2r_error *error)
{
    struct l2r_safetensors *best = NULL;
    char beside[4200];
    if (!l2r_chosen_is(path)) return L2R_OK;
    (void)l2r_path_beside(beside, sizeof beside, path, L2R_BEST_FILE);
    if (!l2r_path_is_file(beside)) return L2R_OK;
    enum l2r_status status = l2r_model_file_open(&best, beside, error);
    const char *expected = best ? l2r_safetensors_metadata(best, "chosen") : NULL;
    const char *found = l2r_safetensors_metadata(chosen, "xxh3");
    if (status == L2R_OK && expected && (!found || strcmp(found, expected) != 0))
        status = l2r_fail(error, L2R_ERR_FORMAT, "%s: is not the model that validation chose in the run of %s", path,
                          beside);
    l2r_safetensors_free(best);
    return status;
}

enum l2r_status l2r_predictor_open(struct l2r_predictor **predictor, const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_safetensors *file = NULL;
    char seed[4200];
    if (!predictor || !path) return l2r_fail(error, L2R_ERR_ARGUMENT, "%s is NULL", path ? "predictor" : "path");
    struct l2r_predictor *p = l2r_alloc(1, sizeof *p);
    *predictor = NULL;
    if (!p) return l2r_fail_memory(error, sizeof *p, "a predictor");
    char *checkpoint = p->checkpoint;
    if (l2r_path_is_dir(path))
        L2R_TRY(l2r_path_join(checkpoint, sizeof p->checkpoint, path, L2R_BEST_FILE, error));
    else
        snprintf(checkpoint, sizeof p->checkpoint, "%s", path);
    if (!l2r_path_is_file(checkpoint) && first_member(seed, sizeof seed, path))
        L2R_FAIL(L2R_ERR_ARGUMENT, "%s holds several runs; name one of them, such as %s", path, seed);
    if (!l2r_path_is_file(checkpoint) && is_unfinished(path)) L2R_TRY(refuse_unfinished(path, checkpoint, error));
    if (!l2r_path_is_file(checkpoint))
        L2R_FAIL(L2R_ERR_IO,
                 "%s: no such model; expected the folder of a run that has finished an epoch, or a .safetensors file",
                 checkpoint);
    L2R_TRY(l2r_model_file_open(&file, checkpoint, error));
    L2R_TRY(check_chosen(file, checkpoint, error));
    L2R_TRY(take_file(p, file, false, error));
    *predictor = p;
    p = NULL;
done:
    l2r_safetensors_free(file);
    l2r_predictor_free(p);
    return status;
}

/* What trees have learned beside their parameters. */
static enum l2r_status copy_learned(struct l2r_network *to, const struct l2r_network *from, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_array tensors = {0};
    struct l2r_arena arena;
    if (!from->type->save) return L2R_OK;
    l2r_arena_init(&arena);
    L2R_TRY(from->type->save(&tensors, &arena, from->model, error));
    L2R_TRY(to->type->load(to->model, tensors.items, tensors.n, error));
done:
    l2r_array_clear(&tensors);
    l2r_arena_clear(&arena);
    return status;
}

enum l2r_status l2r_predictor_from_network(struct l2r_predictor **predictor, const struct l2r_network *network,
                                           const struct l2r_config *config, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_signature signature;
    const struct l2r_params *from = &network->params;
    struct l2r_predictor *p = l2r_alloc(1, sizeof *p);
    *predictor = NULL;
    if (!p) return l2r_fail_memory(error, sizeof *p, "a predictor");
    snprintf(p->checkpoint, sizeof p->checkpoint, "a model in memory");
    L2R_TRY(l2r_config_copy(&p->config, config, error));
    L2R_TRY(l2r_signature_copy(&signature, &p->arena, &network->signature, error));
    L2R_TRY(l2r_network_init(&p->network, network->type, p->config, &signature, 0, error));
    memcpy(p->network.params.value, from->value, (size_t)from->n_trainable * sizeof *from->value);
    if (from->n_buffer > 0)
        memcpy(p->network.params.buffer, from->buffer, (size_t)from->n_buffer * sizeof *from->buffer);
    L2R_TRY(copy_learned(&p->network, network, error));
    if (network->n_members > 0) L2R_TRY(reserve_members(p, network->n_members, error));
    for (int32_t k = 0; k < network->n_members; k++)
        L2R_TRY(add_member(p, network->members[k].bytes, network->members[k].length, error));
    p->batch_size = l2r_config_int(p->config, "eval-batch-size");
    *predictor = p;
    p = NULL;
done:
    l2r_predictor_free(p);
    return status;
}

void l2r_predictor_free(struct l2r_predictor *p)
{
    if (!p) return;
    l2r_config_free(p->config);
    l2r_network_clear(&p->network);
    l2r_tape_clear(&p->tape);
    l2r_arena_clear(&p->arena);
    l2r_domain_clear(&p->domain);
    for (int32_t k = 0; k < p->n_members; k++) l2r_predictor_free(p->members[k]);
    l2r_free((void *)p->members);
    l2r_free(p->known);
    l2r_free(p);
}

enum l2r_status l2r_predictor_copy(struct l2r_predictor **copy, const struct l2r_predictor *predictor,
                                   struct l2r_error *error)
{
    const struct l2r_predictor *p = predictor;
    if (copy) *copy = NULL;
    if (!copy || !p) return l2r_fail(error, L2R_ERR_ARGUMENT, "%s is NULL", copy ? "predictor" : "copy");
    enum l2r_status status = l2r_predictor_from_network(copy, &p->network, p->config, error);
    if (status != L2R_OK) return status;
    /* It belongs to the same run: what lies beside the file is found again. */
    memcpy((*copy)->checkpoint, p->checkpoint, sizeof p->checkpoint);
    memcpy((*copy)->checksum, p->checksum, sizeof p->checksum);
    memcpy((*copy)->data, p->data, sizeof p->data);
    memcpy((*copy)->split, p->split, sizeof p->split);
    memcpy((*copy)->where, p->where, sizeof p->where);
    (*copy)->batch_size = p->batch_size;
    return L2R_OK;
}

enum l2r_status l2r_predictor_save(const struct l2r_predictor *predictor, const char *path, struct l2r_error *error)
{
    const struct l2r_predictor *p = predictor;
    if (!p || !path) return l2r_fail(error, L2R_ERR_ARGUMENT, "%s is NULL", p ? "path" : "predictor");
    return l2r_model_file_save(path, &p->network, p->config, p->data, p->split, error);
}

const struct l2r_config *l2r_predictor_config(const struct l2r_predictor *p)
{
    return p ? p->config : NULL;
}

const char *l2r_predictor_data(const struct l2r_predictor *p)
{
    return p->where[0] ? p->where : l2r_config_text(p->config, "data");
}

const struct l2r_network *l2r_predictor_network(const struct l2r_predictor *p)
{
    return &p->network;
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
    return p && task >= 0 && task < p->network.signature.n_tasks ? l2r_signature_task_name(&p->network.signature, task)
                                                                 : NULL;
}

const char *l2r_predictor_checkpoint(const struct l2r_predictor *p)
{
    return p->checkpoint;
}

bool l2r_predictor_trained_on(const struct l2r_predictor *p, const struct l2r_dataset *data)
{
    char found[17];
    if (!p || !data || !p->data[0]) return false;
    snprintf(found, sizeof found, "%016" PRIx64, l2r_dataset_fingerprint(data));
    return strcmp(found, p->data) == 0;
}

enum l2r_status l2r_predictor_check_data(const struct l2r_predictor *p, const struct l2r_dataset *data,
                                         const char *where, struct l2r_error *error)
{
    if (!p->data[0] || l2r_predictor_trained_on(p, data)) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT,
                    "%s: its graphs or labels have changed since %s was trained, so the split of the run may be wrong "
                    "for them",
                    where, p->checkpoint);
}

enum l2r_status l2r_predictor_read_split(struct l2r_split *split, bool *known, const struct l2r_predictor *p,
                                         const char *path, const struct l2r_dataset *data, struct l2r_error *error)
{
    char found[17];
    *known = p->split[0] != '\0';
    enum l2r_status status = l2r_split_read(split, path, data, error);
    if (status != L2R_OK || !*known) return status;
    snprintf(found, sizeof found, "%016" PRIx64, l2r_split_fingerprint(split));
    if (strcmp(found, p->split) == 0) return L2R_OK;
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
    if (!where) L2R_FAIL(L2R_ERR_ARGUMENT, "%s does not say which data it was trained on", p->checkpoint);
    L2R_TRY(l2r_dataset_load_with(data, where, p->config, l2r_config_flag(p->config, "cache"), error));
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
