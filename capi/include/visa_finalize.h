/* The finalizer: vISA in, Gen machine code out. Generated from capi/src/exports by cbindgen.
 *
 * Ownership: what a function hands out through `out` or `error` is the caller's, and ends with the `_free`
 * of its name; what is reached from a handle lives as long as the handle. A pointer may be null where the
 * function's text says so; elsewhere null gives VF_BAD_ARGUMENT, 0 or null, never a crash.
 *
 * Threads: a vf_finalizer serves one thread at a time, any number of them may be in use at once. Results and
 * errors do not change, so all threads may read them; free them once. There are no locks and no state
 * that handles share.
 *
 * Nothing unwinds or jumps out of a function, nothing is printed, no file is touched, no signal is handled.
 * A structure that the caller fills in carries its size, so that a later library can tell.
 */

#ifndef VISA_FINALIZE_H
#define VISA_FINALIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 The version of this interface. A library whose `vf_abi_version` gives another number than the header
 that a program was compiled with does not fit it.
 */
#define VF_ABI_VERSION 1

/*
 What a function says of its work.
 */
typedef enum vf_status {
  /*
   Done.
   */
  VF_OK = 0,
  /*
   A pointer is null or not aligned, or a size is not one that the library knows.
   */
  VF_BAD_ARGUMENT = 1,
  /*
   The platform is not known.
   */
  VF_UNKNOWN_PLATFORM = 2,
  /*
   The object has no kernel of that name.
   */
  VF_UNKNOWN_KERNEL = 3,
  /*
   The input is refused; the error lists every fault.
   */
  VF_REFUSED = 4,
  /*
   A fault of the library. The finalizer may be used on.
   */
  VF_FAULT = 5,
  /*
   Another thread has asked for the end of the call: `vf_cancel_request`.
   */
  VF_CANCELLED = 6,
  /*
   The call takes more memory than `memory-limit` allows.
   */
  VF_MEMORY_LIMIT = 7,
} vf_status;

/*
 Where in the input a fault stands.
 */
typedef enum vf_place {
  /*
   The input as a whole.
   */
  VF_PLACE_INPUT = 0,
  /*
   `offset`: a byte of an object.
   */
  VF_PLACE_OFFSET = 1,
  /*
   `line` and `column` of a text, from 1.
   */
  VF_PLACE_LINE = 2,
} vf_place;

/*
 How machine code is written as text.
 */
typedef enum vf_listing {
  /*
   IGA's syntax, which `vf_assemble` reads.
   */
  VF_LISTING_ASM = 0,
  /*
   IGA's JSON, version 2.0.
   */
  VF_LISTING_JSON = 1,
} vf_listing;

/*
 The code of all kernels that were asked for.
 */
typedef struct vf_binaries vf_binaries;

/*
 The code of one kernel, and what a launch needs. Belongs to its `vf_binaries`.
 */
typedef struct vf_binary vf_binary;

/*
 Bytes or text.
 */
typedef struct vf_buffer vf_buffer;

/*
 Ends calls that run, from another thread.
 */
typedef struct vf_cancel vf_cancel;

/*
 Faults with their strings.
 */
typedef struct vf_error vf_error;

/*
 Finalizes kernels for one platform. Keeps scratch memory from call to call; not for two threads at
 once.
 */
typedef struct vf_finalizer vf_finalizer;

/*
 What an object holds.
 */
typedef struct vf_object vf_object;

/*
 What may be chosen. Zeros are what a runtime wants.
 */
typedef struct vf_options {
  /*
   `sizeof(vf_options)`.
   */
  size_t struct_size;
  /*
   Leave every instruction at its full 16 bytes.
   */
  bool no_compaction;
  /*
   Check the code against the hardware's rules and prove the register allocation. Costs time.
   */
  bool verify;
  /*
   Look for what the kernel's author hardly meant; see `vf_binary_warnings`.
   */
  bool warnings;
  /*
   Refuse whatever breaks a rule of the specification, warnings too.
   */
  bool strict;
} vf_options;

/*
 What a launch needs to know of a kernel.
 */
