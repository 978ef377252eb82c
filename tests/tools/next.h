// The function of that name in the library behind this one, for libraries that are loaded before a program.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *next_of(const char *name) {
    void *next = dlsym(RTLD_NEXT, name);
    if (next == NULL) {
        fprintf(stderr, "no function %s\n", name);
        exit(2);
    }
    return next;
}
