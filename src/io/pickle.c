/* SPDX-License-Identifier: MIT
 *
 * See pickle.h. The stack grows by at most one value for each byte of the pickle, and the memo has at most as many
 * places as the pickle has bytes, so memory is bounded by the limit on its length. Lists and dicts that are filled in
 * several steps double their room. */
#include "io/pickle.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct machine {
    struct l2r_arena *arena;
    const unsigned char *bytes;
    size_t at, length;
    struct l2r_pickle **stack; /* [depth]; NULL: a mark */
    size_t depth, capacity;
    struct l2r_pickle **memo; /* [n_memo]; NULL: nothing was kept there */
    size_t n_memo, memo_capacity, kept;
    size_t n_values;
    bool ended;
    enum l2r_status status; /* sticks */
    struct l2r_error *error;
    const char *where;
};

#define FAIL(m, ...) fail((m), l2r_fail((m)->error, L2R_ERR_FORMAT, __VA_ARGS__))

static void fail(struct machine *m, enum l2r_status status)
{
    m->status = status;
}

static void out_of_memory(struct machine *m)
{
    m->status = l2r_fail(m->error, L2R_ERR_MEMORY, "%s: out of memory", m->where);
}

static void damaged(struct machine *m, const char *what)
{
    if (m->status == L2R_OK) FAIL(m, "%s: damaged pickle at byte %zu: %s", m->where, m->at, what);
}

/* ---- bytes ---- */

/* The next n bytes, or NULL after a failure. */
static const unsigned char *take(struct machine *m, uint64_t n)
{
    if (m->status != L2R_OK) return NULL;
    if (n > m->length - m->at) {
        damaged(m, "it ends early");
        return NULL;
    }
    const unsigned char *bytes = m->bytes + m->at;
    m->at += (size_t)n;
    return bytes;
}

