/* The functions of a finalizer that media-driver's CM runtime loads, in C. Generated from
 * jit/src/exports.rs by cbindgen. Runtimes in C++ declare `genBinary`, `genBinarySize` and the numbers of
 * `getJITVersion` as references: the same at the boundary.
 */

#ifndef VISA_FINALIZE_JIT_H
#define VISA_FINALIZE_JIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 What the runtime learns about the code: the information block of media-driver's `cm_jitter_info.h`,
 field by field. (Intel's library writes a block of another layout from release to release.)
 */
typedef struct FinalizerInfo {
  /*
   The kernel needs scratch memory: registers were spilled, or a stack is kept there.
   */
  bool is_spill;
  /*
   General registers from `r0` to the highest one that the code touches. (Intel's library leaves 0
   unless asked to count.)
   */
  int num_grf_used;
  /*
   Gen instructions.
   */
  int num_asm_count;
  /*
   Scratch memory of one thread in bytes: what the kernel itself asks for (`SpillMemOffset`), spills,
   and 128 KiB where calls through the stack have no known end.
   */
  unsigned int spill_mem_used;
  /*
   Debug information, the contents of Intel's `.dbg` file, in a block for [`freeBlock`]; null unless
   `-generateDebugInfo` asks.
   */
  void *gen_debug_info;
  /*
   Its bytes.
   */
  unsigned int gen_debug_info_size;
  /*
   Flag and address values that had to wait in general registers.
   */
  unsigned int num_flag_spill_store;
  /*
   The same number: each is also read back.
   */
  unsigned int num_flag_spill_load;
  /*
   The kernel has a barrier.
   */
  bool uses_barrier;
  /*
   Number of entries of `bb_info`: always 0.
   */
  unsigned int bb_num;
  /*
   Cycle estimates: always null.
   */
  void *bb_info;
  /*
   Registers stored to and loaded from scratch, counted in messages.
   */
  unsigned int num_grf_spill_fill;
  /*
   Registers that the code leaves alone, in a block for [`freeBlock`]; null unless `-getfreegrfinfo` asks:
   `0xdeadd00d`, a count, so many pairs of the first byte and the number of bytes, `0xdeadbeef`.
   */
  void *free_grf_info;
  /*
   Its bytes.
   */
  unsigned int free_grf_info_size;
} FinalizerInfo;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Compiles one kernel of a vISA object.

 Returns 0 done, 1 bad input, 3 the kernel is refused, 5 unknown platform.

 The caller promises:
 `kernel_name`, `platform` and the first `num_args` of `args` are C strings or null; `kernel_isa` has
 `kernel_isa_size` bytes; `gen_binary` and `gen_binary_size` have room for a pointer and a number;
 `error_msg` has 512 bytes or is null; `jit_info` has room for an information block or is null.
 */
int JITCompile(const char *kernel_name,
               const void *kernel_isa,
               unsigned int kernel_isa_size,
               void **gen_binary,
               unsigned int *gen_binary_size,
               const char *platform,
               int major_version,
               int minor_version,
               int num_args,
               const char *const *args,
               char *error_msg,
               struct FinalizerInfo *jit_info);

/*
 Compiles one kernel of a vISA object, as [`JITCompile`] does. `extra_info`, a pointer that GTPin hands
 through, is not looked at.

 The caller promises:
 What JITCompile asks for.
 */
int JITCompile_v2(const char *kernel_name,
                  const void *kernel_isa,
                  unsigned int kernel_isa_size,
                  void **gen_binary,
                  unsigned int *gen_binary_size,
                  const char *platform,
                  int major_version,
                  int minor_version,
                  int num_args,
                  const char *const *args,
                  char *error_msg,
                  struct FinalizerInfo *jit_info,
                  void *_extra_info);

/*
 Frees code that [`JITCompile`] gave. Null is nothing to free.

 The caller promises:
 The pointer is null or from [`JITCompile`], and was not freed before.
 */
void freeBlock(void *block);

/*
 The newest vISA version that is read.

 The caller promises:
 Each pointer is null or has room for a number.
 */
void getJITVersion(unsigned int *major, unsigned int *minor);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* VISA_FINALIZE_JIT_H */
