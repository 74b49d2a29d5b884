/* SPDX-License-Identifier: MIT
 * See choice.h. */
#include "train/choice.h"

#include "base/decimal.h"
#include "base/json.h"
#include "base/memory.h"
#include "comm/comm.h"
#include "io/file.h"
#include "io/json_file.h"
#include "predict/predictor_state.h"
#include "predict/run_names.h"
#include "predict/score.h"
#include "train/evidence.h"
#include "train/ownership.h"
#include "train/watch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N_CANDIDATES = 4 };
static const char *const strength[N_CANDIDATES] = {"1", "0.9", "0.8", "0.6"}; /* the first is plain training */

struct candidate {
    struct l2r_config *config;
    struct l2r_result result;
    struct l2r_predictor *predictor;
    struct l2r_scored scored;     /* of the validation graphs */
    struct l2r_evidence evidence; /* of the validation score, against the first */
};

struct choice {
    const struct l2r_run *run;
    const struct l2r_dataset *data;
    struct l2r_dataset *own;
    struct l2r_split split;
    const struct l2r_metric *metric;
    struct candidate candidates[N_CANDIDATES];
    int chosen;
    char folder[4096], record[4096], sentence[400];
};

bool l2r_choice_asked(const struct l2r_config *config)
{
    bool head = config && l2r_config_has(config, "weigh") && l2r_config_is(config, "weigh", "head");
    return config && !head && l2r_config_has(config, "ess") && l2r_config_is(config, "ess", "choose");
}

/* The folder must be free, or the choice be resumed. */
static enum l2r_status open_folder(struct choice *c, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *out = c->run->out;
    if (!out) return L2R_OK;
    L2R_TRY(l2r_path_join(c->folder, sizeof c->folder, out, L2R_CANDIDATES_FOLDER, error));
    L2R_TRY(l2r_path_join(c->record, sizeof c->record, out, L2R_CHOICE_FILE, error));
    if (c->run->resume) goto done;
    if (l2r_path_is_dir(c->folder) || l2r_path_is_file(c->record))
        L2R_FAIL(L2R_ERR_ARGUMENT, "%s already holds a run; continue it with `resume` or choose another `out`", out);
    L2R_TRY(l2r_folder_refuse_files(out, error));
done:
    return status;
}

static enum l2r_status train_one(struct choice *c, int k, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct candidate *one = &c->candidates[k];
    struct l2r_run run = *c->run;
    char dir[4200], note[160];
    snprintf(note, sizeof note, "candidate %d of %d: `ess=%s`%s", k + 1, N_CANDIDATES, strength[k],
             k == 0 ? ", plain training" : "");
    l2r_watch_note(c->run->callbacks, note);
    L2R_TRY(l2r_config_copy(&one->config, c->run->config, error));
    L2R_TRY(l2r_config_set(one->config, "ess", strength[k], error));
    snprintf(dir, sizeof dir, "%s/ess-%s", c->folder, strength[k]);
    run.config = one->config;
    run.data = c->data;
    run.split = &c->split;
    if (run.out) run.out = dir, run.resume = l2r_path_is_dir(dir);
    L2R_TRY(l2r_run_train(&one->result, &one->predictor, &run, error));
    if (run.out) L2R_TRY(l2r_predictor_open(&one->predictor, dir, error));
    L2R_TRY(l2r_scored_make(&one->scored, &one->predictor->network, &one->predictor->tape, c->data,
                            l2r_split_part(&c->split, L2R_PART_VALID), l2r_split_size(&c->split, L2R_PART_VALID),
                            one->predictor->batch_size, error));
    c->metric = l2r_metric_find(one->result.metric);
done:
    return status;
}

/* ---- evidence ---- */

/* Differences from the first candidate, on the same resampled graphs for all. */
static enum l2r_status weigh_evidence(struct choice *c, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    uint64_t seed = (uint64_t)l2r_config_int(c->run->config, "seed");
    const struct l2r_scores *plain = &c->candidates[0].scored.scores;
    for (int k = 0; k < N_CANDIDATES; k++)
        L2R_TRY(l2r_evidence_find(&c->candidates[k].evidence, &c->candidates[k].scored.scores, plain, c->metric, seed,
                                  error));
done:
    return status;
}

