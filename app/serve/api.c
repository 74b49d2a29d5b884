/* SPDX-License-Identifier: MIT
 * See api.h. */
#include "serve/api.h"

#include "serve/explain.h"
#include "serve/graphs.h"
#include "serve/runs.h"

static enum l2r_status models(json_t **answer, struct l2r_api_request *r, struct l2r_error *error)
{
    (void)error;
    *answer = json_object();
    l2r_json_put(*answer, "models", l2r_shelf_to_json(r->shelf));
    l2r_json_put(*answer, "runs", json_boolean(r->runs));
    l2r_json_put(*answer, "train", json_boolean(r->trainings));
    l2r_json_put(*answer, "sketcher", json_boolean(r->sketches));
    return L2R_OK;
}

static enum l2r_status draw(json_t **answer, struct l2r_api_request *r, struct l2r_error *error)
{
    return l2r_draw_molecule(answer, r->body, r->length, error);
}

static enum l2r_status explain(json_t **answer, struct l2r_api_request *r, struct l2r_error *error)
{
    return l2r_explain_molecule(answer, r->shelf, r->body, r->length, error);
}

static enum l2r_status alerts(json_t **answer, struct l2r_api_request *r, struct l2r_error *error)
{
    return l2r_find_alerts(answer, r->body, r->length, error);
}

static enum l2r_status graph(json_t **answer, struct l2r_api_request *r, struct l2r_error *error)
{
    return l2r_explain_graph(answer, r->shelf, r->body, r->length, error);
}

static enum l2r_status runs(json_t **answer, struct l2r_api_request *r, struct l2r_error *error)
{
    json_t *list;
    enum l2r_status status = l2r_runs_list(&list, r->runs, error);
    if (status != L2R_OK) return status;
    *answer = json_object();
    l2r_json_put(*answer, "folder", l2r_json_name(r->runs));
    l2r_json_put(*answer, "runs", list);
    return L2R_OK;
}

static enum l2r_status compare(json_t **answer, struct l2r_api_request *r, struct l2r_error *error)
{
    return l2r_runs_compare(answer, r->runs, r->query ? r->query : "", error);
}

static enum l2r_status weights(json_t **answer, struct l2r_api_request *r, struct l2r_error *error)
{
    enum l2r_status status = l2r_runs_weights(answer, r->runs, r->query ? r->query : "", error);
    if (status == L2R_ERR_IO) r->code = 404; /* a run without a model yet, or whose data is not here */
    return status;
}

static enum l2r_status serve_run(json_t **answer, struct l2r_api_request *r, struct l2r_error *error)
{
    return l2r_runs_serve(answer, r->runs, r->shelf, r->body, r->length, error);
}

static enum l2r_status trainings(json_t **answer, struct l2r_api_request *r, struct l2r_error *error)
{
    return l2r_trainings_list(answer, r->trainings, error);
}

static enum l2r_status table(json_t **answer, struct l2r_api_request *r, struct l2r_error *error)
{
    return l2r_trainings_table(answer, r->trainings, r->query, error);
}

static enum l2r_status check(json_t **answer, struct l2r_api_request *r, struct l2r_error *error)
{
    return l2r_trainings_check(answer, r->trainings, r->body, r->length, error);
}

static enum l2r_status begin(json_t **answer, struct l2r_api_request *r, struct l2r_error *error)
{
    bool busy;
    enum l2r_status status = l2r_trainings_begin(answer, &busy, r->trainings, r->body, r->length, error);
    if (busy) r->code = 429;
    return status;
}

static enum l2r_status end(json_t **answer, struct l2r_api_request *r, struct l2r_error *error)
{
    return l2r_trainings_end(answer, r->trainings, r->body, r->length, error);
}

const struct l2r_api_call l2r_api_calls[] = {{"GET", "/api/models", models, NULL, L2R_API_NOTHING},
                                             {"POST", "/api/models", serve_run, NULL, L2R_API_TRAININGS},
                                             {"POST", "/api/draw", draw, NULL, L2R_API_NOTHING},
                                             {"POST", "/api/explain", explain, NULL, L2R_API_NOTHING},
                                             {"POST", "/api/alerts", alerts, NULL, L2R_API_NOTHING},
                                             {"POST", "/api/graph", graph, NULL, L2R_API_NOTHING},
                                             {"GET", "/api/runs", runs, NULL, L2R_API_RUNS},
                                             {"GET", "/api/runs/compare", compare, "runs", L2R_API_RUNS},
                                             {"GET", "/api/runs/weights", weights, "run", L2R_API_RUNS},
                                             {"GET", "/api/trainings", trainings, NULL, L2R_API_TRAININGS},
                                             {"GET", "/api/trainings/table", table, "name", L2R_API_TRAININGS},
                                             {"POST", "/api/trainings", begin, NULL, L2R_API_TRAININGS},
                                             {"POST", "/api/trainings/check", check, NULL, L2R_API_TRAININGS},
                                             {"POST", "/api/trainings/stop", end, NULL, L2R_API_TRAININGS},
                                             {0}};
