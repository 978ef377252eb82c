// What the library has beside finalizing: what an object holds, code for one more platform in it, listings and
// back, options by name, a bound of memory, and an end from another thread.
//
//     tools OBJECT PLATFORM
//
// cc -std=c11 tools.c -Iinclude -lvisafinalize -lpthread

#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "visa_finalize.h"

static uint8_t *object;
static size_t object_size;

static void stop(const char *where, vf_status status, vf_error *error) {
    vf_fault fault;
    bool known = error && vf_error_get(error, 0, &fault) == VF_OK;
    fprintf(stderr, "%s: status %d: %s\n", where, (int)status, known ? fault.message : "");
    vf_error_free(error);
    exit(EXIT_FAILURE);
}

static bool read_object(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    fseek(file, 0, SEEK_END);
    object_size = (size_t)ftell(file);
    rewind(file);
    object = malloc(object_size + 1);
    bool all = object && fread(object, 1, object_size, file) == object_size;
    fclose(file);
    return all;
}

static vf_object *open_object(const void *bytes, size_t size) {
    vf_object *read = NULL;
    vf_error *error = NULL;
    vf_status status = vf_object_read(bytes, size, NULL, &read, &error);
    if (status != VF_OK) stop("vf_object_read", status, error);
    return read;
}

// Kernels, their inputs and the code that they carry.
static void show(const vf_object *read) {
    vf_object_summary summary;
    if (vf_object_info(read, &summary) != VF_OK) return;
    printf("version %u.%u, %zu kernels\n", summary.version_major, summary.version_minor, summary.kernels);
    for (size_t k = 0; k < summary.kernels; k++) {
        vf_kernel_summary kernel;
        if (vf_object_kernel(read, k, &kernel) != VF_OK) continue;
        printf("%s: %zu vISA instructions\n", kernel.name, kernel.visa_instructions);
        for (size_t i = 0; i < kernel.inputs; i++) {
            vf_input input;
            if (vf_object_input(read, k, i, &input) == VF_OK)
                printf("  input %s: %u bytes at %u\n", input.name, input.size, input.offset);
        }
        for (size_t i = 0; i < kernel.codes; i++) {
            vf_embedded_code code;
            if (vf_object_code(read, k, i, &code) == VF_OK)
                printf("  code for %s: %zu bytes\n", code.platform ? code.platform : "?", code.size);
        }
    }
}

// A listing of the first kernel's code, and the code again.
static void there_and_back(const char *platform, const vf_object *read) {
    vf_embedded_code code;
    vf_buffer *text = NULL, *json = NULL, *again = NULL;
    vf_error *error = NULL;
    if (vf_object_code(read, 0, 0, &code) != VF_OK) return;
    vf_status status = vf_disassemble(platform, code.code, code.size, VF_LISTING_ASM, &text, &error);
    if (status != VF_OK) stop("vf_disassemble", status, error);
    status = vf_disassemble(platform, code.code, code.size, VF_LISTING_JSON, &json, &error);
    if (status != VF_OK) stop("vf_disassemble", status, error);
    size_t size, json_size;
    const char *listing = vf_buffer_data(text, &size);
    if (!vf_buffer_data(json, &json_size) || json_size < size) stop("the JSON is short", VF_FAULT, NULL);
    status = vf_assemble(platform, listing, size, false, &again, &error);
    if (status != VF_OK) stop("vf_assemble", status, error);
    size_t again_size;
    const char *bytes = vf_buffer_data(again, &again_size);
    bool same = again_size == code.size && memcmp(bytes, code.code, code.size) == 0;
    printf("the listing %s the same code\n", same ? "assembles to" : "does NOT assemble to");
    vf_buffer_free(again);
    status = vf_assemble(platform, "nonsense\n", 9, false, &again, &error);
    vf_fault fault;
    if (status == VF_REFUSED && vf_error_get(error, 0, &fault) == VF_OK)
        printf("nonsense is refused at %u:%u\n", fault.line, fault.column);
    vf_error_free(error);
    vf_buffer_free(text);
    vf_buffer_free(json);
}

static void set(vf_finalizer *finalizer, const char *name, const char *value) {
    vf_error *error = NULL;
    vf_status status = vf_finalizer_set(finalizer, name, value, &error);
    vf_fault fault;
    if (status == VF_BAD_ARGUMENT && vf_error_get(error, 0, &fault) == VF_OK)
        printf("%s = %s: %s\n", name, value, fault.message);
    else if (status != VF_OK)
        stop("vf_finalizer_set", status, error);
    vf_error_free(error);
}

static vf_status finalize(vf_finalizer *finalizer) {
    vf_binaries *binaries = NULL;
    vf_status status = vf_finalize(finalizer, object, object_size, NULL, 1, &binaries, NULL);
    vf_binaries_free(binaries);
    return status;
}

static vf_status ended_with;

// Finalizes for ever, until somebody ends it.
static void *work(void *finalizer) {
    do ended_with = finalize(finalizer);
    while (ended_with == VF_OK);
    return NULL;
}

static void cancelled(vf_finalizer *finalizer) {
    vf_cancel *cancel = vf_cancel_new();
    vf_finalizer_set_cancel(finalizer, cancel);
    pthread_t worker;
    if (pthread_create(&worker, NULL, work, finalizer)) stop("pthread_create", VF_FAULT, NULL);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    vf_cancel_request(cancel);
    pthread_join(worker, NULL);
    printf("the worker ended with %s\n", ended_with == VF_CANCELLED ? "VF_CANCELLED" : "another status");
    vf_cancel_reset(cancel);
    printf("after the reset: %s\n", finalize(finalizer) == VF_OK ? "VF_OK" : "another status");
    vf_finalizer_set_cancel(finalizer, NULL);
    vf_cancel_free(cancel);
}

int main(int argc, char **argv) {
    if (argc < 3 || !read_object(argv[1])) {
        fprintf(stderr, "usage: tools OBJECT PLATFORM\n");
        return 2;
    }
    vf_finalizer *finalizer = NULL;
    vf_error *error = NULL;
    vf_status status = vf_finalizer_new(argv[2], NULL, &finalizer, &error);
    if (status != VF_OK) stop("vf_finalizer_new", status, error);

    set(finalizer, "opt-level", "2");
    set(finalizer, "opt-level", "9");
    set(finalizer, "memory-limit", "1000");
    printf("with 1,000 bytes: %s\n", finalize(finalizer) == VF_MEMORY_LIMIT ? "VF_MEMORY_LIMIT" : "another status");
    set(finalizer, "memory-limit", "100000000");
    printf("with 100 million: %s\n", finalize(finalizer) == VF_OK ? "VF_OK" : "another status");

    vf_buffer *made = NULL;
    status = vf_retarget(finalizer, object, object_size, &made, &error);
    if (status != VF_OK) stop("vf_retarget", status, error);
    size_t size;
    const char *bytes = vf_buffer_data(made, &size);
    vf_object *read = open_object(bytes, size);
    show(read);
    there_and_back(argv[2], read);
    vf_object_free(read);
    vf_buffer_free(made);

    cancelled(finalizer);
    vf_finalizer_free(finalizer);
    free(object);
    return EXIT_SUCCESS;
}
