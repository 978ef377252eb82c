; covers: indirect regions: register-indirect reads and writes by one index and by a vector of indices
; For the vector compiler (-vc-codegen).

target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "genx64-unknown-unknown"

declare <8 x i32> @llvm.genx.oword.ld.v8i32(i32, i32, i32)
declare <32 x i32> @llvm.genx.oword.ld.v32i32(i32, i32, i32)
declare void @llvm.genx.oword.st.v8i32(i32, i32, <8 x i32>)
declare void @llvm.genx.oword.st.v32i32(i32, i32, <32 x i32>)
declare <8 x i32> @llvm.genx.rdregioni.v8i32.v32i32.i16(<32 x i32>, i32, i32, i32, i16, i32)
declare <8 x i32> @llvm.genx.rdregioni.v8i32.v32i32.v8i16(<32 x i32>, i32, i32, i32, <8 x i16>, i32)
declare <32 x i32> @llvm.genx.wrregioni.v32i32.v8i32.i16.i1(<32 x i32>, <8 x i32>, i32, i32, i32, i16, i32, i1)
declare <32 x i32> @llvm.genx.wrregioni.v32i32.i32.i16.i1(<32 x i32>, i32, i32, i32, i32, i16, i32, i1)

; out = table[start .. start + 8], start at most 24
define dllexport spir_kernel void @slide(i32 %in, i32 %out, i32 %start) #0 {
  %t = call <32 x i32> @llvm.genx.oword.ld.v32i32(i32 0, i32 %in, i32 0)
  %s = trunc i32 %start to i16
  %o = shl i16 %s, 2
  %r = call <8 x i32> @llvm.genx.rdregioni.v8i32.v32i32.i16(<32 x i32> %t, i32 8, i32 8, i32 1, i16 %o, i32 undef)
  call void @llvm.genx.oword.st.v8i32(i32 %out, i32 0, <8 x i32> %r)
  ret void
}

; out[i] = table[index[i] & 31]
define dllexport spir_kernel void @pick(i32 %in, i32 %index, i32 %out) #0 {
  %t = call <32 x i32> @llvm.genx.oword.ld.v32i32(i32 0, i32 %in, i32 0)
  %i = call <8 x i32> @llvm.genx.oword.ld.v8i32(i32 0, i32 %index, i32 0)
  %m = and <8 x i32> %i, <i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31>
  %w = trunc <8 x i32> %m to <8 x i16>
  %o = shl <8 x i16> %w, <i16 2, i16 2, i16 2, i16 2, i16 2, i16 2, i16 2, i16 2>
  %r = call <8 x i32> @llvm.genx.rdregioni.v8i32.v32i32.v8i16(<32 x i32> %t, i32 0, i32 1, i32 0, <8 x i16> %o, i32 undef)
  call void @llvm.genx.oword.st.v8i32(i32 %out, i32 0, <8 x i32> %r)
  ret void
}

; counts how often each of 32 values occurs among n dwords: one indirect read and write in each step of a loop
define dllexport spir_kernel void @count(i32 %in, i32 %out, i32 %n) #0 {
entry:
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %body ]
  %counts = phi <32 x i32> [ zeroinitializer, %entry ], [ %counted, %body ]
  %more = icmp ult i32 %k, %n
  br i1 %more, label %body, label %done
body:
  %at = lshr i32 %k, 2
  %v = call <8 x i32> @llvm.genx.oword.ld.v8i32(i32 0, i32 %in, i32 %at)
  %x = extractelement <8 x i32> %v, i32 0
  %b = and i32 %x, 31
  %w = trunc i32 %b to i16
  %o = shl i16 %w, 2
  %old8 = call <8 x i32> @llvm.genx.rdregioni.v8i32.v32i32.i16(<32 x i32> %counts, i32 0, i32 1, i32 0, i16 %o, i32 undef)
  %old = extractelement <8 x i32> %old8, i32 0
  %new = add i32 %old, 1
  %counted = call <32 x i32> @llvm.genx.wrregioni.v32i32.i32.i16.i1(<32 x i32> %counts, i32 %new, i32 1, i32 1, i32 1, i16 %o, i32 undef, i1 true)
  %next = add i32 %k, 4
  br label %loop
done:
  call void @llvm.genx.oword.st.v32i32(i32 %out, i32 0, <32 x i32> %counts)
  ret void
}

; row r of a 4 by 8 matrix is replaced by its double
define dllexport spir_kernel void @replace_row(i32 %in, i32 %out, i32 %r) #0 {
  %m = call <32 x i32> @llvm.genx.oword.ld.v32i32(i32 0, i32 %in, i32 0)
  %w = trunc i32 %r to i16
  %o = shl i16 %w, 5
  %row = call <8 x i32> @llvm.genx.rdregioni.v8i32.v32i32.i16(<32 x i32> %m, i32 8, i32 8, i32 1, i16 %o, i32 undef)
  %d = add <8 x i32> %row, %row
  %n = call <32 x i32> @llvm.genx.wrregioni.v32i32.v8i32.i16.i1(<32 x i32> %m, <8 x i32> %d, i32 8, i32 8, i32 1, i16 %o, i32 undef, i1 true)
  call void @llvm.genx.oword.st.v32i32(i32 %out, i32 0, <32 x i32> %n)
  ret void
}

attributes #0 = { noinline nounwind "CMGenxMain" "oclrt"="1" }

!genx.kernels = !{!0, !1, !2, !3}
!0 = !{void (i32, i32, i32)* @slide, !"slide", !4, i32 0, !5, !6, !7, i32 0}
!1 = !{void (i32, i32, i32)* @pick, !"pick", !8, i32 0, !5, !6, !9, i32 0}
!2 = !{void (i32, i32, i32)* @count, !"count", !4, i32 0, !5, !6, !7, i32 0}
!3 = !{void (i32, i32, i32)* @replace_row, !"replace_row", !4, i32 0, !5, !6, !7, i32 0}
!4 = !{i32 2, i32 2, i32 0}
!5 = !{i32 32, i32 36, i32 40}
!6 = !{i32 0, i32 0, i32 0}
!7 = !{!"buffer_t", !"buffer_t", !""}
!8 = !{i32 2, i32 2, i32 2}
!9 = !{!"buffer_t", !"buffer_t", !"buffer_t"}
