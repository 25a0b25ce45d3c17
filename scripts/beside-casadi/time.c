/* Times functions of several shared libraries in turn and checks what they compute.
 *
 *   time MODEL CASE LIBRARY:SYMBOL …
 *
 * CASE holds numbers: how many inputs (1: q; 2: q, v; 3: q, v, tau), n, outputs, states, then per
 * state q, v, tau and the outputs expected. A library that has SYMBOL_work was written by CasADi
 * and is called its way; one that has pinocchio_read is given MODEL. Prints one line per
 * function: ns per call and the greatest deviation relative to the greatest entry expected.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCH_NS = 500 * 1000, ROUNDS = 400 };

typedef int (*one_input)(const double *, double *);
typedef int (*two_inputs)(const double *, const double *, double *);
typedef int (*three_inputs)(const double *, const double *, const double *, double *);
typedef int (*casadi)(const double **, double **, long long *, double *, int);
typedef int (*casadi_work)(long long *, long long *, long long *, long long *);

struct state {
    const double *in[3];
    const double *expected;
};

struct contender {
    void *function;
    /* Memory CasADi asks for, inputs apart for every state; null for plain functions. */
    const double **arg;
    long long stride;
    double **res;
    long long *iw;
    double *w;
    long calls;
    double ns, deviation;
};

static int inputs, n, outputs, states;
static struct state *state;
static double *out;

static void fail(const char *why, const char *what) {
    fprintf(stderr, "%s: %s\n", why, what);
    exit(1);
}

static void *memory(long long count, size_t size) {
    void *block = calloc((size_t)count + 1, size);
    if (!block) fail("no memory", "");
    return block;
}

static double *numbers(FILE *from, int count) {
    double *list = memory(count, sizeof *list);
    for (int k = 0; k < count; ++k)
        if (fscanf(from, "%lf", &list[k]) != 1) fail("cut short", "states");
    return list;
}

static void read_case(const char *path) {
    FILE *from = fopen(path, "r");
    if (!from || fscanf(from, "%d %d %d %d", &inputs, &n, &outputs, &states) != 4) fail("cannot read", path);
    state = memory(states, sizeof *state);
    for (int s = 0; s < states; ++s) {
        for (int k = 0; k < 3; ++k) state[s].in[k] = numbers(from, n);
        state[s].expected = numbers(from, outputs);
    }
    fclose(from);
    out = memory(outputs, sizeof *out);
}

static struct contender load(char *library, const char *model) {
    char *symbol = strrchr(library, ':');
    if (!symbol) fail("no symbol", library);
    *symbol++ = 0;
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) fail("cannot load", dlerror());
    struct contender c = {.function = dlsym(handle, symbol), .calls = 1, .ns = INFINITY};
    if (!c.function) fail("no such function", symbol);
    void (*read)(const char *) = (void (*)(const char *))dlsym(handle, "pinocchio_read");
    if (read) read(model);
    char name[100];
    snprintf(name, sizeof name, "%s_work", symbol);
    casadi_work work = (casadi_work)dlsym(handle, name);
    if (work) {
        long long arg, res, iw, w;
        work(&arg, &res, &iw, &w);
        c.stride = arg;
        c.arg = memory(arg * states, sizeof *c.arg);
        for (int s = 0; s < states; ++s) memcpy(c.arg + s * arg, state[s].in, (size_t)inputs * sizeof *c.arg);
        c.res = memory(res, sizeof *c.res);
        c.iw = memory(iw, sizeof *c.iw);
        c.w = memory(w, sizeof *c.w);
        c.res[0] = out;
    }
    return c;
}

/* Calls the function `calls` times, at one state after the other from `s` on. */
static void call(struct contender *c, int s, long calls) {
#define EACH(...) \
    for (long k = 0; k < calls; ++k) { \
        __VA_ARGS__; \
        s = s + 1 == states ? 0 : s + 1; \
    }
    if (c->arg) {
        EACH(((casadi)c->function)(c->arg + s * c->stride, c->res, c->iw, c->w, 0))
    } else if (inputs == 1) {
        EACH(((one_input)c->function)(state[s].in[0], out))
    } else if (inputs == 2) {
        EACH(((two_inputs)c->function)(state[s].in[0], state[s].in[1], out))
    } else {
        EACH(((three_inputs)c->function)(state[s].in[0], state[s].in[1], state[s].in[2], out))
    }
}

static double batch_ns(struct contender *c) {
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    call(c, 0, c->calls);
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec);
}

/* The greatest deviation at any state; NaN counts as infinite. */
static double deviation(struct contender *c) {
    double worst = 0;
    for (int s = 0; s < states; ++s) {
        double scale = 0, difference = 0;
        for (int k = 0; k < outputs; ++k) out[k] = NAN;
        call(c, s, 1);
        for (int k = 0; k < outputs; ++k) {
            double d = fabs(out[k] - state[s].expected[k]);
            difference = d <= difference ? difference : isnan(d) ? INFINITY : d;
            scale = fmax(scale, fabs(state[s].expected[k]));
        }
        worst = fmax(worst, difference / scale);
    }
    return worst;
}

int main(int argc, char **argv) {
    if (argc < 4) fail("usage", "time MODEL CASE LIBRARY:SYMBOL …");
    read_case(argv[2]);
    int contenders = argc - 3;
    struct contender *c = memory(contenders, sizeof *c);
    for (int k = 0; k < contenders; ++k) {
        c[k] = load(argv[3 + k], argv[1]);
        c[k].deviation = deviation(&c[k]);
        while (batch_ns(&c[k]) < BATCH_NS) c[k].calls *= 2;
    }
    for (int round = 0; round < ROUNDS; ++round)
        for (int k = 0; k < contenders; ++k) c[k].ns = fmin(c[k].ns, batch_ns(&c[k]) / (double)c[k].calls);
    for (int k = 0; k < contenders; ++k) printf("%.2f %.3e\n", c[k].ns, c[k].deviation);
}
