/* SPDX-License-Identifier: MIT
 *
 * Any bytes as the trials.jsonl of a small study (tune/study.h): its lines are found again or passed over, ranked, and
 * compared by the median rule. @ID0@ … @ID3@ and @DATA@ stand for the ids of the runs and the fingerprint of the data,
 * which no fuzzer would guess, @CONFIG0@ … for the options of a run.
 */
#include "base/text.h"
#include "io/file.h"
#include "refusal.h"
#include "support/temporary.h"
#include "tune/study.h"
#include "tune/trial.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RUNS = 4 };

static char folder[TEMPORARY_LENGTH], path[TEMPORARY_LENGTH + 16];
static struct l2r_config *base;
static struct l2r_space space;
static struct l2r_study_settings settings;
static const int64_t seeds[] = {0, 1};
static char *words[2 * RUNS + 1], names[2 * RUNS + 1][24]; /* what stands for what */

static void learn_words(void)
{
    struct l2r_study study;
    if (l2r_study_open(&study, &settings, NULL) != L2R_OK || study.n != RUNS) abort();
    for (int i = 0; i < RUNS; i++) {
        snprintf(names[i], sizeof names[i], "@ID%d@", i);
        words[i] = strdup(study.runs[i].id);
        snprintf(names[RUNS + i], sizeof names[RUNS + i], "@CONFIG%d@", i);
        json_t *config = l2r_config_to_json(study.runs[i].config);
        words[RUNS + i] = json_dumps(config, JSON_COMPACT);
        json_decref(config);
    }
    snprintf(names[2 * RUNS], sizeof names[0], "@DATA@");
    words[2 * RUNS] = strdup(study.fingerprint);
    l2r_study_close(&study);
}

static void begin(void)
{
    static const char *const options[][2] = {{"data", "motif:train=4,valid=2,test=2,features=0"}, {"epochs", "3"}};
    if (base) return;
    if (!temporary_folder_in_memory(folder)) abort();
    snprintf(path, sizeof path, "%s/trials.jsonl", folder);
    if (l2r_config_new(&base, NULL) != L2R_OK || l2r_run_declare(base, "gin", "erm", NULL) != L2R_OK) abort();
    for (size_t i = 0; i < 2; i++)
        if (l2r_config_set(base, options[i][0], options[i][1], NULL) != L2R_OK) abort();
    const struct l2r_config *const configs[] = {base};
    if (l2r_space_parse(&space, "lr=0.001|0.01", configs, 1, NULL) != L2R_OK) abort();
    settings = (struct l2r_study_settings){.dir = folder,
                                           .search = {.space = &space, .kind = L2R_SEARCH_GRID},
                                           .bases = &base,
                                           .n_methods = 1,
                                           .seeds = seeds,
                                           .n_seeds = 2,
                                           .median_from = 1,
                                           .n_workers = 1};
    learn_words();
}

/* The input with the words in place of their names. */
static void write_input(const uint8_t *data, size_t size)
{
    struct l2r_text text = {0};
    for (size_t at = 0; at < size;) {
        size_t w = 0;
        while (w < 2 * RUNS + 1 && (size - at < strlen(names[w]) || memcmp(data + at, names[w], strlen(names[w])))) w++;
        l2r_text_add(&text, w < 2 * RUNS + 1 ? words[w] : (const char *)data + at,
                     w < 2 * RUNS + 1 ? strlen(words[w]) : 1);
        at += w < 2 * RUNS + 1 ? strlen(names[w]) : 1;
    }
    if (l2r_file_write(path, text.text ? text.text : "", text.length, NULL) != L2R_OK) abort();
    l2r_text_clear(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct l2r_study study;
    struct l2r_trial_score scores[RUNS];
    struct l2r_error error = {0};
    const json_t *curves[RUNS];
    begin();
    write_input(data, size);
    if (l2r_study_open(&study, &settings, &error) != L2R_OK) {
        expect_refusal(&error);
    } else {
        if (l2r_study_left(&study) > RUNS) abort();
        const struct l2r_metric *metric = l2r_study_metric(&study);
        if (l2r_rank_trials(scores, &study, 0, &error) != L2R_OK) expect_refusal(&error);
        for (int i = 0; i < RUNS; i++) curves[i] = json_object_get(study.runs[i].line, "curve");
        int64_t at = metric ? l2r_median_stop(curves[0], curves, RUNS, 1, 3, metric) : 0;
        if (at < 0 || at > 3) abort();
    }
    l2r_study_close(&study);
    return 0;
}
