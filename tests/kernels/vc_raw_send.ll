; covers: raw sends: messages whose descriptor, header and payload the program writes itself
; For the vector compiler (-vc-codegen).

target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "genx64-unknown-unknown"

declare <8 x i32> @llvm.genx.raw.send2.v8i32.i1.v8i32(i8, i8, i1, i8, i8, i8, i32, i32, <8 x i32>, <8 x i32>)
declare void @llvm.genx.raw.sends2.noresult.i1.v8i32.v8i32(i8, i8, i1, i8, i8, i8, i32, i32, <8 x i32>, <8 x i32>)
declare i32 @llvm.genx.group.id.x()

; reads two owords of the surface with binding table index %in and writes them, plus one, to %out.
; The header is zero but for the offset (in owords) in its third dword.
define dllexport spir_kernel void @copy_by_message(i32 %in, i32 %out) #0 {
  %g = call i32 @llvm.genx.group.id.x()
  %at = shl i32 %g, 1
  %a0 = insertelement <8 x i32> undef, i32 %at, i32 0
  %a1 = shufflevector <8 x i32> %a0, <8 x i32> undef, <8 x i32> zeroinitializer
  %h0 = and <8 x i32> %a1, <i32 0, i32 0, i32 -1, i32 0, i32 0, i32 0, i32 0, i32 0>
  %rd = add i32 %in, 35127808
  %v = call <8 x i32> @llvm.genx.raw.send2.v8i32.i1.v8i32(i8 0, i8 3, i1 true, i8 1, i8 1, i8 10, i32 10, i32 %rd, <8 x i32> %h0, <8 x i32> undef)
  %w = add <8 x i32> %v, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %wd = add i32 %out, 34210304
  call void @llvm.genx.raw.sends2.noresult.i1.v8i32.v8i32(i8 0, i8 3, i1 true, i8 1, i8 1, i8 10, i32 74, i32 %wd, <8 x i32> %h0, <8 x i32> %w)
  ret void
}

attributes #0 = { noinline nounwind "CMGenxMain" "oclrt"="1" }

!genx.kernels = !{!0}
!0 = !{void (i32, i32)* @copy_by_message, !"copy_by_message", !4, i32 0, !5, !6, !7, i32 0}
!4 = !{i32 2, i32 2}
!5 = !{i32 32, i32 36}
!6 = !{i32 0, i32 0}
!7 = !{!"buffer_t", !"buffer_t"}
