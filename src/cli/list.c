/* What the verbs that list something have in common: [NAME] [--json FILE]. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static int write_json(int status, void *arg)
{
    const List *l = arg;
    Str b = {.mem = l->mem};
    Json *j = json_new(&b);

    if (!l->json)
        return status;
    json_obj(j);
    json_trouble(j, status);
    json_key(j, l->verb);
    l->put(j, l);
    json_end(j);
    return json_save(l->json, &b, status);
}

void list_begin(Arena *a, List *l, const char *verb,
                void (*put)(Json *j, const List *l), int argc, char **argv)
{
    int i;

    *l = (List){.mem = a, .verb = verb, .put = put,
                .json = json_option(argc, argv)};
    end_with(write_json, l);
    file_check_output(l->json);
    for (i = 0; i < argc; i++) {
        if (!strcmp(argv[i], "--json") && i + 1 < argc)
            i++;
        else if (!strcmp(argv[i], "-q"))
            quiet = true;
        else if (*argv[i] == '-')
            err(ERR_USAGE, "%s: unknown option %s; see `tilewright help %s`",
                verb, argv[i], verb);
        else if (l->name)
            err(ERR_USAGE, "%s: wants at most one name", verb);
        else
            l->name = argv[i];
    }
}

void list_show(const List *l, const Str *text)
{
    if (!quiet && !(l->json && !strcmp(l->json, "-")))
        fputs(text->s, stdout);
}
