/* SPDX-License-Identifier: MIT
 *
 * Drawings and figures: the same bytes twice, well-formed whatever the graph and the words, shading as asked, PNG of
 * the right size.
 */
#include "base/memory.h"
#include "draw/draw.h"
#include "io/file.h"
#include "support/messages.h"
#include "support/temporary.h"

#include <librsvg/rsvg.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const char important[] = "class=\"l2r-accent-line\" stroke=\"#0b3d91\" stroke-width";
static const int32_t square[] = {0, 1, 1, 2, 2, 3, 3, 0, 0, 2};
static const float shades[] = {0.9f, 0.8f, 0.1f, 0.2f, 0.5f};
static const uint8_t marks[] = {1, 1, 2, 0};
static const struct l2r_drawing example = {.n_nodes = 4,
                                           .n_edges = 5,
                                           .edges = square,
                                           .edge_importance = shades,
                                           .node_mark = marks,
                                           .title = "a title",
                                           .caption = "first line\nsecond line"};

static char *svg_of(const struct l2r_drawing *drawing)
{
    char *svg = NULL;
    struct l2r_error error = {0};
    if (l2r_drawing_svg(&svg, drawing, &error) != L2R_OK) fail_msg("%s", error.message);
    RsvgHandle *handle = rsvg_handle_new_from_data((const guint8 *)svg, strlen(svg), NULL); /* a strict reader of XML */
    assert_non_null(handle);
    g_object_unref(handle);
    return svg;
}

static int count(const char *text, const char *word)
{
    int n = 0;
    for (; (text = strstr(text, word)) != NULL; text++) n++;
    return n;
}

static void equal_drawings_give_equal_bytes(void **state)
{
    (void)state;
    char *first = svg_of(&example), *second = svg_of(&example);
    assert_string_equal(first, second);
    l2r_free(first);
    l2r_free(second);
}

/* Three edges of importance 1/2 or more are the important subgraph, two are faded; three nodes have rings, one
 * dashed. */
static void shades_follow_importance(void **state)
{
    (void)state;
    char *svg = svg_of(&example);
    assert_int_equal(count(svg, important), 3 + 1);             /* and the sign in the legend */
    assert_non_null(strstr(svg, "stroke-width=\"4.92\""));      /* 2.4 + 2.8 · 0.9 */
    assert_int_equal(count(svg, "stroke-opacity=\"0.25\""), 1); /* 0.22 + 0.28 · 0.1 */
    assert_int_equal(count(svg, "class=\"l2r-ring\""), 3 + 2);  /* and two signs in the legend */
    assert_int_equal(count(svg, "stroke-dasharray"), 1 + 1);
    assert_non_null(strstr(svg, ">a title</text>"));
    assert_non_null(strstr(svg, ">second line</text>"));
    assert_non_null(strstr(svg, ">motif 2 (planted)</text>"));
    l2r_free(svg);
}

/* The caller's choice wins over the threshold, and without any importance all is drawn alike. */
static void choices_and_plain_graphs(void **state)
{
    (void)state;
    static const uint8_t chosen[] = {0, 0, 0, 1, 0};
    struct l2r_drawing drawing = example;
    drawing.edge_chosen = chosen;
    char *svg = svg_of(&drawing);
    assert_int_equal(count(svg, important), 1 + 1);
    l2r_free(svg);
    drawing = (struct l2r_drawing){.n_nodes = 4, .n_edges = 5, .edges = square};
    svg = svg_of(&drawing);
    assert_int_equal(count(svg, "l2r-accent-line"), 0);
    assert_int_equal(count(svg, "important subgraph"), 0);
    assert_int_equal(count(svg, "stroke-opacity=\"0.75\""), 5);
    l2r_free(svg);
}

static void words_are_escaped(void **state)
{
    (void)state;
    static const char *const labels[] = {"<&>", "C", NULL, "\"N\"\x01"};
    static const char *const names[] = {"<wheel>", NULL};
    struct l2r_drawing drawing = example;
    drawing.node_label = labels;
    drawing.mark_name = names;
    drawing.title = "p < 0.5 & </svg>";
    char *svg = svg_of(&drawing);
    assert_non_null(strstr(svg, "p &lt; 0.5 &amp; &lt;/svg&gt;"));
    assert_non_null(strstr(svg, ">&lt;wheel&gt; (planted)<"));
    assert_non_null(strstr(svg, ">C</text>"));
    assert_int_equal(count(svg, "</svg>"), 1);
    l2r_free(svg);
}

static void edge_cases(void **state)
{
    (void)state;
    const int32_t loop[] = {0, 0};
    static int32_t path[2 * 299];
    char *svg = svg_of(&(struct l2r_drawing){.n_nodes = 0});
    l2r_free(svg);
    svg = svg_of(&(struct l2r_drawing){.n_nodes = 1, .title = "one node"});
    assert_int_equal(count(svg, "<circle"), 2);
    l2r_free(svg);
    svg = svg_of(&(struct l2r_drawing){.n_nodes = 1, .n_edges = 1, .edges = loop});
    assert_int_equal(count(svg, "fill=\"none\""), 1);
    l2r_free(svg);
    svg = svg_of(&(struct l2r_drawing){.n_nodes = 30}); /* no edges */
    assert_int_equal(count(svg, "<circle"), 60);
    assert_int_equal(count(svg, "<line"), 0);
    l2r_free(svg);
    for (int32_t i = 0; i < 299; i++) path[2 * i] = i, path[2 * i + 1] = i + 1;
    svg = svg_of(&(struct l2r_drawing){.n_nodes = 300, .n_edges = 299, .edges = path});
    assert_int_equal(count(svg, "<line"), 299);
    l2r_free(svg);
    svg = svg_of(&(struct l2r_drawing){.n_nodes = 40, .n_edges = 10, .edges = path}); /* disconnected */
    assert_int_equal(count(svg, "<line"), 10);
    l2r_free(svg);
}