/* Unsigned, little endian. */
static uint64_t number(struct machine *m, int n)
{
    uint64_t value = 0;
    const unsigned char *bytes = take(m, (uint64_t)n);
    for (int i = 0; bytes && i < n; i++) value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

/* The rest of the line, without its end. */
static const char *line(struct machine *m, size_t *n)
{
    const unsigned char *begin = m->bytes + m->at;
    const unsigned char *end = memchr(begin, '\n', m->length - m->at);
    *n = 0;
    if (m->status != L2R_OK) return NULL;
    if (!end) {
        damaged(m, "a line without end");
        return NULL;
    }
    *n = (size_t)(end - begin);
    m->at += *n + 1;
    return (const char *)begin;
}

/* ---- values ---- */

static struct l2r_pickle *make(struct machine *m, enum l2r_pickle_kind kind)
{
    if (m->status != L2R_OK) return NULL;
    if (++m->n_values > L2R_PICKLE_VALUES) {
        FAIL(m, "%s: the pickle has more than %d values, which no model needs", m->where, (int)L2R_PICKLE_VALUES);
        return NULL;
    }
    struct l2r_pickle *value = l2r_arena_zeroed(m->arena, 1, sizeof *value);
    if (!value)
        out_of_memory(m);
    else
        value->kind = kind;
    return value;
}

static bool is_container(const struct l2r_pickle *v)
{
    return v && (v->kind == L2R_PICKLE_LIST || v->kind == L2R_PICKLE_DICT || v->kind == L2R_PICKLE_OBJECT ||
                 v->kind == L2R_PICKLE_FOREIGN);
}

/* Appends n items. */
static void put_items(struct machine *m, struct l2r_pickle *to, struct l2r_pickle *const *items, size_t n)
{
    if (m->status != L2R_OK || n == 0) return;
    if (to->n + n > to->capacity) {
        size_t capacity = 2 * to->capacity > to->n + n ? 2 * to->capacity : to->n + n;
        const struct l2r_pickle **room = l2r_arena_alloc(m->arena, capacity, sizeof *room);
        if (!room) {
            out_of_memory(m);
            return;
        }
        if (to->n > 0) memcpy((void *)room, (const void *)to->items, to->n * sizeof *room);
        to->items = room;
        to->capacity = capacity;
    }
    for (size_t i = 0; i < n; i++) to->items[to->n++] = items[i];
}

/* ---- the stack ---- */

static void push(struct machine *m, struct l2r_pickle *value)
{
    if (m->status != L2R_OK) return;
    if (!l2r_reserve((void **)&m->stack, &m->capacity, m->depth + 1, sizeof(struct l2r_pickle *)))
        out_of_memory(m);
    else
        m->stack[m->depth++] = value;
}

/* Never a mark. */
static struct l2r_pickle *pop(struct machine *m)
{
    if (m->status != L2R_OK) return NULL;
    if (m->depth == 0 || !m->stack[m->depth - 1]) {
        damaged(m, "a value is missing");
        return NULL;
    }
    return m->stack[--m->depth];
}

static struct l2r_pickle *top(struct machine *m)
{
    struct l2r_pickle *value = pop(m);
    if (value) m->depth++;
    return value;
}

/* Takes what lies above the last mark, and the mark: *n values, which stay where they are until the next push. */
static struct l2r_pickle **above_mark(struct machine *m, size_t *n)
{
    size_t at = m->depth;
    *n = 0;
    if (m->status != L2R_OK) return NULL;
    while (at > 0 && m->stack[at - 1]) at--;
    if (at == 0) {
        damaged(m, "a mark is missing");
        return NULL;
    }
    *n = m->depth - at;
    m->depth = at - 1;
    return m->stack + at;
}

static void push_text(struct machine *m, enum l2r_pickle_kind kind, uint64_t n)
{
    const unsigned char *bytes = take(m, n);
    struct l2r_pickle *value = make(m, kind);
    if (value) {
        value->text = (const char *)bytes;
        value->n = (size_t)n;
    }
    push(m, value);
}

static void push_int(struct machine *m, int64_t integer, enum l2r_pickle_kind kind)
{
    struct l2r_pickle *value = make(m, kind);
    if (value) value->integer = integer;
    if (value) value->real = (double)integer;
    push(m, value);
}

/* A long of n bytes, two's complement; of more than eight only the nearest real number is kept. */
static void push_long(struct machine *m, uint64_t n)
{
    const unsigned char *bytes = take(m, n);
    uint64_t bits = 0;
    double real = 0, unit = 1;
    for (uint64_t i = 0; bytes && i < n; i++, unit *= 256) {
        if (i < 8) bits |= (uint64_t)bytes[i] << (8 * i);
        real += unit * bytes[i];
    }
    bool negative = bytes && n > 0 && bytes[n - 1] & 128;
    if (negative && n < 8) bits |= UINT64_MAX << (8 * n);
    push_int(m, n <= 8 ? (int64_t)bits : 0, n <= 8 ? L2R_PICKLE_INT : L2R_PICKLE_REAL);
    if (m->status == L2R_OK && n > 8) m->stack[m->depth - 1]->real = negative ? real - unit : real;
}

static void push_real(struct machine *m, uint64_t n)
{
    (void)n;
    const unsigned char *bytes = take(m, 8); /* big endian */
    struct l2r_pickle *value = make(m, L2R_PICKLE_REAL);
    uint64_t bits = 0;
    for (int i = 0; bytes && i < 8; i++) bits = bits << 8 | bytes[i];
    if (value) memcpy(&value->real, &bits, sizeof bits);
    push(m, value);
}

/* items from the stack, which pop does not free */
static void push_list(struct machine *m, enum l2r_pickle_kind kind, struct l2r_pickle *const *items, size_t n)
{
    struct l2r_pickle *value = make(m, kind);
    if (value && kind == L2R_PICKLE_DICT && n % 2 != 0) damaged(m, "a key without a value");
    if (value) put_items(m, value, items, n);
    push(m, value);
}

static void push_last(struct machine *m, size_t n)
{
    if (m->status != L2R_OK) return;
    for (size_t i = 0; i < n; i++)
        if (m->depth < n || !m->stack[m->depth - 1 - i]) {
            damaged(m, "a value is missing");
            return;
        }
    m->depth -= n;
    push_list(m, L2R_PICKLE_LIST, m->stack + m->depth, n);
}

/* "module" and "name" become the name "module.name". */
static void push_name(struct machine *m, const char *module, size_t n_module, const char *name, size_t n_name)
{
    struct l2r_pickle *value = make(m, L2R_PICKLE_NAME);
    char *text = value ? l2r_arena_alloc(m->arena, n_module + n_name + 1, 1) : NULL;
    if (value && !text) out_of_memory(m);
    if (!text) return;
    memcpy(text, module, n_module);
    text[n_module] = '.';
    memcpy(text + n_module + 1, name, n_name);
    value->text = text;
    value->n = n_module + n_name + 1;
    push(m, value);
}

static void two_lines(struct machine *m, uint64_t n)
{
    (void)n;
    size_t n_module, n_name;
    const char *module = line(m, &n_module), *name = line(m, &n_name);
    if (module && name) push_name(m, module, n_module, name, n_name);
}

static void two_texts(struct machine *m, uint64_t n)
{
    (void)n;
    const struct l2r_pickle *name = pop(m), *module = pop(m);
    if (!name || !module) return;
    if (name->kind != L2R_PICKLE_TEXT || module->kind != L2R_PICKLE_TEXT)
        damaged(m, "a name that is no text");
    else
        push_name(m, module->text, module->n, name->text, name->n);
}

/* What a call would make; OrderedDict(…) and set(…) are what they hold. */
static void push_object(struct machine *m, struct l2r_pickle *class, struct l2r_pickle *arguments)
{
    if (m->status != L2R_OK) return;
    if (arguments->kind != L2R_PICKLE_LIST) {
        damaged(m, "arguments that are no tuple");
        return;
    }
    if (l2r_pickle_is(class, "OrderedDict") && arguments->n == 0) {
        push_list(m, L2R_PICKLE_DICT, NULL, 0);
        return;
    }
    struct l2r_pickle *value = make(m, L2R_PICKLE_OBJECT);
    if (value) {
        value->class = class;
        value->items = arguments->items;
        value->n = value->capacity = arguments->n;
    }
    push(m, value);
}

/* ---- the memo ---- */

static void keep(struct machine *m, uint64_t place)
{
    struct l2r_pickle *value = top(m);
    if (!value) return;
    if (place > m->length) {
        damaged(m, "a place of the memo that it cannot have");
        return;
    }
    if (!l2r_reserve((void **)&m->memo, &m->memo_capacity, (size_t)place + 1, sizeof(struct l2r_pickle *))) {
        out_of_memory(m);
        return;
    }
    while (m->n_memo <= place) m->memo[m->n_memo++] = NULL;
    m->memo[place] = value;
    m->kept++;
}

static void recall(struct machine *m, uint64_t place)
{
    if (m->status != L2R_OK) return;
    if (place >= m->n_memo || !m->memo[place])
        damaged(m, "a place of the memo where nothing was kept");
    else
        push(m, m->memo[place]);
}

/* ---- filling ---- */

static void append(struct machine *m, struct l2r_pickle *const *items, size_t n)
{
    struct l2r_pickle *to = top(m);
    if (!to) return;
    if (to->kind != L2R_PICKLE_LIST && to->kind != L2R_PICKLE_OBJECT)
        damaged(m, "items are put into something that is no list");
    else if (to->kind == L2R_PICKLE_LIST)
        put_items(m, to, items, n); /* those of an object that is a list as well are of no use here */
}

static void set_items(struct machine *m, struct l2r_pickle *const *items, size_t n)
{
    struct l2r_pickle *to = top(m);
    if (!to) return;
    if (n % 2 != 0) damaged(m, "a key without a value");
    if (to->kind == L2R_PICKLE_OBJECT) {
        if (!to->members) to->members = make(m, L2R_PICKLE_DICT);
        to = to->members;
    }
    if (m->status == L2R_OK && to->kind != L2R_PICKLE_DICT)
        damaged(m, "keys are put into something that is no dict");
    else if (m->status == L2R_OK)
        put_items(m, to, items, n);
}

/* A dict may be given a state, too: attributes beside its items, such as a state dict's metadata. */
static void build(struct machine *m, uint64_t n)
{
    (void)n;
    struct l2r_pickle *state = pop(m), *to = top(m);
    if (!state || !to) return;
    if (!is_container(to))
        damaged(m, "a state is given to something that has none");
    else
        to->state = state;
}

static void set_one(struct machine *m, uint64_t n)
{
    (void)n;
    struct l2r_pickle *pair[2];
    pair[1] = pop(m);
    pair[0] = pop(m);
    if (pair[0]) set_items(m, pair, 2);
}

static void append_one(struct machine *m, uint64_t n)
{
    (void)n;
    struct l2r_pickle *item = pop(m);
    if (item) append(m, &item, 1);
}

static void fill_above_mark(struct machine *m, void (*fill)(struct machine *, struct l2r_pickle *const *, size_t))
{
    size_t n;
    struct l2r_pickle **items = above_mark(m, &n);
    if (items) fill(m, items, n);
}

static void foreign(struct machine *m, uint64_t n)
{
    (void)n;
    struct l2r_pickle *which = pop(m);
    if (which) push_list(m, L2R_PICKLE_FOREIGN, &which, 1);
}

/* ---- codes ---- Each is one byte, followed by a number of so many bytes where it has one. */

static void text(struct machine *m, uint64_t n)
{
    push_text(m, L2R_PICKLE_TEXT, n);
}

static void none(struct machine *m, uint64_t n)
{
    (void)n;
    push(m, make(m, L2R_PICKLE_NONE));
}

static void yes(struct machine *m, uint64_t n)
{
    (void)n;
    push_int(m, 1, L2R_PICKLE_FLAG);
}

static void no(struct machine *m, uint64_t n)
{
    (void)n;
    push_int(m, 0, L2R_PICKLE_FLAG);
}

static void signed_integer(struct machine *m, uint64_t n)
{
    push_int(m, (int32_t)(uint32_t)n, L2R_PICKLE_INT);
}

static void integer(struct machine *m, uint64_t n)
{
    push_int(m, (int64_t)n, L2R_PICKLE_INT);
}

static void empty_list(struct machine *m, uint64_t n)
{
    (void)n;
    push_list(m, L2R_PICKLE_LIST, NULL, 0);
}

static void empty_dict(struct machine *m, uint64_t n)
{
    (void)n;
    push_list(m, L2R_PICKLE_DICT, NULL, 0);
}

static void above_mark_to(struct machine *m, enum l2r_pickle_kind kind)
{
    size_t n;
    struct l2r_pickle **items = above_mark(m, &n);
    if (items) push_list(m, kind, items, n);
}

static void list(struct machine *m, uint64_t n)
{
    (void)n;
    above_mark_to(m, L2R_PICKLE_LIST);
}

static void dict(struct machine *m, uint64_t n)
{
    (void)n;
    above_mark_to(m, L2R_PICKLE_DICT);
}

static void append_all(struct machine *m, uint64_t n)
{
    (void)n;
    fill_above_mark(m, append);
}

static void set_all(struct machine *m, uint64_t n)
{
    (void)n;
    fill_above_mark(m, set_items);
}

static void tuple_1(struct machine *m, uint64_t n)
{
    (void)n;
    push_last(m, 1);
}

static void tuple_2(struct machine *m, uint64_t n)
{
    (void)n;
    push_last(m, 2);
}

static void tuple_3(struct machine *m, uint64_t n)
{
    (void)n;
    push_last(m, 3);
}

static void protocol(struct machine *m, uint64_t n)
{
    if (n > 5) damaged(m, "a protocol above 5");
}

static void frame(struct machine *m, uint64_t n) /* its bytes follow as usual */
{
    (void)m, (void)n;
}

static void mark(struct machine *m, uint64_t n)
{
    (void)n;
    push(m, NULL);
}

static void drop(struct machine *m, uint64_t n)
{
    (void)n;
    (void)pop(m);
}

static void drop_above_mark(struct machine *m, uint64_t n)
{
    size_t dropped;
    (void)n;
    (void)above_mark(m, &dropped);
}

static void duplicate(struct machine *m, uint64_t n)
{
    (void)n;
    push(m, top(m));
}

static void call(struct machine *m, uint64_t n)
{
    struct l2r_pickle *arguments = pop(m), *class = pop(m);
    (void)n;
    if (arguments && class) push_object(m, class, arguments);
}

static void call_with_keywords(struct machine *m, uint64_t n)
{
    (void)pop(m);
    call(m, n);
}

static void keep_next(struct machine *m, uint64_t n)
{
    (void)n;
    keep(m, m->kept);
}

static void end(struct machine *m, uint64_t n)
{
    (void)n;
    m->ended = true;
}

static const struct code {
    unsigned char code, bytes;
    void (*run)(struct machine *m, uint64_t n);
} codes[] = {{'X', 4, text},
             {'B', 4, text},
             {'T', 4, text},
             {0x8c, 1, text},
             {'C', 1, text},
             {'U', 1, text},
             {0x8d, 8, text},
             {0x8e, 8, text},
             {0x96, 8, text},
             {'c', 0, two_lines},
             {0x93, 0, two_texts},
             {'N', 0, none},
             {0x88, 0, yes},
             {0x89, 0, no},
             {'J', 4, signed_integer},
             {'K', 1, integer},
             {'M', 2, integer},
             {0x8a, 1, push_long},
             {0x8b, 4, push_long},
             {'G', 0, push_real},
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
static bool step(struct machine *m, unsigned char code)
{
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (codes[i].code != code) continue;
        codes[i].run(m, number(m, codes[i].bytes));
        return true;
    }
    return false;
}

enum l2r_status l2r_pickle_read(const struct l2r_pickle **value, struct l2r_arena *arena, const void *bytes,
                                size_t length, const char *where, struct l2r_error *error)
{
    struct machine m = {.arena = arena, .bytes = bytes, .length = length, .error = error, .where = where};
    *value = NULL;
    if (length > L2R_PICKLE_BYTES)
        return l2r_fail(error, L2R_ERR_FORMAT, "%s: the pickle has %zu bytes; a model's has at most %d", where, length,
                        (int)L2R_PICKLE_BYTES);
    while (m.status == L2R_OK && !m.ended) {
        const unsigned char *code = take(&m, 1);
        if (code && !step(&m, *code))
            FAIL(&m, "%s: byte %zu of the pickle is code 0x%02x, which checkpoints do not have", where, m.at - 1,
                 *code);
    }
    *value = pop(&m);
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
