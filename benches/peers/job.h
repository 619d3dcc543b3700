/* What the C programs of the benches share: one command line and one line of JSON, as job.py has
 * them for Python. */

#ifndef JOB_H
#define JOB_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct job {
    const char *url;
    const char *token;
    const char *out;
    char **files;
    int count;
    int repeat;
};

static void fail(const char *why)
{
    fprintf(stderr, "%s\n", why);
    exit(1);
}

static double seconds(clockid_t which)
{
    struct timespec now;
    clock_gettime(which, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static long status_kib(const char *key)
{
    char line[256];
    long found = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, key, strlen(key)) == 0) {
            found = strtol(line + strlen(key) + 1, NULL, 10);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return found;
}

static int ascending(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

static struct job job_of(int argc, char **argv)
{
    struct job job = {"", "bench-token", ".", NULL, 0, 1};
    int at = 2;
    for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
        if (strcmp(argv[at], "--url") == 0) {
            job.url = argv[at + 1];
        } else if (strcmp(argv[at], "--token") == 0) {
            job.token = argv[at + 1];
        } else if (strcmp(argv[at], "--out") == 0) {
            job.out = argv[at + 1];
        } else if (strcmp(argv[at], "--repeat") == 0) {
            job.repeat = atoi(argv[at + 1]);
        } else {
            fail("unknown option");
        }
    }
    job.files = argv + at;
    job.count = argc - at;
    if (job.count < 1 || job.repeat < 1) {
        fail("at least one file and one call are needed");
    }
    return job;
}

/* Runs the job: `make` gives what `call` needs, and is measured with it. */
static void run_job(const char *program, const struct job *job, void *(*make)(const struct job *),
                    void (*call)(void *, const struct job *))
{
    double *walls = calloc((size_t)job->repeat, sizeof *walls);
    double *cpus = calloc((size_t)job->repeat, sizeof *cpus);
    FILE *refs = fopen("/proc/self/clear_refs", "w");
    if (walls == NULL || cpus == NULL) {
        fail("no memory");
    }
    if (refs != NULL) {
        /* where it may not be set back the peak can only be too high */
        fputs("5", refs);
        fclose(refs);
    }
    long before = status_kib("VmRSS:");
    double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    void *made = make(job);
    for (int i = 0; i < job->repeat; i++) {
        double lap = seconds(CLOCK_MONOTONIC), lap_cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
        call(made, job);
        walls[i] = (seconds(CLOCK_MONOTONIC) - lap) * 1e3;
        cpus[i] = (seconds(CLOCK_PROCESS_CPUTIME_ID) - lap_cpu) * 1e3;
    }
    wall = (seconds(CLOCK_MONOTONIC) - wall) * 1e3;
    cpu = (seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu) * 1e3;
    printf("{\"program\":\"%s\",\"documents\":%d,\"wall_ms\":%.3f,\"cpu_ms\":%.3f,", program,
           job->count, wall, cpu);
    printf("\"rss_before_kib\":%ld,\"peak_kib\":%ld", before, status_kib("VmHWM:"));
    if (job->repeat > 1) {
        size_t calls = (size_t)job->repeat - 1;
        printf(",\"calls\":%d,\"first_wall_ms\":%.4f,\"first_cpu_ms\":%.4f", job->repeat, walls[0],
               cpus[0]);
        qsort(walls + 1, calls, sizeof *walls, ascending);
        qsort(cpus + 1, calls, sizeof *cpus, ascending);
        printf(",\"call_wall_ms\":%.4f,\"call_cpu_ms\":%.4f", walls[1 + (job->repeat - 2) / 2],
               cpus[1 + (job->repeat - 2) / 2]);
    }
    /* the harness hashes the files itself */
    printf("}\n");
    free(walls);
    free(cpus);
}

#endif