static void decide(struct choice *c)
{
    int best = 1;
    for (int k = 2; k < N_CANDIDATES; k++)
        if (c->candidates[k].evidence.difference > c->candidates[best].evidence.difference) best = k;
    const struct l2r_evidence *b = &c->candidates[best].evidence;
    bool evident = l2r_evidence_is_clear(b);
    c->chosen = evident ? best : 0;
    const char *unit = c->metric->higher_is_better ? "" : " lower";
    if (evident)
        l2r_decimal_print(c->sentence, sizeof c->sentence,
                          "`ess=%s` is chosen: its validation %s is %.4g, plain training's %.4g (%+.4f ± %.4f%s)",
                          strength[best], c->metric->name, b->value, b->other, b->difference, b->error, unit);
    else
        l2r_decimal_print(
            c->sentence, sizeof c->sentence,
            "the weights stand back: on the validation graphs no strength is better than plain training by more "
            "than two standard errors (best `ess=%s`: %s %.4g, plain %.4g, %+.4f ± %.4f%s)",
            strength[best], c->metric->name, b->value, b->other, b->difference, b->error, unit);
}

/* New reference. */
static json_t *told(const struct choice *c)
{
    json_t *list = json_array();
    for (int k = 0; k < N_CANDIDATES; k++) {
        const struct l2r_evidence *one = &c->candidates[k].evidence;
        json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:o}", "ess", strength[k], "valid",
                                              l2r_json_real(one->value), "better_by", l2r_json_real(one->difference),
                                              "standard_error", l2r_json_real(one->error)));
    }
    return json_pack("{s:s, s:s, s:s, s:o}", "ess", strength[c->chosen], "metric", c->metric->name, "sentence",
                     c->sentence, "candidates", list);
}

/* ---- the run ---- */

/* In a folder: once more there, with the strength that was chosen, so that it is a run like any other. */
static enum l2r_status finish(struct l2r_result *result, struct l2r_predictor **predictor, struct choice *c,
                              struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct candidate *one = &c->candidates[c->chosen];
    json_t *choice = told(c);
    if (!choice) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the choice of a strength");
    l2r_watch_note(c->run->callbacks, c->sentence);
    if (c->run->out) {
        struct l2r_run run = *c->run;
        run.config = one->config;
        run.data = c->data;
        run.split = &c->split;
        if (l2r_comm_leads(run.comm)) L2R_TRY(l2r_json_write(choice, c->record, error));
        L2R_TRY(l2r_run_train(result, predictor, &run, error));
    } else {
        *result = one->result;
        one->result = (struct l2r_result){0};
        if (predictor) *predictor = one->predictor, one->predictor = NULL;
    }
    if (result->conclusion) json_object_set(result->conclusion, "choice", choice);
done:
    json_decref(choice);
    return status;
}

enum l2r_status l2r_choice_train(struct l2r_result *result, struct l2r_predictor **predictor, const struct l2r_run *run,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct choice c = {.run = run, .data = run->data};
    *result = (struct l2r_result){0};
    if (l2r_run_check(run->config, error) != L2R_OK) return L2R_ERR_ARGUMENT;
    L2R_TRY(open_folder(&c, error));
    if (!c.data) L2R_TRY(l2r_run_load(&c.own, run->config, run->comm, error));
    if (!c.data) c.data = c.own;
    L2R_TRY(run->split ? l2r_split_copy(&c.split, run->split, error)
                       : l2r_split_make(&c.split, c.data, run->config, error));
    if (l2r_split_size(&c.split, L2R_PART_VALID) == 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "`ess=choose` needs validation graphs, of which the split leaves none");
    for (int k = 0; k < N_CANDIDATES; k++) L2R_TRY(train_one(&c, k, error));
    L2R_TRY(weigh_evidence(&c, error));
    decide(&c);
    L2R_TRY(finish(result, predictor, &c, error));
done:
    for (int k = 0; k < N_CANDIDATES; k++) {
        l2r_scored_clear(&c.candidates[k].scored);
        l2r_predictor_free(c.candidates[k].predictor);
        l2r_result_clear(&c.candidates[k].result);
        l2r_config_free(c.candidates[k].config);
    }
    l2r_split_clear(&c.split);
    l2r_dataset_free(c.own);
    return status;
}
