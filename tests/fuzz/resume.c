/* SPDX-License-Identifier: MIT
 *
 * Any text as the file that a run is resumed from (tensor_file.h), for one small run: refused with a sentence, or the
 * run goes on with a step, which may find that the numbers are not finite.
 */
#include "io/safetensors.h"
#include "refusal.h"
#include "store/checkpoint.h"
#include "store/run.h"
#include "tensor_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct l2r_fit *small_run(void)
{
    static const char *const options[][2] = {{"hidden", "2"}, {"layers", "1"},     {"lr-schedule", "plateau"},
                                             {"epochs", "9"}, {"batch-size", "2"}, {"dropout", "0"}};
    static struct l2r_fit fit;
    static struct l2r_config *config;
    static struct l2r_dataset *set;
    static struct l2r_split split;
    if (config) return &fit;
    if (l2r_config_new(&config, NULL) != L2R_OK || l2r_run_declare(config, "gcn", "l2r", NULL) != L2R_OK) abort();
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (l2r_config_set(config, options[i][0], options[i][1], NULL) != L2R_OK) abort();
    if (l2r_dataset_load(&set, "motif:train=4,valid=2,test=2,features=0", false, NULL) != L2R_OK) abort();
    if (l2r_split_make(&split, set, config, NULL) != L2R_OK) abort();
    if (l2r_fit_init(&fit, config, set, &split, NULL, NULL) != L2R_OK) abort();
    return &fit;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct l2r_error error = {0};
    struct l2r_fit *fit = small_run();
    struct l2r_trainer *t = &fit->trainer;
    struct memory_file file = tensor_file_new(data, size);
    struct l2r_safetensors *saved = NULL;
    if (l2r_model_file_open(&saved, file.path, l2r_format_checkpoint, &error) != L2R_OK ||
        l2r_checkpoint_read(fit, saved, file.path, &error) != L2R_OK) {
        expect_refusal(&error);
    } else if (t->at.epoch < t->epochs && t->at.batch < l2r_trainer_batches(t)) {
        l2r_trainer_shuffle(t);
        if (l2r_trainer_step(t, &error) != L2R_OK) expect_refusal(&error);
    }
    l2r_safetensors_free(saved);
    close(file.file);
    return 0;
}
