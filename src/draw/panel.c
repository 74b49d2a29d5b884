/* SPDX-License-Identifier: MIT
 *
 * See panel.h. A graph from back to front: faded edges, chosen edges, nodes with their rings and labels, so that the
 * important subgraph is never covered by the rest.
 *
 *     edge not chosen   thin, ink at 20 to 50 %         node   inside: accent at its importance, on paper
 *     edge chosen       thick, accent at 40 to 100 %              chosen node: thick outline
 *
 * A molecule is drawn by chem/molecule.h, given the importance of nodes and edges in the order of atoms and bonds.
 */
#include "draw/panel.h"

#include "base/memory.h"
#include "draw/positions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- shade ---- */

static const float half = 0.5f;

static enum l2r_status check_range(const float *importance, int64_t n, bool is_signed, const char *what,
                                   struct l2r_error *error)
{
    const float least = is_signed ? -1 : 0;
    for (int64_t i = 0; importance != NULL && i < n; i++)
        if (!(importance[i] >= least && importance[i] <= 1))
            return l2r_fail(error, L2R_ERR_ARGUMENT, "the importance of %s %lld is %g; expected %g to 1", what,
                            (long long)i, (double)importance[i], (double)least);
    return L2R_OK;
}

static enum l2r_status check(const struct l2r_drawing *d, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    for (int64_t i = 0; i < 2 * d->n_edges; i++)
        if (d->edges[i] < 0 || d->edges[i] >= d->n_nodes)
            L2R_FAIL(L2R_ERR_ARGUMENT, "edge %lld of a drawing ends at node %d; it has nodes 0..%d", (long long)(i / 2),
                     (int)d->edges[i], (int)d->n_nodes - 1);
    L2R_TRY(check_range(d->node_importance, d->n_nodes, d->is_signed, "node", error));
    L2R_TRY(check_range(d->edge_importance, d->n_edges, d->is_signed, "edge", error));
done:
    return status;
}

static void shade_edges(struct l2r_shade *shade, const struct l2r_drawing *d)
{
    for (int64_t i = 0; i < d->n_edges; i++) {
        shade->edge[i] = d->edge_importance != NULL ? d->edge_importance[i] : 0;
        shade->edge_chosen[i] = d->edge_chosen != NULL ? d->edge_chosen[i] != 0 : fabsf(shade->edge[i]) >= half;
    }
}

static void shade_nodes(struct l2r_shade *shade, const struct l2r_drawing *d)
{
    for (int32_t v = 0; v < d->n_nodes; v++) {
        shade->node[v] = d->node_importance != NULL ? d->node_importance[v] : 0;
        shade->node_chosen[v] = d->node_chosen != NULL && d->node_chosen[v] != 0;
    }
    for (int64_t i = 0; i < 2 * d->n_edges; i++) {
        int32_t v = d->edges[i];
        if (d->node_importance == NULL && fabsf(shade->edge[i / 2]) > fabsf(shade->node[v]))
            shade->node[v] = shade->edge[i / 2];
        if (d->node_chosen == NULL && shade->edge_chosen[i / 2]) shade->node_chosen[v] = 1;
    }
}

enum l2r_status l2r_shade_init(struct l2r_shade *shade, const struct l2r_drawing *drawing, struct l2r_error *error)
{
    size_t n = (size_t)drawing->n_nodes, m = (size_t)drawing->n_edges;
    *shade = (struct l2r_shade){0};
    enum l2r_status status = check(drawing, error);
    if (status != L2R_OK) return status;
    shade->node = l2r_alloc(n, sizeof *shade->node);
    shade->edge = l2r_alloc(m, sizeof *shade->edge);
    shade->node_chosen = l2r_alloc(n, 1);
    shade->edge_chosen = l2r_alloc(m, 1);
    if (!shade->node || !shade->edge || !shade->node_chosen || !shade->edge_chosen)
        return l2r_fail_memory(error, 5 * (n + m), "the shades of a drawing");
    shade->any = drawing->node_importance != NULL || drawing->edge_importance != NULL || drawing->node_chosen != NULL ||
                 drawing->edge_chosen != NULL;
    shade_edges(shade, drawing);
    shade_nodes(shade, drawing);
    return L2R_OK;
}

void l2r_shade_clear(struct l2r_shade *shade)
{
    l2r_free(shade->node);
    l2r_free(shade->edge);
    l2r_free(shade->node_chosen);
    l2r_free(shade->edge_chosen);
    *shade = (struct l2r_shade){0};
}

/* ---- a graph ---- */

static const double largest_unit = 62; /* pixels of a mean edge: small graphs are not blown up */
static const double border = 17;       /* room for half a node and its ring */
static const double smallest_label = 7.5;

