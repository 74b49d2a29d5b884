/* SPDX-License-Identifier: MIT
 * See html.h. */
#include "report/html.h"

#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The classes l2r-… are those of drawings (draw/svg.h): in the dark their paper is dark and their ink is light. Molecules stay black
 * on white. */
static const char style[] =
    ":root{color-scheme:light dark;--paper:#fff;--page:#f6f8fa;--ink:#1b1f24;--muted:#57606a;--line:#d0d7de;"
    "--accent:#0b3d91;--ring:#c2410c}\n"
    "@media (prefers-color-scheme:dark){:root{--paper:#161b22;--page:#0d1117;--ink:#e6edf3;--muted:#9aa4af;"
    "--line:#30363d;--accent:#7db3ff;--ring:#ff9f5a}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:1120px;padding:1.2rem;background:var(--page);color:var(--ink);"
    "font:16px/1.5 system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif}\n"
    "h1{font-size:1.6rem;margin:.3rem 0}h2{font-size:1.2rem;margin:0 0 .4rem;overflow-wrap:anywhere}"
    "h3{font-size:1rem;margin:1.2rem 0 .5rem}\n"
    "p{margin:.3rem 0;overflow-wrap:anywhere}a{color:var(--accent)}.muted{color:var(--muted)}\n"
    "section{background:var(--paper);border:1px solid var(--line);border-radius:10px;padding:1rem;margin:1rem 0}\n"
    ".wide{overflow-x:auto}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    "th,td{padding:.25rem .8rem .25rem 0;text-align:left;border-bottom:1px solid var(--line);white-space:nowrap}"
    "td.n,th.n{text-align:right}\n"
    "summary{cursor:pointer;color:var(--accent)}"
    ".options{columns:18rem;font-size:.9rem;margin-top:.5rem}.options div{break-inside:avoid;overflow-wrap:anywhere}\n"
    ".options b{font-weight:600}\n"
    ".gallery{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,350px),1fr));gap:1rem;margin:1rem 0}"
    ".gallery figure{margin:0;border:1px solid var(--line);border-radius:8px;overflow:hidden;min-width:0}"
    ".gallery svg.l2r-figure{display:block;width:100%;height:auto}\n"
    ".l2r-paper{fill:var(--paper)}.l2r-ink{fill:var(--ink)}.l2r-muted{fill:var(--muted)}.l2r-accent{fill:var(--accent)}"
    ".l2r-on-accent{fill:var(--paper)}.l2r-ink-line{stroke:var(--ink)}.l2r-accent-line{stroke:var(--accent)}"
    ".l2r-ring{stroke:var(--ring)}\n"
    "@media (max-width:480px){body{padding:.6rem;font-size:15px}section{padding:.7rem}th,td{padding-right:.5rem}}\n"
    "@media print{body{background:#fff}section{break-inside:avoid}}\n";

void l2r_html_begin(struct l2r_svg *page, const char *title)
{
    l2r_svg_add(page, "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n"
                      "<meta charset=\"utf-8\"/>\n"
                      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>");
    l2r_svg_escaped(page, title, strlen(title));
    l2r_svg_add(page, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", style);
}

void l2r_html_end(struct l2r_svg *page)
{
    l2r_svg_add(page, "</body>\n</html>\n");
}

void l2r_html_element(struct l2r_svg *page, const char *tag, const char *text)
{
    l2r_svg_add(page, "<%s>", tag);
    l2r_svg_escaped(page, text, strlen(text));
    l2r_svg_add(page, "</%.*s>", (int)strcspn(tag, " "), tag);
}

void l2r_html_score(struct l2r_svg *page, double value)
{
    long long parts = isfinite(value) && fabs(value) < 1e12 ? llround(value * 10000) : 0;
    unsigned long long size = parts < 0 ? 0ull - (unsigned long long)parts : (unsigned long long)parts;
    if (isfinite(value))
        l2r_svg_add(page, "<td class=\"n\">%s%llu.%04llu</td>", parts < 0 ? "−" : "", size / 10000, size % 10000);
    else
        l2r_svg_add(page, "<td class=\"n\">–</td>");
}

void l2r_html_number(struct l2r_svg *page, double value)
{
    char number[32];
    l2r_json_number(number, value);
    size_t length = strlen(number);
    if (length > 2 && strcmp(number + length - 2, ".0") == 0) number[length - 2] = '\0';
    l2r_svg_add(page, "%s", number);
}
