/* SPDX-License-Identifier: MIT
 *
 * The manual page l2r(1) in the language of man(7), from the command structs and option tables like every other help
 * page. Options that a model, a method or a generator brings are on the pages of `l2r COMMAND --help`.
 */
#include "cli/help.h"

#include "cli/terminal.h"

#include <string.h>

/* Text in which no line is a command to troff: a backslash is written \e, a hyphen \-, and a line that begins with a
 * full stop or a quote gets an empty character before it. */
static void put(FILE *stream, const char *text)
{
    bool begins = true;
    for (; *text != '\0'; text++) {
        if (begins && (*text == '.' || *text == '\'')) fputs("\\&", stream);
        if (*text == '\\')
            fputs("\\e", stream);
        else if (*text == '-')
            fputs("\\-", stream);
        else
            fputc(*text, stream);
        begins = *text == '\n';
    }
}

static void put_options(FILE *stream, const struct l2r_config *config)
{
    const struct l2r_option *option;
    char text[1024];
    for (size_t i = 0; (option = l2r_config_option(config, i)) != NULL; i++) {
        fputs(".TP\n.B ", stream);
        put(stream, cli_option_synopsis(text, sizeof text, option));
        fputc('\n', stream);
        put(stream, cli_format_options(text, sizeof text, option->help));
        cli_option_values(text, sizeof text, option, l2r_config_default(config, option->name));
        if (text[0] != '\0') {
            fputs(" (", stream);
            put(stream, text);
            fputc(')', stream);
        }
        fputc('\n', stream);
    }
}

static enum l2r_status put_command(FILE *stream, const struct l2r_command *command, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct cli_call call = {0};
    L2R_TRY(cli_call_begin(&call, command, 0, NULL, error));
    fprintf(stream, ".SS \"l2r %s\"\n", command->name);
    put(stream, command->summary);
    fprintf(stream, ".\n.PP\n.nf\n.RS\nl2r %s ", command->name);
    put(stream, command->usage);
    fputs("\n.RE\n.fi\n", stream);
    if (command->about != NULL) {
        fputs(".PP\n", stream);
        put(stream, command->about);
        fputc('\n', stream);
    }
    if (command->examples != NULL) {
        fputs(".PP\nExamples:\n.PP\n.nf\n.RS\n", stream);
        put(stream, command->examples);
        fputs("\n.RE\n.fi\n", stream);
    }
    put_options(stream, call.subject);
    put_options(stream, call.options);
done:
    cli_call_clear(&call);
    return status;
}

enum l2r_status cli_help_manual(FILE *stream, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    fprintf(stream,
            ".TH L2R 1 \"\" \"l2r %s\" \"User commands\"\n.SH NAME\nl2r \\- graph neural networks that keep working "
            "when the test graphs differ\n.SH SYNOPSIS\n.B l2r\n.I COMMAND\n[ARGUMENTS] [OPTIONS]\n.SH DESCRIPTION\n"
            "Options are typed \\-\\-name value or \\-\\-name=value; \\-\\-flag and \\-\\-no\\-flag turn a flag on and "
            "off; after \\-\\- only arguments follow. What a model, a method or a generator adds is shown by "
            "l2r COMMAND \\-\\-help, with its name typed.\n",
            l2r_version());
    for (enum cli_section section = 0; section < CLI_SECTIONS; section++) {
        fprintf(stream, ".SH \"%s\"\n", cli_section_title(section));
        for (size_t i = 0; l2r_commands[i] != NULL; i++)
            if (l2r_commands[i]->section == section) L2R_TRY(put_command(stream, l2r_commands[i], error));
    }
    fputs(
        ".SH EXIT STATUS\n0 done, 1 failed, 2 wrong usage, 130 interrupted.\n"
        ".SH ENVIRONMENT\nNO_COLOR turns colour off. L2R_CACHE_DIR, or else XDG_CACHE_HOME, is where binary copies of "
        "data are kept. SSL_CERT_FILE names the certificates that downloads trust.\n"
        ".SH SEE ALSO\n.BR l2r (3)\n",
        stream);
done:
    return status;
}
