; covers: subroutines of the vector compiler: vector arguments and results, a call in a uniform loop, nesting
; For the vector compiler (-vc-codegen).

target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "genx64-unknown-unknown"

declare <16 x i32> @llvm.genx.oword.ld.v16i32(i32, i32, i32)
declare void @llvm.genx.oword.st.v16i32(i32, i32, <16 x i32>)

define internal spir_func <16 x i32> @mix(<16 x i32> %a, i32 %k) #1 {
  %k0 = insertelement <16 x i32> undef, i32 %k, i32 0
  %k1 = shufflevector <16 x i32> %k0, <16 x i32> undef, <16 x i32> zeroinitializer
  %m = mul <16 x i32> %a, %k1
  %x = xor <16 x i32> %m, %a
  ret <16 x i32> %x
}

define internal spir_func <16 x i32> @twice(<16 x i32> %a) #1 {
  %b = call spir_func <16 x i32> @mix(<16 x i32> %a, i32 7)
  %c = call spir_func <16 x i32> @mix(<16 x i32> %b, i32 11)
  ret <16 x i32> %c
}

define dllexport spir_kernel void @calls(i32 %in, i32 %out, i32 %n) #0 {
entry:
  %v = call <16 x i32> @llvm.genx.oword.ld.v16i32(i32 0, i32 %in, i32 0)
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %body ]
  %x = phi <16 x i32> [ %v, %entry ], [ %y, %body ]
  %more = icmp ult i32 %k, %n
  br i1 %more, label %body, label %done
body:
  %t = call spir_func <16 x i32> @twice(<16 x i32> %x)
  %y = call spir_func <16 x i32> @mix(<16 x i32> %t, i32 %k)
  %next = add i32 %k, 1
  br label %loop
done:
  call void @llvm.genx.oword.st.v16i32(i32 %out, i32 0, <16 x i32> %x)
  ret void
}

attributes #1 = { noinline nounwind }
attributes #0 = { noinline nounwind "CMGenxMain" "oclrt"="1" }

!genx.kernels = !{!0}
!0 = !{void (i32, i32, i32)* @calls, !"calls", !4, i32 0, !5, !6, !7, i32 0}
!4 = !{i32 2, i32 2, i32 0}
!5 = !{i32 32, i32 36, i32 40}
!6 = !{i32 0, i32 0, i32 0}
!7 = !{!"buffer_t", !"buffer_t", !""}