typedef struct vf_kernel_info {
  /*
   `sizeof(vf_kernel_info)`, set by the caller.
   */
  size_t struct_size;
  /*
   Name.
   */
  const char *name;
  /*
   Channels of one hardware thread (1 for kernels of the vector compiler).
   */
  uint32_t simd;
  /*
   General registers the thread must be given.
   */
  uint32_t grf_count;
  /*
   General registers from `r0` to the highest one that the code touches; ends of threads are sent
   from `r112` and up.
   */
  uint32_t grfs_used;
  /*
   Shared local memory in bytes.
   */
  uint32_t slm_bytes;
  /*
   Barriers.
   */
  uint32_t barriers;
  /*
   Scratch memory of one thread in bytes, spills included.
   */
  uint32_t scratch_bytes;
  /*
   Bytes of that used by spills.
   */
  uint32_t spill_bytes;
  /*
   Bytes from the start of the code to the entry that skips loading of per-thread data, a multiple of
   64: for launches whose hardware puts local ids into registers. 0 if there is nothing to skip.
   */
  uint32_t skip_per_thread_load;
  /*
   Bytes from the start of the code to what follows the loads of cross-thread data, or 0.
   */
  uint32_t skip_cross_thread_load;
  /*
   vISA instructions.
   */
  uint32_t visa_instructions;
  /*
   Gen instructions.
   */
  uint32_t gen_instructions;
  /*
   Registers stored to scratch.
   */
  uint32_t spills;
  /*
   Registers loaded from scratch.
   */
  uint32_t fills;
  /*
   Flag and address values that had to wait in general registers.
   */
  uint32_t flag_spills;
} vf_kernel_info;

/*
 One input of a kernel.
 */
typedef struct vf_input {
  /*
   The variable's name.
   */
  const char *name;
  /*
   0 general, 1 sampler, 2 surface.
   */
  uint32_t kind;
  /*
   0 a kernel argument, 1 local size, 2 group count, 3 local id, 16 in registers already.
   */
  uint32_t provenance;
  /*
   Byte offset in the register file at kernel start.
   */
  uint32_t offset;
  /*
   Bytes.
   */
  uint32_t size;
} vf_input;

/*
 A dword of the code that a linker fills in.
 */
typedef struct vf_relocation {
  /*
   The symbol whose address it is.
   */
  const char *symbol;
  /*
   2 the low, 3 the high 32 bits of the address.
   */
  uint32_t kind;
  /*
   Bytes from the start of the code.
   */
  uint32_t offset;
} vf_relocation;

/*
 A name that the code defines.
 */
typedef struct vf_symbol {
  /*
   The name.
   */
  const char *name;
  /*
   2 a function, 6 a kernel.
   */
  uint32_t kind;
  /*
   Bytes from the start of the code.
   */
  uint32_t offset;
  /*
   Bytes.
   */
  uint32_t size;
} vf_symbol;

/*
 One fault.
 */
typedef struct vf_fault {
  /*
   Stable name of the fault: `UnknownOpcode`.
   */
  const char *code;
  /*
   What is wrong, what was found, what is allowed.
   */
  const char *message;
  /*
   The kernel, or null.
   */
  const char *kernel;
  /*
   The vISA instruction, or null.
   */
  const char *instruction;
  /*
   The operand, declaration or field of the format that it is about, or null.
   */
  const char *field;
  /*
   The instruction's number in the kernel, or -1.
   */
  int64_t instruction_index;
  /*
   What the place counts.
   */
  enum vf_place place;
  /*
   Byte offset.
   */
  uint64_t offset;
  /*
   Line.
   */
  uint32_t line;
  /*
   Column.
   */
  uint32_t column;
  /*
   Bytes of the line that are at fault, from the column on; 0 where that is not known.
   */
  uint32_t length;
} vf_fault;

/*
 An object as a whole.
 */
typedef struct vf_object_summary {
  /*
   The version of the format: `major.minor`.
   */
  uint32_t version_major;
  /*
   The number behind the point.
   */
  uint32_t version_minor;
  /*
   Kernels.
   */
  size_t kernels;
  /*
   Functions that kernels call.
   */
  size_t functions;
} vf_object_summary;

/*
 A kernel of an object.
 */
typedef struct vf_kernel_summary {
  /*
   Name.
   */
  const char *name;
  /*
   vISA instructions.
   */
  size_t visa_instructions;
  /*
   Inputs, for `vf_object_input`.
   */
  size_t inputs;
  /*
   Pieces of machine code that the object carries, for `vf_object_code`.
   */
  size_t codes;
} vf_kernel_summary;

