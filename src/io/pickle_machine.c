/* SPDX-License-Identifier: MIT
 * See pickle_machine.h. */
#include "io/pickle_machine.h"

#include <string.h>

#define FAIL(m, ...) fail((m), l2r_fail((m)->error, L2R_ERR_FORMAT, __VA_ARGS__))

static void fail(struct l2r_machine *m, enum l2r_status status)
{
    m->status = status;
}

void l2r_machine_out_of_memory(struct l2r_machine *m)
{
    m->status = l2r_fail(m->error, L2R_ERR_MEMORY, "%s: out of memory", m->where);
}

void l2r_machine_damaged(struct l2r_machine *m, const char *what)
{
    if (m->status == L2R_OK) FAIL(m, "%s: damaged pickle at byte %zu: %s", m->where, m->at, what);
}

/* ---- bytes ---- */

/* The next n bytes, or NULL after a failure. */
const unsigned char *l2r_machine_take(struct l2r_machine *m, uint64_t n)
{
    if (m->status != L2R_OK) return NULL;
    if (n > m->length - m->at) {
        l2r_machine_damaged(m, "it ends early");
        return NULL;
    }
    const unsigned char *bytes = m->bytes + m->at;
    m->at += (size_t)n;
    return bytes;
}

/* Unsigned, little endian. */
uint64_t l2r_machine_number(struct l2r_machine *m, int n)
{
    uint64_t value = 0;
    const unsigned char *bytes = l2r_machine_take(m, (uint64_t)n);
    for (int i = 0; bytes && i < n; i++) value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

/* The rest of the line, without its end. */
static const char *line(struct l2r_machine *m, size_t *n)
{
    const unsigned char *begin = m->bytes + m->at;
    const unsigned char *end = memchr(begin, '\n', m->length - m->at);
    *n = 0;
    if (m->status != L2R_OK) return NULL;
    if (!end) {
        l2r_machine_damaged(m, "a line without end");
        return NULL;
    }
    *n = (size_t)(end - begin);
    m->at += *n + 1;
    return (const char *)begin;
}

/* ---- values ---- */

struct l2r_pickle *l2r_machine_make(struct l2r_machine *m, enum l2r_pickle_kind kind)
{
    if (m->status != L2R_OK) return NULL;
    if (++m->n_values > L2R_PICKLE_VALUES) {
        FAIL(m, "%s: the pickle has more than %d values, which no model needs", m->where, (int)L2R_PICKLE_VALUES);
        return NULL;
    }
    struct l2r_pickle *value = l2r_arena_zeroed(m->arena, 1, sizeof *value);
    if (!value)
        l2r_machine_out_of_memory(m);
    else
        value->kind = kind;
    return value;
}

bool l2r_machine_is_container(const struct l2r_pickle *v)
{
    return v && (v->kind == L2R_PICKLE_LIST || v->kind == L2R_PICKLE_DICT || v->kind == L2R_PICKLE_OBJECT ||
                 v->kind == L2R_PICKLE_FOREIGN);
}

/* Appends n items. */
void l2r_machine_put_items(struct l2r_machine *m, struct l2r_pickle *to, struct l2r_pickle *const *items, size_t n)
{
    if (m->status != L2R_OK || n == 0) return;
    if (to->n + n > to->capacity) {
        size_t capacity = 2 * to->capacity > to->n + n ? 2 * to->capacity : to->n + n;
        const struct l2r_pickle **room = l2r_arena_alloc(m->arena, capacity, sizeof *room);
        if (!room) {
            l2r_machine_out_of_memory(m);
            return;
        }
        if (to->n > 0) memcpy((void *)room, (const void *)to->items, to->n * sizeof *room);
        to->items = room;
        to->capacity = capacity;
    }
    for (size_t i = 0; i < n; i++) to->items[to->n++] = items[i];
}

/* ---- the stack ---- */

void l2r_machine_push(struct l2r_machine *m, struct l2r_pickle *value)
{
    if (m->status != L2R_OK) return;
    if (!l2r_reserve((void **)&m->stack, &m->capacity, m->depth + 1, sizeof(struct l2r_pickle *)))
        l2r_machine_out_of_memory(m);
    else
        m->stack[m->depth++] = value;
}

/* Never a mark. */
struct l2r_pickle *l2r_machine_pop(struct l2r_machine *m)
{
    if (m->status != L2R_OK) return NULL;
    if (m->depth == 0 || !m->stack[m->depth - 1]) {
        l2r_machine_damaged(m, "a value is missing");
        return NULL;
    }
    return m->stack[--m->depth];
}

struct l2r_pickle *l2r_machine_top(struct l2r_machine *m)
{
    struct l2r_pickle *value = l2r_machine_pop(m);
    if (value) m->depth++;
    return value;
}

/* Takes what lies above the last mark, and the mark: *n values, which stay where they are until the next push. */
struct l2r_pickle **l2r_machine_above_mark(struct l2r_machine *m, size_t *n)
{
    size_t at = m->depth;
    *n = 0;
    if (m->status != L2R_OK) return NULL;
    while (at > 0 && m->stack[at - 1]) at--;
    if (at == 0) {
        l2r_machine_damaged(m, "a mark is missing");
        return NULL;
    }
    *n = m->depth - at;
    m->depth = at - 1;
    return m->stack + at;
}

void l2r_machine_push_text(struct l2r_machine *m, enum l2r_pickle_kind kind, uint64_t n)
{
    const unsigned char *bytes = l2r_machine_take(m, n);
    struct l2r_pickle *value = l2r_machine_make(m, kind);
    if (value) {
        value->text = (const char *)bytes;
        value->n = (size_t)n;
    }
    l2r_machine_push(m, value);
}

void l2r_machine_push_int(struct l2r_machine *m, int64_t integer, enum l2r_pickle_kind kind)
{
    struct l2r_pickle *value = l2r_machine_make(m, kind);
    if (value) value->integer = integer;
    if (value) value->real = (double)integer;
    l2r_machine_push(m, value);
}

/* A long of n bytes, two's complement; of more than eight only the nearest real number is kept. */
void l2r_machine_push_long(struct l2r_machine *m, uint64_t n)
{
    const unsigned char *bytes = l2r_machine_take(m, n);
    uint64_t bits = 0;
    double real = 0, unit = 1;
    for (uint64_t i = 0; bytes && i < n; i++, unit *= 256) {
        if (i < 8) bits |= (uint64_t)bytes[i] << (8 * i);
        real += unit * bytes[i];
    }
    bool negative = bytes && n > 0 && bytes[n - 1] & 128;
    if (negative && n < 8) bits |= UINT64_MAX << (8 * n);
    l2r_machine_push_int(m, n <= 8 ? (int64_t)bits : 0, n <= 8 ? L2R_PICKLE_INT : L2R_PICKLE_REAL);
    if (m->status == L2R_OK && n > 8) m->stack[m->depth - 1]->real = negative ? real - unit : real;
}

void l2r_machine_push_real(struct l2r_machine *m, uint64_t n)
{
    (void)n;
    const unsigned char *bytes = l2r_machine_take(m, 8); /* big endian */
    struct l2r_pickle *value = l2r_machine_make(m, L2R_PICKLE_REAL);
    uint64_t bits = 0;
    for (int i = 0; bytes && i < 8; i++) bits = bits << 8 | bytes[i];
    if (value) memcpy(&value->real, &bits, sizeof bits);
    l2r_machine_push(m, value);
}

/* items from the stack, which pop does not free */
void l2r_machine_push_list(struct l2r_machine *m, enum l2r_pickle_kind kind, struct l2r_pickle *const *items, size_t n)
{
    struct l2r_pickle *value = l2r_machine_make(m, kind);
    if (value && kind == L2R_PICKLE_DICT && n % 2 != 0) l2r_machine_damaged(m, "a key without a value");
    if (value) l2r_machine_put_items(m, value, items, n);
    l2r_machine_push(m, value);
}

void l2r_machine_push_last(struct l2r_machine *m, size_t n)
{
    if (m->status != L2R_OK) return;
    for (size_t i = 0; i < n; i++)
        if (m->depth < n || !m->stack[m->depth - 1 - i]) {
            l2r_machine_damaged(m, "a value is missing");
            return;
        }
    m->depth -= n;
    l2r_machine_push_list(m, L2R_PICKLE_LIST, m->stack + m->depth, n);
}

/* "module" and "name" become the name "module.name". */
static void push_name(struct l2r_machine *m, const char *module, size_t n_module, const char *name, size_t n_name)
{
    struct l2r_pickle *value = l2r_machine_make(m, L2R_PICKLE_NAME);
    char *text = value ? l2r_arena_alloc(m->arena, n_module + n_name + 1, 1) : NULL;
    if (value && !text) l2r_machine_out_of_memory(m);
    if (!text) return;
    memcpy(text, module, n_module);
    text[n_module] = '.';
    memcpy(text + n_module + 1, name, n_name);
    value->text = text;
    value->n = n_module + n_name + 1;
    l2r_machine_push(m, value);
}

void l2r_machine_two_lines(struct l2r_machine *m, uint64_t n)
{
    (void)n;
    size_t n_module, n_name;
    const char *module = line(m, &n_module), *name = line(m, &n_name);
    if (module && name) push_name(m, module, n_module, name, n_name);
}

void l2r_machine_two_texts(struct l2r_machine *m, uint64_t n)
{
    (void)n;
    const struct l2r_pickle *name = l2r_machine_pop(m), *module = l2r_machine_pop(m);
    if (!name || !module) return;
    if (name->kind != L2R_PICKLE_TEXT || module->kind != L2R_PICKLE_TEXT)
        l2r_machine_damaged(m, "a name that is no text");
    else
        push_name(m, module->text, module->n, name->text, name->n);
}

/* What a call would make; OrderedDict(…) and set(…) are what they hold. */
void l2r_machine_push_object(struct l2r_machine *m, struct l2r_pickle *class, struct l2r_pickle *arguments)
{
    if (m->status != L2R_OK) return;
    if (arguments->kind != L2R_PICKLE_LIST) {
        l2r_machine_damaged(m, "arguments that are no tuple");
        return;
    }
    if (l2r_pickle_is(class, "OrderedDict") && arguments->n == 0) {
        l2r_machine_push_list(m, L2R_PICKLE_DICT, NULL, 0);
        return;
    }
    struct l2r_pickle *value = l2r_machine_make(m, L2R_PICKLE_OBJECT);
    if (value) {
        value->class = class;
        value->items = arguments->items;
        value->n = value->capacity = arguments->n;
    }
    l2r_machine_push(m, value);
}
