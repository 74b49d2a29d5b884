/* SPDX-License-Identifier: MIT
 *
 * Help for people at a terminal. Two columns: what to type, what it does; the right one wraps at the terminal's width.
 */
#include "cli/help.h"
#include "base/text.h"

#include "cli/terminal.h"

#include <string.h>

enum { LEFT = 30, WIDEST = 110, PIPE_WIDTH = 100 };

const char *cli_section_title(enum cli_section section)
{
    static const char *const titles[CLI_SECTIONS] = {"Train and use models", "Data", "About the program"};
    return titles[section];
}

static int page_width(FILE *stream)
{
    int width = cli_terminal_width(stream, PIPE_WIDTH);
    return width > WIDEST ? WIDEST : width < LEFT + 20 ? LEFT + 20 : width;
}

static void print_heading(FILE *stream, const char *title)
{
    fprintf(stream, "\n%s%s%s\n", cli_bold(stream), title, cli_plain(stream));
}

static bool has_prefix(const char *name, const char *prefix)
{
    size_t length = prefix != NULL ? strlen(prefix) : 0;
    return length == 0 || (strncmp(name, prefix, length) == 0 && name[length] == ' ');
}

void cli_help_overview(FILE *stream, const char *prefix)
{
    if (prefix == NULL)
        fprintf(stream,
                "l2r %s: graph neural networks that keep working when the test graphs differ\n\n"
                "Usage: l2r COMMAND [ARGUMENTS] [OPTIONS]\n",
                l2r_version());
    else
        fprintf(stream, "Usage: l2r %s COMMAND [ARGUMENTS] [OPTIONS]\n", prefix);
    for (enum cli_section section = 0; section < CLI_SECTIONS; section++) {
        bool titled = false;
        for (size_t i = 0; l2r_commands[i] != NULL; i++) {
            const struct l2r_command *command = l2r_commands[i];
            if (command->section != section || !has_prefix(command->name, prefix)) continue;
            if (!titled) print_heading(stream, cli_section_title(section));
            titled = true;
            fprintf(stream, "  %-14s  %s\n", command->name, command->summary);
        }
    }
    if (prefix == NULL)
        fprintf(stream, "\nBegin with:  l2r train --data motif:mu=0.8\n"
                        "More about one command:  l2r help COMMAND\n");
    else
        fprintf(stream, "\nMore about one command:  l2r help %s COMMAND\n", prefix);
}

const char *cli_option_synopsis(char *buffer, size_t size, const struct l2r_option *option)
{
    static const char *const names[] = {[L2R_OPTION_FLAG] = "",
                                        [L2R_OPTION_INT] = "N",
                                        [L2R_OPTION_REAL] = "X",
                                        [L2R_OPTION_TEXT] = "TEXT",
                                        [L2R_OPTION_LIST] = "A,B,…"};
    if (option->kind == L2R_OPTION_FLAG) {
        bool on = option->fallback != NULL && strcmp(option->fallback, "true") == 0;
        snprintf(buffer, size, on ? "--[no-]%s" : "--%s", option->name);
    } else {
        const char *value = option->value != NULL               ? option->value
                            : option->kind == L2R_OPTION_CHOICE ? option->choices
                                                                : names[option->kind];
        snprintf(buffer, size, "--%s %s", option->name, value);
    }
    return buffer;
}

const char *cli_option_values(char *buffer, size_t size, const struct l2r_option *option, const char *fallback)
{
    size_t n = 0;
    buffer[0] = '\0';
    if (option->kind == L2R_OPTION_CHOICE && option->value != NULL)
        n += (size_t)snprintf(buffer, size, "%s", option->choices);
    if (option->kind == L2R_OPTION_LIST) n += (size_t)snprintf(buffer, size, "some of %s", option->choices);
    if ((option->kind == L2R_OPTION_INT || option->kind == L2R_OPTION_REAL) && option->max > option->min) {
        if (option->max < 1e6)
            n += (size_t)snprintf(buffer, size, "%g to %g", option->min, option->max);
        else
            n += (size_t)snprintf(buffer, size, "at least %g", option->min);
    }
    if (fallback != NULL && fallback[0] != '\0' && option->kind != L2R_OPTION_FLAG && n < size)
        snprintf(buffer + n, size - n, "%sdefault %s", n > 0 ? "; " : "", fallback);
    return buffer;
}

static void print_option(FILE *stream, const struct l2r_option *option, const char *fallback, int width)
{
    char left[256], values[256], text[1024], help[1024];
    struct l2r_option here = *option;
    here.fallback = fallback;
    cli_option_synopsis(left, sizeof left, &here);
    cli_option_values(values, sizeof values, option, fallback);
    fprintf(stream, "  %s", left);
    int taken = 2 + l2r_text_columns(left);
    if (taken > LEFT - 2)
        fprintf(stream, "\n%*s", LEFT, "");
    else
        fprintf(stream, "%*s", LEFT - taken, "");
    snprintf(text, sizeof text, values[0] != '\0' ? "%s (%s)" : "%s",
             cli_format_options(help, sizeof help, option->help), values);
    cli_print_wrapped(stream, text, LEFT, LEFT, width);
}

/* Is the name in the list "data,out,"? */
static bool is_in(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (; list != NULL; list = strchr(list, ',')) {
        list += *list == ',';
        if (strncmp(list, name, length) == 0 && (list[length] == ',' || list[length] == '\0')) return true;
    }
    return false;
}

/* Prints options of a config under their group headings, those of `brief` or all; *heading is the one printed last.
 * Returns how many were left out. */
static int print_options(FILE *stream, const struct l2r_config *config, const char *brief, const char **heading,
                         const char *otherwise)
{
    const struct l2r_option *option;
    const char *group = otherwise;
    int left_out = 0;
    for (size_t i = 0; (option = l2r_config_option(config, i)) != NULL; i++) {
        if (option->group != NULL) group = option->group;
        if (brief != NULL && !is_in(brief, option->name)) {
            left_out++;
            continue;
        }
        if (*heading == NULL || strcmp(*heading, group) != 0) print_heading(stream, group);
        *heading = group;
        print_option(stream, option, l2r_config_default(config, option->name), page_width(stream));
    }
    return left_out;
}

static void print_examples(FILE *stream, const char *examples)
{
    print_heading(stream, "Examples");
    while (*examples != '\0') {
        size_t length = strcspn(examples, "\n");
        fprintf(stream, "  %.*s\n", (int)length, examples);
        examples += length + (examples[length] == '\n');
    }
}

void cli_help_command(FILE *stream, const struct cli_call *call)
{
    const struct l2r_command *command = call->command;
    const char *heading = NULL;
    fprintf(stream, "l2r %s: %s\n\nUsage: l2r %s %s\n", command->name, command->summary, command->name, command->usage);
    if (command->about != NULL) {
        fputc('\n', stream);
        cli_print_wrapped(stream, command->about, 0, 0, page_width(stream));
    }
    if (command->examples != NULL) print_examples(stream, command->examples);
    const char *brief = call->help_all ? NULL : command->brief;
    int left_out = print_options(stream, call->subject, brief, &heading, "Options") +
                   print_options(stream, call->options, brief, &heading, "Options");
    if (left_out > 0) fprintf(stream, "\n%d more options:  l2r %s --help all\n", left_out, command->name);
}
