//! The messages whose views are structs, for lowering and the interpreter hand them on whole: samples, render target
//! writes, and the load/store cache. An entry says all of a message, as those of `message` do and in the same words, and
//! the struct follows from it, too.
//!
//! | part | what |
//! |---|---|
//! | `structs` | views of opcodes: `Sample3d = 0x6d "sample_3d" (kind = SampleKind::Sample)` is opcode, byte, word, and what it says of the view |
//! | `lsc` | views of the load/store cache: `LscUntyped(op) [Load, Store]` is the opcode, the field of the view that has the operation, and all operations that have these fields; numbers and words are those of [`LscOp`](crate::lsc::LscOp) |
//! | `Sample<'a> sample` | the view, with a lifetime where a field refers to operands; the builder's function |
//! | `: lsc_data(op, shape)` | what raw operands hold, as in `message`; `elements(1)` where the type of the variable says how wide an element of a lane is |
//! | `Plain unless (op.is_strided())` | a field that is there unless this holds of the instruction, stored as its type says; the view of others has the type's default |
//!
//! **Why the text is not a part of an entry.** It was counted for the load/store cache. Its seven formats of text (accesses,
//! typed accesses, blocks, typed blocks, append counters, state, fences) are made of 18 kinds of part. Six of these serve
//! several formats: caches, execution size, data with their shape, operands of atomics, the address model, the address
//! size. Twelve serve one each, among them scale, offset, pitch, coordinates, the shape of a block, a second shape that has
//! to equal the first. Each kind needs its printer and its parser as it does now (`text/lsc.rs`, `text/lsc_block.rs`,
//! `text/print/lsc.rs`: 870 lines). In an entry would stand what the seven functions that put them in order say now, some
//! 100 lines; to interpret that takes as many, and conditions on the operation: data stand before the address or behind it,
//! the text of some says nothing of fields that the object has. So functions read and write the text of such messages; the
//! printer's name the fields in the order of the entry, and panic if the row has fewer.

