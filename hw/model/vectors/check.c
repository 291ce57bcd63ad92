/* Runs TIMELY, Patched TIMELY, PI, Swift and DCQCN over published test vectors and compares every rate with theirs.
 *
 *   cc -std=c99 -O1 -o check check.c -lm && ./check *.json
 *
 * The laws are written here once more, from the papers and TIMELY's authors' snippet, so that it can also serve as a start for an implementation.
 * The files hold one update a line, so finding a key in a line is all the parsing there is. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMELY = 1, PATCHED = 2, SWIFT = 3, PI = 4, DCQCN = 5 };

struct parameters {
    double law, alpha, beta, t_low, t_high, min_rtt, interval, step, after, factor, smoothed, delta, floor_, initial, least, greatest;
    double reference, error_beta, integral, proportional;
    double base, hop, range, least_packets, most_packets, packet, endpoint, max_decrease;
    double gain, cnp, alpha_timer, timer, counter, fast, hyper;
};

struct flow {
    double rate, previous_rtt, previous_time, average, output, decreased;
    int started;
    int negatives;
    int has_decreased;
    /* DCQCN: times in ns; the next CNP, or the last one. */
    double target, alpha, alpha_at, stage_at, cnp_at, bytes;
    int pending, has_cnp, by_time, by_bytes;
};

static double larger(double a, double b) { return a > b ? a : b; }
static double smaller(double a, double b) { return a < b ? a : b; }

static double within(double x, double least, double most) { return smaller(larger(x, least), most); }

/* The rate within its limits, and what the next event refers to. */
static void finish(const struct parameters *p, struct flow *f, double before, double rtt, double now)
{
    if (p->floor_ != 0.0)
        f->rate = larger(f->rate, before / 2.0);
    f->rate = within(f->rate, p->least, p->greatest);
    f->previous_rtt = rtt;
    f->previous_time = now;
    f->started = 1;
}

/* The part of a full step that the time since the last event allows. */
static double delta_factor(const struct parameters *p, const struct flow *f, double now)
{
    return f->started && p->delta != 0.0 ? smaller((now - f->previous_time) / p->interval, 1.0) : 1.0;
}

/* One completion event of TIMELY. Times in us, rates in Mb/s. */
static void timely(const struct parameters *p, struct flow *f, double rtt, double now)
{
    double difference = f->started ? rtt - f->previous_rtt : 0.0;
    double part = delta_factor(p, f, now);
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
    finish(p, f, before, rtt, now);
}

/* One completion event of Patched TIMELY; with PI the controller's output takes the place of the error. */
static void patched(const struct parameters *p, struct flow *f, double rtt, double now)
{
    const double bound = 131.072;
    double difference = f->started ? rtt - f->previous_rtt : 0.0;
    double part = delta_factor(p, f, now);
    double before = f->rate;
    double weight, error;

    f->average = (1.0 - p->alpha) * f->average + p->alpha * difference;
    weight = within(2.0 * f->average / p->min_rtt + 0.5, 0.0, 1.0);
    error = (rtt - p->reference) / p->reference;
    if (p->law == PI) {
        /* Its output may leave 0 to 1 for this event; what it goes on from may not. */
        double by_error = p->integral * within(rtt - p->reference, -bound, bound - 0.001);
        double by_change = p->proportional * within(difference, -bound, bound - 0.001);
        error = f->output + p->error_beta * (by_error + by_change) / p->reference;
        f->output = within(error, 0.0, 1.0);
    } else {
        error *= p->error_beta;
    }

    if (rtt < p->t_low)
        f->rate += p->step * part;
    else if (rtt > p->t_high)
        f->rate *= 1.0 - part * p->beta * (1.0 - p->t_high / rtt);
    else
        f->rate = p->step * part * (1.0 - weight) + f->rate * (1.0 - weight * error * part);
    finish(p, f, before, rtt, now);
}

/* How far a delay is above its target, of the delay. */
static double above(double delay, double target) { return delay > target ? (delay - target) / delay : 0.0; }

/* One completion event of Swift. A window of w packets is the rate of w packets per interval. */
static void swift(const struct parameters *p, struct flow *f, double fabric, double endpoint, double hops, double now)
{
    double window = f->rate * p->interval / (8.0 * p->packet);
    double alpha = p->range / (1.0 / sqrt(p->least_packets) - 1.0 / sqrt(p->most_packets));
    double scaling = within(alpha / sqrt(window) - alpha / sqrt(p->most_packets), 0.0, p->range);
    double target = p->base + p->hop * hops + scaling;
    double part = delta_factor(p, f, now);
    double before = f->rate;

    if (fabric < target && endpoint <= p->endpoint) {
        f->rate += p->step * part;
    } else if (!f->has_decreased || now - f->decreased >= fabric + endpoint - 0.0005) { /* times are whole ns */
        double decrease = p->beta * larger(above(fabric, target), above(endpoint, p->endpoint));
        f->rate *= 1.0 - smaller(decrease, p->max_decrease);
        f->decreased = now;
        f->has_decreased = 1;
    }
    finish(p, f, before, fabric, now);
}

/* A stage of DCQCN has ended. */
static void stage(const struct parameters *p, struct flow *f)
{
    double low = smaller(f->by_time, f->by_bytes), high = larger(f->by_time, f->by_bytes);

    if (low > p->fast)
        f->target += p->hyper * (low - p->fast);
    else if (high > p->fast)
        f->target += p->step;
    f->target = smaller(f->target, p->greatest);
    f->rate = within((f->rate + f->target) / 2.0, p->least, p->greatest);
}