/*
 Machine code that an object carries.
 */
typedef struct vf_embedded_code {
  /*
   The platform's name, as `vf_finalizer_new` takes it; null for one that the library does not know.
   */
  const char *platform;
  /*
   The number that the object gives it.
   */
  uint32_t platform_number;
  /*
   The code.
   */
  const uint8_t *code;
  /*
   Its bytes.
   */
  size_t size;
} vf_embedded_code;

/*
 Code of another line of source code begins.
 */
typedef struct vf_line {
  /*
   Bytes from the start of the code.
   */
  uint32_t offset;
  /*
   The line; 0 where the code is for no line.
   */
  uint32_t line;
  /*
   The file, as the vISA names it; null where the vISA names none.
   */
  const char *file;
  /*
   Whether this is the first code of its mark: a place to stop at.
   */
  bool is_statement;
} vf_line;

/*
 Bytes of the register file.
 */
typedef struct vf_register_bytes {
  /*
   The first byte; `r1` begins behind the bytes of `r0`.
   */
  uint32_t offset;
  /*
   How many.
   */
  uint32_t size;
} vf_register_bytes;

/*
 Time that one pass took.
 */
typedef struct vf_pass_time {
  /*
   The name of the pass.
   */
  const char *pass;
  /*
   Wall-clock time.
   */
  uint64_t nanoseconds;
} vf_pass_time;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 The version of the interface that the library has, `VF_ABI_VERSION`: for programs that load it at run
 time.
 */
uint32_t vf_abi_version(void);

/*
 The library's version, `major.minor.patch`.
 */
const char *vf_version(void);

/*
 Makes a finalizer for a platform by its name (`skl`, or another of the command's `--platform`), in any case.

 `options` may be null. `*out` is the finalizer, for `vf_finalizer_free`; unless the status is `VF_OK`
 it is null, and `*error` says why, for `vf_error_free` (`error` may be null).

 The caller promises:
 `platform` is a C string or null; `options` points to options or is null; `out` and `error` have room
 for a pointer or are null.
 */
enum vf_status vf_finalizer_new(const char *platform,
                                const struct vf_options *options,
                                struct vf_finalizer **out,
                                struct vf_error **error);

/*
 Ends a finalizer. Null is nothing to end.

 The caller promises:
 The pointer is null or from `vf_finalizer_new`, and is not used afterwards.
 */
void vf_finalizer_free(struct vf_finalizer *finalizer);

/*
 Finalizes a vISA object, or vISA assembly (told apart by the object's first bytes).

 `kernel` names the kernel that is wanted; null means all, in the input's order, on up to `threads`
 threads (0 and 1 mean this one; the code is the same). `*out` is the result, for `vf_binaries_free`;
 unless the status is `VF_OK` it is null, and `*error` says why, for `vf_error_free` (`error` may be
 null).

 The caller promises:
 `finalizer` is from `vf_finalizer_new` or null, and in use by no other thread; `input` points to `size`
 bytes or is null; `kernel` is a C string or null; `out` and `error` have room for a pointer or are
 null.
 */
enum vf_status vf_finalize(struct vf_finalizer *finalizer,
                           const uint8_t *input,
                           size_t size,
                           const char *kernel,
                           uint32_t threads,
                           struct vf_binaries **out,
                           struct vf_error **error);

/*
 Number of kernels; 0 for null.

 The caller promises:
 The pointer is null or from `vf_finalize`.
 */
size_t vf_binaries_count(const struct vf_binaries *binaries);

/*
 The code of kernel `index`, which lives as long as `binaries`; null if there is none.

 The caller promises:
 The pointer is null or from `vf_finalize`.
 */
const struct vf_binary *vf_binaries_get(const struct vf_binaries *binaries, size_t index);

/*
 Ends a result and all that was reached from it. Null is nothing to end.

 The caller promises:
 The pointer is null or from `vf_finalize`, and is not used afterwards.
 */
void vf_binaries_free(struct vf_binaries *binaries);

