/* SPDX-License-Identifier: MIT
 *
 * See pickle.h. The stack grows by at most one value for each byte of the pickle, and the memo has at most as many
 * places as the pickle has bytes, so memory is bounded by the limit on its length. Lists and dicts that are filled in
 * several steps double their room. */
#include "io/pickle_machine.h"

#include <string.h>

/* ---- the memo ---- */

static void keep(struct l2r_machine *m, uint64_t place)
{
    struct l2r_pickle *value = l2r_machine_top(m);
    if (!value) return;
    if (place > m->length) {
        l2r_machine_damaged(m, "a place of the memo that it cannot have");
        return;
    }
    if (!l2r_reserve((void **)&m->memo, &m->memo_capacity, (size_t)place + 1, sizeof(struct l2r_pickle *))) {
        l2r_machine_out_of_memory(m);
        return;
    }
    while (m->n_memo <= place) m->memo[m->n_memo++] = NULL;
    m->memo[place] = value;
    m->kept++;
}

static void recall(struct l2r_machine *m, uint64_t place)
{
    if (m->status != L2R_OK) return;
    if (place >= m->n_memo || !m->memo[place])
        l2r_machine_damaged(m, "a place of the memo where nothing was kept");
    else
        l2r_machine_push(m, m->memo[place]);
}

/* ---- filling ---- */

static void append(struct l2r_machine *m, struct l2r_pickle *const *items, size_t n)
{
    struct l2r_pickle *to = l2r_machine_top(m);
    if (!to) return;
    if (to->kind != L2R_PICKLE_LIST && to->kind != L2R_PICKLE_OBJECT)
        l2r_machine_damaged(m, "items are put into something that is no list");
    else if (to->kind == L2R_PICKLE_LIST)
        l2r_machine_put_items(m, to, items, n); /* those of an object that is a list as well are of no use here */
}

static void set_items(struct l2r_machine *m, struct l2r_pickle *const *items, size_t n)
{
    struct l2r_pickle *to = l2r_machine_top(m);
    if (!to) return;
    if (n % 2 != 0) l2r_machine_damaged(m, "a key without a value");
    if (to->kind == L2R_PICKLE_OBJECT) {
        if (!to->members) to->members = l2r_machine_make(m, L2R_PICKLE_DICT);
        to = to->members;
    }
    if (m->status == L2R_OK && to->kind != L2R_PICKLE_DICT)
        l2r_machine_damaged(m, "keys are put into something that is no dict");
    else if (m->status == L2R_OK)
        l2r_machine_put_items(m, to, items, n);
}

/* A dict may be given a state, too: attributes beside its items, such as a state dict's metadata. */
static void build(struct l2r_machine *m, uint64_t n)
{
    (void)n;
    struct l2r_pickle *state = l2r_machine_pop(m), *to = l2r_machine_top(m);
    if (!state || !to) return;
    if (!l2r_machine_is_container(to))
        l2r_machine_damaged(m, "a state is given to something that has none");
    else
        to->state = state;
}

static void set_one(struct l2r_machine *m, uint64_t n)
{
    (void)n;
    struct l2r_pickle *pair[2];
    pair[1] = l2r_machine_pop(m);
    pair[0] = l2r_machine_pop(m);
    if (pair[0]) set_items(m, pair, 2);
}

static void append_one(struct l2r_machine *m, uint64_t n)
{
    (void)n;
    struct l2r_pickle *item = l2r_machine_pop(m);
    if (item) append(m, &item, 1);
}

static void fill_above_mark(struct l2r_machine *m,
                            void (*fill)(struct l2r_machine *, struct l2r_pickle *const *, size_t))
{
    size_t n;
    struct l2r_pickle **items = l2r_machine_above_mark(m, &n);
    if (items) fill(m, items, n);
}

static void foreign(struct l2r_machine *m, uint64_t n)
{
    (void)n;
    struct l2r_pickle *which = l2r_machine_pop(m);
    if (which) l2r_machine_push_list(m, L2R_PICKLE_FOREIGN, &which, 1);
}

/* ---- codes ---- Each is one byte, followed by a number of so many bytes where it has one. */

static void text(struct l2r_machine *m, uint64_t n)
{
    l2r_machine_push_text(m, L2R_PICKLE_TEXT, n);
}

static void none(struct l2r_machine *m, uint64_t n)
{
    (void)n;
    l2r_machine_push(m, l2r_machine_make(m, L2R_PICKLE_NONE));
}

