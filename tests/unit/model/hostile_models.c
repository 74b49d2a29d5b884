/* SPDX-License-Identifier: MIT
 * Model files made to do harm: what their metadata claim is compared with what the file holds before memory is asked
 * for. Damaged containers (lengths, offsets, overlaps): safetensors_damage.c. */
#include "io/safetensors.h"
#include "model/predictor.h"
#include "support/messages.h"
#include "support/temporary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[TEMPORARY_LENGTH + 24];
static const float numbers[8];

#define CONFIG(more) "{\"model\": \"gcn\", \"method\": \"erm\"" more "}"
#define SIGNATURE(columns, tasks, sd)                                                                                  \
    "{\"task\": \"regression\", \"n_tasks\": " tasks ", \"classes\": [], \"node_vocabulary\": " columns                \
    ", \"edge_vocabulary\": [], \"node_values\": [], \"edge_values\": [], \"n_node_reals\": 0, \"target_mean\": [0.0]" \
    ", \"target_sd\": [" sd "], \"mean_log_degree\": 1.0}"
#define SOUND SIGNATURE("[1]", "1", "1.0")

static const struct {
    const char *config, *signature, *words;
} cases[] = {
    {CONFIG(""), SOUND, "describe a model of 455101 parameters, but the file holds 8 numbers"},
    {CONFIG(", \"hidden\": 16384, \"layers\": 100"), SOUND, "parameters, but the file holds 8 numbers"},
    {CONFIG(", \"hidden\": 4"), SIGNATURE("[16777216, 16777216]", "1", "1.0"), "but the file holds 8 numbers"},
    {CONFIG(""), SIGNATURE("[16777217]", "1", "1.0"),
     "the field \"node_vocabulary\" of the data signature is missing or out"},
    {CONFIG(""), SIGNATURE("[-1]", "1", "1.0"), "the field \"node_vocabulary\" of the data signature"},
    {CONFIG(""), SIGNATURE("[1]", "99999999", "1.0"), "the field \"n_tasks\" of the data signature"},
    {CONFIG(""), SIGNATURE("[1]", "2147483647", "1.0"), "the field \"n_tasks\" of the data signature"},
    {CONFIG(""), SIGNATURE("[1]", "1", "0.0"), "the field \"target_sd\" of the data signature"},
    {CONFIG(""), SIGNATURE("[1]", "1", "1e400"), "not valid JSON: real number overflow"},
    {CONFIG(""), "[", "not valid JSON"},
    {CONFIG(", \"hidden\": 99999999999"), SOUND, "`hidden`"},
    {CONFIG(", \"hidden\": -1"), SOUND, "`hidden`"},
    {CONFIG(", \"hidden\": 8, \"hidden\": 8"), SOUND, "duplicate object key"},
    {CONFIG(", \"readout\": \"run\\u001b\""), SOUND, "\"run?\""},
    {"{\"model\": \"/bin/sh\", \"method\": \"erm\"}", SOUND, "/bin/sh"},
    {"{\"model\": \"gcn\"}", SOUND, "its config names no model or no method"},
};

static void expect_sentence(const struct l2r_error *error, const char *words)
{
    if (strncmp(error->message, path, strlen(path)) != 0 && !strstr(error->message, words))
        fail_msg("\"%s\" does not name the file", error->message);
    if (!message_matches(error->message, words)) fail_msg("\"%s\" does not say \"%s\"", error->message, words);
}

static void claims_are_compared_with_the_file(void **state)
{
    (void)state;
    const struct l2r_tensor tensor = {"x", L2R_DTYPE_F32, 1, {8}, numbers};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char members[2000];
        snprintf(members, sizeof members, "[{\"config\": %s, \"signature\": %s}]", cases[i].config, cases[i].signature);
        const struct l2r_metadatum metadata[] = {{"format", "l2r-3"}, {"config", CONFIG("")}, {"members", members}};
        struct l2r_error error = {0};
        struct l2r_predictor *p;
        assert_int_equal(l2r_safetensors_write(path, &tensor, 1, metadata, 3, &error), L2R_OK);
        if (l2r_predictor_open(&p, path, &error) == L2R_OK) fail_msg("case %zu was accepted", i);
        assert_null(p);
        expect_sentence(&error, cases[i].words);
    }
}

static void nesting_has_an_end(void **state)
{
    (void)state;
    enum { DEPTH = 1 << 20 };
    char *bytes = malloc(8 + DEPTH);
    struct l2r_safetensors *file;
    struct l2r_error error = {0};
    uint64_t length = DEPTH;
    assert_non_null(bytes);
    memcpy(bytes, &length, 8);
    for (int i = 0; i < DEPTH; i += 5) memcpy(bytes + 8 + i, "{\"a\":", i + 5 <= DEPTH ? 5 : (size_t)(DEPTH - i));
    assert_int_equal(l2r_safetensors_parse(&file, bytes, 8 + DEPTH, "test", &error), L2R_ERR_FORMAT);
    expect_message(error.message, "test:1: not valid JSON: maximum parsing depth reached near '{'");
    free(bytes);
}

static int make_file(void **state)
{
    (void)state;
    char folder[TEMPORARY_LENGTH];
    if (!temporary_folder(folder)) return -1;
    snprintf(path, sizeof path, "%s/hostile.safetensors", folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(claims_are_compared_with_the_file),
        cmocka_unit_test(nesting_has_an_end),
    };
    return cmocka_run_group_tests(tests, make_file, NULL);
}