/*
 The machine code, `*size` bytes of it; null if `binary` or `size` is null.

 The caller promises:
 `binary` is null or from `vf_binaries_get`; `size` has room for a number or is null.
 */
const uint8_t *vf_binary_code(const struct vf_binary *binary, size_t *size);

/*
 Fills `*info`, whose `struct_size` the caller has set.

 The caller promises:
 `binary` is null or from `vf_binaries_get`; `info` is null or has `info->struct_size` bytes.
 */
enum vf_status vf_binary_info(const struct vf_binary *binary, struct vf_kernel_info *info);

/*
 Number of inputs; 0 for null.

 The caller promises:
 The pointer is null or from `vf_binaries_get`.
 */
size_t vf_binary_input_count(const struct vf_binary *binary);

/*
 Fills `*input` with input `index`.

 The caller promises:
 `binary` is null or from `vf_binaries_get`; `input` has room for an input or is null.
 */
enum vf_status vf_binary_input(const struct vf_binary *binary,
                               size_t index,
                               struct vf_input *input);

/*
 Number of relocations; 0 for null.

 The caller promises:
 The pointer is null or from `vf_binaries_get`.
 */
size_t vf_binary_relocation_count(const struct vf_binary *binary);

/*
 Fills `*relocation` with relocation `index`.

 The caller promises:
 `binary` is null or from `vf_binaries_get`; `relocation` has room for a relocation or is null.
 */
enum vf_status vf_binary_relocation(const struct vf_binary *binary,
                                    size_t index,
                                    struct vf_relocation *relocation);

/*
 Number of symbols; 0 for null.

 The caller promises:
 The pointer is null or from `vf_binaries_get`.
 */
size_t vf_binary_symbol_count(const struct vf_binary *binary);

/*
 Fills `*symbol` with symbol `index`.

 The caller promises:
 `binary` is null or from `vf_binaries_get`; `symbol` has room for a symbol or is null.
 */
enum vf_status vf_binary_symbol(const struct vf_binary *binary,
                                size_t index,
                                struct vf_symbol *symbol);

/*
 The warnings of a kernel, which live as long as it; null for null. Look at them with `vf_error_count`
 and `vf_error_get`; do not free them.

 The caller promises:
 The pointer is null or from `vf_binaries_get`.
 */
const struct vf_error *vf_binary_warnings(const struct vf_binary *binary);

/*
 Number of faults; 0 for null.

 The caller promises:
 The pointer is null, from `vf_binary_warnings`, or an error that a function has handed out.
 */
size_t vf_error_count(const struct vf_error *error);

/*
 Fills `*fault` with fault `index`, whose strings live as long as `error`.

 The caller promises:
 `error` as for `vf_error_count`; `fault` has room for a fault or is null.
 */
enum vf_status vf_error_get(const struct vf_error *error, size_t index, struct vf_fault *fault);

/*
 Ends an error. Null is nothing to end.

 The caller promises:
 The pointer is null or an error that a function has handed out, and is not used afterwards.
 */
void vf_error_free(struct vf_error *error);

/*
 Machine code as text. Words that are no instruction of the platform are listed as such.

 `listing` is a `vf_listing`. `*out` is the text, for `vf_buffer_free`; unless the status is `VF_OK` it is
 null, and `*error` says why, for `vf_error_free` (`error` may be null).

 The caller promises:
 `platform` is a C string or null; `code` points to `size` bytes or is null; `out` and `error` have room for a
 pointer or are null.
 */
enum vf_status vf_disassemble(const char *platform,
                              const uint8_t *code,
                              size_t size,
                              uint32_t listing,
                              struct vf_buffer **out,
                              struct vf_error **error);

/*
 The machine code of a listing in IGA's syntax. `compact` makes 8-byte words wherever they do; else only where
 the text asks for them.

 `*out` is the code, for `vf_buffer_free`; unless the status is `VF_OK` it is null, and `*error` has every
 fault with its line, for `vf_error_free` (`error` may be null).

 The caller promises:
 `platform` is a C string or null; `text` points to `size` bytes or is null; `out` and `error` have room for a
 pointer or are null.
 */
enum vf_status vf_assemble(const char *platform,
                           const char *text,
                           size_t size,
                           bool compact,
                           struct vf_buffer **out,
                           struct vf_error **error);

