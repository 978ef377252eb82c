/* Finalizes vISA objects through two libraries that export JITCompile, opened with dlopen, side by side.
 *
 *     compare [-ON] OURS THEIRS LIST [IGA64]    per kernel: code size, GRFs, spills, microseconds of both
 *     compare [-ON] --bench OURS THEIRS LIST    first call, steady state, two threads, as ratios
 *
 * -O0, -O1 or -O2 goes to ours as an argument; theirs has none such.
 *
 * Microseconds are of processor time, so that others on the machine count for little; calls a second are not.
 *
 * LIST holds lines "PLATFORM PATH"; all kernels of each object are finalized. THEIRS may be "-". Each
 * library works in a child process of its own, so that a crash of one is a result and not the end. Exit
 * status 1: somewhere theirs gave code, and ours gave none or such that IGA64 does not decode.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef int (*compile_fn)(const char *, const void *, unsigned, void **, unsigned *, const char *, int, int, int,
                          const char **, char *, void *);
typedef void (*free_fn)(void *);
typedef void (*version_fn)(unsigned *, unsigned *);

/* The information block as media-driver declares it, which ours writes. */
struct cm_info {
    bool is_spill;
    int grfs, instructions;
    unsigned spill_bytes;
    void *debug;
    unsigned debug_size, flag_stores, flag_loads;
    bool barrier;
    unsigned blocks;
    void *block_info;
    unsigned spill_fill;
};

/* The block as release 1.0.12504 of Intel's library writes it: other fields, so other offsets. */
struct igc_info {
    bool is_spill;
    int grfs, instructions;
    unsigned pressure, spill_bytes;
    void *debug;
    unsigned debug_size, flag_stores, flag_loads, barriers, blocks;
    void *block_info;
    unsigned spill_fill;
};

struct library {
    const char *name, *arg;
    bool ours;
    compile_fn compile;
    free_fn release;
};

struct object {
    char platform[16];
    char path[4096];
    uint8_t *bytes;
    unsigned size;
    int major, minor;
};

struct result {
    int code;      /* what JITCompile returned, or -signal if it crashed */
    unsigned size; /* bytes of code */
    int grfs;
    unsigned spill_bytes, spill_fill;
    double first_us, us;
    char message[512];
};

/* The fastest of up to so many calls in so much time counts. */
enum { RUNS = 20, RUNS_US = 30000 };

enum { INFO_BYTES = 4096, MESSAGE_BYTES = 512 };

static double now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

/* Processor time of all threads. */
static double cpu_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static bool open_library(struct library *l, const char *path, bool ours) {
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        fprintf(stderr, "%s\n", dlerror());
        return false;
    }
    l->name = path;
    l->ours = ours;
    *(void **)&l->compile = dlsym(handle, "JITCompile");
    *(void **)&l->release = dlsym(handle, "freeBlock");
    version_fn version;
    *(void **)&version = dlsym(handle, "getJITVersion");
    if (!l->compile || !l->release || !version || !dlsym(handle, "JITCompile_v2")) {
        fprintf(stderr, "%s lacks a function of the interface\n", path);
        return false;
    }
    unsigned major = 0, minor = 0;
    version(&major, &minor);
    printf("%s: vISA %u.%u\n", path, major, minor);
    return true;
}

static bool load(struct object *o) {
    FILE *f = fopen(o->path, "rb");
    if (!f) return false;
    fseek(f, 0, SEEK_END);
    o->size = (unsigned)ftell(f);
    rewind(f);
    o->bytes = calloc(1, o->size + 8);
    bool whole = fread(o->bytes, 1, o->size, f) == o->size;
    fclose(f);
    if (!whole || o->size < 8 || memcmp(o->bytes, "CISA", 4)) return false;
    o->major = o->bytes[4];
    o->minor = o->bytes[5];
    return true;
}

