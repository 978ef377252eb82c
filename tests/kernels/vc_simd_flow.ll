; covers: SIMD control flow written as such: goto and join with execution masks, an if/else and a loop over sixteen lanes
; For the vector compiler (-vc-codegen).

target datalayout = "e-p:64:64-i64:64-n8:16:32"
target triple = "genx64-unknown-unknown"

declare <16 x i32> @llvm.genx.oword.ld.v16i32(i32, i32, i32)
declare void @llvm.genx.oword.st.v16i32(i32, i32, <16 x i32>)
declare { <32 x i1>, <16 x i1>, i1 } @llvm.genx.simdcf.goto.v32i1.v16i1(<32 x i1>, <16 x i1>, <16 x i1>)
declare { <32 x i1>, i1 } @llvm.genx.simdcf.join.v32i1.v16i1(<32 x i1>, <16 x i1>)
declare <16 x i1> @llvm.genx.rdpredregion.v16i1.v32i1(<32 x i1>, i32)
declare <16 x i32> @llvm.genx.wrregioni.v16i32.v16i32.i16.v16i1(<16 x i32>, <16 x i32>, i32, i32, i32, i16, i32, <16 x i1>)

; out[i] = in[i] < limit ? in[i] * 3 : in[i]: lanes at or above the limit wait at the join
define dllexport spir_kernel void @if_then(i32 %in, i32 %out, i32 %limit) #0 {
entry:
  %v = call <16 x i32> @llvm.genx.oword.ld.v16i32(i32 0, i32 %in, i32 0)
  %l0 = insertelement <16 x i32> undef, i32 %limit, i32 0
  %l = shufflevector <16 x i32> %l0, <16 x i32> undef, <16 x i32> zeroinitializer
  %run = icmp slt <16 x i32> %v, %l
  %g = call { <32 x i1>, <16 x i1>, i1 } @llvm.genx.simdcf.goto.v32i1.v16i1(<32 x i1> <i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1>, <16 x i1> zeroinitializer, <16 x i1> %run)
  %em = extractvalue { <32 x i1>, <16 x i1>, i1 } %g, 0
  %rm = extractvalue { <32 x i1>, <16 x i1>, i1 } %g, 1
  %none = extractvalue { <32 x i1>, <16 x i1>, i1 } %g, 2
  br i1 %none, label %join, label %then
then:
  %t = mul <16 x i32> %v, <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %mask = call <16 x i1> @llvm.genx.rdpredregion.v16i1.v32i1(<32 x i1> %em, i32 0)
  %w = call <16 x i32> @llvm.genx.wrregioni.v16i32.v16i32.i16.v16i1(<16 x i32> %v, <16 x i32> %t, i32 16, i32 16, i32 1, i16 0, i32 undef, <16 x i1> %mask)
  br label %join
join:
  %r = phi <16 x i32> [ %v, %entry ], [ %w, %then ]
  %j = call { <32 x i1>, i1 } @llvm.genx.simdcf.join.v32i1.v16i1(<32 x i1> %em, <16 x i1> %rm)
  call void @llvm.genx.oword.st.v16i32(i32 %out, i32 0, <16 x i32> %r)
  ret void
}

; halves each lane until it is below the limit; lanes that are done wait at the end of the loop
define dllexport spir_kernel void @halve(i32 %in, i32 %out, i32 %limit) #0 {
entry:
  %v = call <16 x i32> @llvm.genx.oword.ld.v16i32(i32 0, i32 %in, i32 0)
  %l0 = insertelement <16 x i32> undef, i32 %limit, i32 0
  %l = shufflevector <16 x i32> %l0, <16 x i32> undef, <16 x i32> zeroinitializer
  br label %loop
loop:
  %x = phi <16 x i32> [ %v, %entry ], [ %y, %body ]
  %em = phi <32 x i1> [ <i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1>, %entry ], [ %em1, %body ]
  %rm = phi <16 x i1> [ zeroinitializer, %entry ], [ %rm1, %body ]
  %stay = icmp uge <16 x i32> %x, %l
  %g = call { <32 x i1>, <16 x i1>, i1 } @llvm.genx.simdcf.goto.v32i1.v16i1(<32 x i1> %em, <16 x i1> %rm, <16 x i1> %stay)
  %em1 = extractvalue { <32 x i1>, <16 x i1>, i1 } %g, 0
  %rm1 = extractvalue { <32 x i1>, <16 x i1>, i1 } %g, 1
  %none = extractvalue { <32 x i1>, <16 x i1>, i1 } %g, 2
  br i1 %none, label %done, label %body
body:
  %h = lshr <16 x i32> %x, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %mask = call <16 x i1> @llvm.genx.rdpredregion.v16i1.v32i1(<32 x i1> %em1, i32 0)
  %y = call <16 x i32> @llvm.genx.wrregioni.v16i32.v16i32.i16.v16i1(<16 x i32> %x, <16 x i32> %h, i32 16, i32 16, i32 1, i16 0, i32 undef, <16 x i1> %mask)
  br label %loop
done:
  %j = call { <32 x i1>, i1 } @llvm.genx.simdcf.join.v32i1.v16i1(<32 x i1> %em1, <16 x i1> %rm1)
  call void @llvm.genx.oword.st.v16i32(i32 %out, i32 0, <16 x i32> %x)
  ret void
}

attributes #0 = { noinline nounwind "CMGenxMain" "oclrt"="1" }

!genx.kernels = !{!0, !1}
!0 = !{void (i32, i32, i32)* @if_then, !"if_then", !4, i32 0, !5, !6, !7, i32 0}
!1 = !{void (i32, i32, i32)* @halve, !"halve", !4, i32 0, !5, !6, !7, i32 0}
!4 = !{i32 2, i32 2, i32 0}
!5 = !{i32 32, i32 36, i32 40}
!6 = !{i32 0, i32 0, i32 0}
!7 = !{!"buffer_t", !"buffer_t", !""}