/*
 The input with new code for the finalizer's platform. An object keeps the code that it has for other platforms;
 assembly becomes an object; in a compiled program (zebin, with its vISA) the new code replaces the compiler's.

 `*out` is the file's content, for `vf_buffer_free`; unless the status is `VF_OK` it is null, and `*error` says
 why, for `vf_error_free` (`error` may be null).

 The caller promises:
 `finalizer` is from `vf_finalizer_new` or null, and in use by no other thread; `input` points to `size` bytes
 or is null; `out` and `error` have room for a pointer or are null.
 */
enum vf_status vf_retarget(struct vf_finalizer *finalizer,
                           const uint8_t *input,
                           size_t size,
                           struct vf_buffer **out,
                           struct vf_error **error);

/*
 What a buffer holds, `*size` bytes of it and a zero behind them; null if `buffer` or `size` is null.

 The caller promises:
 `buffer` is null or one that a function has handed out; `size` has room for a number or is null.
 */
const char *vf_buffer_data(const struct vf_buffer *buffer,
                           size_t *size);

/*
 Ends a buffer. Null is nothing to end.

 The caller promises:
 The pointer is null or one that a function has handed out, and is not used afterwards.
 */
void vf_buffer_free(struct vf_buffer *buffer);

/*
 Sets an option by its name, for what is finalized from now on:

 - `opt-level` (`0`, `1`, `2`): how much work goes into good code. `skip-pass`: the name of a pass that code is right
   without, which is left out beside those that were.
 - `grf` (`128`, `256`, `auto`), `reserved-registers` (`0` to `255`), `pairs` (`auto`, `always`, `never`),
   `stack-kilobytes` (`1` to `256`): general registers of a thread, those at the end of the file that no variable is
   given, whether threads run as pairs (Tiger Lake), scratch memory where calls have no known end.
 - `abort-on-spill` (`0` to `200`): refuses kernels with so many messages for spilled values in 200 instructions.
 - `kernel-id` (a number of 64 bits) and `start-breakpoint` (`true`, `false`): a number behind the code, a breakpoint
   before it. `compact` (`true`, `false`): 8-byte words.
 - `verify`, `warnings`, `strict` (`true`, `false`): checks after every pass, `vf_binary_warnings`, refusal of what breaks
   a rule of the specification.
 - `debug-info`, `free-registers`, `timings` (`true`, `false`): `vf_binary_debug_info` and `vf_binary_line`,
   `vf_binary_free`, `vf_binary_pass`.
 - `memory-limit`: bytes that one call may take in each of its threads beyond what the finalizer keeps from earlier
   calls, `0` for no limit; what takes more is ended between two steps of its work, with `VF_MEMORY_LIMIT`.

 Names and values that there are not give `VF_BAD_ARGUMENT`, and the error says which there are.

 The caller promises:
 `finalizer` is from `vf_finalizer_new` or null, and in use by no other thread; `name` and `value` are C
 strings or null; `error` has room for a pointer or is null.
 */
enum vf_status vf_finalizer_set(struct vf_finalizer *finalizer,
                                const char *name,
                                const char *value,
                                struct vf_error **error);

/*
 Makes a handle by which another thread can end a call; for `vf_cancel_free`. Null if the library has a fault.
 */
struct vf_cancel *vf_cancel_new(void);

/*
 Ends the calls of all finalizers that have the handle, those that run and those to come: they return
 `VF_CANCELLED` within milliseconds. From any thread, at any time, signal handlers included.

 The caller promises:
 The pointer is null or from `vf_cancel_new`.
 */
void vf_cancel_request(const struct vf_cancel *cancel);

/*
 Takes a request back: calls from now on run to their end.

 The caller promises:
 The pointer is null or from `vf_cancel_new`.
 */
void vf_cancel_reset(const struct vf_cancel *cancel);

/*
 Ends the handle; finalizers that have it go on, with or without a request as it was. Null is nothing to end.

 The caller promises:
 The pointer is null or from `vf_cancel_new`, and is not used afterwards.
 */
void vf_cancel_free(struct vf_cancel *cancel);

/*
 Gives a finalizer the handle that ends its calls; null takes it away.

 The caller promises:
 `finalizer` is from `vf_finalizer_new` or null, and in use by no other thread; `cancel` is from
 `vf_cancel_new` or null.
 */
