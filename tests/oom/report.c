/* SPDX-License-Identifier: MIT
 * Out of memory at every single allocation of a report page, from reading the runs to the last drawing: an error that
 * says so, never a page with less on it, and the same page once memory is there again. */
#include "report/page.h"

#include "base/memory.h"
#include "support/training_runs.h"

static char runs[2][256];

static enum l2r_status report(char **html, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_run_list list = {0};
    const struct l2r_report_settings settings = {.predictions = true, .extremes = 1};
    *html = NULL;
    for (int i = 0; i < 2; i++) L2R_TRY(l2r_run_list_add(&list, runs[i], error));
    L2R_TRY(l2r_report_page(html, &list, &settings, error));
done:
    l2r_run_list_clear(&list);
    return status;
}

static void train_runs(void)
{
    static const char *const set[] = {
        "data", "motif:train=12,valid=6,test=6", "hidden", "4", "layers", "1", "epochs", "3", "batch-size", "12", NULL};
    static const char *const methods[] = {"erm", "l2r"};
    for (int i = 0; i < 2; i++) {
        struct l2r_config *config = config_for("gcn", methods[i], set);
        struct l2r_result result = train(config, methods[i], false, NULL);
        l2r_result_clear(&result);
        l2r_config_free(config);
        folder(runs[i], methods[i]);
    }
}

/* Every `step`-th allocation: a page makes thousands of equal ones while text grows and models run. */
static void brutal(const char *page, bool for_good, long step)
{
    for (long k = 0;; k += k < 200 ? 1 : step) {
        struct l2r_error error = {0};
        char *html;
        l2r_memory_fail_at(k, for_good);
        enum l2r_status status = report(&html, &error);
        bool failed = l2r_memory_fail_at(-1, false) > k;
        if (status == L2R_OK) {
            assert_string_equal(html, page); /* what can do without some memory may */
            l2r_free(html);
        } else if (status != L2R_ERR_MEMORY || html != NULL)
            fail_msg("allocation %ld: status %d: %s", k, (int)status, error.message);
        if (!failed) {
            assert_int_equal(status, L2R_OK);
            assert_true(k > 100);
            return;
        }
        assert_true(k < 100000);
    }
}

static void test_report(void **state)
{
    (void)state;
    struct l2r_error error = {0};
    char *page;
    train_runs();
    l2r_threads_set(1);
    if (report(&page, &error) != L2R_OK) fail_msg("%s", error.message);
    assert_non_null(strstr(page, "Highest weights"));
    assert_null(strstr(page, "not shown"));
    brutal(page, true, 29);
    brutal(page, false, 23);
    l2r_free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_report)};
    return cmocka_run_group_tests_name("a report without memory", tests, run_set_up, run_tear_down);
}
