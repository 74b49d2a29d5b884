/* SPDX-License-Identifier: MIT
 *
 * SVG files that may become part of a page: what this program draws passes, nothing that acts, loads or leads
 * elsewhere does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/drawing_check.h"

#include <stdio.h>
#include <string.h>

#define BEGIN "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"l2r-figure\""

static bool is_safe(const char *svg)
{
    return l2r_drawing_is_safe(svg, strlen(svg));
}

static void drawings_pass(void **state)
{
    (void)state;
    static const char *const inside[] = {"<title>a &lt;b&gt; &amp; μ</title>",
                                         "<text x=\"1\" y=\"-2.5\" font-size=\"13\" class=\"l2r-ink\" "
                                         "font-family=\"Helvetica, 'DejaVu Sans'\">p(1) = 2</text>",
                                         "<svg x=\"1\" viewBox=\"0 0 3 4\">\n<!-- END OF HEADER -->\n<path d='M 1,2 L "
                                         "3 4 Z' style='fill:none;stroke:#000;' />\n</svg>",
                                         "<g stroke-linecap=\"round\"><line x1=\"1\" y1=\"2\" x2=\"3\" y2=\"4\"/></g>",
                                         "<rect width='1'> </rect>",
                                         ""};
    char svg[1000];
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++) {
        snprintf(svg, sizeof svg, BEGIN " width=\"4\">%s</svg>\n", inside[i]);
        if (!is_safe(svg)) fail_msg("refused: %s", svg);
    }
}

static void everything_else_does_not(void **state)
{
    (void)state;
    static const char *const inside[] = {"<script>x</script>",
                                         "<SCRIPT>x</SCRIPT>",
                                         "<g onload=\"x\"/>",
                                         "<g onload='x'></g>",
                                         "<g\tonload=\"x\"/>",
                                         "<g/onload=\"x\"/>",
                                         "<a href=\"x\">y</a>",
                                         "<text xlink:href=\"x\">y</text>",
                                         "<use href=\"#x\"/>",
                                         "<image href=\"http://x\"/>",
                                         "<foreignObject></foreignObject>",
                                         "<style>x</style>",
                                         "<animate/>",
                                         "<set attributeName=\"onload\"/>",
                                         "<g style=\"fill:url(#x)\"/>",
                                         "<g style=\"fill:uRl(http:x)\"/>",
                                         "<g style=\"position:fixed\"/>",
                                         "<g style=\"fill:\\75rl(x)\"/>",
                                         "<g fill=\"url(#x)\"/>",
                                         "<g fill=\"u&#114;l(x)\"/>",
                                         "<g fill=x/>",
                                         "<g fill=\"x",
                                         "<g fill>",
                                         "<title><g/></title>",
                                         "<text>&x;</text>",
                                         "<text>&#x3c;</text>",
                                         "<![CDATA[<script>]]>",
                                         "<!DOCTYPE svg>",
                                         "<?xml-stylesheet href='x'?>",
                                         "<!--><script>x</script>-->",
                                         "<!-- a--b -->",
                                         "<g>",
                                         "</g>",
                                         "<g></svg></g>",
                                         "</svg><script>x</script><svg>",
                                         "<text>\x01</text>",
                                         "<text>\xff</text>",
                                         "<svg xmlns=\"http://www.w3.org/1999/xhtml\"/>"};
    char svg[1000];
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++) {
        snprintf(svg, sizeof svg, BEGIN ">%s</svg>\n", inside[i]);
        if (is_safe(svg)) fail_msg("let through: %s", svg);
    }
    assert_false(is_safe(""));
    assert_false(is_safe("<svg></svg>")); /* not one of ours */
    assert_false(is_safe(BEGIN " onload=\"x\"></svg>"));
    assert_false(is_safe(BEGIN "></svg><g/>"));
    assert_false(is_safe(BEGIN "></svg"));
    assert_false(l2r_drawing_is_safe(BEGIN ">\0</svg>", sizeof BEGIN ">\0</svg>" - 1));
    char deep[4000] = BEGIN ">";
    for (int i = 0; i < 100; i++) strcat(deep, "<g>");
    assert_false(is_safe(deep));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(drawings_pass), cmocka_unit_test(everything_else_does_not)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