struct view {
    const struct l2r_drawing *drawing;
    const struct l2r_shade *shade;
    double *xy;    /* [n_nodes × 2] in pixels */
    double unit;   /* pixels of a mean edge */
    double weight; /* of lines: 1, less where nodes are small */
    double radius;
};

static double nearest_distance(const double *xy, int32_t n)
{
    double nearest = INFINITY;
    for (int32_t a = 0; a < n; a++)
        for (int32_t b = a + 1; b < n; b++) {
            double dx = xy[2 * a] - xy[2 * b], dy = xy[2 * a + 1] - xy[2 * b + 1];
            nearest = fmin(nearest, dx * dx + dy * dy);
        }
    return sqrt(nearest);
}

static void fit(struct view *view, const struct l2r_positions *positions, struct l2r_box box)
{
    double width = box.width - 2 * border, height = box.height - 2 * border;
    view->unit = fmin(largest_unit, fmin(width / fmax(positions->width, 1e-6), height / fmax(positions->height, 1e-6)));
    double left = box.x + (box.width - view->unit * positions->width) / 2;
    double top = box.y + (box.height - view->unit * positions->height) / 2;
    for (int32_t v = 0; v < view->drawing->n_nodes; v++) {
        view->xy[2 * v] = left + view->unit * view->xy[2 * v];
        view->xy[2 * v + 1] = top + view->unit * view->xy[2 * v + 1];
    }
    double room = 0.42 * nearest_distance(view->xy, view->drawing->n_nodes);
    view->radius = fmax(1.6, fmin(fmin(11, 0.3 * view->unit), room));
    view->weight = fmax(0.45, fmin(1, view->radius / 8));
}

/* For, and against: the sign of an importance. */
static const struct ink {
    const char *colour, *fill, *line; /* and the classes that a page styles */
} inks[2] = {{L2R_ACCENT, "l2r-accent", "l2r-accent-line"}, {L2R_AGAINST, "l2r-against", "l2r-against-line"}};

static const struct ink *ink_of(float importance)
{
    return &inks[importance < 0];
}

static void draw_edge(struct l2r_text *svg, const struct view *view, int64_t i)
{
    char style[200], a[32], b[32];
    const int32_t *ends = view->drawing->edges + 2 * i;
    const double *p = view->xy + 2 * (size_t)ends[0], *q = view->xy + 2 * (size_t)ends[1];
    double importance = fabs((double)view->shade->edge[i]);
    const struct ink *ink = ink_of(view->shade->edge[i]);
    if (view->shade->edge_chosen[i])
        snprintf(style, sizeof style, "class=\"%s\" stroke=\"%s\" stroke-width=\"%s\" stroke-opacity=\"%s\"", ink->line,
                 ink->colour, l2r_svg_decimal(a, view->weight * (2.4 + 2.8 * importance)),
                 l2r_svg_decimal(b, 0.4 + 0.6 * importance));
    else
        snprintf(style, sizeof style,
                 "class=\"l2r-ink-line\" stroke=\"" L2R_INK "\" stroke-opacity=\"%s\" stroke-width=\"%s\"",
                 l2r_svg_decimal(a, view->shade->any ? 0.22 + 0.28 * importance : 0.75),
                 l2r_svg_decimal(b, 1.4 * view->weight));
    if (ends[0] != ends[1]) {
        l2r_svg_line(svg, p[0], p[1], q[0], q[1], style);
        return;
    }
    double r = view->radius;
    snprintf(style + strlen(style), sizeof style - strlen(style), " fill=\"none\"");
    l2r_svg_circle(svg, p[0] + r, p[1] - r, 0.8 * r, style);
}

void l2r_panel_ring(struct l2r_text *svg, double x, double y, double radius, int mark)
{
    char style[200], width[32], dash[32];
    snprintf(style, sizeof style, "class=\"l2r-ring\" fill=\"none\" stroke=\"" L2R_RING "\" stroke-width=\"%s\"",
             l2r_svg_decimal(width, fmax(0.8, radius / 6)));
    if (mark > 1)
        snprintf(style + strlen(style), sizeof style - strlen(style), " stroke-dasharray=\"%s\"",
                 l2r_svg_decimal(dash, fmax(1.2, radius * (mark == 2 ? 0.35 : 0.15))));
    l2r_svg_circle(svg, x, y, radius, style);
}

static void draw_label(struct l2r_text *svg, const struct view *view, int32_t v)
{
    if (view->drawing->node_label == NULL || view->drawing->node_label[v] == NULL) return;
    const char *label = view->drawing->node_label[v];
    double size = fmin(1.25 * view->radius, 1.25 * view->radius * 1.9 * view->radius /
                                                fmax(l2r_text_width(label, strlen(label), 1.25 * view->radius), 1));
    if (size < smallest_label) return;
    bool dark = fabsf(view->shade->node[v]) > 0.5f;
    l2r_svg_text(svg, view->xy[2 * v], view->xy[2 * v + 1] + 0.36 * size, size, L2R_ANCHOR_MIDDLE, label, strlen(label),
                 dark ? "class=\"l2r-on-accent\" fill=\"" L2R_PAPER "\"" : "class=\"l2r-ink\" fill=\"" L2R_INK "\"");
}

