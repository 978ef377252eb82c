/* Finalizes one kernel of a vISA object for a platform and prints what a launch needs.
 *
 *     finalize OBJECT PLATFORM [KERNEL]
 *
 * cc finalize.c -Iinclude -lvisafinalize
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "visa_finalize.h"

static int report(vf_error *error) {
    for (size_t i = 0; i < vf_error_count(error); i++) {
        vf_fault fault;
        if (vf_error_get(error, i, &fault) != VF_OK) continue;
        if (fault.place == VF_PLACE_OFFSET) fprintf(stderr, "offset %" PRIu64 ": ", fault.offset);
        if (fault.place == VF_PLACE_LINE) fprintf(stderr, "%" PRIu32 ":%" PRIu32 ": ", fault.line, fault.column);
        if (fault.kernel) fprintf(stderr, "kernel %s: ", fault.kernel);
        if (fault.field) fprintf(stderr, "%s: ", fault.field);
        fprintf(stderr, "%s [%s]\n", fault.message, fault.code);
    }
    vf_error_free(error);
    return EXIT_FAILURE;
}

static uint8_t *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size ? *size : 1);
    if (bytes && fread(bytes, 1, *size, file) != *size) {
        free(bytes);
        bytes = NULL;
    }
    fclose(file);
    return bytes;
}

static void print(const vf_binary *binary) {
    vf_kernel_info info = {.struct_size = sizeof info};
    size_t size;
    const uint8_t *code = vf_binary_code(binary, &size);
    if (!code || vf_binary_info(binary, &info) != VF_OK) return;
    printf("%s: SIMD%u, %zu bytes of code, %u registers, %u bytes of scratch\n", info.name, info.simd, size,
           info.grf_count, info.scratch_bytes);
    for (size_t i = 0; i < vf_binary_input_count(binary); i++) {
        vf_input input;
        if (vf_binary_input(binary, i, &input) != VF_OK) continue;
        printf("  input %s: %u bytes at payload offset %u\n", input.name, input.size, input.offset);
    }
    for (size_t i = 0; i < vf_binary_symbol_count(binary); i++) {
        vf_symbol symbol;
        if (vf_binary_symbol(binary, i, &symbol) != VF_OK) continue;
        printf("  symbol %s: %u bytes at %u\n", symbol.name, symbol.size, symbol.offset);
    }
    for (size_t i = 0; i < vf_binary_relocation_count(binary); i++) {
        vf_relocation relocation;
        if (vf_binary_relocation(binary, i, &relocation) != VF_OK) continue;
        printf("  relocation %u at %u: %s\n", relocation.kind, relocation.offset, relocation.symbol);
    }
    const vf_error *warnings = vf_binary_warnings(binary);
    for (size_t i = 0; i < vf_error_count(warnings); i++) {
        vf_fault warning;
        if (vf_error_get(warnings, i, &warning) == VF_OK) printf("  warning: %s\n", warning.message);
    }
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: finalize OBJECT PLATFORM [KERNEL]\n");
        return 2;
    }
    vf_finalizer *finalizer = NULL;
    vf_binaries *binaries = NULL;
    vf_error *error = NULL;
    vf_options options = {.struct_size = sizeof options, .warnings = true};
    if (vf_finalizer_new(argv[2], &options, &finalizer, &error) != VF_OK) return report(error);

    size_t size = 0;
    uint8_t *object = read_file(argv[1], &size);
    const char *kernel = argc > 3 ? argv[3] : NULL;
    vf_status status = vf_finalize(finalizer, object, size, kernel, 1, &binaries, &error);
    free(object);
    vf_finalizer_free(finalizer);
    if (status != VF_OK) return report(error);

    for (size_t i = 0; i < vf_binaries_count(binaries); i++) print(vf_binaries_get(binaries, i));
    vf_binaries_free(binaries);
    return EXIT_SUCCESS;
}
