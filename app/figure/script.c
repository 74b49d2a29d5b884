/* SPDX-License-Identifier: MIT
 *
 * See script.h. The script draws the same panels twice, once for each format. Every panel sets its own margins in
 * screen units, so frames do not depend on the widths of texts.
 */
#include "figure/script.h"

#include "base/json.h"
#include "draw/svg.h"
#include "io/file.h"

#include <math.h>
#include <string.h>

/* Distinct in grey: black, dark blue, red-brown, light green, violet, ochre; dashes and shapes differ too. */
static const struct {
    const char *colour, *dashes, *point;
} styles[L2R_STYLES] = {{"#1b1f24", "2", "7"},  {"#0b5fa5", "1", "5"},  {"#d9742b", "3", "9"},
                        {"#3a9d6e", "4", "13"}, {"#7b4ea3", "5", "11"}, {"#b58a1b", "1", "6"}};

const char *l2r_plot_number(char out[32], double value)
{
    if (!isfinite(value)) return strcpy(out, "NaN");
    double rounded = fabs(value) < 1e9 ? round(value * 1e6) / 1e6 : value;
    l2r_json_number(out, rounded == 0 ? 0 : rounded); /* no "-0.0" */
    return out;
}

static void put_number(FILE *out, double value)
{
    char text[32];
    fputs(l2r_plot_number(text, value), out);
}

/* One byte of a string in double quotes. gnuplot looks for commands in back quotes before it looks for the string's
 * end, so a byte stands for itself only if it is known to have no meaning; all others are octal. */
static void put_byte(FILE *out, char byte)
{
    bool plain = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') ||
                 (unsigned char)byte >= 0x80 || (byte != '\0' && strchr(" !%()*+,-./:;<=>?[]_|'", byte) != NULL);
    fprintf(out, plain ? "%c" : "\\%03o", (unsigned char)byte);
}

/* A string of gnuplot's enhanced text in which only "_" keeps its meaning. The labels of ticks are formats too. */
static void put_string(FILE *out, const char *text, bool bold, bool format)
{
    fputs(bold ? "\"{/:Bold " : "\"", out);
    for (; *text != '\0'; text++) {
        if (*text == '\n')
            fputs("\\n", out);
        else if ((unsigned char)*text >= ' ' && *text != 127) {
            if (strchr("{}^@&~\\", *text) != NULL) put_byte(out, '\\');
            if (format && *text == '%') put_byte(out, '%');
            put_byte(out, *text);
        }
    }
    fputs(bold ? "}\"" : "\"", out);
}

static void put_text(FILE *out, const char *text, bool bold)
{
    put_string(out, text, bold, false);
}

/* A comment of one line. */
static void put_comment(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) fputc((unsigned char)*text < ' ' || *text == 127 ? ' ' : *text, out);
}

/* ---- NAME.dat ---- */

static void put_blocks(FILE *out, const struct l2r_plot *plot)
{
    size_t index = 0;
    for (size_t p = 0; p < plot->n_panels; p++)
        for (size_t s = 0; s < plot->panels[p].n_series; s++) {
            const struct l2r_series *series = &plot->panels[p].series[s];
            fprintf(out, "%s# block %zu: panel \"", index > 0 ? "\n\n" : "", index);
            put_comment(out, plot->panels[p].title);
            fputs("\", ", out);
            put_comment(out, series->label != NULL ? series->label : "unnamed");
            fputs("\n# x y low high\n", out);
            for (size_t i = 0; i < series->n; i++)
                for (int k = 0; k < 4; k++) {
                    put_number(out, series->rows[i][k]);
                    fputc(k < 3 ? ' ' : '\n', out);
                }
            if (series->n == 0) fputs("NaN NaN NaN NaN\n", out); /* keeps the count of blocks */
            index++;
        }
}

/* ---- NAME.gp ---- */