static void yes(struct l2r_machine *m, uint64_t n)
{
    (void)n;
    l2r_machine_push_int(m, 1, L2R_PICKLE_FLAG);
}

static void no(struct l2r_machine *m, uint64_t n)
{
    (void)n;
    l2r_machine_push_int(m, 0, L2R_PICKLE_FLAG);
}

static void signed_integer(struct l2r_machine *m, uint64_t n)
{
    l2r_machine_push_int(m, (int32_t)(uint32_t)n, L2R_PICKLE_INT);
}

static void integer(struct l2r_machine *m, uint64_t n)
{
    l2r_machine_push_int(m, (int64_t)n, L2R_PICKLE_INT);
}

static void empty_list(struct l2r_machine *m, uint64_t n)
{
    (void)n;
    l2r_machine_push_list(m, L2R_PICKLE_LIST, NULL, 0);
}

static void empty_dict(struct l2r_machine *m, uint64_t n)
{
    (void)n;
    l2r_machine_push_list(m, L2R_PICKLE_DICT, NULL, 0);
}

static void above_mark_to(struct l2r_machine *m, enum l2r_pickle_kind kind)
{
    size_t n;
    struct l2r_pickle **items = l2r_machine_above_mark(m, &n);
    if (items) l2r_machine_push_list(m, kind, items, n);
}

static void list(struct l2r_machine *m, uint64_t n)
{
    (void)n;
    above_mark_to(m, L2R_PICKLE_LIST);
}

static void dict(struct l2r_machine *m, uint64_t n)
{
    (void)n;
    above_mark_to(m, L2R_PICKLE_DICT);
}

static void append_all(struct l2r_machine *m, uint64_t n)
{
    (void)n;
    fill_above_mark(m, append);
}

static void set_all(struct l2r_machine *m, uint64_t n)
{
    (void)n;
    fill_above_mark(m, set_items);
}

static void tuple_1(struct l2r_machine *m, uint64_t n)
{
    (void)n;
    l2r_machine_push_last(m, 1);
}

static void tuple_2(struct l2r_machine *m, uint64_t n)
{
    (void)n;
    l2r_machine_push_last(m, 2);
}

static void tuple_3(struct l2r_machine *m, uint64_t n)
{
    (void)n;
    l2r_machine_push_last(m, 3);
}

static void protocol(struct l2r_machine *m, uint64_t n)
{
    if (n > 5) l2r_machine_damaged(m, "a protocol above 5");
}

static void frame(struct l2r_machine *m, uint64_t n) /* its bytes follow as usual */
{
    (void)m, (void)n;
}

static void mark(struct l2r_machine *m, uint64_t n)
{
    (void)n;
    l2r_machine_push(m, NULL);
}

static void drop(struct l2r_machine *m, uint64_t n)
{
    (void)n;
    (void)l2r_machine_pop(m);
}

static void drop_above_mark(struct l2r_machine *m, uint64_t n)
{
    size_t dropped;
    (void)n;
    (void)l2r_machine_above_mark(m, &dropped);
}

static void duplicate(struct l2r_machine *m, uint64_t n)
{
    (void)n;
    l2r_machine_push(m, l2r_machine_top(m));
}

static void call(struct l2r_machine *m, uint64_t n)
{
    struct l2r_pickle *arguments = l2r_machine_pop(m), *class = l2r_machine_pop(m);
    (void)n;
    if (arguments && class) l2r_machine_push_object(m, class, arguments);
}

static void call_with_keywords(struct l2r_machine *m, uint64_t n)
{
    (void)l2r_machine_pop(m);
    call(m, n);
}

static void keep_next(struct l2r_machine *m, uint64_t n)
{
    (void)n;
    keep(m, m->kept);
}

static void end(struct l2r_machine *m, uint64_t n)
{
    (void)n;
    m->ended = true;
}

