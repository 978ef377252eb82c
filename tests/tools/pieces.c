// A library that is loaded before one of CLBlast's test programs (`tests/tools/others`): of its test cases, one of every N
// runs, the others are skipped. VISA_FINALIZE_PIECE is `K/N`: those whose number leaves K when divided by N.
//
// A case uploads its data, calls one routine of the library, and, where that succeeds, uploads the same data for the
// reference and compares. A routine that says that it is not implemented makes a skipped case of it; data of a case that
// is going to be skipped need not be uploaded.
//
// ROUTINES (from the program's symbols) holds `ROUTINE(number, symbol)` for each.
#define _GNU_SOURCE
#include "next.h"
#include <stddef.h>
#include <string.h>

#define ROUTINE(number, symbol) #symbol,
static const char *const names[] = {ROUTINES};
#undef ROUTINE

// All of them lead to `piece_routine`, which leaves the arguments as they are. -1024 is CLBlast's `kNotImplemented`.
#define ROUTINE(number, symbol)                                                                                          \
    asm(".globl " #symbol "\n.type " #symbol ", @function\n" #symbol ":\n mov $" #number ", %r11d\n jmp piece_routine\n");
ROUTINES
#undef ROUTINE
asm("piece_routine:\n"
    " push %rdi\n push %rsi\n push %rdx\n push %rcx\n push %r8\n push %r9\n sub $136, %rsp\n"
    " movups %xmm0, (%rsp)\n movups %xmm1, 16(%rsp)\n movups %xmm2, 32(%rsp)\n movups %xmm3, 48(%rsp)\n"
    " movups %xmm4, 64(%rsp)\n movups %xmm5, 80(%rsp)\n movups %xmm6, 96(%rsp)\n movups %xmm7, 112(%rsp)\n"
    " mov %r11d, %edi\n call piece_take\n mov %rax, %r11\n"
    " movups (%rsp), %xmm0\n movups 16(%rsp), %xmm1\n movups 32(%rsp), %xmm2\n movups 48(%rsp), %xmm3\n"
    " movups 64(%rsp), %xmm4\n movups 80(%rsp), %xmm5\n movups 96(%rsp), %xmm6\n movups 112(%rsp), %xmm7\n"
    " add $136, %rsp\n pop %r9\n pop %r8\n pop %rcx\n pop %rdx\n pop %rsi\n pop %rdi\n"
    " test %r11, %r11\n jz 1f\n jmp *%r11\n1: mov $-1024, %eax\n ret\n");

static unsigned long calls, mine, pieces;
// Whether the case before the next call is still going on, and whether it has fetched results.
static int is_going_on, has_read;

static int is_taken(void) {
    if (pieces == 0) {
        const char *piece = getenv("VISA_FINALIZE_PIECE");
        if (piece == NULL || sscanf(piece, "%lu/%lu", &mine, &pieces) != 2 || pieces == 0) {
            fprintf(stderr, "VISA_FINALIZE_PIECE is not K/N\n");
            exit(2);
        }
    }
    return calls % pieces == mine;
}

// The library's own routine, or nothing, if the case is another piece's.
__attribute__((used, visibility("hidden"))) void *piece_take(int number) {
    is_going_on = is_taken();
    has_read = 0;
    calls++;
    if (!is_going_on)
        return NULL;
    return next_of(names[number]);
}

// Routines fetch and make buffers, too, which says nothing of cases.
static int is_library(void *caller) {
    Dl_info info;
    return dladdr(caller, &info) != 0 && strstr(info.dli_fname, "libclblast") != NULL;
}

// A buffer that nothing is done with: one of a size does for all skipped cases.
static struct {
    void *context, *buffer;
    size_t size;
} unused[64];

typedef void *buffer(void *, unsigned long, size_t, void *, int *);
void *clCreateBuffer(void *context, unsigned long flags, size_t size, void *host, int *status) {
    static buffer *next;
    static int (*retain)(void *);
    if (next == NULL) {
        next = (buffer *)next_of("clCreateBuffer");
        retain = (int (*)(void *))next_of("clRetainMemObject");
    }
    if (has_read && !is_library(__builtin_return_address(0)))
        is_going_on = 0;
    if (is_going_on || is_taken())
        return next(context, flags, size, host, status);
    for (size_t at = 0; at < sizeof unused / sizeof *unused; at++) {
        if (unused[at].buffer == NULL) {
            unused[at].context = context;
            unused[at].size = size;
            unused[at].buffer = next(context, flags, size, host, status);
            if (unused[at].buffer == NULL)
                return NULL;
        }
        if (unused[at].context == context && unused[at].size == size) {
            // The caller's to release; this one stays.
            int retained = retain(unused[at].buffer);
            if (status != NULL)
                *status = retained;
            return unused[at].buffer;
        }
    }
    return next(context, flags, size, host, status);
}

typedef int transfer(void *, void *, unsigned, size_t, size_t, void *, unsigned, void *, void **);
int clEnqueueReadBuffer(
    void *queue, void *buffer, unsigned wait, size_t at, size_t size, void *to, unsigned n, void *list, void **event
) {
    static transfer *next;
    if (next == NULL)
        next = (transfer *)next_of("clEnqueueReadBuffer");
    has_read |= !is_library(__builtin_return_address(0));
    return next(queue, buffer, wait, at, size, to, n, list, event);
}

int clEnqueueWriteBuffer(
    void *queue, void *buffer, unsigned wait, size_t at, size_t size, void *from, unsigned n, void *list, void **event
) {
    static transfer *next;
    if (next == NULL)
        next = (transfer *)next_of("clEnqueueWriteBuffer");
    if (!is_going_on && !is_taken() && event == NULL)
        return 0;
    return next(queue, buffer, wait, at, size, from, n, list, event);
}

int clFinish(void *queue) {
    static int (*next)(void *);
    if (next == NULL)
        next = (int (*)(void *))next_of("clFinish");
    // Nothing was given to the queue. The driver has work of its own with an empty one.
    if (!is_going_on && !is_taken())
        return 0;
    return next(queue);
}