static void put_formats(FILE *out, const struct l2r_plot *plot, const char *name)
{
    double width = plot->width, height = l2r_plot_height(plot);
    char w[32], h[32];
    fprintf(out,
            "# Draws %s.svg and %s.pdf from %s.dat in this folder:  gnuplot %s.gp\n"
            "set encoding utf8\n"
            "do for [format in \"svg pdf\"] {\n"
            "if (format eq \"svg\") { set terminal svg size %d,%d enhanced font \"sans-serif,13.3\" background "
            "\"#ffffff\" name \"l2r\" }\n"
            "if (format eq \"pdf\") { set terminal pdfcairo size %sin,%sin enhanced font \"sans-serif,10\" }\n"
            "set output \"%s.\".format\n",
            name, name, name, name, (int)lround(96 * width), (int)lround(96 * height), l2r_plot_number(w, width),
            l2r_plot_number(h, height), name);
}

static void put_styles(FILE *out)
{
    for (int i = 0; i < L2R_STYLES; i++)
        fprintf(out, "set style line %d lc rgb \"%s\" dt %s pt %s ps 0.75 lw 1.6\n", i + 1, styles[i].colour,
                styles[i].dashes, styles[i].point);
    for (int i = 0; i < L2R_STYLES; i++) /* bars are never dashed */
        fprintf(out, "set style line %d lc rgb \"%s\" dt 1 pt %s ps 0.75 lw 1.2\n", i + 11, styles[i].colour,
                styles[i].point);
    fputs("set style line 20 lc rgb \"#d8dce1\" dt 1 lw 0.6\n"
          "set style fill solid 1 noborder\n"
          "set errorbars small\n"
          "set border 3 lc rgb \"#57606a\" lw 0.8\n"
          "set tics nomirror out scale 0.6 textcolor rgb \"#1b1f24\"\n"
          "set datafile missing \"NaN\"\n"
          "unset key\n",
          out);
}

static void put_margin(FILE *out, const char *side, double inches, double whole)
{
    fprintf(out, "set %smargin at screen ", side);
    put_number(out, inches / whole);
    fputc('\n', out);
}

/* The range with some air; of all panels where they share it. */
static void find_range(double range[4], const struct l2r_plot *plot, const struct l2r_panel *panel)
{
    l2r_panel_extent(range, panel);
    for (size_t p = 0; p < plot->n_panels; p++) {
        double other[4];
        l2r_panel_extent(other, &plot->panels[p]);
        if (plot->shared_y) range[2] = fmin(range[2], other[2]), range[3] = fmax(range[3], other[3]);
    }
    for (int k = 0; k < 4; k += 2) {
        if (isnan(range[k])) range[k] = 0, range[k + 1] = 1;
        double air = 0.06 * (range[k + 1] - range[k]);
        if (!(air > 0)) air = 0.05 * fmax(fabs(range[k]), 1);
        range[k] -= air, range[k + 1] += air;
    }
    if (panel->n_ticks == 0) return;
    int k = plot->rows ? 2 : 0; /* named places stand 1 apart */
    range[k] = panel->ticks[0].at, range[k + 1] = panel->ticks[0].at;
    for (size_t t = 0; t < panel->n_ticks; t++)
        range[k] = fmin(range[k], panel->ticks[t].at), range[k + 1] = fmax(range[k + 1], panel->ticks[t].at);
    range[k] -= plot->rows ? 0.6 : 0.5, range[k + 1] += plot->rows ? 0.6 : 0.5;
}

static void put_ticks(FILE *out, const struct l2r_panel *panel, char axis, bool named)
{
    fprintf(out, "set %ctics (", axis);
    for (size_t t = 0; t < panel->n_ticks; t++) {
        fputs(t > 0 ? ", " : "", out);
        put_string(out, named ? panel->ticks[t].label : "", named && panel->ticks[t].bold, true);
        fputc(' ', out);
        put_number(out, panel->ticks[t].at);
    }
    fputs(")\n", out);
}

