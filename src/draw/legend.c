/* SPDX-License-Identifier: MIT
 *
 * The legend: symbols with text, as many to a line as fit, each line centred.
 */
#include "draw/panel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double font = 12, line = 22, space = 20, sign_width = 34;
enum { N_STEPS = 5, MOST_ITEMS = L2R_LEGEND_MARKS + 6 };

enum sign { SIGN_CHOSEN, SIGN_OTHER, SIGN_RAMP, SIGN_MOLECULE_RAMP, SIGN_SIGNS, SIGN_MOLECULE_SIGNS, SIGN_RING };

struct item {
    enum sign sign;
    int mark;
    char text[96];
    double width;
};

void l2r_legend_add(struct l2r_legend *legend, const struct l2r_drawing *drawing, bool shaded, bool as_molecule)
{
    legend->shades = legend->shades || shaded;
    legend->molecules = legend->molecules || as_molecule;
    legend->graphs = legend->graphs || !as_molecule;
    legend->signs = legend->signs || (shaded && drawing->is_signed);
    for (int32_t v = 0; !as_molecule && drawing->node_mark != NULL && v < drawing->n_nodes; v++)
        if (drawing->node_mark[v] != 0)
            legend->mark[drawing->node_mark[v] < L2R_LEGEND_MARKS ? drawing->node_mark[v] : L2R_LEGEND_MARKS] = true;
    for (int mark = 1; drawing->mark_name != NULL && mark <= L2R_LEGEND_MARKS; mark++) {
        if (drawing->mark_name[mark - 1] == NULL) break;
        legend->mark_name[mark] = drawing->mark_name[mark - 1];
    }
}

static void add_item(struct item *items, int *n, enum sign sign, int mark, const char *text)
{
    struct item *item = &items[(*n)++];
    *item = (struct item){.sign = sign, .mark = mark};
    snprintf(item->text, sizeof item->text, "%s", text);
    bool ramp = sign == SIGN_RAMP || sign == SIGN_MOLECULE_RAMP;
    item->width = (ramp ? 2 * sign_width : sign_width) + 6 + l2r_text_width(item->text, strlen(item->text), font);
}

static int list_items(struct item items[MOST_ITEMS], const struct l2r_legend *legend)
{
    int n = 0;
    if (legend->shades && legend->graphs) {
        add_item(items, &n, SIGN_CHOSEN, 0, "important subgraph");
        add_item(items, &n, SIGN_OTHER, 0, "the rest");
        add_item(items, &n, SIGN_RAMP, 0, "importance");
    }
    if (legend->shades && legend->molecules)
        add_item(items, &n, SIGN_MOLECULE_RAMP, 0, legend->graphs ? "importance (molecules)" : "importance");
    if (legend->signs)
        add_item(items, &n, legend->graphs ? SIGN_SIGNS : SIGN_MOLECULE_SIGNS, 0, "raises, lowers the prediction");
    for (int mark = 1; mark <= L2R_LEGEND_MARKS; mark++) {
        char text[96], number[32];
        if (!legend->mark[mark]) continue;
        snprintf(number, sizeof number, "motif %d%s", mark, mark == L2R_LEGEND_MARKS ? " or more" : "");
        snprintf(text, sizeof text, "%s (planted)", legend->mark_name[mark] ? legend->mark_name[mark] : number);
        add_item(items, &n, SIGN_RING, mark, text);
    }
    return n;
}