enum vf_status vf_finalizer_set_cancel(struct vf_finalizer *finalizer,
                                       const struct vf_cancel *cancel);

/*
 Reads an object or vISA assembly without finalizing anything. `platform` says whose registers a text is for;
 null will do for objects.

 `*out` is the result, for `vf_object_free`; unless the status is `VF_OK` it is null, and `*error` says why, for
 `vf_error_free` (`error` may be null).

 The caller promises:
 `input` points to `size` bytes or is null; `platform` is a C string or null; `out` and `error` have room for a
 pointer or are null.
 */
enum vf_status vf_object_read(const uint8_t *input,
                              size_t size,
                              const char *platform,
                              struct vf_object **out,
                              struct vf_error **error);

/*
 Fills `*summary`.

 The caller promises:
 `object` is null or from `vf_object_read`; `summary` has room for one or is null.
 */
enum vf_status vf_object_info(const struct vf_object *object, struct vf_object_summary *summary);

/*
 Fills `*kernel` with kernel `index`.

 The caller promises:
 `object` is null or from `vf_object_read`; `kernel` has room for one or is null.
 */
enum vf_status vf_object_kernel(const struct vf_object *object,
                                size_t index,
                                struct vf_kernel_summary *kernel);

/*
 Fills `*input` with input `index` of a kernel.

 The caller promises:
 `object` is null or from `vf_object_read`; `input` has room for one or is null.
 */
enum vf_status vf_object_input(const struct vf_object *object,
                               size_t kernel,
                               size_t index,
                               struct vf_input *input);

/*
 Fills `*code` with piece `index` of the machine code that a kernel carries.

 The caller promises:
 `object` is null or from `vf_object_read`; `code` has room for one or is null.
 */
enum vf_status vf_object_code(const struct vf_object *object,
                              size_t kernel,
                              size_t index,
                              struct vf_embedded_code *code);

/*
 Ends an object and all that was reached from it. Null is nothing to end.

 The caller promises:
 The pointer is null or from `vf_object_read`, and is not used afterwards.
 */
void vf_object_free(struct vf_object *object);

/*
 Debug information in the form of Intel's finalizer (its `.dbg` file), `*size` bytes of it; null where the option
 `debug-info` was not set, or `binary` or `size` is null.

 The caller promises:
 `binary` is null or from `vf_binaries_get`; `size` has room for a number or is null.
 */
const uint8_t *vf_binary_debug_info(const struct vf_binary *binary,
                                    size_t *size);

/*
 Number of places in the code where another line begins; 0 for null, and where the option `debug-info` was not set
 or the vISA names no lines.

 The caller promises:
 The pointer is null or from `vf_binaries_get`.
 */
size_t vf_binary_line_count(const struct vf_binary *binary);

/*
 Fills `*line` with place `index`, in the order of the code.

 The caller promises:
 `binary` is null or from `vf_binaries_get`; `line` has room for a line or is null.
 */
enum vf_status vf_binary_line(const struct vf_binary *binary, size_t index, struct vf_line *line);

/*
 Number of runs of bytes of the register file that no instruction touches; 0 for null, and where the option
 `free-registers` was not set.

 The caller promises:
 The pointer is null or from `vf_binaries_get`.
 */
size_t vf_binary_free_count(const struct vf_binary *binary);

/*
 Fills `*bytes` with run `index`, from the lowest on.

 The caller promises:
 `binary` is null or from `vf_binaries_get`; `bytes` has room for a run or is null.
 */
enum vf_status vf_binary_free(const struct vf_binary *binary,
                              size_t index,
                              struct vf_register_bytes *bytes);

/*
 Number of passes that were timed; 0 for null, and where the option `timings` was not set.

 The caller promises:
 The pointer is null or from `vf_binaries_get`.
 */
size_t vf_binary_pass_count(const struct vf_binary *binary);

/*
 Fills `*time` with that of pass `index`, in the order in which they ran.

 The caller promises:
 `binary` is null or from `vf_binaries_get`; `time` has room for a time or is null.
 */
enum vf_status vf_binary_pass(const struct vf_binary *binary,
                              size_t index,
                              struct vf_pass_time *time);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* VISA_FINALIZE_H */
