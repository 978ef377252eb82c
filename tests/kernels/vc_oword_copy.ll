; covers: vector kernels: block loads and stores of owords in buffers, whole-vector arithmetic, static regions with strides
; For the vector compiler (-vc-codegen): one hardware thread runs one "lane", vectors are variables.

target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "genx64-unknown-unknown"

declare <32 x i32> @llvm.genx.oword.ld.v32i32(i32, i32, i32)
declare void @llvm.genx.oword.st.v32i32(i32, i32, <32 x i32>)
declare <8 x i32> @llvm.genx.oword.ld.v8i32(i32, i32, i32)
declare void @llvm.genx.oword.st.v8i32(i32, i32, <8 x i32>)
declare i32 @llvm.genx.group.id.x()
declare <16 x i32> @llvm.genx.rdregioni.v16i32.v32i32.i16(<32 x i32>, i32, i32, i32, i16, i32)
declare <32 x i32> @llvm.genx.wrregioni.v32i32.v16i32.i16.i1(<32 x i32>, <16 x i32>, i32, i32, i32, i16, i32, i1)
declare <8 x i16> @llvm.genx.rdregioni.v8i16.v16i16.i16(<16 x i16>, i32, i32, i32, i16, i32)
declare <16 x i16> @llvm.genx.wrregioni.v16i16.v8i16.i16.i1(<16 x i16>, <8 x i16>, i32, i32, i32, i16, i32, i1)

; out[i] = 3 * in[i] + bias, 32 dwords a thread
define dllexport spir_kernel void @scale_block(i32 %in, i32 %out, i32 %bias) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %at = shl i32 %group, 3
  %v = call <32 x i32> @llvm.genx.oword.ld.v32i32(i32 0, i32 %in, i32 %at)
  %b0 = insertelement <32 x i32> undef, i32 %bias, i32 0
  %b = shufflevector <32 x i32> %b0, <32 x i32> undef, <32 x i32> zeroinitializer
  %m = mul <32 x i32> %v, <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %s = add <32 x i32> %m, %b
  call void @llvm.genx.oword.st.v32i32(i32 %out, i32 %at, <32 x i32> %s)
  ret void
}

; even elements become sums with their odd neighbours, odd elements become differences
define dllexport spir_kernel void @even_odd(i32 %in, i32 %out) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %at = shl i32 %group, 3
  %v = call <32 x i32> @llvm.genx.oword.ld.v32i32(i32 0, i32 %in, i32 %at)
  %even = call <16 x i32> @llvm.genx.rdregioni.v16i32.v32i32.i16(<32 x i32> %v, i32 16, i32 8, i32 2, i16 0, i32 undef)
  %odd = call <16 x i32> @llvm.genx.rdregioni.v16i32.v32i32.i16(<32 x i32> %v, i32 16, i32 8, i32 2, i16 4, i32 undef)
  %sum = add <16 x i32> %even, %odd
  %difference = sub <16 x i32> %even, %odd
  %w0 = call <32 x i32> @llvm.genx.wrregioni.v32i32.v16i32.i16.i1(<32 x i32> undef, <16 x i32> %sum, i32 16, i32 8, i32 2, i16 0, i32 undef, i1 true)
  %w1 = call <32 x i32> @llvm.genx.wrregioni.v32i32.v16i32.i16.i1(<32 x i32> %w0, <16 x i32> %difference, i32 16, i32 8, i32 2, i16 4, i32 undef, i1 true)
  call void @llvm.genx.oword.st.v32i32(i32 %out, i32 %at, <32 x i32> %w1)
  ret void
}

; words: pairs of words dealt to two halves, the first of each four to the left
define dllexport spir_kernel void @interleave_words(i32 %in, i32 %out) #0 {
  %group = call i32 @llvm.genx.group.id.x()
  %at = shl i32 %group, 1
  %d = call <8 x i32> @llvm.genx.oword.ld.v8i32(i32 0, i32 %in, i32 %at)
  %v = bitcast <8 x i32> %d to <16 x i16>
  %left = call <8 x i16> @llvm.genx.rdregioni.v8i16.v16i16.i16(<16 x i16> %v, i32 4, i32 2, i32 1, i16 0, i32 undef)
  %right = call <8 x i16> @llvm.genx.rdregioni.v8i16.v16i16.i16(<16 x i16> %v, i32 4, i32 2, i32 1, i16 4, i32 undef)
  %w0 = call <16 x i16> @llvm.genx.wrregioni.v16i16.v8i16.i16.i1(<16 x i16> undef, <8 x i16> %left, i32 8, i32 8, i32 1, i16 0, i32 undef, i1 true)
  %w1 = call <16 x i16> @llvm.genx.wrregioni.v16i16.v8i16.i16.i1(<16 x i16> %w0, <8 x i16> %right, i32 8, i32 8, i32 1, i16 16, i32 undef, i1 true)
  %o = bitcast <16 x i16> %w1 to <8 x i32>
  call void @llvm.genx.oword.st.v8i32(i32 %out, i32 %at, <8 x i32> %o)
  ret void
}

attributes #0 = { noinline nounwind "CMGenxMain" "oclrt"="1" }

!genx.kernels = !{!0, !1, !2}
!0 = !{void (i32, i32, i32)* @scale_block, !"scale_block", !3, i32 0, !4, !5, !6, i32 0}
!1 = !{void (i32, i32)* @even_odd, !"even_odd", !7, i32 0, !8, !9, !10, i32 0}
!2 = !{void (i32, i32)* @interleave_words, !"interleave_words", !7, i32 0, !8, !9, !10, i32 0}
!3 = !{i32 2, i32 2, i32 0}
!4 = !{i32 32, i32 36, i32 40}
!5 = !{i32 0, i32 0, i32 0}
!6 = !{!"buffer_t", !"buffer_t", !""}
!7 = !{i32 2, i32 2}
!8 = !{i32 32, i32 36}
!9 = !{i32 0, i32 0}
!10 = !{!"buffer_t", !"buffer_t"}