/* Circles of rising darkness between the words 0 and 1. */
static void draw_ramp(struct l2r_text *svg, double x, double y, bool molecule)
{
    char style[200], a[32];
    static const char *const muted = "class=\"l2r-muted\" fill=\"" L2R_MUTED "\"";
    l2r_svg_text(svg, x, y + 4, 11, L2R_ANCHOR_START, "0", 1, muted);
    l2r_svg_text(svg, x + 2 * sign_width - 6, y + 4, 11, L2R_ANCHOR_START, "1", 1, muted);
    for (int i = 0; i < N_STEPS; i++) {
        double importance = (double)i / (N_STEPS - 1);
        if (molecule) {
            char colour[8];
            l2r_molecule_colour(colour, importance);
            snprintf(style, sizeof style, "fill=\"%s\" stroke=\"" L2R_MUTED "\" stroke-width=\"0.6\"", colour);
        } else
            snprintf(style, sizeof style,
                     "class=\"l2r-accent l2r-ink-line\" fill=\"" L2R_ACCENT "\" fill-opacity=\"%s\" stroke=\"" L2R_INK
                     "\" stroke-width=\"0.8\" stroke-opacity=\"0.5\"",
                     l2r_svg_decimal(a, importance));
        l2r_svg_circle(svg, x + 15 + 10.5 * i, y, 4.5, style);
    }
}

static void draw_sign(struct l2r_text *svg, const struct item *item, double x, double y)
{
    double middle = x + sign_width / 2;
    switch (item->sign) {
    case SIGN_CHOSEN:
        l2r_svg_line(svg, x + 5, y, x + sign_width - 5, y,
                     "class=\"l2r-accent-line\" stroke=\"" L2R_ACCENT "\" stroke-width=\"4.5\"");
        for (int side = -1; side < 2; side += 2)
            l2r_svg_circle(svg, middle + side * 11, y, 5, "class=\"l2r-accent\" fill=\"" L2R_ACCENT "\"");
        break;
    case SIGN_OTHER:
        l2r_svg_line(svg, x + 5, y, x + sign_width - 5, y,
                     "class=\"l2r-ink-line\" stroke=\"" L2R_INK "\" stroke-opacity=\"0.3\" stroke-width=\"1.4\"");
        for (int side = -1; side < 2; side += 2)
            l2r_svg_circle(svg, middle + side * 11, y, 5,
                           "class=\"l2r-paper l2r-ink-line\" fill=\"" L2R_PAPER "\" stroke=\"" L2R_INK
                           "\" stroke-width=\"1.2\" stroke-opacity=\"0.5\"");
        break;
    case SIGN_SIGNS:
        l2r_svg_circle(svg, middle - 8, y, 5, "class=\"l2r-accent\" fill=\"" L2R_ACCENT "\"");
        l2r_svg_circle(svg, middle + 8, y, 5, "class=\"l2r-against\" fill=\"" L2R_AGAINST "\"");
        break;
    case SIGN_MOLECULE_SIGNS:
        for (int side = -1; side < 2; side += 2) {
            char colour[8], style[40];
            l2r_molecule_colour(colour, -side);
            snprintf(style, sizeof style, "fill=\"%s\"", colour);
            l2r_svg_circle(svg, middle + side * 8, y, 5, style);
        }
        break;
    case SIGN_RING:
        l2r_panel_ring(svg, middle, y, 8, item->mark);
        break;
    default:
        draw_ramp(svg, x, y, item->sign == SIGN_MOLECULE_RAMP);
    }
}

static void draw_item(struct l2r_text *svg, const struct item *item, double x, double y)
{
    bool ramp = item->sign == SIGN_RAMP || item->sign == SIGN_MOLECULE_RAMP;
    draw_sign(svg, item, x, y);
    l2r_svg_text(svg, x + (ramp ? 2 * sign_width : sign_width) + 6, y + 4, font, L2R_ANCHOR_START, item->text,
                 strlen(item->text), "class=\"l2r-ink\" fill=\"" L2R_INK "\"");
}

double l2r_legend_draw(struct l2r_text *svg, const struct l2r_legend *legend, double x, double y, double width)
{
    struct item items[MOST_ITEMS];
    int n = list_items(items, legend), first = 0;
    double height = 0;
    while (first < n) {
        double used = items[first].width;
        int end = first + 1;
        while (end < n && used + space + items[end].width <= width) used += space + items[end++].width;
        double left = x + fmax(0, (width - used) / 2);
        for (; first < end; first++) {
            if (svg != NULL) draw_item(svg, &items[first], left, y + height + line / 2);
            left += items[first].width + space;
        }
        height += line;
    }
    return height;
}
