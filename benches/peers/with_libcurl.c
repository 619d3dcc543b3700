/* The conversion job with libcurl and a base64 of its own: the request is built in memory, the
 * answer is taken apart by looking for its keys, as small C programs do. */

#define _POSIX_C_SOURCE 200809L
#include <curl/curl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "job.h"

struct text {
    char *bytes;
    size_t length;
    size_t room;
};

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

static void *make(const struct job *job)
{
    (void)job;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    CURL *curl = curl_easy_init();
    if (curl == NULL) {
        fail("no memory");
    }
    return curl;
}

static void call(void *curl, const struct job *job)
{
    convert(curl, job->url, job->token, job->out, job->files, job->count);
}

int main(int argc, char **argv)
{
    struct job job = job_of(argc, argv);
    run_job("C libcurl", &job, make, call);
    return 0;
}
