/* The conversion job with libcurl and a base64 of its own: the request is built in memory, the
 * answer is taken apart by looking for its keys, as small C programs do. */

#define _POSIX_C_SOURCE 200809L
#include <curl/curl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct text {
    char *bytes;
    size_t length;
    size_t room;
};

static void fail(const char *why)
{
    fprintf(stderr, "%s\n", why);
    exit(1);
}

static void append(struct text *text, const char *bytes, size_t length)
{
    if (text->length + length + 1 > text->room) {
        text->room = (text->length + length + 1) * 2;
        text->bytes = realloc(text->bytes, text->room);
        if (text->bytes == NULL) {
            fail("no memory");
        }
    }
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

static void encode(struct text *out, const unsigned char *raw, size_t length)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char quad[4];
    for (size_t at = 0; at < length; at += 3) {
        size_t left = length - at;
        uint32_t value = (uint32_t)raw[at] << 16;
        value |= left > 1 ? (uint32_t)raw[at + 1] << 8 : 0;
        value |= left > 2 ? raw[at + 2] : 0;
        quad[0] = letters[value >> 18];
        quad[1] = letters[value >> 12 & 63];
        quad[2] = left > 1 ? letters[value >> 6 & 63] : '=';
        quad[3] = left > 2 ? letters[value & 63] : '=';
        append(out, quad, 4);
    }
}

static int value_of(char letter)
{
    if (letter >= 'A' && letter <= 'Z') {
        return letter - 'A';
    }
    if (letter >= 'a' && letter <= 'z') {
        return letter - 'a' + 26;
    }
    if (letter >= '0' && letter <= '9') {
        return letter - '0' + 52;
    }
    return letter == '+' ? 62 : letter == '/' ? 63 : -1;
}

static void decode(const char *letters, size_t length, const char *path)
{
    FILE *file = fopen(path, "wb");
    unsigned char *raw = malloc(length / 4 * 3 + 3);
    size_t count = 0;
    uint32_t bits = 0;
    int known = 0;
    if (file == NULL || raw == NULL) {
        fail("a result cannot be written");
    }
    for (size_t at = 0; at < length && letters[at] != '='; at++) {
        int value = value_of(letters[at]);
        if (value < 0) {
            fail("no base64");
        }
        bits = bits << 6 | (uint32_t)value;
        known += 6;
        if (known >= 8) {
            known -= 8;
            raw[count++] = (unsigned char)(bits >> known);
        }
    }
    if (fwrite(raw, 1, count, file) != count || fclose(file) != 0) {
        fail("a result cannot be written");
    }
    free(raw);
}

static size_t take(char *bytes, size_t size, size_t count, void *into)
{
    append(into, bytes, size * count);
    return size * count;
}

static void read_file(struct text *into, const char *path)
{
    char window[65536];
    size_t count;
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail("a document cannot be read");
    }
    while ((count = fread(window, 1, sizeof window, file)) > 0) {
        append(into, window, count);
    }
    fclose(file);
}

static void output(char *path, size_t room, const char *out, const char *file)
{
    const char *name = strrchr(file, '/');
    snprintf(path, room, "%s/%s", out, name == NULL ? file : name + 1);
}