/* The name of kernel `index`; false if there are fewer. Versions before 3.7 only. */
static bool kernel_name(const struct object *o, unsigned index, char name[256]) {
    unsigned at = 6, count = o->bytes[at] | o->bytes[at + 1] << 8;
    if (index >= count) return false;
    at += 2;
    for (unsigned k = 0; k <= index; k++) {
        if (at >= o->size) return false;
        unsigned length = o->bytes[at++];
        if (at + length + 12 >= o->size) return false;
        memcpy(name, o->bytes + at, length);
        name[length] = 0;
        at += length + 12;
        for (int table = 0; table < 2; table++) at += 2 + 4 * (o->bytes[at] | o->bytes[at + 1] << 8);
        at += 1 + 9 * o->bytes[at];
    }
    return true;
}

/* One call. The code goes to `keep` if that is not null. */
static int call(const struct library *l, const struct object *o, const char *kernel, struct result *r, FILE *keep) {
    static __thread char info[INFO_BYTES] __attribute__((aligned(16)));
    void *code = NULL;
    unsigned size = 0;
    r->message[0] = 0;
    const char *args[] = {l->arg};
    int status = l->compile(kernel, o->bytes, o->size, &code, &size, o->platform, o->major, o->minor, l->arg != NULL,
                            l->arg ? args : NULL, r->message, info);
    if (status == 0) {
        const struct cm_info *a = (void *)info;
        const struct igc_info *b = (void *)info;
        r->size = size;
        r->grfs = a->grfs;
        r->spill_bytes = l->ours ? a->spill_bytes : b->spill_bytes;
        r->spill_fill = l->ours ? a->spill_fill : b->spill_fill;
        if (keep) fwrite(code, 1, size, keep);
        l->release(code);
    }
    return status;
}

/* What the child does: the work, then the result through the pipe. */
typedef void (*work_fn)(void *, struct result *);

static void in_child(work_fn work, void *what, struct result *r) {
    int ends[2];
    memset(r, 0, sizeof *r);
    fflush(stdout);
    if (pipe(ends)) exit(2);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        /* Intel's library prints. */
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(2);
        work(what, r);
        ssize_t written = write(ends[1], r, sizeof *r);
        _exit(written == sizeof *r ? 0 : 2);
    }
    close(ends[1]);
    ssize_t got = read(ends[0], r, sizeof *r);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (got != sizeof *r) {
        memset(r, 0, sizeof *r);
        r->code = WIFSIGNALED(status) ? -WTERMSIG(status) : -99;
    }
}

struct job {
    const struct library *library;
    const struct object *object;
    const char *kernel, *keep;
};

static void compile_some(void *what, struct result *r) {
    struct job *j = what;
    FILE *keep = j->keep ? fopen(j->keep, "wb") : NULL;
    double t = cpu_us();
    r->code = call(j->library, j->object, j->kernel, r, keep);
    r->first_us = r->us = cpu_us() - t;
    if (keep) fclose(keep);
    double start = t;
    for (int i = 1; i < RUNS && r->code == 0 && (i < 3 || t - start < RUNS_US); i++) {
        t = cpu_us();
        call(j->library, j->object, j->kernel, r, NULL);
        double us = cpu_us() - t;
        if (us < r->us) r->us = us;
    }
}

