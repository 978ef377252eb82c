//! The messages whose fields are the same for all instructions that a view stands for. One entry says all of a message,
//! and from it come its [`Opcode`](crate::Opcode)s, its [`Row`](super::Row)s for reader, writer, text and verifier, its
//! variant of [`Op`](crate::Op) with the way there and back, its function of
//! [`KernelBuilder`](crate::builder::KernelBuilder), and where it exists.
//!
//! | part | what |
//! |---|---|
//! | `Qword qword(exec; Surface: Sixteen)` | variant of [`Op`](crate::Op); the builder's function, with `exec` where lanes take part; where all operands are of lanes, what the message is about and how many lanes it takes at once ([`LaneMessage`](crate::op::LaneMessage)) |
//! | `by_slots`, `own_text` | text follows from the fields (see [`Text`](super::Text)), or is written in `text` |
//! | `says (access: Access "...")` | fields of the view that the opcode says |
//! | `QwGather = 0x86 "qw_gather" (access = Access::Load)` | opcode, its byte in the object, its word in assembly, and what it says of the view; `Svm(3)` is a sub-opcode of an opcode in `opcode.rs` |
//! | `on (memory.surface_qwords)` | the capability that a platform needs; `everywhere`; `nowhere` where no platform here has it |
//! | `EXEC;` | a field of the object that goes to the [`Record`](crate::Record) |
//! | `=> (modifier: SurfaceModifier "...") ModifierByte unless (access.is_store())` | a field that only instructions have of which the table does not say this; the view of others has the type's default |
//! | `SURFACE => (surface: SurfaceId "...");` | a field of the object, and what the view calls it; a code of `op::codes` behind it says how one is made of the other where the type does not |
//! | `(offsets: RawOperand "..."): lanes(4)` | what the operand holds, in the words of `op::holds`: `bytes` or `registers` of the thread, `lanes` of so many bytes, `elements` as wide as their type |
//!
//! What a payload holds is said here alone; whoever needs it asks
//! [`Op::payloads`](crate::Op::payloads). Which types it may have, whether it may be `%null`, and which execution sizes there
//! are, the fields say themselves: `.types()`, `.needed()`, `.sizes()`.

