; covers: arithmetic of the vector compiler: saturating conversions, minimum and maximum, bit operations, math functions, rounding, half, 64 bits
; For the vector compiler (-vc-codegen).

target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "genx64-unknown-unknown"

declare <16 x i32> @llvm.genx.oword.ld.v16i32(i32, i32, i32)
declare void @llvm.genx.oword.st.v16i32(i32, i32, <16 x i32>)
declare <16 x i16> @llvm.genx.sstrunc.sat.v16i16.v16i32(<16 x i32>)
declare <16 x i32> @llvm.genx.absi.v16i32(<16 x i32>)
declare <16 x i32> @llvm.genx.smax.v16i32.v16i32(<16 x i32>, <16 x i32>)
declare <16 x i32> @llvm.genx.umin.v16i32.v16i32(<16 x i32>, <16 x i32>)
declare <16 x i32> @llvm.genx.bfrev.v16i32(<16 x i32>)
declare <16 x i32> @llvm.genx.cbit.v16i32(<16 x i32>)
declare <16 x i32> @llvm.genx.lzd.v16i32(<16 x i32>)
declare <16 x i32> @llvm.genx.ubfe.v16i32.v16i32(<16 x i32>, <16 x i32>, <16 x i32>)
declare <16 x float> @llvm.genx.inv.v16f32(<16 x float>)
declare <16 x float> @llvm.genx.sqrt.v16f32(<16 x float>)
declare <16 x float> @llvm.genx.rndd.v16f32(<16 x float>)
declare <16 x float> @llvm.genx.rnde.v16f32(<16 x float>)
declare <16 x float> @llvm.genx.sat.v16f32(<16 x float>)

define dllexport spir_kernel void @integers(i32 %in, i32 %out) #0 {
  %a = call <16 x i32> @llvm.genx.oword.ld.v16i32(i32 0, i32 %in, i32 0)
  %b = call <16 x i32> @llvm.genx.oword.ld.v16i32(i32 0, i32 %in, i32 4)
  %s = call <16 x i16> @llvm.genx.sstrunc.sat.v16i16.v16i32(<16 x i32> %a)
  %w = sext <16 x i16> %s to <16 x i32>
  call void @llvm.genx.oword.st.v16i32(i32 %out, i32 0, <16 x i32> %w)
  %m = call <16 x i32> @llvm.genx.smax.v16i32.v16i32(<16 x i32> %a, <16 x i32> %b)
  %n = call <16 x i32> @llvm.genx.umin.v16i32.v16i32(<16 x i32> %a, <16 x i32> %b)
  %d = sub <16 x i32> %m, %n
  %e = call <16 x i32> @llvm.genx.absi.v16i32(<16 x i32> %d)
  call void @llvm.genx.oword.st.v16i32(i32 %out, i32 4, <16 x i32> %e)
  %r = call <16 x i32> @llvm.genx.bfrev.v16i32(<16 x i32> %a)
  %c = call <16 x i32> @llvm.genx.cbit.v16i32(<16 x i32> %b)
  %z = call <16 x i32> @llvm.genx.lzd.v16i32(<16 x i32> %b)
  %f = call <16 x i32> @llvm.genx.ubfe.v16i32.v16i32(<16 x i32> <i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7>, <16 x i32> <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>, <16 x i32> %a)
  %x = xor <16 x i32> %r, %c
  %y = add <16 x i32> %z, %f
  %t = add <16 x i32> %x, %y
  call void @llvm.genx.oword.st.v16i32(i32 %out, i32 8, <16 x i32> %t)
  ret void
}

define dllexport spir_kernel void @floats(i32 %in, i32 %out) #0 {
  %i = call <16 x i32> @llvm.genx.oword.ld.v16i32(i32 0, i32 %in, i32 0)
  %a = bitcast <16 x i32> %i to <16 x float>
  %v = call <16 x float> @llvm.genx.inv.v16f32(<16 x float> %a)
  %q = call <16 x float> @llvm.genx.sqrt.v16f32(<16 x float> %a)
  %d = call <16 x float> @llvm.genx.rndd.v16f32(<16 x float> %a)
  %e = call <16 x float> @llvm.genx.rnde.v16f32(<16 x float> %a)
  %s = call <16 x float> @llvm.genx.sat.v16f32(<16 x float> %a)
  %p = fmul <16 x float> %v, %q
  %r = fadd <16 x float> %d, %e
  %t = fadd <16 x float> %p, %s
  %ri = bitcast <16 x float> %r to <16 x i32>
  %ti = bitcast <16 x float> %t to <16 x i32>
  call void @llvm.genx.oword.st.v16i32(i32 %out, i32 0, <16 x i32> %ri)
  call void @llvm.genx.oword.st.v16i32(i32 %out, i32 4, <16 x i32> %ti)
  %h = fptrunc <16 x float> %a to <16 x half>
  %h2 = fadd <16 x half> %h, %h
  %hf = fpext <16 x half> %h2 to <16 x float>
  %hi = bitcast <16 x float> %hf to <16 x i32>
  call void @llvm.genx.oword.st.v16i32(i32 %out, i32 8, <16 x i32> %hi)
  ret void
}

define dllexport spir_kernel void @longs(i32 %in, i32 %out) #0 {
  %i = call <16 x i32> @llvm.genx.oword.ld.v16i32(i32 0, i32 %in, i32 0)
  %a = bitcast <16 x i32> %i to <8 x i64>
  %b = shl <8 x i64> %a, <i64 3, i64 3, i64 3, i64 3, i64 3, i64 3, i64 3, i64 3>
  %c = sub <8 x i64> %b, %a
  %p = icmp slt <8 x i64> %a, zeroinitializer
  %d = select <8 x i1> %p, <8 x i64> %a, <8 x i64> %c
  %o = bitcast <8 x i64> %d to <16 x i32>
  call void @llvm.genx.oword.st.v16i32(i32 %out, i32 0, <16 x i32> %o)
  ret void
}

attributes #0 = { noinline nounwind "CMGenxMain" "oclrt"="1" }

!genx.kernels = !{!0, !1, !2}
!0 = !{void (i32, i32)* @integers, !"integers", !4, i32 0, !5, !6, !7, i32 0}
!1 = !{void (i32, i32)* @floats, !"floats", !4, i32 0, !5, !6, !7, i32 0}
!2 = !{void (i32, i32)* @longs, !"longs", !4, i32 0, !5, !6, !7, i32 0}
!4 = !{i32 2, i32 2}
!5 = !{i32 32, i32 36}
!6 = !{i32 0, i32 0}
!7 = !{!"buffer_t", !"buffer_t"}
