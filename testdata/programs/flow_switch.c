#include <ctype.h>
#include <stdio.h>

enum state { START, NUMBER, WORD, STRING, COMMENT, END };

static int counts[END + 1];

static enum state step(enum state state, int c) {
    switch (state) {
    case START:
        if (isdigit(c))
            return NUMBER;
        if (isalpha(c))
            return WORD;
        if (c == '"') return STRING;
        return c == '#' ? COMMENT : c == '\0' ? END : START;
    case NUMBER:
        return isdigit(c) ? NUMBER : START;
    case WORD:
        return isalnum(c) ? WORD : START;
    case STRING:
        return c == '"' ? START : STRING;
    case COMMENT:
        return c == '\n' ? START : COMMENT;
    default:
        return END;
    }
}

static int days(int month, int leap) {
    int sum = 0;
    switch (month) {
    case 12: sum += 31;
    case 11: sum += 30;
    case 10: sum += 31;
    case 9: sum += 30;
    case 8: sum += 31;
    case 7: sum += 31;
    case 6: sum += 30;
    case 5: sum += 31;
    case 4: sum += 30;
    case 3: sum += 31;
    case 2: sum += 28 + leap;
    case 1: sum += 31;
        break;
    default:
        return -1;
    }
    return sum;
}

int main(void) {
    const char *text = "let x1 = 42 # the answer\nprint \"x is 42\" 7 88 # end\nfoo bar1 9";
    enum state state = START;
    for (const char *p = text; state != END; p++) {
        enum state next = step(state, *p);
        if (next != state)
            counts[next]++;
        state = *p ? next : END;
    }
    for (int i = 0; i <= END; i++)
        printf("%d: %d\n", i, counts[i]);
    int sum = 0;
    for (int month = 0; month < 14; month++)
        sum += days(month, month % 2);
    printf("%d\n", sum);
}
