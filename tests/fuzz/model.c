/* SPDX-License-Identifier: MIT
 *
 * Any text as the file of a trained model (tensor_file.h): refused with a sentence, or a model that answers.
 */
#include "data/dataset.h"
#include "model/predictor.h"
#include "refusal.h"
#include "tensor_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Three small graphs; a model of other data must say so. */
static const struct l2r_dataset *graphs(void)
{
    static struct l2r_dataset *set;
    if (!set && l2r_dataset_load(&set, "motif:train=1,valid=1,test=1,features=0", false, NULL) != L2R_OK) abort();
    return set;
}

static void predict(struct l2r_predictor *p)
{
    struct l2r_error error = {0};
    const int32_t which[] = {0, 1, 2};
    float *output = calloc((size_t)l2r_predictor_n_outputs(p) * 3, sizeof *output);
    if (!output) abort();
    if (l2r_predictor_represent(output, NULL, p, graphs(), which, 3, &error) != L2R_OK)
        expect_refusal(&error);
    else
        l2r_predictor_probabilities(output, p, 3);
    free(output);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct l2r_error error = {0};
    struct l2r_predictor *p;
    struct memory_file file = tensor_file_new(data, size);
    if (l2r_predictor_open(&p, file.path, &error) != L2R_OK)
        expect_refusal(&error);
    else
        predict(p);
    l2r_predictor_free(p);
    close(file.file);
    return 0;
}
