/* Runs Mesa's EU validator over files of machine code: DEVICE FILE...; see mesa-validator beside this file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef ELK
#include "elk/elk_disasm_info.h"
#include "elk/elk_eu.h"
#define OF(name) elk_##name
#else
#include "brw_disasm_info.h"
#include "brw_eu.h"
#define OF(name) brw_##name
#endif
#include "dev/intel_device_info.h"

static const char *file;

static void complain(unsigned offset, const char *text)
{
    printf("%s:0x%x: ", file, offset);
    for (; *text; text++)
        putchar(*text == '\n' ? ';' : *text);
    putchar('\n');
}

/* Where the validator leaves its findings. */
#ifdef ELK
void elk_disasm_insert_error(struct elk_disasm_info *d, unsigned offset, unsigned size, const char *text)
#else
void disasm_insert_error(struct disasm_info *d, int offset, int size, const char *text)
#endif
{
    complain(offset, text);
}

int main(int count, char **words)
{
    static struct intel_device_info device;
    static struct OF(isa_info) isa;
    if (count < 2 || !intel_get_device_info_from_pci_id(strtol(words[1], 0, 16), &device))
        return 2;
    OF(init_isa_info)(&isa, &device);
    for (int i = 2; i < count; i++) {
        FILE *f = fopen(words[i], "rb");
        if (!f)
            return 2;
        fseek(f, 0, SEEK_END);
        long size = ftell(f);
        rewind(f);
        char *code = calloc(1, size + 16);
        if (fread(code, 1, size, f) != (size_t)size)
            return 2;
        fclose(f);
        file = words[i];
        OF(validate_instructions)(&isa, code, 0, size, (void *)1);
        free(code);
    }
    return 0;
}