static void put_axes(FILE *out, const struct l2r_plot *plot, size_t p)
{
    const struct l2r_panel *panel = &plot->panels[p];
    bool first = p % plot->n_columns == 0, plain = panel->n_ticks == 0;
    double range[4];
    find_range(range, plot, panel);
    for (int k = 0; k < 2; k++) {
        fprintf(out, "set %crange [", "xy"[k]);
        put_number(out, range[2 * k]);
        fputc(':', out);
        put_number(out, range[2 * k + 1]);
        fputs("]\n", out);
    }
    fputs("set xtics autofreq format \"%g\" offset 0,0.5\n", out);
    fprintf(out, "set ytics autofreq format \"%s\"\n", plot->shared_y && !first ? "" : "%g");
    if (!plain) put_ticks(out, panel, plot->rows ? 'y' : 'x', !plot->rows || first);
    fprintf(out, "unset grid\nset grid %stics back ls 20\n", plot->rows ? "x" : "y");
    fputs("set title ", out);
    put_text(out, panel->title, true);
    fputs(" offset 0,-0.8\n", out);
}

/* What a series is drawn with; %1$s the file, %2$zu its block, %3$d and %4$d its styles for lines and for bars. */
static const char *const elements[] = {
    [L2R_SERIES_LINE] = "\"%1$s.dat\" index %2$zu using 1:2 with lines ls %3$d, "
                        "\"%1$s.dat\" index %2$zu using 1:2:3:4 with yerrorbars ls %4$d",
    [L2R_SERIES_RULE] = "\"%1$s.dat\" index %2$zu using 1:2 with lines ls %3$d lw 1.2",
    [L2R_SERIES_DOTS] = "\"%1$s.dat\" index %2$zu using 1:2:3:4 with xerrorbars ls %4$d lw 1.6 ps 1",
    [L2R_SERIES_TICKS] = "\"%1$s.dat\" index %2$zu using 1:2 with points pt 6 ps 0.4 lw 0.8 lc rgb \"#8b949e\"",
    [L2R_SERIES_SHAPE] = "\"%1$s.dat\" index %2$zu using 1:2 with filledcurves closed fs solid 1 fc rgb \"#d8dce1\", "
                         "\"%1$s.dat\" index %2$zu using 1:2 with lines ls %4$d lw 1",
    [L2R_SERIES_BOX] = "\"%1$s.dat\" index %2$zu using 1:3:(0):($4-$3) with vectors nohead ls %4$d lw 5, "
                       "\"%1$s.dat\" index %2$zu using 1:2 with points pt 7 ps 0.55 lc rgb \"#ffffff\""};

