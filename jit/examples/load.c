/* What a runtime does that finalizes at run time: opens the library, looks up its functions, and has one
 * kernel of a vISA object finalized.
 *
 *     load LIBRARY OBJECT KERNEL PLATFORM
 *
 * cc load.c -I../include -ldl
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "visa_finalize_jit.h"

static unsigned char *read_file(const char *path, unsigned *size) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    *size = (unsigned)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size ? *size : 1);
    if (bytes && fread(bytes, 1, *size, file) != *size) {
        free(bytes);
        bytes = NULL;
    }
    fclose(file);
    return bytes;
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: load LIBRARY OBJECT KERNEL PLATFORM\n");
        return 2;
    }
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    /* The header declares the functions, so their types are at hand. */
    __typeof__(JITCompile) *compile;
    __typeof__(freeBlock) *release;
    __typeof__(getJITVersion) *version;
    *(void **)&compile = dlsym(library, "JITCompile");
    *(void **)&release = dlsym(library, "freeBlock");
    *(void **)&version = dlsym(library, "getJITVersion");
    unsigned size = 0, major = 0, minor = 0;
    unsigned char *object = read_file(argv[2], &size);
    if (!compile || !release || !version || !object || size < 6) {
        fprintf(stderr, "no such function, or no such object\n");
        return 2;
    }
    version(&major, &minor);
    printf("reads vISA up to %u.%u\n", major, minor);

    void *code = NULL;
    unsigned bytes = 0;
    char message[512] = "";
    FinalizerInfo info;
    int status = compile(argv[3], object, size, &code, &bytes, argv[4], object[4], object[5], 0, NULL, message, &info);
    if (status == 0)
        printf("%s: %u bytes of code, %d instructions, %d registers, %u bytes of scratch\n", argv[3], bytes,
               info.num_asm_count, info.num_grf_used, info.spill_mem_used);
    else
        fprintf(stderr, "status %d: %s\n", status, message);
    release(code);
    free(object);
    dlclose(library);
    return status;
}