static void draw_node(struct l2r_text *svg, const struct view *view, int32_t v)
{
    char style[240], a[32], b[32];
    bool chosen = view->shade->node_chosen[v] != 0, faded = view->shade->any && !chosen;
    const double *p = view->xy + 2 * (size_t)v;
    l2r_svg_circle(svg, p[0], p[1], view->radius, "class=\"l2r-paper\" fill=\"" L2R_PAPER "\"");
    const struct ink *ink = ink_of(view->shade->node[v]);
    snprintf(style, sizeof style, "class=\"%s %s\" fill=\"%s\" fill-opacity=\"%s\" stroke=\"%s\" stroke-width=\"%s\"%s",
             ink->fill, chosen ? ink->line : "l2r-ink-line", ink->colour,
             l2r_svg_decimal(a, fabs((double)view->shade->node[v])), chosen ? ink->colour : L2R_INK,
             l2r_svg_decimal(b, view->weight * (chosen ? 2.2 : 1.2)), faded ? " stroke-opacity=\"0.5\"" : "");
    l2r_svg_circle(svg, p[0], p[1], view->radius, style);
    if (view->drawing->node_mark != NULL && view->drawing->node_mark[v] != 0)
        l2r_panel_ring(svg, p[0], p[1], view->radius + 1.2 + 2.4 * view->weight, view->drawing->node_mark[v]);
    draw_label(svg, view, v);
}

enum l2r_status l2r_panel_graph(struct l2r_text *svg, const struct l2r_drawing *drawing, const struct l2r_shade *shade,
                                struct l2r_box box, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_positions positions = {0};
    L2R_TRY(l2r_positions_make(&positions, drawing->n_nodes, drawing->edges, drawing->n_edges, error));
    struct view view = {.drawing = drawing, .shade = shade, .xy = positions.xy};
    fit(&view, &positions, box);
    l2r_text_print(svg, "<g stroke-linecap=\"round\">\n");
    for (int chosen = 0; chosen < 2; chosen++)
        for (int64_t i = 0; i < drawing->n_edges; i++)
            if (shade->edge_chosen[i] == chosen) draw_edge(svg, &view, i);
    for (int chosen = 0; chosen < 2; chosen++)
        for (int32_t v = 0; v < drawing->n_nodes; v++)
            if (shade->node_chosen[v] == chosen) draw_node(svg, &view, v);
    l2r_text_print(svg, "</g>\n");
done:
    l2r_positions_clear(&positions);
    return status;
}

/* ---- a molecule ---- */

/* The drawing's edges may come in another order than the molecule's bonds. */
static void sort_bonds(float *bonds, const struct l2r_drawing *drawing, const struct l2r_shade *shade,
                       const struct l2r_molecule *molecule)
{
    for (int64_t i = 0; i < drawing->n_edges; i++) {
        int32_t bond = l2r_molecule_bond_between(molecule, drawing->edges[2 * i], drawing->edges[2 * i + 1]);
        if (bond >= 0) bonds[bond] = shade->edge[i];
    }
}

enum l2r_status l2r_panel_molecule(struct l2r_text *svg, const struct l2r_drawing *drawing,
                                   const struct l2r_shade *shade, const struct l2r_molecule *molecule,
                                   struct l2r_box box, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char *inside = NULL;
    float *atoms = l2r_alloc((size_t)l2r_molecule_atoms(molecule), sizeof *atoms);
    float *bonds = l2r_alloc((size_t)l2r_molecule_bonds(molecule), sizeof *bonds);
    if (atoms == NULL || bonds == NULL) {
        status = l2r_fail_memory(error, (size_t)drawing->n_nodes * sizeof *atoms, "a molecule's shades");
        goto done;
    }
    for (int32_t v = 0; shade->any && v < drawing->n_nodes; v++) atoms[v] = shade->node[v];
    if (shade->any) sort_bonds(bonds, drawing, shade, molecule);
    L2R_TRY(l2r_molecule_svg(&inside, molecule, atoms, bonds, (int)box.width, (int)box.height, error));
    l2r_text_print(svg, "<svg");
    l2r_svg_attribute(svg, "x", box.x);
    l2r_svg_attribute(svg, "y", box.y);
    l2r_svg_attribute(svg, "width", box.width);
    l2r_svg_attribute(svg, "height", box.height);
    l2r_text_print(svg, " viewBox=\"0 0 %d %d\">\n%s</svg>\n", (int)box.width, (int)box.height, inside);
done:
    l2r_free(inside);
    l2r_free(atoms);
    l2r_free(bonds);
    return status;
}
