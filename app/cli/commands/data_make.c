/* SPDX-License-Identifier: MIT
 *
 * l2r data make: graphs from a generator, written as a TU folder. The options are those of the generator named.
 */
#include "cli/command.h"
#include "data/reader.h"

#include <stdio.h>
#include <string.h>

static const struct l2r_option options[] = {{.name = "out",
                                             .kind = L2R_OPTION_TEXT,
                                             .value = "DIR",
                                             .group = "Output",
                                             .help = "folder to create; it must be empty if it exists"},
                                            {0}};

static const struct l2r_generator *find_generator(const char *name)
{
    return strchr(name, ':') == NULL ? l2r_generator_find(name) : NULL;
}

static enum l2r_status declare(struct cli_call *call, int argc, char **argv, struct l2r_error *error)
{
    const struct l2r_generator *generator = NULL;
    for (int i = 0; i < argc && generator == NULL; i++) generator = find_generator(argv[i]);
    return generator != NULL ? l2r_config_declare(call->subject, generator->options, error) : L2R_OK;
}

static enum l2r_status fail_unknown(struct cli_call *call, const char *name, struct l2r_error *error)
{
    struct cli_nearest nearest = {.word = name};
    for (size_t i = 0; l2r_generators[i] != NULL; i++) cli_nearest_try(&nearest, l2r_generators[i]->name);
    if (nearest.best != NULL)
        return cli_misuse(call, error, "unknown generator '%s'; did you mean '%s'?", name, nearest.best);
    return cli_misuse(call, error, "unknown generator '%s'; 'l2r list generators' shows them", name);
}

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_dataset *data = NULL;
    const char *out = l2r_config_text(call->options, "out");
    const struct l2r_generator *generator = find_generator(call->arguments[0]);
    if (generator == NULL) return fail_unknown(call, call->arguments[0], error);
    if (out == NULL) return cli_misuse(call, error, "'l2r data make' needs --out DIR");
    L2R_TRY(l2r_dataset_generate(&data, generator->name, call->subject, error));
    L2R_TRY(l2r_dataset_export(data, out, error));
    printf("%s: %lld graphs, %lld nodes, %lld edges; use it with --data %s\n", out,
           (long long)l2r_dataset_n_graphs(data), (long long)l2r_dataset_n_nodes(data),
           (long long)l2r_dataset_n_edges(data), out);
done:
    l2r_dataset_free(data);
    return status;
}

const struct l2r_command l2r_command_data_make = {
    .name = "data make",
    .summary = "write generated graphs to a folder",
    .usage = "GENERATOR --out DIR [OPTIONS OF THE GENERATOR]",
    .about =
        "Writes TU layout, which l2r and the common graph libraries read. 'l2r data make GENERATOR --help' lists a "
        "generator's options, 'l2r list generators' the generators.",
    .examples = "l2r data make motif --mu 0.8 --out motif-08\n"
                "l2r data info motif-08",
    .section = CLI_SECTION_DATA,
    .min_arguments = 1,
    .max_arguments = 1,
    .options = {options},
    .declare = declare,
    .run = run,
};
