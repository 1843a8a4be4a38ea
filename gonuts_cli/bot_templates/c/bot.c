/* A bot for gonuts: reads one JSON object a line on standard input, answers on standard output.
 * Change `answer`; leave the rest as it is. Notes for yourself go to standard error. */
#include <stdint.h>
#include <stdio.h>

#include "json.h"

/* What a card is worth to us, roughly. All that this table leaves out is worth 2. */
static const struct { const char *kind; int value; } VALUES[] = {
    {"day_old_donuts", -7}, {"red_velvet", 0}, {"bear_claw", 1}, {"strawberry_glazed", 0},
    {"donut_holes", 3}, {"powdered", 3}, {"boston_cream", 4}, {"jelly_filled", 3},
    {"milk", 3}, {"old_fashioned", 4}, {"maple_frosted", 1}, {"double_chocolate", 3},
};
static const char *TAKES[] = {
    "double_chocolate", "red_velvet", "bear_claw", "strawberry_glazed", "day_old_donuts", NULL};
static const char *GIVES[] = {"sprinkled", "cinnamon_twist", "raspberry_frosted", NULL};

enum { MAX_OPTIONS = 200, LINE_BYTES = 1 << 16 }; /* a referee's line is at most 16 KiB */

/* Random numbers that depend on the game's `random` only: the same game again, the same answers. */
static uint64_t state = 1;

static uint32_t random_below(uint32_t bound) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32) % bound;
}

static int one_of(const char *word, const char **list) {
    while (*list && strcmp(*list, word) != 0) list++;
    return *list != NULL;
}

/* The worth of an option: a kind of card, or [kind, seat]. */
static int value(const Json *option) {
    const Json *kind = option && option->kind == JSON_LIST ? option->first : option;
    if (kind && kind->kind == JSON_TEXT)
        for (size_t i = 0; i < sizeof VALUES / sizeof *VALUES; i++)
            if (strcmp(VALUES[i].kind, kind->text) == 0) return VALUES[i].value;
    return 2;
}

static const Json *item(const Json *list, int index) {
    const Json *found = list ? list->first : NULL;
    while (found && index-- > 0) found = found->next;
    return found;
}

/* Puts options into `chosen` and returns how many: as many as one of the request's counts says. */
static int answer(const Json *request, const Json *chosen[MAX_OPTIONS]) {
    const char *decision = json_text(request, "decision");
    const Json *counts = json_get(request, "counts"), *row = json_get(json_get(request, "view"), "row");
    int options = 0, fewest = (int)item(counts, 0)->number, most = fewest;
    for (const Json *c = counts->first; c; c = c->next) most = (int)c->number;
    for (const Json *o = json_get(request, "options")->first; o && options < MAX_OPTIONS; o = o->next)
        chosen[options++] = o;

    if (strcmp(decision, "bid") == 0) { /* any position, a good card more often than a bad one */
        int weights[MAX_OPTIONS], sum = 0, i = 0;
        for (int k = 0; k < options; k++) {
            int worth = 2 + value(item(row, (int)chosen[k]->number - 1));
            sum += weights[k] = worth > 1 ? worth : 1;
        }
        for (int left = (int)random_below((uint32_t)sum); (left -= weights[i]) >= 0;) i++;
        chosen[0] = chosen[i];
        return 1;
    }
    int takes = one_of(decision, TAKES), sign = takes ? -1 : one_of(decision, GIVES) ? 1 : 0;
    for (int i = 1; i < options; i++) /* insertion sort: best first, or worst first, or as it is */
        for (int k = i; k > 0 && sign * value(chosen[k]) < sign * value(chosen[k - 1]); k--) {
            const Json *swap = chosen[k];
            chosen[k] = chosen[k - 1];
            chosen[k - 1] = swap;
        }
    return takes ? most : fewest; /* the first counts[0] options are always legal */
}

static void print_option(const Json *option) {
    if (option->kind == JSON_NUMBER) {
        printf("%d", (int)option->number);
    } else if (option->kind == JSON_TEXT) {
        printf("\"%s\"", option->text); /* kinds need no escapes */
    } else {
        putchar('[');
        for (const Json *part = option->first; part; part = part->next) {
            print_option(part);
            if (part->next) putchar(',');
        }
        putchar(']');
    }
}

int main(void) {
    static char line[LINE_BYTES];
    while (fgets(line, sizeof line, stdin)) {
        const Json *message = json_parse(line);
        const char *type = json_text(message, "type");
        if (strcmp(type, "hello") == 0) { /* a game begins; with "reuse" there may be several */
            char digits[17] = "";
            strncat(digits, json_text(message, "random"), 16);
            state = strtoull(digits, NULL, 16) | 1;
            puts("{\"type\":\"ready\",\"name\":\"my bot\",\"events\":false,\"reuse\":true}");
        } else if (strcmp(type, "decide") == 0) {
            const Json *chosen[MAX_OPTIONS];
            int count = answer(message, chosen);
            printf("{\"id\":%.0f,\"choose\":[", json_get(message, "id")->number);
            for (int i = 0; i < count; i++) {
                if (i) putchar(',');
                print_option(chosen[i]);
            }
            puts("]}");
        } else if (strcmp(type, "fault") == 0) { /* the referee had to choose for us, and says why */
            fprintf(stderr, "%s\n", json_text(message, "message"));
        }
        fflush(stdout);
    }
    return 0;
}
