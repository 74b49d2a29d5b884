/* SPDX-License-Identifier: MIT
 * The matrix library out of memory, at every single product of a run and of a prediction, on one thread and on two: an
 * error that says so, never numbers that are wrong. */
#include "base/memory.h"
#include "model/predictor.h"
#include "support/messages.h"
#include "support/training_runs.h"

#include <dlfcn.h>
#include <oneapi/dnnl/dnnl.h>
#include <stdatomic.h>

static _Atomic long made, refused = -1;

/* Takes the place of the library's. */
dnnl_status_t dnnl_sgemm(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K, float alpha,
                         const float *A, dnnl_dim_t lda, const float *B, dnnl_dim_t ldb, float beta, float *C,
                         dnnl_dim_t ldc)
{
    dnnl_status_t (*own)(char, char, dnnl_dim_t, dnnl_dim_t, dnnl_dim_t, float, const float *, dnnl_dim_t,
                         const float *, dnnl_dim_t, float, float *, dnnl_dim_t);
    *(void **)&own = dlsym(RTLD_NEXT, "dnnl_sgemm");
    if (atomic_fetch_add(&made, 1) == atomic_load(&refused)) return dnnl_out_of_memory;
    return own(transa, transb, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
}

static enum l2r_status refuse(long k, enum l2r_status (*work)(struct l2r_error *error), struct l2r_error *error)
{
    atomic_store(&made, 0);
    atomic_store(&refused, k);
    enum l2r_status status = work(error);
    atomic_store(&refused, -1);
    return status;
}

static const char *method;

static enum l2r_status train_once(struct l2r_error *error)
{
    static const char *const set[] = {
        "data", "motif:train=16,valid=4,test=4", "hidden", "8", "layers", "2", "epochs", "1", "batch-size", "8", NULL};
    struct l2r_config *config = config_for("gin", method, set);
    struct l2r_result result = {0};
    char dir[256];
    folder(dir, "run");
    l2r_remove_tree(dir);
    enum l2r_status status = train_into(&result, config, dir, false, NULL, error);
    l2r_result_clear(&result);
    l2r_config_free(config);
    return status;
}

static enum l2r_status predict_once(struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_predictor *model = NULL;
    struct l2r_dataset *data = NULL;
    const int32_t graphs[] = {0, 5, 3};
    float output[6];
    char dir[256];
    folder(dir, "run");
    L2R_TRY(l2r_predictor_open(&model, dir, error));
    L2R_TRY(l2r_dataset_load(&data, "motif:train=16,valid=4,test=4", false, error));
    L2R_TRY(l2r_predictor_represent(output, NULL, model, data, graphs, 3, error));
done:
    l2r_dataset_free(data);
    l2r_predictor_free(model);
    return status;
}

static void at_every_product(enum l2r_status (*work)(struct l2r_error *error), long least)
{
    struct l2r_error error = {0};
    assert_int_equal(refuse(-1, work, &error), L2R_OK);
    long n = atomic_load(&made);
    assert_true(n >= least);
    for (long k = 0; k < n; k++) {
        enum l2r_status status = refuse(k, work, &error);
        /* The applicability domain, made at the end, may do without. */
        if (status == L2R_OK && work == train_once) continue;
        if (status != L2R_ERR_MEMORY) fail_msg("%s: product %ld: status %d: %s", method, k, (int)status, error.message);
        expect_message(error.message, "out of memory for a matrix product");
    }
    assert_int_equal(refuse(-1, work, &error), L2R_OK);
}

static void test_products(void **state)
{
    (void)state;
    static const char *const methods[] = {"erm", "l2r"};
    assert_non_null(dnnl_version()); /* or the linker would leave the library out */
    for (int threads = 1; threads <= 2; threads++)
        for (int m = 0; m < 2; m++) {
            l2r_threads_set(threads);
            method = methods[m];
            at_every_product(train_once, 20);
            at_every_product(predict_once, 3);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products)};
    return cmocka_run_group_tests_name("products without memory", tests, run_set_up, run_tear_down);
}