/// Gives all entries to another macro, behind what it was handed in braces.
macro_rules! struct_instructions {
    ($then:ident $({ $($before:tt)* })?) => {
        $then! {
            $({ $($before)* })?
            structs {
                /// `sample_3d`, `load_3d`, `sample4` and their forms.
                Sample<'a> sample says (kind: SampleKind "Sample, load or gather.") [
                    Sample3d = 0x6d "sample_3d" (kind = SampleKind::Sample),
                    Load3d = 0x6e "load_3d" (kind = SampleKind::Load),
                    Gather43d = 0x6f "gather4_3d" (kind = SampleKind::Gather)
                ] on (everywhere) {
                    SAMPLE_OP                     => (
                        op: SamplerOp "Operation.",
                        pixel_null_mask: bool "Pixels that are not resident return a mask.",
                        cps: bool "Coarse pixel level-of-detail compensation.",
                        non_uniform_sampler: bool "The sampler differs between lanes."
                    ) SampleWord;
                    EXEC.sizes(&[8, 16, 32]); PRED;
                    u8("channels")                => (channels: u8 "Channels (of a gather the one channel's number).");
                    TEXEL_OFFSETS                 => (aoffimmi: Scalar "Packed texel offsets.");
                    SAMPLER                       => (sampler: (Option<SamplerId>) "Sampler, absent for loads.") Given unless (kind.is_load());
                    SURFACE.without_slm()         => (surface: SurfaceId "Surface.");
                    raw_dst("destination").types(TEXELS) => (dst: RawOperand "Destination."): elements(sampled_channels(kind, channels));
                    raw_src("paired resource").when(When::Since(308)) => (paired: RawOperand "Paired surface, or null.");
                    PARAMETERS                    => (params: (Raws) "Parameters: coordinates, bias, reference, ... in the order of the operation."): elements(1);
                }

                /// `rt_write_3d`.
                RtWrite<'a> rt_write [RtWrite3d = 0x71 "rt_write_3d"] on (everywhere) {
                    EXEC.sizes(&[8, 16, 32]); PRED;
                    u16("mode")                   => (mode: RtWriteMode "What it has and does.");
                    SURFACE.without_slm()         => (surface: SurfaceId "Surface.");
                    raw_src("header")             => (header: RawOperand "Header."): registers(1);
                    int("sample index").when(When::Bits(RtWriteMode::SAMPLE_INDEX)) => (sample_index: (Option<Scalar>) "Sample index.");
                    int("counter").when(When::Bits(RtWriteMode::COUNTER)) => (counter: (Option<Scalar>) "Coarse pixel counter.");
                    int("render target index").when(When::Bits(RtWriteMode::TARGET_INDEX)) => (target: (Option<Scalar>) "Render target index.");
                    raw_src("source 0 alpha").when(When::Bits(RtWriteMode::ALPHA)) => (alpha0: (Option<RawOperand>) "Source 0 alpha."): elements(1);
                    raw_src("output mask").when(When::Bits(RtWriteMode::OUTPUT_MASK)) => (output_mask: (Option<RawOperand>) "Output mask."): lanes(2);
                    raw_src("red"), raw_src("green"), raw_src("blue"), raw_src("alpha")
                        => (color: [RawOperand; 4] "Red, green, blue, alpha."): elements(1);
                    raw_src("depth").when(When::Bits(RtWriteMode::DEPTH)) => (depth: (Option<RawOperand>) "Depth."): lanes(4);
                    raw_src("stencil").when(When::Bits(RtWriteMode::STENCIL)) => (stencil: (Option<RawOperand>) "Stencil."): lanes(1);
                }

                /// `rt_read`: pixels of a render target. (Intel's finalizer reserves its opcode.)
                RtRead<'a> rt_read [RtRead = 0x90 "rt_read"] on (nowhere) {
                    EXEC.sizes(&[16, 32]); PRED;
                    u16("mode")                   => (mode: RtReadMode "What it has and brings.");
                    SURFACE.without_slm()         => (surface: SurfaceId "Surface.");
                    int("sample index").when(When::Bits(RtReadMode::SAMPLE_INDEX)) => (sample_index: (Option<Scalar>) "Sample index.");
                    raw_dst("destination")        => (dst: RawOperand "Red, green, blue and alpha."): lanes(4).blocks(4);
                }
            }
            lsc {
                /// Loads, stores and atomics of the load/store cache, strided ones, too.
                Lsc<'a> lsc LscUntyped(op) [
                    Load, LoadQuad, Store, StoreQuad, AtomicIinc, AtomicIdec, AtomicLoad, AtomicStore, AtomicIadd, AtomicIsub,
                    AtomicSmin, AtomicSmax, AtomicUmin, AtomicUmax, AtomicIcas, AtomicFadd, AtomicFsub, AtomicFmin, AtomicFmax,
                    AtomicFcas, AtomicAnd, AtomicOr, AtomicXor, LoadStatus, StoreUncompressed, CcsUpdate, AtomicBfadd,
                    AtomicBfsub, AtomicBfmin, AtomicBfmax, AtomicBfcas, LoadQuadStatus, LoadStrided, StoreStrided
                ] on (memory.lsc) {
                    SUB; EXEC; PRED;
                    SFID                          => (sfid: LscSfid "Shared function.");
                    L1, L3                        => (cache: [LscCache; 2] "L1 and L3 cache control.");
                    u8("address type")            => (addr_type: LscAddrType "Address model.");
                    u16("address scale")          => (addr_scale: u16 "Factor on the address (0 and 1: none).");
                    i32("address offset")         => (addr_offset: i32 "Bytes added to the address.");
                    u8("address size")            => (addr_size: LscAddrSize "Address width.");
                    SIZE, ORDER, ELEMENTS, QUAD_MASK   => (shape: LscShape "Data shape.") Shape;
                    BASE                          => (surface: Scalar "Surface (binding table index, surface state offset); ignored for flat addresses.");
                    INDEX                         => (surface_index: u32 "Surface state index.");
                    raw_dst("destination")        => (dst: RawOperand "Data read, or null."): lsc_data(op, shape);
                    raw_src("addresses").needed() => (addr: RawOperand "Addresses, or the base address of a strided access."): lsc_addresses(op, addr_size);
                    BASE.named("address pitch")   => (pitch: (Option<Scalar>) "Bytes between lanes of a strided access.") Pitch unless (!op.is_strided());
                    raw_src("source 1")           => (src1: RawOperand "Data written, first atomic operand."): lsc_data(op, shape);
                    raw_src("source 2")           => (src2: RawOperand "Second atomic operand (new value of a compare and swap).") Plain unless (op.is_strided()): lsc_data(op, shape);
                }

                /// Two-dimensional blocks of the load/store cache (prefetched if the destination is null).
                LscBlock2d<'a> lsc_block2d LscUntyped(op) [LoadBlock2d, StoreBlock2d] on (memory.lsc) {
                    SUB; EXEC; PRED;
                    SFID                          => (sfid: LscSfid "Shared function.");
                    L1, L3                        => (cache: [LscCache; 2] "L1 and L3 cache control.");
                    SIZE                          => (size: LscDataSize "Size of a datum.");
                    ORDER                         => (order: LscOrder "Transposed or not.");
                    u8("blocks")                  => (blocks: u8 "Blocks.");
                    u16("block width")            => (width: u16 "Elements per row.");
                    u16("block height")           => (height: u16 "Rows.");
                    u8("vnni")                    => (vnni: bool "VNNI transform.");
                    raw_dst("destination")        => (dst: RawOperand "Data read, or null."): lsc_blocks2d(size, order, blocks, [width, height], vnni);
                    BASE.named("surface base"), BASE.named("surface width"), BASE.named("surface height"), BASE.named("surface pitch"),
                    BASE.named("x offset"), BASE.named("y offset") => (addr: [Scalar; 6] "Surface base, width, height, pitch, x, y.");
                    raw_src("source 1")           => (src1: RawOperand "Data written, or null."): lsc_blocks2d(size, order, blocks, [width, height], vnni);
                }

                /// Append counters of the load/store cache.
                LscAppend<'a> lsc_append LscUntyped(op) [ApndctrAtomicAdd, ApndctrAtomicSub] on (memory.lsc) {
                    SUB; EXEC; PRED;
                    SFID                          => (sfid: LscSfid "Shared function.");
                    L1, L3                        => (cache: [LscCache; 2] "L1 and L3 cache control.");
                    u8("address type")            => (addr_type: LscAddrType "Address model.");
                    SIZE, ORDER, ELEMENTS, QUAD_MASK   => (shape: LscShape "Data shape.") Shape;
                    BASE                          => (surface: Scalar "Surface.");
                    INDEX                         => (surface_index: u32 "Surface state index.");
                    raw_dst("destination")        => (dst: RawOperand "Old value.");
                    raw_src("source 1")           => (src1: RawOperand "Data.");
                }

                /// Typed accesses of the load/store cache.
                LscTyped<'a> lsc_typed LscTyped(op) [
                    LoadQuad, StoreQuad, AtomicIinc, AtomicIdec, AtomicLoad, AtomicStore, AtomicIadd, AtomicIsub, AtomicSmin,
                    AtomicSmax, AtomicUmin, AtomicUmax, AtomicIcas, AtomicFadd, AtomicFsub, AtomicFmin, AtomicFmax, AtomicFcas,
                    AtomicAnd, AtomicOr, AtomicXor, LoadStatus, StoreUncompressed, CcsUpdate, ReadStateInfo, LoadQuadMsrt,
                    StoreQuadMsrt, LoadQuadStatus
                ] on (memory.lsc) {
                    SUB; EXEC.sizes(&[1, 2, 4, 8, 16]); PRED;
                    L1, L3                        => (cache: [LscCache; 2] "L1 and L3 cache control.");
                    u8("address type")            => (addr_type: LscAddrType "Address model.");
                    u8("address size")            => (addr_size: LscAddrSize "Address width.");
                    SIZE, ORDER, ELEMENTS, QUAD_MASK   => (shape: LscShape "Data shape.") Shape;
                    BASE                          => (surface: Scalar "Surface.");
                    INDEX                         => (surface_index: u32 "Surface state index.");
                    raw_dst("destination")        => (dst: RawOperand "Data read, or null."): lsc_texels(op, shape);
                    raw_src("u addresses"), i32("u offset"), raw_src("v addresses"), i32("v offset"),
                    raw_src("r addresses"), i32("r offset"), raw_src("level of detail") => (
                        coords: [RawOperand; 4] "U, V, R and level of detail (null from the first missing one on).",
                        offsets: [i32; 3] "Added to U, V, R."
                    ) Coordinates: lsc_coordinates(op, addr_size);
                    raw_src("source 1")           => (src1: RawOperand "Data written, first atomic operand."): lsc_texels(op, shape);
                    raw_src("source 2")           => (src2: RawOperand "Second atomic operand."): lsc_texels(op, shape);
                }

                /// Typed two-dimensional blocks of the load/store cache.
                LscTypedBlock2d<'a> lsc_typed_block2d LscTyped(op) [LoadBlock2d, StoreBlock2d] on (memory.lsc) {
                    SUB; EXEC.sizes(&[1, 2, 4, 8, 16]); PRED;
                    L1, L3                        => (cache: [LscCache; 2] "L1 and L3 cache control.");
                    u8("address type")            => (addr_type: LscAddrType "Address model.");
                    u16("block width")            => (width: u16 "Bytes per row.");
                    u16("block height")           => (height: u16 "Rows.");
                    BASE                          => (surface: Scalar "Surface.");
                    INDEX                         => (surface_index: u32 "Surface state index.");
                    raw_dst("destination")        => (dst: RawOperand "Data read, or null."): bytes(media_bytes(width, height));
                    BASE.named("x offset"), BASE.named("y offset") => (offsets: [Scalar; 2] "X and Y offset.");
                    raw_src("source 1")           => (src1: RawOperand "Data written, or null."): bytes(media_bytes(width, height));
                }
            }
        }
    };
}
pub(crate) use struct_instructions;