static void a_figure_has_titles_of_rows_and_columns(void **state)
{
    (void)state;
    struct l2r_drawing cells[6];
    static const char *const rows[] = {"GCN", "L2R-GCN"}, *const columns[] = {"first", "second", "third"};
    struct l2r_error error = {0};
    char *svg = NULL;
    for (int i = 0; i < 6; i++) cells[i] = example;
    cells[5] = (struct l2r_drawing){.n_nodes = 0};
    const struct l2r_drawing_grid figure = {
        .n_rows = 2, .n_columns = 3, .cells = cells, .row_title = rows, .column_title = columns, .title = "a figure"};
    assert_int_equal(l2r_drawing_grid_svg(&svg, &figure, &error), L2R_OK);
    assert_int_equal(count(svg, "rotate(-90"), 2);
    assert_non_null(strstr(svg, ">L2R-GCN</text>"));
    assert_non_null(strstr(svg, ">third</text>"));
    assert_int_equal(count(svg, ">a title</text>"), 5);
    assert_int_equal(count(svg, ">important subgraph</text>"), 1); /* one legend for all */
    l2r_free(svg);
    assert_int_equal(l2r_drawing_grid_svg(&svg, &(struct l2r_drawing_grid){.n_columns = 1}, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, "a figure of 0 rows and 1 columns; expected at least 1 of each");
}

static void bad_drawings_are_refused(void **state)
{
    (void)state;
    const int32_t far[] = {0, 4};
    const float high[] = {0, 0, 1.5f, 0, 0};
    struct l2r_error error = {0};
    char *svg = NULL;
    struct l2r_drawing drawing = example;
    drawing.n_edges = 1;
    drawing.edges = far;
    assert_int_equal(l2r_drawing_svg(&svg, &drawing, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, "edge 0 of a drawing ends at node 4; it has nodes 0..3");
    drawing = example;
    drawing.edge_importance = high;
    assert_int_equal(l2r_drawing_svg(&svg, &drawing, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, "the importance of edge 2 is 1.5; expected 0 to 1");
    assert_null(svg);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (long k = 0;; k++) {
        struct l2r_error error = {0};
        char *svg = NULL;
        assert_true(k < 200);
        l2r_memory_fail_at(k, false);
        enum l2r_status status = l2r_drawing_svg(&svg, &example, &error);
        l2r_memory_fail_at(-1, false);
        l2r_free(svg);
        if (status == L2R_OK) break;
        assert_int_equal(status, L2R_ERR_MEMORY);
        assert_null(svg);
    }
}

static uint32_t big_endian(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static void pictures_are_written(void **state)
{
    (void)state;
    char stem[TEMPORARY_LENGTH], path[TEMPORARY_LENGTH + 8], *svg = NULL, *png = NULL;
    size_t length;
    struct l2r_error error = {0};
    struct l2r_painter painter = {0};
    assert_non_null(temporary_folder(stem));
    svg = svg_of(&example);
    snprintf(path, sizeof path, "%s/x", stem);
    assert_int_equal(l2r_svg_write(&painter, svg, path, L2R_DRAW_SVG | L2R_DRAW_PNG, &error), L2R_OK);
    snprintf(path, sizeof path, "%s/x.png", stem);
    assert_int_equal(l2r_file_read(&png, &length, path, 1 << 24, &error), L2R_OK);
    assert_true(length > 1000);
    assert_memory_equal(png, "\x89PNG\r\n\x1a\n", 8);
    int width = 0;
    assert_int_equal(sscanf(strstr(svg, "width=\""), "width=\"%d", &width), 1);
    assert_int_equal(big_endian(png + 16), 2 * width); /* two pixels a unit */
    l2r_free(png);
    unlink(path);
    assert_int_equal(l2r_svg_write_png(&painter, "<svg", path, 1, &error), L2R_ERR_FORMAT);
    expect_message(error.message, "x.png: the drawing is not SVG");
    assert_int_equal(l2r_svg_write_png(&painter, svg, path, 1000, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, "at most 20000 per side");
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(l2r_svg_write_png(&painter, svg, "/nowhere/at/all.png", 1, &error), L2R_ERR_IO);
    /* A painter that dies is one error; the next picture has another. */
    assert_int_equal(kill((pid_t)painter.process, SIGKILL), 0);
    assert_int_equal(l2r_svg_write_png(&painter, svg, path, 1, &error), L2R_ERR_MEMORY);
    expect_message(error.message, "x.png: the library that paints PNG files has ended (signal 9)");
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(l2r_svg_write_png(&painter, svg, path, 1, &error), L2R_OK);
    unlink(path);
    l2r_painter_stop(&painter);
    assert_int_equal(wait(NULL), -1); /* no process is left behind */
    snprintf(path, sizeof path, "%s/x.svg", stem);
    unlink(path);
    rmdir(stem);
    l2r_free(svg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_drawings_give_equal_bytes),
        cmocka_unit_test(shades_follow_importance),
        cmocka_unit_test(choices_and_plain_graphs),
        cmocka_unit_test(words_are_escaped),
        cmocka_unit_test(edge_cases),
        cmocka_unit_test(a_figure_has_titles_of_rows_and_columns),
        cmocka_unit_test(bad_drawings_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(pictures_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