static void put_panel(FILE *out, const struct l2r_plot *plot, size_t p, const char *name, size_t *index)
{
    const struct l2r_panel *panel = &plot->panels[p];
    struct l2r_frame frame = l2r_panel_frame(plot, p);
    double height = l2r_plot_height(plot);
    fprintf(out, "\n# panel %zu\n", p);
    put_margin(out, "l", frame.left, plot->width);
    put_margin(out, "r", frame.right, plot->width);
    put_margin(out, "b", frame.bottom, height);
    put_margin(out, "t", frame.top, height);
    put_axes(out, plot, p);
    fputs("plot ", out);
    for (size_t s = 0; s < panel->n_series; s++) {
        const struct l2r_series *series = &panel->series[s];
        fputs(s > 0 ? ", \\\n     " : "", out);
        /* The formats are the table above. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        fprintf(out, elements[series->kind], name, (*index)++, series->style + 1, series->style + 11);
#pragma GCC diagnostic pop
    }
    fputs(panel->n_series == 0 ? "NaN\n" : "\n", out);
}

/* The legend is placed by hand: gnuplot's own breaks lines where it likes. Each entry is a piece of line, a point on
 * it, and the text; widths of texts are estimates for a wide face. Returns the width of all entries when out is NULL.
 * */
static double put_entries(FILE *out, const struct l2r_plot *plot, double x)
{
    const double sample = 0.34, space = 0.07, between = 0.25, y = 1 - 0.17 / l2r_plot_height(plot);
    double begin = x;
    char from[32], to[32], at[32], high[32];
    for (size_t p = 0; p < plot->n_panels; p++)
        for (size_t s = 0; s < plot->panels[p].n_series; s++) {
            const struct l2r_series *series = &plot->panels[p].series[s];
            if (!l2r_series_is_first(plot, p, s)) continue;
            double text = l2r_text_width(series->label, strlen(series->label), 10) / 72, w = plot->width;
            if (out != NULL) {
                fprintf(out, "set arrow from screen %s,%s to screen %s,%s nohead ls %d\n", l2r_plot_number(from, x / w),
                        l2r_plot_number(high, y), l2r_plot_number(to, (x + sample) / w), high, series->style + 1);
                if (series->kind == L2R_SERIES_LINE)
                    fprintf(out, "set label \"\" at screen %s,%s point ls %d\n",
                            l2r_plot_number(at, (x + sample / 2) / w), high, series->style + 11);
                fputs("set label ", out);
                put_text(out, series->label, false);
                fprintf(out, " at screen %s,%s left\n", l2r_plot_number(at, (x + sample + space) / w), high);
            }
            x += sample + space + text + between;
        }
    return x - begin - between;
}

/* One label for all panels, in the middle of their frames. */
static void put_labels(FILE *out, const struct l2r_plot *plot)
{
    struct l2r_frame first = l2r_panel_frame(plot, 0), last = l2r_panel_frame(plot, plot->n_panels - 1);
    double height = l2r_plot_height(plot), right = first.right;
    char x[32], y[32];
    for (size_t p = 0; p < plot->n_panels; p++) right = fmax(right, l2r_panel_frame(plot, p).right);
    fputs("set label ", out);
    put_text(out, plot->x_label, false);
    fprintf(out, " at screen %s,%s center\nset label ", l2r_plot_number(x, (first.left + right) / 2 / plot->width),
            l2r_plot_number(y, 0.12 / height));
    put_text(out, plot->y_label, false);
    fprintf(out, " at screen %s,%s center rotate by 90\n", l2r_plot_number(x, 0.12 / plot->width),
            l2r_plot_number(y, (last.bottom + first.top) / 2 / height));
}

static void put_legend(FILE *out, const struct l2r_plot *plot)
{
    double room = plot->width - put_entries(NULL, plot, 0);
    put_entries(out, plot, room > 0 ? room / 2 : 0);
}

static enum l2r_status write_script(const struct l2r_plot *plot, const char *path, const char *name,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_atomic file = {0};
    size_t index = 0;
    L2R_TRY(l2r_atomic_open(&file, path, error));
    put_formats(file.stream, plot, name);
    put_styles(file.stream);
    if (plot->n_panels > 0) put_labels(file.stream, plot);
    if (l2r_plot_has_legend(plot)) put_legend(file.stream, plot);
    fputs("set multiplot\n", file.stream);
    for (size_t p = 0; p < plot->n_panels; p++) {
        put_panel(file.stream, plot, p, name, &index);
        if (p == 0) fputs("unset arrow\nunset label\n", file.stream); /* legend and labels: once */
    }
    fputs("\nunset multiplot\nunset output\nreset\n}\n", file.stream);
done:
    return l2r_atomic_close(&file, status, error);
}

enum l2r_status l2r_plot_write(const struct l2r_plot *plot, const char *dir, const char *name, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_atomic data = {0};
    char file[256], path[4096];
    snprintf(file, sizeof file, "%s.dat", name);
    L2R_TRY(l2r_path_join(path, sizeof path, dir, file, error));
    L2R_TRY(l2r_atomic_open(&data, path, error));
    put_blocks(data.stream, plot);
    L2R_TRY(l2r_atomic_close(&data, L2R_OK, error));
    snprintf(file, sizeof file, "%s.gp", name);
    L2R_TRY(l2r_path_join(path, sizeof path, dir, file, error));
    L2R_TRY(write_script(plot, path, name, error));
done:
    return l2r_atomic_close(&data, status, error);
}
