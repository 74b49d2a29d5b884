/* SPDX-License-Identifier: MIT
 *
 * Files of a figure: equal bytes for equal runs, pictures that hold their words, and sentences for everything that is
 * missing.
 */
#include "support/figure_runs.h"

#include "figure/figure.h"
#include "figure/script.h"
#include "support/messages.h"

#include <locale.h>
#include <math.h>
#include <unistd.h>

static const struct l2r_chart_run runs[] = {
    {.panel = "GCN", .series = "plain", .x = "0.6", .value = 0.701, .dir = ""},
    {.panel = "GCN", .series = "plain", .x = "0.6", .value = 0.713, .dir = ""},
    {.panel = "GCN", .series = "plain", .x = "0.9", .value = 0.65, .dir = ""},
    {.panel = "GCN", .series = "learned <w> & \"kept\"", .x = "0.9", .value = 0.68, .dir = ""},
    {.panel = "D&D {^~@\\", .series = "plain", .x = "0.9", .value = 0.9, .dir = ""},
};
static const struct l2r_chart_runs all = {.items = runs, .n = sizeof runs / sizeof *runs};
static const char text[] =
    "{\"chart\": \"lines\", \"x\": \"share μ\", \"y\": \"η_W (%)\", \"scale\": 100, \"columns\": 2}";

static enum l2r_status draw(const char *name, const char *description, char note[L2R_FIGURE_NOTE])
{
    json_t *figure = json_loads(description, 0, NULL);
    assert_non_null(figure);
    enum l2r_status status = l2r_figure_write(root, name, figure, &all, note, &error);
    json_decref(figure);
    return status;
}

static bool has_gnuplot(void)
{
    return system("command -v gnuplot >/dev/null") == 0;
}

/* Is every element closed in its order? Attributes hold no "<" or ">" in what gnuplot writes. */
static void check_nesting(const char *xml)
{
    const char *open[64];
    size_t depth = 0;
    for (const char *at = strchr(xml, '<'); at != NULL; at = strchr(at + 1, '<')) {
        const char *end = strchr(at, '>');
        assert_non_null(end);
        if (at[1] == '?' || at[1] == '!') continue;
        if (at[1] == '/') {
            assert_true(depth > 0);
            size_t length = strcspn(at + 2, ">");
            assert_int_equal(strncmp(open[--depth], at + 2, length), 0);
        } else if (end[-1] != '/') {
            assert_true(depth < 64);
            open[depth++] = at + 1;
        }
    }
    assert_int_equal(depth, 0);
}

