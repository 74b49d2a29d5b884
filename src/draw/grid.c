/* SPDX-License-Identifier: MIT
 *
 * Small multiples: panels in a grid. A single drawing is a grid of one.
 *
 *     title
 *                column title    column title
 *     row title  [ title   ]     [ title   ]      every panel of a row is as high as the one
 *     (turned)   [ graph   ]     [ graph   ]      that needs most
 *                [ caption ]     [ caption ]
 *     legend
 *     caption
 *
 * Two passes over the same code: with svg == NULL it only measures.
 */
#include "base/memory.h"
#include "draw/panel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double margin = 16, between = 14;
static const double title_size = 16, column_size = 14, panel_size = 13, caption_size = 12;
enum { MANY_NODES = 120, NOTE = 1200 };

#define INK_STYLE "class=\"l2r-ink\" fill=\"" L2R_INK "\" font-weight=\"600\""
#define MUTED_STYLE "class=\"l2r-muted\" fill=\"" L2R_MUTED "\""

/* One cell, prepared. */
struct panel {
    const struct l2r_drawing *drawing;
    struct l2r_shade shade;
    struct l2r_molecule *molecule; /* NULL: drawn as a graph */
    char note[NOTE];               /* why a molecule became a graph; "" */
};

struct grid {
    const struct l2r_drawing_grid *figure;
    struct panel *panels;
    struct l2r_legend legend;
    double width, height; /* of a panel's graph */
    double left;          /* width of the row titles */
};

static enum l2r_status open_molecule(struct panel *panel, struct l2r_error *error)
{
    const struct l2r_drawing *d = panel->drawing;
    struct l2r_error why = {0};
    if (d->smiles == NULL) return L2R_OK;
    enum l2r_status status = l2r_molecule_parse(&panel->molecule, d->smiles, &why);
    if (status == L2R_OK) status = l2r_molecule_matches(panel->molecule, d->n_nodes, d->edges, d->n_edges, &why);
    if (status == L2R_OK) return L2R_OK;
    l2r_molecule_free(panel->molecule);
    panel->molecule = NULL;
    if (status == L2R_ERR_MEMORY) return l2r_fail(error, status, "%s", why.message);
    snprintf(panel->note, sizeof panel->note, "Drawn as a plain graph: %s.", why.message);
    return L2R_OK;
}

static enum l2r_status prepare(struct grid *grid, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_drawing_grid *figure = grid->figure;
    int n = figure->n_rows * figure->n_columns;
    int32_t largest = 0;
    grid->panels = l2r_alloc((size_t)n, sizeof *grid->panels);
    if (grid->panels == NULL) return l2r_fail_memory(error, (size_t)n * sizeof *grid->panels, "a figure");
    for (int i = 0; i < n; i++) {
        struct panel *panel = &grid->panels[i];
        panel->drawing = &figure->cells[i];
        L2R_TRY(l2r_shade_init(&panel->shade, panel->drawing, error));
        if (panel->drawing->n_nodes == 0) continue;
        L2R_TRY(open_molecule(panel, error));
        l2r_legend_add(&grid->legend, panel->drawing, panel->shade.any, panel->molecule != NULL);
        if (panel->drawing->n_nodes > largest) largest = panel->drawing->n_nodes;
    }
    double scale = largest > MANY_NODES ? 1.6 : 1;
    grid->width = floor(scale * (n == 1 ? 390 : 330));
    grid->height = floor(scale * (n == 1 ? 300 : 260));
    grid->left = figure->row_title != NULL ? column_size + 12 : 0;
done:
    return status;
}

static void release(struct grid *grid)
{
    int n = grid->figure->n_rows * grid->figure->n_columns;
    for (int i = 0; grid->panels != NULL && i < n; i++) {
        l2r_shade_clear(&grid->panels[i].shade);
        l2r_molecule_free(grid->panels[i].molecule);
    }
    l2r_free(grid->panels);
}

static double heading_height(const struct grid *grid, int row)
{
    double height = 0;
    for (int k = 0; k < grid->figure->n_columns; k++) {
        const char *title = grid->panels[row * grid->figure->n_columns + k].drawing->title;
        height = fmax(height, l2r_svg_paragraph(NULL, 0, 0, grid->width, panel_size, L2R_ANCHOR_MIDDLE, title, ""));
    }
    return height;
}

/* Caption and note below a panel; draws them when svg is not NULL. */
static double add_captions(struct l2r_text *svg, const struct panel *panel, double x, double y, double width)
{
    double height = l2r_svg_paragraph(svg, x + width / 2, y, width, caption_size, L2R_ANCHOR_MIDDLE,
                                      panel->drawing->caption, MUTED_STYLE);
    return height + l2r_svg_paragraph(svg, x + width / 2, y + height, width, caption_size, L2R_ANCHOR_MIDDLE,
                                      panel->note, MUTED_STYLE " font-style=\"italic\"");
}

static enum l2r_status draw_panel(struct l2r_text *svg, const struct grid *grid, int number, double x, double y,
                                  double heading, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct panel *panel = &grid->panels[number];
    const struct l2r_drawing *d = panel->drawing;
    struct l2r_box box = {x, y + heading, grid->width, grid->height};
    l2r_svg_paragraph(svg, x + grid->width / 2, y, grid->width, panel_size, L2R_ANCHOR_MIDDLE, d->title, INK_STYLE);
    if (d->n_nodes > 0 && panel->molecule != NULL)
        L2R_TRY(l2r_panel_molecule(svg, d, &panel->shade, panel->molecule, box, error));
    else if (d->n_nodes > 0)
        L2R_TRY(l2r_panel_graph(svg, d, &panel->shade, box, error));
    add_captions(svg, panel, x, box.y + box.height, grid->width);
done:
    return status;
}

