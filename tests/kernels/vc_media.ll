; covers: two-dimensional media blocks: byte blocks read, filtered with word arithmetic and saturation, and written
; For the vector compiler (-vc-codegen).

target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "genx64-unknown-unknown"

declare <256 x i8> @llvm.genx.media.ld.v256i8(i32, i32, i32, i32, i32, i32)
declare void @llvm.genx.media.st.v192i8(i32, i32, i32, i32, i32, i32, <192 x i8>)
declare <64 x i8> @llvm.genx.media.ld.v64i8(i32, i32, i32, i32, i32, i32)
declare void @llvm.genx.media.st.v64i8(i32, i32, i32, i32, i32, i32, <64 x i8>)
declare i32 @llvm.genx.group.id.x()
declare i32 @llvm.genx.group.id.y()
declare <192 x i8> @llvm.genx.rdregioni.v192i8.v256i8.i16(<256 x i8>, i32, i32, i32, i16, i32)
declare <192 x i8> @llvm.genx.uutrunc.sat.v192i8.v192i16(<192 x i16>)
declare <64 x i8> @llvm.genx.uutrunc.sat.v64i8.v64i16(<64 x i16>)
declare <8 x i8> @llvm.genx.rdregioni.v8i8.v64i8.i16(<64 x i8>, i32, i32, i32, i16, i32)
declare <64 x i8> @llvm.genx.wrregioni.v64i8.v8i8.i16.i1(<64 x i8>, <8 x i8>, i32, i32, i32, i16, i32, i1)

; 32 by 6 pixels: each becomes the sum of itself and its neighbour below minus half of the one two rows below, saturated
define dllexport spir_kernel void @vertical(i32 %in, i32 %out) #0 {
  %gx = call i32 @llvm.genx.group.id.x()
  %gy = call i32 @llvm.genx.group.id.y()
  %x = shl i32 %gx, 5
  %y = mul i32 %gy, 6
  %b = call <256 x i8> @llvm.genx.media.ld.v256i8(i32 0, i32 %in, i32 0, i32 32, i32 %x, i32 %y)
  %r0 = call <192 x i8> @llvm.genx.rdregioni.v192i8.v256i8.i16(<256 x i8> %b, i32 32, i32 32, i32 1, i16 0, i32 undef)
  %r1 = call <192 x i8> @llvm.genx.rdregioni.v192i8.v256i8.i16(<256 x i8> %b, i32 32, i32 32, i32 1, i16 32, i32 undef)
  %r2 = call <192 x i8> @llvm.genx.rdregioni.v192i8.v256i8.i16(<256 x i8> %b, i32 32, i32 32, i32 1, i16 64, i32 undef)
  %w0 = zext <192 x i8> %r0 to <192 x i16>
  %w1 = zext <192 x i8> %r1 to <192 x i16>
  %w2 = zext <192 x i8> %r2 to <192 x i16>
  %two = call <192 x i16> @splat1()
  %h2 = lshr <192 x i16> %w2, %two
  %s = add <192 x i16> %w0, %w1
  %d = sub <192 x i16> %s, %h2
  %o = call <192 x i8> @llvm.genx.uutrunc.sat.v192i8.v192i16(<192 x i16> %d)
  call void @llvm.genx.media.st.v192i8(i32 0, i32 %out, i32 0, i32 32, i32 %x, i32 %y, <192 x i8> %o)
  ret void
}

define internal <192 x i16> @splat1() alwaysinline {
  %a = insertelement <192 x i16> undef, i16 1, i32 0
  %b = shufflevector <192 x i16> %a, <192 x i16> undef, <192 x i32> zeroinitializer
  ret <192 x i16> %b
}