/// Gives all entries to another macro, behind what it was handed in braces.
macro_rules! message_instructions {
    ($then:ident $({ $($before:tt)* })?) => {
        $then! {
            $({ $($before)* })?

            /// `media_ld`, `media_st`.
            MediaBlock media_block() own_text says (access: Access "Load or store.") [
                MediaLd = 0x37 "media_ld" (access = Access::Load), MediaSt = 0x38 "media_st" (access = Access::Store)
            ] on (everywhere) {
                u8("modifier")                    => (modifier: MediaModifier "Modifier.");
                SURFACE.without_slm()             => (surface: SurfaceId "Surface.");
                u8("plane")                       => (plane: u8 "Plane.");
                u8("block width")                 => (width: u8 "Width in bytes.");
                u8("block height")                => (height: u8 "Rows.");
                scalar("x offset", Types::INT)    => (x: Scalar "X offset in bytes.");
                scalar("y offset", Types::INT)    => (y: Scalar "Y offset in rows.");
                data_of(access)                   => (data: RawOperand "Data."): bytes(media_bytes(width, height));
            }

            /// `oword_ld`, `oword_ld_unaligned`, `oword_st`.
            OwordBlock oword_block() own_text says (
                access: Access "Load or store.",
                alignment: BlockAlignment "What the offset counts: owords, or bytes if its alignment is that of dwords."
            ) [
                OwordLd = 0x35 "oword_ld" (access = Access::Load, alignment = BlockAlignment::Oword),
                OwordLdUnaligned = 0x3c "oword_ld_unaligned" (access = Access::Load, alignment = BlockAlignment::Dword),
                OwordSt = 0x36 "oword_st" (access = Access::Store, alignment = BlockAlignment::Oword)
            ] on (everywhere) {
                u8("block size")                  => (owords: u8 "Owords: 1, 2, 4, 8, 16.") BlockSize;
                u8("modifier")                    => (modifier: SurfaceModifier "Whether the surface is written by others (`.mod`).") ModifierByte unless (access.is_store());
                SURFACE                           => (surface: SurfaceId "Surface.");
                scalar("offset", Types::INT)      => (offset: Scalar "Offset.");
                data_of(access)                   => (data: RawOperand "Data."): bytes(16 * u32::from(owords));
            }

            /// `gather`, `scatter`.
            Gather gather(exec; Surface: Sixteen) own_text says (access: Access "Gather or scatter.") [
                Gather = 0x39 "gather" (access = Access::Load), Scatter = 0x3a "scatter" (access = Access::Store)
            ] on (everywhere) {
                u8("element size")                => (element_bytes: u8 "Bytes per element: 1, 2, 4.") ElementSize;
                u8("modifier")                    => (modifier: SurfaceModifier "Whether the surface is written by others (`.mod`).") ModifierByte unless (access.is_store());
                u8("number of elements")          => () Lanes;
                SURFACE                           => (surface: SurfaceId "Surface.");
                GLOBAL                            => (global_offset: Scalar "Offset of all lanes, in elements.");
                OFFSETS                           => (offsets: RawOperand "Offsets per lane, in elements."): lanes(4);
                data_of(access).types(DWORDS)     => (data: RawOperand "Data."): lanes(u32::from(element_bytes)).in_dwords();
            }

            /// `gather4_typed`, `scatter4_typed`: texels.
            Typed4 typed4(exec; Texels: Native) by_slots says (access: Access "Gather or scatter.") [
                Gather4Typed = 0x4b "gather4_typed" (access = Access::Load), Scatter4Typed = 0x4c "scatter4_typed" (access = Access::Store)
            ] on (everywhere) {
                EXEC.sizes(&[8, 16]); PRED;
                MASK                              => (mask: ChannelMask "Channels.");
                SURFACE.without_slm()             => (surface: SurfaceId "Surface.");
                texel(U).needed(), texel(V), texel(R), texel(LOD)
                    => (coords: [RawOperand; 4] "U, V, R and level of detail."): lanes(4);
                data_of(access).types(DWORDS)     => (data: RawOperand "Data."): lanes(4).blocks(mask.count());
            }

            /// `gather4_scaled`, `scatter4_scaled`: dwords of up to four channels.
            Scaled4 scaled4(exec; Surface: Sixteen) by_slots says (access: Access "Gather or scatter.") [
                Gather4Scaled = 0x74 "gather4_scaled" (access = Access::Load), Scatter4Scaled = 0x75 "scatter4_scaled" (access = Access::Store)
            ] on (everywhere) {
                EXEC.sizes(&[8, 16]); PRED;
                MASK                              => (mask: ChannelMask "Channels.");
                u16("scale").text(Text::Zero)     => () Zero;
                SURFACE                           => (surface: SurfaceId "Surface.");
                GLOBAL                            => (global_offset: Scalar "Offset of all lanes, in bytes.");
                OFFSETS                           => (offsets: RawOperand "Offsets per lane, in bytes."): lanes(4);
                data_of(access).types(DWORDS)     => (data: RawOperand "Data."): lanes(4).blocks(mask.count());
            }

            /// `gather_scaled`, `scatter_scaled`: bytes.
            Scaled scaled(exec; Surface: Sixteen) by_slots says (access: Access "Gather or scatter.") [
                GatherScaled = 0x78 "gather_scaled" (access = Access::Load), ScatterScaled = 0x79 "scatter_scaled" (access = Access::Store)
            ] on (everywhere) {
                EXEC; PRED;
                u8("block size").text(Text::Zero) => () Zero;
                BLOCKS                            => (blocks: u8 "Bytes per lane: 1, 2, 4.") Blocks;
                u16("scale").text(Text::Zero)     => () Zero;
                SURFACE                           => (surface: SurfaceId "Surface.");
                GLOBAL                            => (global_offset: Scalar "Offset of all lanes, in bytes.");
                OFFSETS                           => (offsets: RawOperand "Offsets per lane, in bytes."): lanes(4);
                data_of(access).types(DWORDS)     => (data: RawOperand "Data."): lanes(u32::from(blocks)).in_dwords();
            }

            /// `qw_gather`, `qw_scatter`.
            Qword qword(exec; Surface: Sixteen) by_slots says (access: Access "Gather or scatter.") [
                QwGather = 0x86 "qw_gather" (access = Access::Load), QwScatter = 0x87 "qw_scatter" (access = Access::Store)
            ] on (memory.surface_qwords) {
                EXEC.sizes(&[1, 2, 4, 8, 16]); PRED;
                BLOCKS                            => (blocks: u8 "Qwords per lane: 1, 2, 4.") Blocks;
                SURFACE                           => (surface: SurfaceId "Surface.");
                OFFSETS                           => (offsets: RawOperand "Offsets per lane, in bytes."): lanes(4);
                data_of(access).types(QWORDS)     => (data: RawOperand "Data."): lanes(8).blocks(u32::from(blocks));
            }

            /// `dword_atomic`.
            Atomic atomic(exec; Surface: Sixteen) by_slots [DwordAtomic = 0x7d "dword_atomic"] on (everywhere) {
                ATOMIC                            => (op: AtomicOp "Operation.", bits: u8 "Bits: 16, 32, 64.") AtomicWord;
                EXEC.sizes(&[1, 2, 4, 8, 16]); PRED;
                SURFACE                           => (surface: SurfaceId "Surface.");
                OFFSETS                           => (offsets: RawOperand "Offsets per lane, in bytes."): lanes(4);
                SRC0, SRC1                        => (srcs: [RawOperand; 2] "Sources."): atomic(bits);
                raw_dst("destination")            => (dst: RawOperand "Old value, or null."): atomic(bits);
            }

            /// `typed_atomic`.
            TypedAtomic typed_atomic(exec; Texels: Native) by_slots [TypedAtomic3d = 0x73 "typed_atomic"] on (everywhere) {
                ATOMIC                            => (op: AtomicOp "Operation.", bits: u8 "Bits: 16, 32, 64.") AtomicWord;
                EXEC.sizes(&[8, 16]); PRED;
                SURFACE.without_slm()             => (surface: SurfaceId "Surface.");
                texel(U).needed(), texel(V), texel(R), texel(raw_src("level of detail"))
                    => (coords: [RawOperand; 4] "U, V, R and level of detail."): lanes(4);
                SRC0, SRC1                        => (srcs: [RawOperand; 2] "Sources."): lanes(4);
                raw_dst("destination")            => (dst: RawOperand "Old value, or null."): lanes(4);
            }

            /// `svm_block_ld`, `svm_block_st`.
            SvmBlock svm_block() by_slots says (access: Access "Load or store.") [
                Svm(1) "svm_block_ld" (access = Access::Load), Svm(2) "svm_block_st" (access = Access::Store)
            ] on (everywhere) {
                SUB;
                u8("block properties").text(Text::Block)
                    => (owords: u8 "Owords: 1, 2, 4, 8.", alignment: BlockAlignment "Alignment of the address.") BlockProperties;
                scalar("address", Types::INT)     => (address: Scalar "Address in bytes.");
                data_of(access)                   => (data: RawOperand "Data."): bytes(16 * u32::from(owords));
            }

            /// `svm_gather`, `svm_scatter`.
            SvmGather svm_gather(exec; Memory: SixteenIfShort) by_slots says (access: Access "Gather or scatter.") [
                Svm(3) "svm_gather" (access = Access::Load), Svm(4) "svm_scatter" (access = Access::Store)
            ] on (everywhere) {
                SUB; EXEC.sizes(&[1, 2, 4, 8, 16]); PRED;
                u8("block size").text(Text::BlockBytes) => (block_bytes: u8 "Bytes per block: 1, 4, 8.") BlockBytes;
                BLOCKS                            => (blocks: u8 "Blocks per lane: 1, 2, 4, 8.") Blocks;
                raw_src("addresses").types(ADDRESSES) => (addresses: RawOperand "Addresses per lane, in bytes."): lanes(8);
                data_of(access)                   => (data: RawOperand "Data."): lanes_of_blocks(block_bytes, blocks);
            }

            /// `svm_atomic`.
            SvmAtomic svm_atomic(exec; Memory: Native) by_slots [Svm(5) "svm_atomic"] on (everywhere) {
                SUB; EXEC.sizes(&[1, 2, 4, 8, 16]); PRED;
                ATOMIC                            => (op: AtomicOp "Operation.", bits: u8 "Bits: 16, 32, 64.") AtomicWord;
                raw_src("addresses").types(ADDRESSES).text(Text::First)
                    => (addresses: RawOperand "Addresses per lane, in bytes."): lanes(8);
                SRC0, SRC1                        => (srcs: [RawOperand; 2] "Sources."): atomic(bits);
                raw_dst("destination").text(Text::First) => (dst: RawOperand "Old value, or null."): atomic(bits);
            }

            /// `svm_gather4scaled`, `svm_scatter4scaled`.
            SvmScaled4 svm_scaled4(exec; Memory: Sixteen) by_slots says (access: Access "Gather or scatter.") [
                Svm(6) "svm_gather4scaled" (access = Access::Load), Svm(7) "svm_scatter4scaled" (access = Access::Store)
            ] on (everywhere) {
                SUB; EXEC.sizes(&[8, 16]); PRED;
                MASK                              => (mask: ChannelMask "Channels.");
                u16("scale").text(Text::Zero)     => () Zero;
                scalar("address", Types::INT)     => (address: Scalar "Address of all lanes.");
                raw_src("offsets").types(ADDRESSES) => (offsets: RawOperand "Offsets per lane, in bytes."): lanes(8);
                data_of(access).types(DWORDS)     => (data: RawOperand "Data."): lanes(4).blocks(mask.count());
            }

            /// `resinfo`, `sampleinfo`, `lod`.
            Info3d info_3d(exec; Sampler: Sixteen) own_text [Info3d = 0x70 "info_3d"] on (everywhere) {
                u8("operation")                   => (op: SamplerOp "Operation.");
                EXEC.sizes(&[8, 16, 32]);
                u8("channels")                    => (channels: ChannelMask "Channels.");
                SURFACE.without_slm()             => (surface: SurfaceId "Surface.");
                raw_src("level of detail").types(Types::DWORD).when(When::Equals(narrow::wide_u8(SamplerOp::ResInfo.raw())))
                    => (lod: (Option<RawOperand>) "Level of detail (`resinfo`)."): lanes(4);
                raw_dst("destination").types(Types::DWORD) => (dst: RawOperand "Destination."): lanes(4).blocks(channels.count());
            }

            /// `sample`, `load` of old.
            SampleLegacy sample_legacy() own_text says (kind: SampleKind "Sample, or load: without sampler.") [
                SampleLegacy = 0x40 "sample" (kind = SampleKind::Sample), LoadLegacy = 0x42 "load" (kind = SampleKind::Load)
            ] on (everywhere) {
                u8("channels and width")          => (channels: ChannelMask "Channels.", lanes: SampleLanes "Lanes that take part.") LegacyMode;
                SAMPLER                           => (sampler: (Option<SamplerId>) "Sampler (`sample`).") Given unless (kind.is_load());
                SURFACE                           => (surface: SurfaceId "Surface.");
                U, V, R                           => (coords: [RawOperand; 3] "U, V, R."): legacy(lanes, 1);
                raw_dst("destination")            => (dst: RawOperand "Destination."): legacy(lanes, channels.count());
            }

            /// `avs`: a block of pixels, scaled.
            Avs avs() own_text [Avs = 0x43 "avs"] on (sampler.media) {
                u8("channels")                    => (channels: ChannelMask "Channels.");
                SAMPLER                           => (sampler: SamplerId "Sampler.");
                SURFACE                           => (surface: SurfaceId "Surface.");
                float("u offset"), float("v offset"), float("delta u"), float("delta v"), float("u2d")
                    => (coords: [Scalar; 5] "U, V, delta U, delta V, change of delta U.");
                scalar("group id", Types::INT)    => (group: Scalar "Group.");
                scalar("vertical block number", Types::INT) => (block: Scalar "Number of the block in its column.");
                u8("output format")               => (format: PixelFormat "Output format.");
                float("v2d")                      => (v2d: Scalar "Change of delta V.");
                u8("execution mode")              => (size: AvsBlock "Size of the block.");
                scalar("ief bypass", Types::INT)  => (bypass: Scalar "Whether the image enhancement filter is left out.");
                raw_dst("destination")            => (dst: RawOperand "Destination."): bytes(avs_bytes(size, channels, format));
            }

            /// `sample_unorm`.
            SampleUnorm sample_unorm() own_text [SampleUnorm = 0x41 "sample_unorm"] on (everywhere) {
                u8("channels and format")
                    => (channels: ChannelMask "Channels.", format: PixelFormat "Output format.") UnormMode;
                SAMPLER                           => (sampler: SamplerId "Sampler.");
                SURFACE                           => (surface: SurfaceId "Surface.");
                float("u offset"), float("v offset"), float("delta u"), float("delta v")
                    => (coords: [Scalar; 4] "U, V, delta U, delta V.");
                raw_dst("destination")            => (dst: RawOperand "Destination."): bytes(unorm_bytes(channels, format));
            }

            /// `vme_ime`: integer search of motion estimation.
            VmeIme vme_ime() own_text [VmeIme = 0x54 "vme_ime"] on (sampler.media) {
                u8("stream mode")                 => (stream: VmeStream "Whether records go in and come back.");
                u8("search control")              => (search: VmeSearch "How much is searched for.");
                raw_src("uni input")              => (universal: RawOperand "Input that all engines take."): bytes(128);
                raw_src("ime input")              => (input: RawOperand "Input of this one."): bytes(vme_search_input(stream, search));
                SURFACE                           => (surface: SurfaceId "Picture.");
                raw_src("reference 0"), raw_src("reference 1")
                    => (references: [RawOperand; 2] "Places in the references, or null."): bytes(4);
                raw_src("cost center")            => (center: RawOperand "Cost center, or null."): bytes(32);
                raw_dst("output")                 => (output: RawOperand "What is found."): bytes(vme_search_output(stream, search));
            }

            /// `vme_sic`: skip check and intra prediction.
            VmeSic vme_sic() by_slots [VmeSic = 0x55 "vme_sic"] on (sampler.media) {
                raw_src("uni input")              => (universal: RawOperand "Input that all engines take."): bytes(128);
                raw_src("sic input")              => (input: RawOperand "Input of this one."): bytes(128);
                SURFACE.text(Text::First)         => (surface: SurfaceId "Picture.");
                raw_dst("output")                 => (output: RawOperand "What is found."): bytes(224);
            }

            /// `vme_fbr`: fractional and bidirectional refinement.
            VmeFbr vme_fbr() own_text [VmeFbr = 0x56 "vme_fbr"] on (sampler.media) {
                raw_src("uni input")              => (universal: RawOperand "Input that all engines take."): bytes(128);
                raw_src("fbr input")              => (input: RawOperand "Input of this one."): bytes(128);
                SURFACE                           => (surface: SurfaceId "Picture.");
                scalar("macro block mode", Types::INT), scalar("sub macro block shape", Types::INT), scalar("sub prediction mode", Types::INT)
                    => (modes: [Scalar; 3] "Mode of the macro block, shape of its parts, mode of their prediction.");
                raw_dst("output")                 => (output: RawOperand "What is found."): bytes(224);
            }

            /// `vme_idm`: distortions of an integer search.
            VmeIdm vme_idm() by_slots [VmeIdm = 0x57 "vme_idm"] on (sampler.media) {
                raw_src("uni input")              => (universal: RawOperand "Input that all engines take."): bytes(128);
                raw_src("idm input")              => (input: RawOperand "Input of this one."): bytes(32);
                SURFACE.text(Text::First)         => (surface: SurfaceId "Picture.");
                raw_dst("output")                 => (output: RawOperand "What is found."): bytes(512);
            }

            /// `raw_send`: a message by its descriptors, with one payload.
            RawSend raw_send(exec) own_text [RawSend = 0x5d "raw_send"] on (everywhere) {
                u8("modifier")                    => (wait: SendWait "What it waits for (`raw_sendc`).") WaitBit;
                EXEC; PRED;
                u32("extended descriptor")        => (ext_desc: u32 "Extended descriptor; low four bits the shared function, bit 5 end of thread.");
                u8("source length")               => (src_len: u8 "Registers sent.");
                u8("destination length")          => (dst_len: u8 "Registers returned.");
                scalar("descriptor", Types::INT)  => (desc: Scalar "Descriptor.");
                raw_src("source").needed()        => (src: RawOperand "Payload."): registers(src_len);
                raw_dst("destination")            => (dst: RawOperand "Destination."): registers(dst_len);
            }

            /// `raw_sends`: a message by its descriptors, with two payloads.
            RawSends raw_sends(exec) own_text [RawSends = 0x7a "raw_sends"] on (everywhere) {
                u8("modifier")                    => (wait: SendWait "What it waits for.", end: SendEnd "Whether the thread ends.") SendFlags;
                EXEC; PRED;
                u8("source 0 length"), u8("source 1 length") => (src_len: [u8; 2] "Registers sent, per source.");
                u8("destination length")          => (dst_len: u8 "Registers returned.");
                u8("shared function").when(When::Since(306))
                    => (sfid: u8 "Shared function (0 before version 3.6: it is in the extended descriptor).");
                scalar("extended descriptor", Types::INT) => (ext_desc: Scalar "Extended descriptor.");
                scalar("descriptor", Types::INT)  => (desc: Scalar "Descriptor.");
                raw_src("source 0"), raw_src("source 1") => (srcs: [RawOperand; 2] "Payloads.");
                raw_dst("destination")            => (dst: RawOperand "Destination.");
            }

            /// `raw_sendg`: a message by its descriptors, which gathers its payload.
            RawSendg raw_sendg(exec) own_text [RawSendg = 0x93 "raw_sendg"] on (nowhere) {
                u8("modifier")                    => (wait: SendWait "What it waits for.", end: SendEnd "Whether the thread ends.") SendFlags;
                EXEC;
                u32("shared function")            => (sfid: u32 "Shared function.");
                PRED;
                raw_dst("destination")            => (dst: RawOperand "Destination."): bytes(dst_bytes);
                u32("destination length")         => (dst_bytes: u32 "Bytes returned.");
                raw_src("source 0")               => (src0: RawOperand "First payload."): bytes(src0_bytes);
                u32("source 0 length")            => (src0_bytes: u32 "Bytes of it.");
                raw_src("source 1")               => (src1: RawOperand "Second payload."): bytes(src1_bytes);
                u32("source 1 length")            => (src1_bytes: u32 "Bytes of it.");
                scalar("indirect descriptor 0", Types::ANY), scalar("indirect descriptor 1", Types::ANY)
                    => (indirect: [Scalar; 2] "What the descriptor leaves to registers.");
                u32("descriptor low"), u32("descriptor high") => (desc: [u32; 2] "Descriptor, its lower half first.");
            }

            /// `barrier` of the thread group.
            Barrier barrier() by_slots [Barrier = 0x59 "barrier"] on (everywhere) {}

            /// `yield` to other threads.
            Yield yield_thread() by_slots [Yield = 0x5f "yield"] on (everywhere) {}

            /// `sampler_cache_flush`.
            SamplerCacheFlush sampler_cache_flush() by_slots [SamplerCacheFlush = 0x5a "sampler_cache_flush"] on (everywhere) {}

            /// `breakpoint`.
            Breakpoint breakpoint() by_slots [Breakpoint = 0x94 "breakpoint"] on (everywhere) {}

            /// `urb_write_3d`.
            UrbWrite urb_write(exec) own_text [UrbWrite3d = 0x72 "urb_write_3d"] on (everywhere) {
                EXEC.sizes(&[8, 16]); PRED;
                u8("number of outputs")           => (outputs: u8 "Outputs.");
                raw_src("channel mask")           => (mask: RawOperand "Channel mask."): lanes(4);
                u16("global offset")              => (global_offset: u16 "Offset.");
                raw_src("urb handle").needed()    => (handle: RawOperand "Handles."): lanes(4);
                raw_src("per-slot offset")        => (per_slot_offset: RawOperand "Offsets per slot."): lanes(4);
                raw_src("vertex data")            => (data: RawOperand "Data."): lanes(4).blocks(u32::from(outputs));
            }

            /// `sbarrier`.
            SplitBarrier sbarrier() own_text [Sbarrier = 0x7c "sbarrier"] on (everywhere) {
                u8("mode")                        => (half: BarrierHalf "Signal or wait.") HalfByte;
            }

            /// `nbarrier`.
            NamedBarrier nbarrier() own_text [Nbarrier = 0x60 "nbarrier"] on (thread.named_barriers) {
                u8("mode")                        => (mode: NamedBarrierMode "Wait or signal.") NamedBarrierByte;
                scalar("barrier id", Types::INT)  => (id: Scalar "Barrier id.");
                scalar("barrier type", Types::INT) => (kind: Scalar "Barrier type.");
                scalar("producers", Types::INT)   => (producers: Scalar "Producers.");
                scalar("consumers", Types::INT)   => (consumers: Scalar "Consumers.");
            }

            /// `wait`.
            Wait wait() own_text [Wait = 0x5b "wait"] on (everywhere) {
                scalar("mask", Types::INT).when(When::Since(301)) => (mask: Scalar "Thread dependencies.");
            }

            /// `fence`.
            Fence fence() own_text [Fence = 0x5c "fence"] on (everywhere) {
                u8("mask")                        => (mask: FenceMask "What it does.");
            }

            /// `lsc_fence`.
            LscFence lsc_fence() own_text [LscFence = 0x8b "lsc_fence"] on (memory.lsc) {
                EXEC.sizes(&[1]); PRED;
                u8("shared function")             => (sfid: LscSfid "Shared function.");
                u8("fence operation")             => (op: LscFenceOp "What happens to caches.");
                u8("fence scope")                 => (scope: LscScope "How far.");
            }
        }
    };
}
pub(crate) use message_instructions;