static void convert(CURL *curl, const char *url, const char *token, const char *out, char **files,
                    int count)
{
    static const char key[] = "\"convertedDocument\":\"";
    struct text body = {0}, answer = {0}, pdf = {0};
    char address[512], authorization[512], path[4096];
    struct curl_slist *headers = NULL;
    long status = 0;
    append(&body, "{\"documents\":[", 14);
    for (int i = 0; i < count; i++) {
        static const char start[] = "{\"pdfSpec\":\"PDFA_2B\",\"pdf\":\"";
        if (i > 0) {
            append(&body, ",", 1);
        }
        append(&body, start, sizeof start - 1);
        pdf.length = 0;
        read_file(&pdf, files[i]);
        encode(&body, (const unsigned char *)pdf.bytes, pdf.length);
        append(&body, "\"}", 2);
    }
    append(&body, "]}", 2);
    snprintf(address, sizeof address, "%s/signdoc/convert", url);
    snprintf(authorization, sizeof authorization, "Authorization: Bearer %s", token);
    headers = curl_slist_append(headers, authorization);
    headers = curl_slist_append(headers, "Content-Type: application/json");
    headers = curl_slist_append(headers, "Expect:");
    curl_easy_setopt(curl, CURLOPT_URL, address);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.bytes);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.length);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer);
    if (curl_easy_perform(curl) != CURLE_OK) {
        fail("the request failed");
    }
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200) {
        fail("the service refused");
    }
    char *next = answer.bytes;
    for (int i = 0; i < count; i++) {
        char *start = strstr(next, key);
        char *end = start == NULL ? NULL : strchr(start + sizeof key - 1, '"');
        if (end == NULL) {
            fail("a document is missing");
        }
        start += sizeof key - 1;
        output(path, sizeof path, out, files[i]);
        decode(start, (size_t)(end - start), path);
        next = end;
    }
    curl_slist_free_all(headers);
    free(body.bytes);
    free(answer.bytes);
    free(pdf.bytes);
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

int main(int argc, char **argv)
{
    const char *url = "", *token = "bench-token", *out = ".";
    int repeat = 1, at = 2;
    for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
        if (strcmp(argv[at], "--url") == 0) {
            url = argv[at + 1];
        } else if (strcmp(argv[at], "--token") == 0) {
            token = argv[at + 1];
        } else if (strcmp(argv[at], "--out") == 0) {
            out = argv[at + 1];
        } else if (strcmp(argv[at], "--repeat") == 0) {
            repeat = atoi(argv[at + 1]);
        } else {
            fail("unknown option");
        }
    }
    if (at >= argc || repeat < 1) {
        fail("at least one file and one call are needed");
    }
    double *walls = calloc((size_t)repeat, sizeof *walls);
    double *cpus = calloc((size_t)repeat, sizeof *cpus);
    FILE *refs = fopen("/proc/self/clear_refs", "w");
    if (refs != NULL) {
        /* where it may not be set back the peak can only be too high */
        fputs("5", refs);
        fclose(refs);
    }
    long before = status_kib("VmRSS:");
    double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    CURL *curl = curl_easy_init();
    if (walls == NULL || cpus == NULL || curl == NULL) {
        fail("no memory");
    }
    for (int i = 0; i < repeat; i++) {
        double lap = seconds(CLOCK_MONOTONIC), lap_cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
        convert(curl, url, token, out, argv + at, argc - at);
        walls[i] = (seconds(CLOCK_MONOTONIC) - lap) * 1e3;
        cpus[i] = (seconds(CLOCK_PROCESS_CPUTIME_ID) - lap_cpu) * 1e3;
    }
    wall = (seconds(CLOCK_MONOTONIC) - wall) * 1e3;
    cpu = (seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu) * 1e3;
    printf("{\"program\":\"C libcurl\",\"documents\":%d,\"wall_ms\":%.3f,\"cpu_ms\":%.3f,", argc - at,
           wall, cpu);
    printf("\"rss_before_kib\":%ld,\"peak_kib\":%ld", before, status_kib("VmHWM:"));
    if (repeat > 1) {
        printf(",\"calls\":%d,\"first_wall_ms\":%.4f,\"first_cpu_ms\":%.4f", repeat, walls[0],
               cpus[0]);
        qsort(walls + 1, (size_t)repeat - 1, sizeof *walls, ascending);
        qsort(cpus + 1, (size_t)repeat - 1, sizeof *cpus, ascending);
        printf(",\"call_wall_ms\":%.4f,\"call_cpu_ms\":%.4f", walls[1 + (repeat - 2) / 2],
               cpus[1 + (repeat - 2) / 2]);
    }
    /* the harness hashes the files itself */
    printf("}\n");
    curl_easy_cleanup(curl);
    curl_global_cleanup();
    free(walls);
    free(cpus);
    return 0;
}