; an 8 by 8 block of pixels, transposed
define dllexport spir_kernel void @transpose8(i32 %in, i32 %out) #0 {
  %gx = call i32 @llvm.genx.group.id.x()
  %gy = call i32 @llvm.genx.group.id.y()
  %x = shl i32 %gx, 3
  %y = shl i32 %gy, 3
  %b = call <64 x i8> @llvm.genx.media.ld.v64i8(i32 0, i32 %in, i32 0, i32 8, i32 %x, i32 %y)
  %c0 = call <8 x i8> @llvm.genx.rdregioni.v8i8.v64i8.i16(<64 x i8> %b, i32 8, i32 1, i32 0, i16 0, i32 undef)
  %w0 = call <64 x i8> @llvm.genx.wrregioni.v64i8.v8i8.i16.i1(<64 x i8> undef, <8 x i8> %c0, i32 8, i32 8, i32 1, i16 0, i32 undef, i1 true)
  %c1 = call <8 x i8> @llvm.genx.rdregioni.v8i8.v64i8.i16(<64 x i8> %b, i32 8, i32 1, i32 0, i16 1, i32 undef)
  %w1 = call <64 x i8> @llvm.genx.wrregioni.v64i8.v8i8.i16.i1(<64 x i8> %w0, <8 x i8> %c1, i32 8, i32 8, i32 1, i16 8, i32 undef, i1 true)
  %c2 = call <8 x i8> @llvm.genx.rdregioni.v8i8.v64i8.i16(<64 x i8> %b, i32 8, i32 1, i32 0, i16 2, i32 undef)
  %w2 = call <64 x i8> @llvm.genx.wrregioni.v64i8.v8i8.i16.i1(<64 x i8> %w1, <8 x i8> %c2, i32 8, i32 8, i32 1, i16 16, i32 undef, i1 true)
  %c3 = call <8 x i8> @llvm.genx.rdregioni.v8i8.v64i8.i16(<64 x i8> %b, i32 8, i32 1, i32 0, i16 3, i32 undef)
  %w3 = call <64 x i8> @llvm.genx.wrregioni.v64i8.v8i8.i16.i1(<64 x i8> %w2, <8 x i8> %c3, i32 8, i32 8, i32 1, i16 24, i32 undef, i1 true)
  %c4 = call <8 x i8> @llvm.genx.rdregioni.v8i8.v64i8.i16(<64 x i8> %b, i32 8, i32 1, i32 0, i16 4, i32 undef)
  %w4 = call <64 x i8> @llvm.genx.wrregioni.v64i8.v8i8.i16.i1(<64 x i8> %w3, <8 x i8> %c4, i32 8, i32 8, i32 1, i16 32, i32 undef, i1 true)
  %c5 = call <8 x i8> @llvm.genx.rdregioni.v8i8.v64i8.i16(<64 x i8> %b, i32 8, i32 1, i32 0, i16 5, i32 undef)
  %w5 = call <64 x i8> @llvm.genx.wrregioni.v64i8.v8i8.i16.i1(<64 x i8> %w4, <8 x i8> %c5, i32 8, i32 8, i32 1, i16 40, i32 undef, i1 true)
  %c6 = call <8 x i8> @llvm.genx.rdregioni.v8i8.v64i8.i16(<64 x i8> %b, i32 8, i32 1, i32 0, i16 6, i32 undef)
  %w6 = call <64 x i8> @llvm.genx.wrregioni.v64i8.v8i8.i16.i1(<64 x i8> %w5, <8 x i8> %c6, i32 8, i32 8, i32 1, i16 48, i32 undef, i1 true)
  %c7 = call <8 x i8> @llvm.genx.rdregioni.v8i8.v64i8.i16(<64 x i8> %b, i32 8, i32 1, i32 0, i16 7, i32 undef)
  %w7 = call <64 x i8> @llvm.genx.wrregioni.v64i8.v8i8.i16.i1(<64 x i8> %w6, <8 x i8> %c7, i32 8, i32 8, i32 1, i16 56, i32 undef, i1 true)
  call void @llvm.genx.media.st.v64i8(i32 0, i32 %out, i32 0, i32 8, i32 %y, i32 %x, <64 x i8> %w7)
  ret void
}

attributes #0 = { noinline nounwind "CMGenxMain" "oclrt"="1" }

!genx.kernels = !{!0, !1}
!0 = !{void (i32, i32)* @vertical, !"vertical", !4, i32 0, !5, !6, !7, i32 0}
!1 = !{void (i32, i32)* @transpose8, !"transpose8", !4, i32 0, !5, !6, !7, i32 0}
!4 = !{i32 2, i32 2}
!5 = !{i32 32, i32 36}
!6 = !{i32 0, i32 0}
!7 = !{!"image2d_t", !"image2d_t"}
