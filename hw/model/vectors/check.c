/* Runs TIMELY over published test vectors and compares every rate with theirs.
 *
 *   cc -std=c99 -O1 -o check check.c -lm && ./check *.json
 *
 * The law is written here once more, from the paper and its authors' snippet, so that it can also serve as a start for an implementation.
 * The files hold one update a line, so finding a key in a line is all the parsing there is. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parameters {
    double alpha, beta, t_low, t_high, min_rtt, interval, step, after, factor, smoothed, delta, floor_, initial, least, greatest;
};

struct flow {
    double rate, previous_rtt, previous_time, average;
    int started;
    int negatives;
};

static double larger(double a, double b) { return a > b ? a : b; }
static double smaller(double a, double b) { return a < b ? a : b; }

/* One completion event. Times in us, rates in Mb/s. */
static void update(const struct parameters *p, struct flow *f, double rtt, double now)
{
    double difference = f->started ? rtt - f->previous_rtt : 0.0;
    double part = f->started && p->delta != 0.0 ? smaller((now - f->previous_time) / p->interval, 1.0) : 1.0;
    double before = f->rate;
    double gradient;

    f->average = (1.0 - p->alpha) * f->average + p->alpha * difference;
    gradient = f->average / p->min_rtt;
    if ((p->smoothed != 0.0 ? gradient : difference) < 0.0)
        f->negatives++;
    else
        f->negatives = 0;

    if (rtt < p->t_low) {
        f->rate += p->step * part;
    } else if (rtt > p->t_high) {
        f->rate *= 1.0 - part * p->beta * (1.0 - p->t_high / rtt);
    } else if (gradient <= 0.0) {
        f->rate += (f->negatives >= p->after ? p->factor : 1.0) * p->step * part;
    } else {
        f->rate *= 1.0 - p->beta * gradient;
    }
    if (p->floor_ != 0.0)
        f->rate = larger(f->rate, before / 2.0);
    f->rate = smaller(larger(f->rate, p->least), p->greatest);
    f->previous_rtt = rtt;
    f->previous_time = now;
    f->started = 1;
}

/* The number behind "key": in the text. */
static int number(const char *text, const char *key, double *value)
{
    char quoted[64];
    const char *at;

    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    at = strstr(text, quoted);
    if (!at)
        return 0;
    *value = strtod(at + strlen(quoted), NULL);
    return 1;
}

static int check(const char *name)
{
    struct parameters p;
    struct flow f = {0};
    struct { const char *key; double *value; } wanted[] = {
        {"alpha", &p.alpha}, {"beta", &p.beta}, {"t_low_us", &p.t_low}, {"t_high_us", &p.t_high}, {"min_rtt_us", &p.min_rtt},
        {"update_interval_us", &p.interval}, {"additive_step_mbps", &p.step}, {"hyperactive_after", &p.after},
        {"hyperactive_factor", &p.factor}, {"hyperactive_smoothed", &p.smoothed}, {"delta_factor", &p.delta},
        {"half_floor", &p.floor_}, {"initial_mbps", &p.initial}, {"least_mbps", &p.least}, {"greatest_mbps", &p.greatest},
    };
    const size_t count = sizeof wanted / sizeof wanted[0];
    size_t found = 0, i;
    char line[1024];
    int updates = 0;
    double worst = 0.0;
    FILE *file = fopen(name, "r");

    if (!file) {
        fprintf(stderr, "%s cannot be read\n", name);
        return 1;
    }
    while (fgets(line, sizeof line, file)) {
        double now, rtt, rate, error;
        if (number(line, "now_us", &now) && number(line, "rtt_us", &rtt) && number(line, "rate_mbps", &rate)) {
            if (found != count)
                break;
            if (updates++ == 0)
                f.rate = p.initial;
            update(&p, &f, rtt, now);
            error = fabs(f.rate - rate) / p.greatest;
            if (!(error <= 1e-12)) {
                fprintf(stderr, "%s, update %d: rate %.17g Mb/s, expected %.17g\n", name, updates, f.rate, rate);
                fclose(file);
                return 1;
            }
            worst = larger(worst, error);
        } else if (updates == 0) {
            for (i = 0; i < count; i++)
                found += number(line, wanted[i].key, wanted[i].value);
        }
    }
    fclose(file);
    if (found != count || updates == 0) {
        fprintf(stderr, "%s: %d of %d parameters, %d updates\n", name, (int)found, (int)count, updates);
        return 1;
    }
    printf("%s: %d updates agree, worst error %.1e of line rate\n", name, updates, worst);
    return 0;
}

int main(int argc, char **argv)
{
    int failed = argc < 2, i;

    if (argc < 2)
        fprintf(stderr, "usage: %s vectors.json...\n", argv[0]);
    for (i = 1; i < argc; i++)
        failed |= check(argv[i]);
    return failed;
}