/* Timers of DCQCN that end until a time, then stages that these bytes end. */
static void advance(const struct parameters *p, struct flow *f, double at, double bytes)
{
    /* Alpha is 1 up to the first CNP. */
    for (; f->has_cnp && at - f->alpha_at >= p->alpha_timer; f->alpha_at += p->alpha_timer)
        f->alpha *= 1.0 - p->gain;
    for (; at - f->stage_at >= p->timer; f->stage_at += p->timer) {
        f->by_time += f->by_time < 15;
        stage(p, f);
    }
    for (f->bytes += bytes; f->bytes >= p->counter; f->bytes -= p->counter) {
        f->by_bytes += f->by_bytes < 15;
        stage(p, f);
    }
}

/* One ACK for DCQCN, time in ns. */
static void dcqcn(const struct parameters *p, struct flow *f, double now, double marked, double bytes)
{
    int another = 0;

    if (!f->started) {
        f->started = 1;
        f->target = p->greatest;
        f->alpha = 1.0;
        f->alpha_at = f->stage_at = now;
        bytes = 0.0;
    }
    if (marked != 0.0 && !f->pending) {
        f->pending = 1;
        f->cnp_at = f->has_cnp ? larger(now, f->cnp_at + p->cnp) : now;
    } else if (marked != 0.0) {
        another = f->cnp_at <= now;
    }
    while (f->pending && f->cnp_at <= now) {
        advance(p, f, f->cnp_at, bytes);
        bytes = 0.0;
        f->target = f->rate;
        f->rate = larger(f->rate * (1.0 - f->alpha / 2.0), p->least);
        f->alpha += p->gain * (1.0 - f->alpha);
        f->alpha_at = f->stage_at = f->cnp_at;
        f->bytes = 0.0;
        f->by_time = f->by_bytes = 0;
        f->has_cnp = 1;
        f->pending = another;
        if (another)
            f->cnp_at = larger(now, f->cnp_at + p->cnp);
        another = 0;
    }
    advance(p, f, now, bytes);
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
    struct parameters p = {0};
    struct flow f = {0};
    enum { ALL = 0, T = 1 << TIMELY, P = 1 << PATCHED, S = 1 << SWIFT, I = 1 << PI, D = 1 << DCQCN, R = T | P | S | I };
    struct { const char *key; double *value; int laws; } wanted[] = {
        {"law", &p.law, ALL}, {"beta", &p.beta, R}, {"update_interval_us", &p.interval, R}, {"additive_step_mbps", &p.step, ALL},
        {"delta_factor", &p.delta, R}, {"half_floor", &p.floor_, R}, {"initial_mbps", &p.initial, ALL},
        {"least_mbps", &p.least, ALL}, {"greatest_mbps", &p.greatest, ALL},
        {"alpha", &p.alpha, T | P | I}, {"t_low_us", &p.t_low, T | P | I}, {"t_high_us", &p.t_high, T | P | I},
        {"min_rtt_us", &p.min_rtt, T | P | I}, {"hyperactive_after", &p.after, T}, {"hyperactive_factor", &p.factor, T},
        {"hyperactive_smoothed", &p.smoothed, T}, {"reference_us", &p.reference, P | I}, {"error_beta", &p.error_beta, P | I},
        {"integral_gain", &p.integral, I}, {"proportional_gain", &p.proportional, I}, {"base_target_us", &p.base, S},
        {"hop_us", &p.hop, S}, {"flow_range_us", &p.range, S}, {"flow_least_packets", &p.least_packets, S},
        {"flow_most_packets", &p.most_packets, S}, {"packet_bytes", &p.packet, S}, {"endpoint_target_us", &p.endpoint, S},
        {"max_decrease", &p.max_decrease, S}, {"alpha_gain", &p.gain, D}, {"cnp_interval_us", &p.cnp, D},
        {"alpha_timer_us", &p.alpha_timer, D}, {"rate_timer_us", &p.timer, D}, {"byte_counter", &p.counter, D},
        {"fast_stages", &p.fast, D}, {"hyper_step_mbps", &p.hyper, D},
    };
    const size_t keys = sizeof wanted / sizeof wanted[0];
    size_t count = 0;
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
            double endpoint = 0.0, hops = 0.0, marked = 0.0, bytes = 0.0;
            if (updates == 0)
                for (i = 0; i < keys; i++)
                    count += wanted[i].laws == ALL || (wanted[i].laws >> (int)p.law & 1);
            if (found != count)
                break;
            if (updates++ == 0) {
                f.rate = p.initial;
                p.cnp = floor(p.cnp * 1000.0 + 0.5);
                p.alpha_timer = floor(p.alpha_timer * 1000.0 + 0.5);
                p.timer = floor(p.timer * 1000.0 + 0.5);
            }
            if (p.law == TIMELY)
                timely(&p, &f, rtt, now);
            else if (p.law == PATCHED || p.law == PI)
                patched(&p, &f, rtt, now);
            else if (p.law == SWIFT && number(line, "endpoint_us", &endpoint) && number(line, "hops", &hops))
                swift(&p, &f, rtt, endpoint, hops, now);
            else if (p.law == DCQCN && number(line, "marked", &marked) && number(line, "bytes", &bytes))
                dcqcn(&p, &f, floor(now * 1000.0 + 0.5), marked, bytes);
            else
                break;
            error = fabs(f.rate - rate) / p.greatest;
            if (!(error <= 1e-12)) {
                fprintf(stderr, "%s, update %d: rate %.17g Mb/s, expected %.17g\n", name, updates, f.rate, rate);
                fclose(file);
                return 1;
            }
            worst = larger(worst, error);
        } else if (updates == 0) {
            for (i = 0; i < keys; i++)
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
