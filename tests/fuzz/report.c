/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a file of a run that a report reads: the first byte chooses which (metrics.jsonl, result.json,
 * explanations.json, a drawing). The run is refused with a sentence, or becomes a page in which no byte of the input
 * has become a tag of its own.
 */
#include "io/file.h"
#include "memory_file.h"
#include "refusal.h"
#include "report/drawing_check.h"
#include "report/page.h"
#include "report/run_files.h"
#include "report/template.h"
#include "support/temporary.h"

#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char config[] = "{\"model\": \"gin\", \"method\": \"erm\", \"seed\": 0, \"data\": \"motif\"}";
static const char *const names[] = {"metrics.jsonl", "result.json", "explanations/explanations.json",
                                    "explanations/graph-1.svg"};
static char root[TEMPORARY_LENGTH];

static void put(const char *name, const void *bytes, size_t size)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *file = fopen(path, "wb");
    if (!file || (size > 0 && fwrite(bytes, 1, size, file) != size) || fclose(file) != 0) abort();
}

static void set_up(void)
{
    char path[200];
    if (!temporary_folder_in_memory(root)) abort();
    snprintf(path, sizeof path, "%s/explanations", root);
    if (mkdir(path, 0700) != 0) abort();
    put("config.json", config, sizeof config - 1);
}

static int count(const char *text, const char *word)
{
    int n = 0;
    while ((text = strcasestr(text, word))) text++, n++;
    return n;
}

/* Texts fill places of a template only escaped: no "<" of the input is one in the page. */
static void fill(const uint8_t *data, size_t size)
{
    struct l2r_view view;
    struct l2r_error error = {0};
    char *page = NULL, *text = malloc(size + 1);
    if (!text) abort();
    memcpy(text, data, size);
    text[size] = '\0';
    l2r_view_init(&view);
    l2r_view_text(&view, view.root, "text", text);
    if (l2r_template_fill_text(&page, "{{#text}}{{text}}{{=text}}{{/text}}", &view, &error) != L2R_OK)
        expect_refusal(&error);
    else if (strpbrk(page, "<>"))
        abort();
    l2r_free(page);
    l2r_view_clear(&view);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct l2r_run_list list = {0};
    struct l2r_error error = {0};
    char *page = NULL, path[200];
    if (size == 0) return 0;
    if (!root[0]) set_up();
    const char *name = names[data[0] % 4];
    put(name, data + 1, size - 1);
    const struct l2r_report_settings settings = {0};
    if (l2r_run_list_add(&list, root, &error) != L2R_OK || l2r_report_page(&page, &list, &settings, &error) != L2R_OK)
        expect_refusal(&error);
    else if (count(page, "<script") != 2 || count(page, "<img") + count(page, "<iframe") + count(page, "<object") > 0)
        abort(); /* the charts as JSON and the page's own */
    l2r_free(page);
    l2r_run_list_clear(&list);
    snprintf(path, sizeof path, "%s/%s", root, name);
    (void)remove(path);
    fill(data + 1, size - 1);
    return 0;
}