static const struct code {
    unsigned char code, bytes;
    void (*run)(struct l2r_machine *m, uint64_t n);
} codes[] = {{'X', 4, text},
             {'B', 4, text},
             {'T', 4, text},
             {0x8c, 1, text},
             {'C', 1, text},
             {'U', 1, text},
             {0x8d, 8, text},
             {0x8e, 8, text},
             {0x96, 8, text},
             {'c', 0, l2r_machine_two_lines},
             {0x93, 0, l2r_machine_two_texts},
             {'N', 0, none},
             {0x88, 0, yes},
             {0x89, 0, no},
             {'J', 4, signed_integer},
             {'K', 1, integer},
             {'M', 2, integer},
             {0x8a, 1, l2r_machine_push_long},
             {0x8b, 4, l2r_machine_push_long},
             {'G', 0, l2r_machine_push_real},
             {']', 0, empty_list},
             {')', 0, empty_list},
             {0x8f, 0, empty_list},
             {'}', 0, empty_dict},
             {'l', 0, list},
             {'t', 0, list},
             {0x91, 0, list},
             {'d', 0, dict},
             {0x85, 0, tuple_1},
             {0x86, 0, tuple_2},
             {0x87, 0, tuple_3},
             {'a', 0, append_one},
             {'e', 0, append_all},
             {0x90, 0, append_all},
             {'s', 0, set_one},
             {'u', 0, set_all},
             {0x80, 1, protocol},
             {0x95, 8, frame},
             {'(', 0, mark},
             {'0', 0, drop},
             {'1', 0, drop_above_mark},
             {'2', 0, duplicate},
             {'R', 0, call},
             {0x81, 0, call},
             {0x92, 0, call_with_keywords},
             {'b', 0, build},
             {'Q', 0, foreign},
             {'q', 1, keep},
             {'r', 4, keep},
             {0x94, 0, keep_next},
             {'h', 1, recall},
             {'j', 4, recall},
             {'.', 0, end}};

/* One code; false: there is none such. */
static bool step(struct l2r_machine *m, unsigned char code)
{
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (codes[i].code != code) continue;
        codes[i].run(m, l2r_machine_number(m, codes[i].bytes));
        return true;
    }
    return false;
}

enum l2r_status l2r_pickle_read(const struct l2r_pickle **value, struct l2r_arena *arena, const void *bytes,
                                size_t length, const char *where, struct l2r_error *error)
{
    struct l2r_machine m = {.arena = arena, .bytes = bytes, .length = length, .error = error, .where = where};
    *value = NULL;
    if (length > L2R_PICKLE_BYTES)
        return l2r_fail(error, L2R_ERR_FORMAT, "%s: the pickle has %zu bytes; a model's has at most %d", where, length,
                        (int)L2R_PICKLE_BYTES);
    while (m.status == L2R_OK && !m.ended) {
        const unsigned char *code = l2r_machine_take(&m, 1);
        if (code && !step(&m, *code))
            m.status = l2r_fail(error, L2R_ERR_FORMAT,
                                "%s: byte %zu of the pickle is code 0x%02x, which checkpoints do not have", where,
                                m.at - 1, *code);
    }
    *value = l2r_machine_pop(&m);
    l2r_free((void *)m.stack);
    l2r_free((void *)m.memo);
    return m.status;
}

/* ---- looking things up ---- */

static const struct l2r_pickle *find(const struct l2r_pickle *dict, const char *key)
{
    if (!dict || dict->kind != L2R_PICKLE_DICT) return NULL;
    for (size_t i = dict->n / 2; i-- > 0;) /* the last one counts */
        if (dict->items[2 * i]->kind == L2R_PICKLE_TEXT && l2r_pickle_is(dict->items[2 * i], key))
            return dict->items[2 * i + 1];
    return NULL;
}

const struct l2r_pickle *l2r_pickle_get(const struct l2r_pickle *value, const char *key)
{
    if (!value) return NULL;
    const struct l2r_pickle *found = find(value, key);
    if (!found && value->kind == L2R_PICKLE_OBJECT) found = find(value->members, key);
    return found ? found : find(value->state, key);
}

bool l2r_pickle_is(const struct l2r_pickle *value, const char *text)
{
    size_t n = strlen(text);
    if (!value || (value->kind != L2R_PICKLE_TEXT && value->kind != L2R_PICKLE_NAME) || value->n < n) return false;
    if (memcmp(value->text + value->n - n, text, n) != 0) return false;
    return value->n == n || (value->kind == L2R_PICKLE_NAME && value->text[value->n - n - 1] == '.');
}

const char *l2r_pickle_class(size_t *n, const struct l2r_pickle *value)
{
    if (value && value->kind == L2R_PICKLE_OBJECT) value = value->class;
    *n = value && value->kind == L2R_PICKLE_NAME ? value->n : 0;
    return *n > 0 ? value->text : NULL;
}