static void pictures_hold_their_words(void **state)
{
    (void)state;
    char note[L2R_FIGURE_NOTE];
    if (!has_gnuplot()) skip();
    if (draw("words", text, note) != L2R_OK) fail_msg("%s", error.message);
    assert_string_equal(note, "");
    char *svg = content("words.svg"), *pdf = content("words.pdf");
    check_nesting(svg);
    static const char *const wanted[] = {"share μ", "GCN", "plain", "learned &lt;w> &amp; ", "0.6", "η", ">W<"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (strstr(svg, wanted[i]) == NULL) fail_msg("'%s' is not in the picture", wanted[i]);
    assert_true(strncmp(pdf, "%PDF", 4) == 0);
    l2r_free(svg);
    l2r_free(pdf);
}

static void equal_runs_give_equal_files(void **state)
{
    (void)state;
    static const char *const kinds[] = {"dat", "gp", "svg"};
    char note[L2R_FIGURE_NOTE], *first[3] = {0}, file[32];
    size_t n = has_gnuplot() ? 3 : 2;
    assert_int_equal(draw("same", text, note), L2R_OK);
    for (size_t i = 0; i < n; i++) {
        snprintf(file, sizeof file, "same.%s", kinds[i]);
        first[i] = content(file);
    }
    setlocale(LC_ALL, "de_DE.UTF-8"); /* a decimal comma, where the system has it */
    assert_int_equal(draw("same", text, note), L2R_OK);
    setlocale(LC_ALL, "C");
    for (size_t i = 0; i < n; i++) {
        snprintf(file, sizeof file, "same.%s", kinds[i]);
        char *second = content(file);
        assert_string_equal(first[i], second);
        l2r_free(second);
        l2r_free(first[i]);
    }
}

static void numbers_are_kept(void **state)
{
    (void)state;
    char note[L2R_FIGURE_NOTE], number[32];
    assert_int_equal(draw("numbers", text, note), L2R_OK);
    char *data = content("numbers.dat");
    assert_non_null(strstr(data, "# block 0: panel \"GCN\", plain\n# x y low high\n-0.045 70.7 69.851472 71.548528\n"));
    l2r_free(data);
    assert_string_equal(l2r_plot_number(number, -1e-9), "0.0");
    assert_string_equal(l2r_plot_number(number, NAN), "NaN");
    assert_string_equal(l2r_plot_number(number, 2.0000004), "2.0");
}

static void frames_stay_on_the_page(void **state)
{
    (void)state;
    struct l2r_plot plot;
    l2r_plot_init(&plot);
    plot.n_columns = 3;
    for (int i = 0; i < 5; i++) l2r_plot_add_panel(&plot, "title");
    double height = l2r_plot_height(&plot);
    for (size_t i = 0; i < 5; i++) {
        struct l2r_frame f = l2r_panel_frame(&plot, i);
        assert_true(f.left > 0 && f.right < plot.width && f.bottom > 0 && f.top < height);
        assert_true(fabs(f.top - f.bottom - plot.panel_height) < 1e-9);
        if (i % 3 > 0) assert_true(f.left > l2r_panel_frame(&plot, i - 1).right);
        if (i >= 3) assert_true(f.top < l2r_panel_frame(&plot, i - 3).bottom);
    }
    assert_false(l2r_plot_has_legend(&plot));
    l2r_plot_clear(&plot);
}

static void without_gnuplot(void **state)
{
    (void)state;
    char note[L2R_FIGURE_NOTE], *path = l2r_strdup(getenv("PATH"));
    setenv("PATH", root, 1);
    enum l2r_status status = draw("undrawn", text, note);
    setenv("PATH", path, 1);
    l2r_free(path);
    assert_int_equal(status, L2R_OK);
    assert_non_null(strstr(note, "gnuplot is not installed, so undrawn was not drawn"));
    assert_non_null(strstr(note, "/undrawn.dat"));
    l2r_free(content("undrawn.dat"));
    l2r_free(content("undrawn.gp"));
}

static void a_bad_script_is_reported(void **state)
{
    (void)state;
    bool found;
    if (!has_gnuplot()) skip();
    put("bad.gp", "set nonsense\n");
    assert_int_equal(l2r_gnuplot_run(&found, root, "bad", &error), L2R_ERR_IO);
    assert_true(found);
    expect_message(error.message, "bad.gp: gnuplot failed: line 1:");
    assert_int_equal(l2r_gnuplot_run(&found, "/nowhere", "bad", &error), L2R_ERR_IO);
    expect_message(error.message, "/nowhere: there is no such folder");
}

static void descriptions_are_checked(void **state)
{
    (void)state;
    char note[L2R_FIGURE_NOTE];
    static const char *const bad[][2] = {
        {"{\"chart\": \"pie\"}", "\"chart\" must be one of curves, dots, lines, violins"},
        {"{\"chart\": \"lines\", \"colour\": 1}", "a figure has no \"colour\""},
        {"{\"chart\": \"lines\", \"scale\": \"big\"}", "\"scale\" of a figure must be a number above 0"},
        {"{\"chart\": \"lines\", \"shared\": 1}", "\"shared\" of a figure must be true or false"},
        {"{\"chart\": \"lines\", \"x\": 3}", "\"x\" of a figure must be a text"},
        {"{\"chart\": \"lines\", \"columns\": 0.5}", "\"columns\" of a figure must be 1 or more"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(draw("never", bad[i][0], note), L2R_ERR_FORMAT);
        if (strstr(error.message, bad[i][1]) == NULL) fail_msg("%s", error.message);
    }
    const struct l2r_chart_runs none = {0};
    json_t *figure = json_loads(text, 0, NULL);
    assert_int_equal(l2r_figure_write(root, "never", figure, &none, note, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, "never: no run has finished");
    json_decref(figure);
}

/* Every allocation fails once: an error each time, nothing lost, and the files of the last round are right. */
static void out_of_memory(void **state)
{
    (void)state;
    char note[L2R_FIGURE_NOTE], *path = l2r_strdup(getenv("PATH"));
    enum l2r_status status = L2R_ERR_MEMORY;
    setenv("PATH", root, 1);
    for (long k = 0; status != L2R_OK && k < 1000; k++) {
        l2r_memory_fail_at(k, false);
        status = draw("memory", text, note);
        l2r_memory_fail_at(-1, false);
        if (status != L2R_OK) assert_int_equal(status, L2R_ERR_MEMORY);
    }
    setenv("PATH", path, 1);
    l2r_free(path);
    assert_int_equal(status, L2R_OK);
    l2r_free(content("memory.gp"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_hold_their_words), cmocka_unit_test(equal_runs_give_equal_files),
        cmocka_unit_test(numbers_are_kept),          cmocka_unit_test(frames_stay_on_the_page),
        cmocka_unit_test(without_gnuplot),           cmocka_unit_test(a_bad_script_is_reported),
        cmocka_unit_test(descriptions_are_checked),  cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, figure_set_up, figure_tear_down);
}
