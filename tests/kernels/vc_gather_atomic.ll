; covers: gathers, scatters and atomics of the vector compiler: through 64-bit addresses and in buffers, under a predicate
; For the vector compiler (-vc-codegen).

target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "genx64-unknown-unknown"

declare <16 x i32> @llvm.genx.svm.gather.v16i32.v16i1.v16i64(<16 x i1>, i32, <16 x i64>, <16 x i32>)
declare void @llvm.genx.svm.scatter.v16i1.v16i64.v16i32(<16 x i1>, i32, <16 x i64>, <16 x i32>)
declare <16 x i32> @llvm.genx.gather.scaled.v16i32.v16i1.v16i32(<16 x i1>, i32, i16, i32, i32, <16 x i32>, <16 x i32>)
declare void @llvm.genx.scatter.scaled.v16i1.v16i32.v16i32(<16 x i1>, i32, i16, i32, i32, <16 x i32>, <16 x i32>)
declare <8 x i32> @llvm.genx.dword.atomic.add.v8i32.v8i1(<8 x i1>, i32, <8 x i32>, <8 x i32>, <8 x i32>)
declare <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64)
declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)

; out[i] = in[2 * i] where that is odd, else out[i] stays
define dllexport spir_kernel void @far_gather(i64 %in, i64 %out) #0 {
  %a0 = insertelement <16 x i64> undef, i64 %in, i32 0
  %a1 = shufflevector <16 x i64> %a0, <16 x i64> undef, <16 x i32> zeroinitializer
  %a = add <16 x i64> %a1, <i64 0, i64 8, i64 16, i64 24, i64 32, i64 40, i64 48, i64 56, i64 64, i64 72, i64 80, i64 88, i64 96, i64 104, i64 112, i64 120>
  %v = call <16 x i32> @llvm.genx.svm.gather.v16i32.v16i1.v16i64(<16 x i1> <i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1>, i32 0, <16 x i64> %a, <16 x i32> undef)
  %bit = and <16 x i32> %v, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %p = icmp ne <16 x i32> %bit, zeroinitializer
  %b0 = insertelement <16 x i64> undef, i64 %out, i32 0
  %b1 = shufflevector <16 x i64> %b0, <16 x i64> undef, <16 x i32> zeroinitializer
  %b = add <16 x i64> %b1, <i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28, i64 32, i64 36, i64 40, i64 44, i64 48, i64 52, i64 56, i64 60>
  call void @llvm.genx.svm.scatter.v16i1.v16i64.v16i32(<16 x i1> %p, i32 0, <16 x i64> %b, <16 x i32> %v)
  ret void
}

; reverses sixteen dwords of a buffer
define dllexport spir_kernel void @reverse(i32 %in, i32 %out) #0 {
  %v = call <16 x i32> @llvm.genx.gather.scaled.v16i32.v16i1.v16i32(<16 x i1> <i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1>, i32 2, i16 0, i32 %in, i32 0, <16 x i32> <i32 60, i32 56, i32 52, i32 48, i32 44, i32 40, i32 36, i32 32, i32 28, i32 24, i32 20, i32 16, i32 12, i32 8, i32 4, i32 0>, <16 x i32> undef)
  call void @llvm.genx.scatter.scaled.v16i1.v16i32.v16i32(<16 x i1> <i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1>, i32 2, i16 0, i32 %out, i32 0, <16 x i32> <i32 0, i32 4, i32 8, i32 12, i32 16, i32 20, i32 24, i32 28, i32 32, i32 36, i32 40, i32 44, i32 48, i32 52, i32 56, i32 60>, <16 x i32> %v)
  ret void
}

; eight lanes add to eight counters; what the counters held goes to the first eight dwords of old
define dllexport spir_kernel void @add_counters(i32 %counters, i64 %old, i32 %by) #0 {
  %b0 = insertelement <8 x i32> undef, i32 %by, i32 0
  %b = shufflevector <8 x i32> %b0, <8 x i32> undef, <8 x i32> zeroinitializer
  %o = call <8 x i32> @llvm.genx.dword.atomic.add.v8i32.v8i1(<8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1>, i32 %counters, <8 x i32> <i32 0, i32 4, i32 8, i32 12, i32 16, i32 20, i32 24, i32 28>, <8 x i32> %b, <8 x i32> undef)
  %w = shufflevector <8 x i32> %o, <8 x i32> zeroinitializer, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %old, <16 x i32> %w)
  ret void
}

; a block read from an address that is not aligned
define dllexport spir_kernel void @far_block(i64 %in, i64 %out) #0 {
  %a = add i64 %in, 4
  %v = call <16 x i32> @llvm.genx.svm.block.ld.unaligned.v16i32.i64(i64 %a)
  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %out, <16 x i32> %v)
  ret void
}

attributes #0 = { noinline nounwind "CMGenxMain" "oclrt"="1" }

!genx.kernels = !{!0, !1, !2, !3}
!0 = !{void (i64, i64)* @far_gather, !"far_gather", !4, i32 0, !5, !6, !7, i32 0}
!1 = !{void (i32, i32)* @reverse, !"reverse", !8, i32 0, !9, !6, !10, i32 0}
!2 = !{void (i32, i64, i32)* @add_counters, !"add_counters", !11, i32 0, !12, !13, !14, i32 0}
!3 = !{void (i64, i64)* @far_block, !"far_block", !4, i32 0, !5, !6, !7, i32 0}
!4 = !{i32 0, i32 0}
!5 = !{i32 32, i32 40}
!6 = !{i32 0, i32 0}
!7 = !{!"svmptr_t", !"svmptr_t"}
!8 = !{i32 2, i32 2}
!9 = !{i32 32, i32 36}
!10 = !{!"buffer_t", !"buffer_t"}
!11 = !{i32 2, i32 0, i32 0}
!12 = !{i32 32, i32 40, i32 48}
!13 = !{i32 0, i32 0, i32 0}
!14 = !{!"buffer_t", !"svmptr_t", !""}
