/* A JSON reader for one message at a time, without malloc: the values live in one table that the
 * next json_parse uses again, the texts in the line itself, which is decoded in place.
 * A text that holds \u0000 ends there. */
#ifndef JSON_H
#define JSON_H

#include <stdlib.h>
#include <string.h>

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_TEXT, JSON_LIST, JSON_OBJECT };

typedef struct Json {
    enum json_kind kind;
    double number;
    const char *text;          /* of JSON_TEXT, UTF-8 */
    const char *key;           /* when this is a member of an object */
    struct Json *first, *next; /* the first item of a list or object; the next of its siblings */
} Json;

enum { JSON_MAX_VALUES = 20000, JSON_MAX_DEPTH = 100 };

static Json json_values[JSON_MAX_VALUES];
static int json_used;
static char *json_at;

static void json_space(void) { json_at += strspn(json_at, " \t\r\n"); }

static int json_take(char wanted) {
    json_space();
    if (*json_at != wanted) return 0;
    json_at++;
    return 1;
}

static int json_hex4(unsigned *code) {
    *code = 0;
    for (int i = 0; i < 4; i++, json_at++) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char *digit = *json_at ? strchr(digits, *json_at) : NULL;
        if (!digit) return 0;
        *code = *code * 16 + (unsigned)((digit - digits) % 16);
    }
    return 1;
}

static char *json_utf8(char *out, unsigned code) {
    if (code < 0x80) {
        *out++ = (char)code;
    } else {
        int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        *out++ = (char)((0xFF80 >> more & 0xFF) | code >> 6 * more);
        while (more--) *out++ = (char)(0x80 | (code >> 6 * more & 0x3F));
    }
    return out;
}

/* Decodes the text that begins after its first quote; no escape is shorter than what it stands for. */
static char *json_string(void) {
    char *start = json_at, *out = json_at;
    while (*json_at && *json_at != '"') {
        if (*json_at != '\\') {
            *out++ = *json_at++;
            continue;
        }
        static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
        char escape = *++json_at;
        const char *simple = escape ? strchr(from, escape) : NULL;
        unsigned code, low;
        if (!escape) return NULL;
        json_at++;
        if (simple) {
            *out++ = to[simple - from];
        } else if (escape == 'u' && json_hex4(&code)) {
            if (code >= 0xD800 && code < 0xDC00 && json_at[0] == '\\' && json_at[1] == 'u') {
                json_at += 2; /* two halves of one character */
                if (!json_hex4(&low)) return NULL;
                code = 0x10000 + ((code - 0xD800) << 10) + ((low - 0xDC00) & 0x3FF);
            }
            out = json_utf8(out, code);
        } else {
            return NULL;
        }
    }
    if (!*json_at) return NULL;
    json_at++; /* before *out is ended: it may be the very quote */
    *out = '\0';
    return start;
}

static Json *json_value(int depth) {
    static const struct { const char *word; enum json_kind kind; } words[] = {
        {"null", JSON_NULL}, {"false", JSON_FALSE}, {"true", JSON_TRUE}};
    if (depth > JSON_MAX_DEPTH || json_used == JSON_MAX_VALUES) return NULL;
    Json *value = &json_values[json_used++];
    memset(value, 0, sizeof *value);
    json_space();
    if (*json_at == '"') {
        json_at++;
        value->kind = JSON_TEXT;
        return (value->text = json_string()) ? value : NULL;
    }
    if (*json_at == '[' || *json_at == '{') {
        value->kind = *json_at++ == '[' ? JSON_LIST : JSON_OBJECT;
        char end = value->kind == JSON_LIST ? ']' : '}';
        Json **link = &value->first;
        if (json_take(end)) return value;
        do {
            const char *key = NULL;
            if (value->kind == JSON_OBJECT) {
                if (!json_take('"') || !(key = json_string()) || !json_take(':')) return NULL;
            }
            if (!(*link = json_value(depth + 1))) return NULL;
            (*link)->key = key;
            link = &(*link)->next;
        } while (json_take(','));
        return json_take(end) ? value : NULL;
    }
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(words[i].word);
        if (strncmp(json_at, words[i].word, length) == 0) {
            json_at += length;
            value->kind = words[i].kind;
            return value;
        }
    }
    char *end;
    value->kind = JSON_NUMBER;
    if (!strchr("-0123456789", *json_at)) return NULL;
    value->number = strtod(json_at, &end);
    if (end == json_at) return NULL;
    json_at = end;
    return value;
}

/* The value that the line holds, or NULL when it is no JSON. Changes the line. */
static Json *json_parse(char *line) {
    json_used = 0;
    json_at = line;
    Json *value = json_value(0);
    json_space();
    return value && *json_at == '\0' ? value : NULL;
}

/* The member of an object, or NULL. */
static Json *json_get(const Json *object, const char *key) {
    if (!object || object->kind != JSON_OBJECT) return NULL;
    for (Json *item = object->first; item; item = item->next)
        if (strcmp(item->key, key) == 0) return item;
    return NULL;
}

/* The text of an object's member, or "" when it has none. */
static const char *json_text(const Json *object, const char *key) {
    const Json *value = json_get(object, key);
    return value && value->kind == JSON_TEXT ? value->text : "";
}

#endif
