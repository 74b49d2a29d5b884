/* SPDX-License-Identifier: MIT
 * Model files of committees made to do harm: members of other data, members that hold members, members whose numbers
 * are NaN. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/array.h"
#include "base/memory.h"
#include "io/file.h"
#include "predict/predictor.h"
#include "support/training_runs.h"

#include "support/calls.h"

#include <math.h>

enum { MOST = 1 << 24 };

struct bytes {
    char *at;
    size_t n;
};

/* The model file of a small run. */
static struct bytes trained(const char *name, const char *data, const char *members)
{
    const char *const set[] = {"data", data, "members", members, "epochs", "1", "hidden", "4", "layers", "1", NULL};
    struct l2r_config *config = config_for("gcn", "erm", set);
    struct l2r_result result = train(config, name, false, NULL);
    struct bytes file;
    char path[512];
    snprintf(path, sizeof path, "%s/%s/best.safetensors", root, name);
    OK(l2r_file_read(&file.at, &file.n, path, MOST, &error));
    l2r_result_clear(&result);
    l2r_config_free(config);
    return file;
}

/* The file with other numbers in the tensor `changed` (NULL: none) and with this member. */
static struct bytes rewritten(struct bytes file, const char *changed, const float *numbers, const struct bytes *member)
{
    struct l2r_safetensors *from;
    struct l2r_array tensors = {0};
    const struct l2r_tensor *t;
    struct l2r_metadatum metadata[3];
    static const char *const keys[] = {"format", "config", "signature"};
    struct bytes out;
    char path[512];
    OK(l2r_safetensors_parse(&from, file.at, file.n, "test", &error));
    for (size_t i = 0; i < 3; i++)
        metadata[i] = (struct l2r_metadatum){keys[i], l2r_safetensors_metadata(from, keys[i])};
    for (size_t i = 0; (t = l2r_safetensors_at(from, i)); i++) {
        struct l2r_tensor copy = *t;
        if (changed && strcmp(t->name, changed) == 0) copy.data = numbers;
        if (member && strncmp(t->name, "member.", 7) == 0) continue;
        assert_true(l2r_array_add(&tensors, &copy, 1, sizeof copy));
    }
    if (member) {
        const struct l2r_tensor more = {"member.2", L2R_DTYPE_U8, 1, {(int64_t)member->n}, member->at};
        assert_true(l2r_array_add(&tensors, &more, 1, sizeof more));
    }
    snprintf(path, sizeof path, "%s/rewritten.safetensors", root);
    OK(l2r_safetensors_write(path, tensors.items, tensors.n, metadata, 3, &error));
    OK(l2r_file_read(&out.at, &out.n, path, MOST, &error));
    l2r_array_clear(&tensors);
    l2r_safetensors_free(from);
    return out;
}

#define PLAIN "motif:train=12,valid=6,test=6,features=0"

static void expect_format(struct bytes file, const char *words)
{
    struct l2r_predictor *p;
    assert_int_equal(l2r_predictor_open_memory(&p, file.at, file.n, &error), L2R_ERR_FORMAT);
    assert_null(p);
    if (!strstr(error.message, words)) fail_msg("\"%s\" does not say \"%s\"", error.message, words);
}

static void members_read_the_same_columns(void **state)
{
    (void)state;
    struct bytes plain = trained("plain", PLAIN, "1"),
                 other = trained("wide", "motif:train=12,valid=6,test=6,features=4", "1"), file, same;
    struct l2r_predictor *p;
    file = rewritten(plain, NULL, NULL, &other);
    expect_format(file, "columns of nodes");
    same = rewritten(plain, NULL, NULL, &plain);
    OK(l2r_predictor_open_memory(&p, same.at, same.n, &error));
    l2r_predictor_free(p);
    l2r_free(file.at);
    l2r_free(same.at);
    l2r_free(other.at);
    l2r_free(plain.at);
}

static void members_hold_no_members(void **state)
{
    (void)state;
    struct bytes two = trained("two", PLAIN, "2"), nested = rewritten(two, NULL, NULL, &two);
    expect_format(nested, "members of its own");
    l2r_free(nested.at);
    l2r_free(two.at);
}

/* A member whose outputs are no numbers must not become a class. */
static void a_member_that_is_nan_decides_nothing(void **state)
{
    (void)state;
    const float bad[][3] = {{NAN, NAN, NAN}, {INFINITY, 0, 0}};
    const int32_t graphs[] = {0, 1, 2};
    float out[9];
    struct l2r_dataset *data;
    struct bytes plain = trained("numbers", PLAIN, "1");
    OK(l2r_dataset_load(&data, PLAIN, false, &error));
    for (size_t i = 0; i < 2; i++) {
        struct l2r_predictor *p;
        struct bytes member = rewritten(plain, "head.bias", bad[i], NULL), file = rewritten(plain, NULL, NULL, &member);
        OK(l2r_predictor_open_memory(&p, file.at, file.n, &error));
        assert_true(l2r_predictor_outputs(p) <= 3);
        assert_int_equal(l2r_predictor_score(out, p, data, graphs, 3, &error), L2R_ERR_DIVERGED);
        l2r_predictor_free(p);
        l2r_free(file.at);
        l2r_free(member.at);
    }
    l2r_dataset_free(data);
    l2r_free(plain.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_read_the_same_columns),
        cmocka_unit_test(members_hold_no_members),
        cmocka_unit_test(a_member_that_is_nan_decides_nothing),
    };
    return cmocka_run_group_tests(tests, run_set_up, run_tear_down);
}