static const char *iga_platform(const char *platform) {
    static const char *const names[][2] = {{"bdw", "8"},    {"chv", "8"}, {"skl", "9"},       {"bxt", "9"},
                                           {"icllp", "11"}, {"tgllp", "12p1"}, {"pvc", "12p72"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcasecmp(platform, names[i][0])) return names[i][1];
    return "9";
}

static bool decodes(const char *iga, const char *platform, const char *file) {
    char command[9000];
    snprintf(command, sizeof command, "'%s' -d -p=%s '%s' >/dev/null 2>&1", iga, iga_platform(platform), file);
    return system(command) == 0;
}

static void show(const struct result *r) {
    if (r->code < 0)
        printf("  crash %-2d %42s", -r->code, "");
    else if (r->code > 0)
        printf("  code %-3d %42s", r->code, "");
    else
        printf("  %7u B %4d GRFs %6u B spills %9.0f us", r->size, r->grfs, r->spill_bytes, r->us);
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int compare(struct library lib[2], int libraries, FILE *list, const char *iga) {
    struct object o;
    unsigned kernels = 0, ours = 0, theirs = 0, crashes = 0, worse = 0, better = 0, both = 0;
    double us[2] = {0, 0};
    uint64_t bytes[2] = {0, 0};
    static double ratios[20000];
    char keep[] = "/tmp/compare-XXXXXX";
    int fd = mkstemp(keep);
    if (fd < 0) return 2;
    close(fd);
    memset(&o, 0, sizeof o);
    while (fscanf(list, "%15s %4095[^\n]", o.platform, o.path) == 2) {
        if (!load(&o)) {
            printf("%s: not an object\n", o.path);
            worse++;
            continue;
        }
        char name[256];
        for (unsigned k = 0; kernel_name(&o, k, name); k++) {
            struct result r[2];
            memset(r, 0, sizeof r);
            struct job job = {&lib[0], &o, name, keep};
            in_child(compile_some, &job, &r[0]);
            if (libraries > 1) {
                job.library = &lib[1];
                job.keep = NULL;
                in_child(compile_some, &job, &r[1]);
            } else {
                r[1].code = -99;
            }
            kernels++;
            ours += r[0].code == 0;
            theirs += r[1].code == 0;
            crashes += libraries > 1 && r[1].code < 0;
            better += libraries > 1 && r[0].code == 0 && r[1].code != 0;
            const char *base = strrchr(o.path, '/');
            printf("%-6s %-60.60s", o.platform, name[0] ? name : base);
            show(&r[0]);
            if (libraries > 1) show(&r[1]);
            bool bad = r[0].code < 0 || (r[0].code != 0 && (libraries == 1 || r[1].code == 0));
            if (r[0].code == 0 && iga && !decodes(iga, o.platform, keep)) {
                bad = true;
                printf("  IGA64 REFUSES OURS");
            }
            if (r[0].code != 0) printf("  ours: %.200s", r[0].message);
            worse += bad;
            printf(bad ? "  WORSE\n" : "\n");
            if (r[0].code == 0 && r[1].code == 0) {
                if (both < sizeof ratios / sizeof *ratios) ratios[both] = r[1].us / r[0].us;
                both++;
                for (int i = 0; i < 2; i++) {
                    us[i] += r[i].us;
                    bytes[i] += r[i].size;
                }
            }
        }
        free(o.bytes);
    }
    unlink(keep);
    printf("%u kernels: ours gave code for %u, theirs for %u and crashed on %u; ours alone %u; worse %u\n", kernels,
           ours, theirs, crashes, better, worse);
    unsigned kept = both < sizeof ratios / sizeof *ratios ? both : sizeof ratios / sizeof *ratios;
    qsort(ratios, kept, sizeof *ratios, by_size);
    if (both)
        printf("the %u that both gave code for: median %.1fx faster, one in ten below %.1fx, one in ten above %.1fx\n"
               "all of them: %.0f us against %.0f us, %.1fx faster; %llu bytes against %llu, %.3f\n",
               both, ratios[kept / 2], ratios[kept / 10], ratios[kept - 1 - kept / 10], us[0], us[1], us[1] / us[0], (unsigned long long)bytes[0], (unsigned long long)bytes[1],
               (double)bytes[0] / (double)bytes[1]);
    return worse != 0;
}

/* Benchmarks. */

enum { SECONDS_EACH = 1 };

/* First call in a fresh process, then the median of as many calls as fit a second. */
static void steady(void *what, struct result *r) {
    struct job *j = what;
    static double times[200000];
    int n = 0;
    double start = cpu_us();
    r->code = call(j->library, j->object, j->kernel, r, NULL);
    r->first_us = cpu_us() - start;
    start = now_us();
    while (r->code == 0 && n < 200000 && (n < 3 || now_us() - start < SECONDS_EACH * 1e6)) {
        double t = cpu_us();
        call(j->library, j->object, j->kernel, r, NULL);
        times[n++] = cpu_us() - t;
    }
    if (n) {
        qsort(times, n, sizeof *times, by_size);
        r->us = times[n / 2];
    }
}

struct turn {
    struct job job;
    double until;
    unsigned calls;
    uint64_t hash;
};

static void *take_turn(void *what) {
    struct turn *t = what;
    struct result r;
    memset(&r, 0, sizeof r);
    while (now_us() < t->until)
        if (call(t->job.library, t->job.object, t->job.kernel, &r, NULL) == 0) t->calls++;
    return NULL;
}

struct both {
    struct job job;
    int threads;
};

/* Calls a second on some threads, to `us`, and processor time of a call, to `first_us`. */
static void throughput(void *what, struct result *r) {
    struct both *b = what;
    pthread_t threads[8];
    struct turn turns[8];
    unsigned calls = 0;
    call(b->job.library, b->job.object, b->job.kernel, r, NULL);
    double start = now_us(), cpu = cpu_us();
    for (int i = 0; i < b->threads; i++) {
        turns[i] = (struct turn){b->job, start + SECONDS_EACH * 1e6, 0, 0};
        pthread_create(&threads[i], NULL, take_turn, &turns[i]);
    }
    for (int i = 0; i < b->threads; i++) {
        pthread_join(threads[i], NULL);
        calls += turns[i].calls;
    }
    r->us = calls / ((now_us() - start) / 1e6);
    r->first_us = (cpu_us() - cpu) / (calls ? calls : 1);
}

static int bench(struct library lib[2], int libraries, FILE *list) {
    static struct object objects[16];
    int count = 0;
    printf("%-44s %12s %12s %8s %12s %12s %8s\n", "", "first, us", "theirs", "ratio", "steady, us", "theirs", "ratio");
    while (count < 16 && fscanf(list, "%15s %4095[^\n]", objects[count].platform, objects[count].path) == 2) {
        struct object *o = &objects[count];
        char name[256];
        if (!load(o) || !kernel_name(o, 0, name)) continue;
        count++;
        struct result r[2];
        memset(r, 0, sizeof r);
        for (int i = 0; i < libraries; i++) {
            struct job job = {&lib[i], o, name, NULL};
            in_child(steady, &job, &r[i]);
        }
        printf("%-6s %-37.37s %12.0f %12.0f %7.1fx %12.0f %12.0f %7.1fx\n", o->platform, strrchr(o->path, '/') + 1,
               r[0].first_us, r[1].first_us, r[1].first_us / r[0].first_us, r[0].us, r[1].us, r[1].us / r[0].us);
    }
    printf("%-44s %12s %12s %8s %s\n", "kernels a second", "one thread", "two", "ratio",
           "on free cores, by processor time");
    for (int n = 0; n < count; n++) {
        char name[256];
        kernel_name(&objects[n], 0, name);
        for (int i = 0; i < libraries; i++) {
            struct result r[2];
            for (int threads = 1; threads <= 2; threads++) {
                struct both b = {{&lib[i], &objects[n], name, NULL}, threads};
                in_child(throughput, &b, &r[threads - 1]);
            }
            printf("%-6s %-30.30s %-6s %12.1f %12.1f %7.2fx %7.2fx\n", objects[n].platform,
                   strrchr(objects[n].path, '/') + 1, i ? "theirs" : "ours", r[0].us, r[1].us, r[1].us / r[0].us,
                   2 * r[0].first_us / r[1].first_us);
        }
    }
    return 0;
}

int main(int argc, char **argv) {
    const char *level = argc > 1 && !strncmp(argv[1], "-O", 2) ? argv[1] : NULL;
    argv += level != NULL;
    argc -= level != NULL;
    bool benches = argc > 1 && !strcmp(argv[1], "--bench");
    argv += benches;
    argc -= benches;
    if (argc < 4) {
        fprintf(stderr, "usage: compare [-ON] [--bench] OURS THEIRS LIST [IGA64]\n");
        return 2;
    }
    struct library lib[2];
    int libraries = 1;
    lib[0].arg = level;
    lib[1].arg = NULL;
    if (!open_library(&lib[0], argv[1], true)) return 2;
    if (strcmp(argv[2], "-")) {
        if (!open_library(&lib[1], argv[2], false)) return 2;
        libraries = 2;
    }
    FILE *list = fopen(argv[3], "r");
    if (!list) return 2;
    int status = benches ? bench(lib, libraries, list) : compare(lib, libraries, list, argc > 4 ? argv[4] : NULL);
    fclose(list);
    return status;
}