/* One row of panels with its title; *y moves below it. */
static enum l2r_status draw_row(struct l2r_text *svg, const struct grid *grid, int row, double *y,
                                struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_drawing_grid *figure = grid->figure;
    double heading = heading_height(grid, row), captions = 0;
    for (int k = 0; k < figure->n_columns; k++) {
        int number = row * figure->n_columns + k;
        double x = margin + grid->left + k * (grid->width + between);
        if (svg != NULL) L2R_TRY(draw_panel(svg, grid, number, x, *y, heading, error));
        captions = fmax(captions, add_captions(NULL, &grid->panels[number], x, 0, grid->width));
    }
    if (svg != NULL && figure->row_title != NULL) {
        char turned[160], x[32], middle[32];
        const char *title = figure->row_title[row];
        l2r_svg_decimal(x, margin + column_size);
        l2r_svg_decimal(middle, *y + heading + grid->height / 2);
        snprintf(turned, sizeof turned, INK_STYLE " transform=\"rotate(-90 %s %s)\"", x, middle);
        l2r_svg_text(svg, margin + column_size, *y + heading + grid->height / 2, column_size, L2R_ANCHOR_MIDDLE, title,
                     strlen(title), turned);
    }
    *y += heading + grid->height + captions + between;
done:
    return status;
}

static void draw_column_titles(struct l2r_text *svg, const struct grid *grid, double *y)
{
    const struct l2r_drawing_grid *figure = grid->figure;
    if (figure->column_title == NULL) return;
    double height = 0;
    for (int k = 0; k < figure->n_columns; k++) {
        double x = margin + grid->left + k * (grid->width + between) + grid->width / 2;
        height = fmax(height, l2r_svg_paragraph(svg, x, *y, grid->width, column_size, L2R_ANCHOR_MIDDLE,
                                                figure->column_title[k], INK_STYLE));
    }
    *y += height + 6;
}

/* Everything below the opening tag; *height: of the whole. */
static enum l2r_status draw_all(struct l2r_text *svg, const struct grid *grid, double width, double *height,
                                struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_drawing_grid *figure = grid->figure;
    double y = margin, inner = width - 2 * margin;
    y += l2r_svg_paragraph(svg, width / 2, y, inner, title_size, L2R_ANCHOR_MIDDLE, figure->title, INK_STYLE);
    if (figure->title != NULL) y += 8;
    draw_column_titles(svg, grid, &y);
    for (int row = 0; row < figure->n_rows; row++) L2R_TRY(draw_row(svg, grid, row, &y, error));
    double legend = l2r_legend_draw(svg, &grid->legend, margin, y, inner);
    y += legend > 0 ? legend + 4 : 0;
    y += l2r_svg_paragraph(svg, width / 2, y, inner, caption_size, L2R_ANCHOR_MIDDLE, figure->caption, MUTED_STYLE);
    *height = y + margin - 6;
done:
    return status;
}

static void open_svg(struct l2r_text *svg, const struct l2r_drawing_grid *figure, double width, double height)
{
    char w[32], h[32];
    const char *title = figure->title != NULL ? figure->title : figure->cells[0].title;
    l2r_svg_decimal(w, width);
    l2r_svg_decimal(h, height);
    l2r_text_print(svg,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"l2r-figure\" width=\"%s\" height=\"%s\" "
                   "viewBox=\"0 0 %s %s\" role=\"img\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n",
                   w, h, w, h);
    if (title != NULL) {
        l2r_text_print(svg, "<title>");
        l2r_svg_escaped(svg, title, strlen(title));
        l2r_text_print(svg, "</title>\n");
    }
    l2r_svg_rect(svg, (struct l2r_box){0, 0, width, height}, "class=\"l2r-paper\" fill=\"" L2R_PAPER "\"");
}

enum l2r_status l2r_drawing_grid_svg(char **svg, const struct l2r_drawing_grid *figure, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct grid grid = {.figure = figure};
    struct l2r_text writer = {0};
    double height = 0;
    *svg = NULL;
    if (figure->n_rows < 1 || figure->n_columns < 1)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "a figure of %d rows and %d columns; expected at least 1 of each",
                        figure->n_rows, figure->n_columns);
    L2R_TRY(prepare(&grid, error));
    double width = 2 * margin + grid.left + figure->n_columns * (grid.width + between) - between;
    L2R_TRY(draw_all(NULL, &grid, width, &height, error));
    open_svg(&writer, figure, width, ceil(height));
    L2R_TRY(draw_all(&writer, &grid, width, &height, error));
    l2r_text_print(&writer, "</svg>\n");
    status = l2r_text_finish(svg, &writer, "a drawing", error);
done:
    l2r_free(writer.text);
    release(&grid);
    return status;
}

enum l2r_status l2r_drawing_svg(char **svg, const struct l2r_drawing *drawing, struct l2r_error *error)
{
    const struct l2r_drawing_grid figure = {.n_rows = 1, .n_columns = 1, .cells = drawing};
    return l2r_drawing_grid_svg(svg, &figure, error);
}
