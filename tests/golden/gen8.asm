// Instruction forms of Gen8 to Gen11, one a line. Those that a platform's assembler takes stand in
// tests/golden/<platform>/<opcode>.txt, with its answer.
add (8|M0) r10.0<1>:f r11.0<8;8,1>:f -r12.0<8;8,1>:f
add (16|M16) (sat)r10.0<1>:f r11.0<8;8,1>:f (abs)r14.3<0;1,0>:f {AccWrEn}
(W) add (1|M0) a0.0<1>:ud r10.3<0;1,0>:ud 0x2106E00:ud
(f0.1) add (8|M8) (lt)f0.1 r10.0<2>:w r11.0<16;8,2>:w -5:w
(~f1.0.any4h) add (4|M4) r10.0<1>:d r11.0<4;4,1>:d r12.0<4;4,1>:d {NoDDClr}
(f0.0.all8h) add (8|M0) r10.0<1>:ud r[a0.3,32]<8;8,1>:ud r[a0.15,-512]<1,0>:ud {NoDDChk}
add (8|M0) r[a0.2,511]<1>:ud r11.0<8;8,1>:ud r12.0<0;1,0>:uw {NoDDClr,NoDDChk}
add (8|M0) r10.0<1>:df r11.0<4;4,1>:df r12.0<4;4,1>:df
add (8|M0) r10.0<1>:q r11.0<4;4,1>:q r12.0<4;4,1>:d
add (8|M0) r10.0<1>:w r11.0<8;8,1>:w 0x76543210:v
add (8|M0) r10.0<1>:f r11.0<8;8,1>:f 0x30204080:vf
addc (8|M0) r10.0<1>:ud r11.0<8;8,1>:ud r12.0<8;8,1>:ud {AccWrEn}
and (16|M0) (ne)f0.0 null<1>:ud r10.0<8;8,1>:ud 0xFF:ud
and (8|M0) r10.0<1>:ud ~r11.0<8;8,1>:ud r12.0<8;8,1>:ud
asr (8|M0) r10.0<1>:d r11.0<8;8,1>:d 31:w
avg (8|M0) r10.0<1>:ub r11.0<8;8,1>:ub r12.0<8;8,1>:ub
bfe (8|M0) r10.0<1>:ud r11.0<8;1>:ud r12.0<8;1>:ud r13.0<1>:ud
bfi1 (8|M0) r10.0<1>:ud r11.0<8;8,1>:ud r12.0<8;8,1>:ud
bfi2 (8|M0) r10.0<1>:ud r11.0<8;1>:ud r12.0<8;1>:ud r13.0<1>:ud
bfrev (8|M0) r10.0<1>:ud r11.0<8;8,1>:ud
cbit (8|M0) r10.0<1>:ud r11.0<8;8,1>:ud
cmp (16|M0) (ge)f1.1 null<1>:f r10.0<8;8,1>:f 0x0:f
cmp (8|M0) (un)f0.0 r10.0<1>:d r11.0<8;8,1>:f r12.0<8;8,1>:f {Switch}
cmpn (8|M0) (gt)f0.0 r10.0<1>:f r11.0<8;8,1>:f r12.0<8;8,1>:f
csel (8|M0) (le)f0.1 r10.0<1>:f r11.0<8;1>:f r12.0<8;1>:f -r13.0<1>:f
dp2 (8|M0) r10.0<1>:f r11.0<4;4,1>:f r12.0<4;4,1>:f
dp3 (8|M0) r10.0<1>:f r11.0<4;4,1>:f r12.0<4;4,1>:f
dp4 (8|M0) r10.0<1>:f r11.0<4;4,1>:f r12.0<4;4,1>:f
dph (8|M0) r10.0<1>:f r11.0<4;4,1>:f r12.0<4;4,1>:f
fbh (8|M0) r10.0<1>:ud r11.0<8;8,1>:d
fbl (8|M0) r10.0<1>:ud r11.0<8;8,1>:ud
frc (8|M0) r10.0<1>:f -r11.0<8;8,1>:f
illegal
line (8|M0) r10.0<1>:f r11.4<0;1,0>:f r12.0<8;8,1>:f
lrp (8|M0) r10.0<1>:f r11.0<8;1>:f r12.0<8;1>:f r13.2<0>:f
lzd (8|M0) r10.0<1>:ud r11.0<8;8,1>:ud
mac (8|M0) r10.0<1>:f r11.0<8;8,1>:f r12.0<8;8,1>:f
mach (8|M0) r10.0<1>:d r11.0<8;8,1>:d r12.0<8;8,1>:d {AccWrEn}
mad (8|M0) r10.0<1>:f r11.0<8;1>:f r12.0<8;1>:f r13.0<1>:f
mad (16|M0) (sat)r10.0<1>:f -r11.0<8;1>:f r12.1<0;0>:f (abs)r14.0<1>:f
mad (1|M0) r10.2<1>:f r11.1<0;0>:f r12.0<0;0>:f r13.3<0>:f
mad (1|M0) r10.1<1>:df r11.1<0;0>:df r12.2<0;0>:df r13.3<0>:df
mad (4|M4) r10.0<1>:df r11.0<2;1>:df r12.0<2;1>:df r13.0<1>:df {Breakpoint}
mad (8|M0) r10.0<1>:hf r11.0<8;1>:hf r12.0<8;1>:hf r13.0<1>:f
(f0.0.any4h) mad (8|M0) r10.0<1>:d r11.0<8;1>:d r12.0<8;1>:d r13.0<1>:d
mad (8|M0) r10.0<2>:w 0x1234:w r12.0<2;1>:w 0x4321:w
mad (8|M0) acc0.0<1>:f acc1.0<4;1>:nf acc0.0<2;2>:nf r11.0<1>:f
madm (8|M0) r10.mme1:f r11.nomme:f -r12.mme7:f r13.mme0:f
madm (4|M4) r10.nomme:df r11.mme2:df r12.mme3:df r13.nomme:df
math.inv (8|M0) r10.0<1>:f r11.0<8;8,1>:f
math.log (16|M0) (sat)r10.0<1>:f -(abs)r11.0<8;8,1>:f
math.exp (8|M0) r10.0<1>:hf r11.0<8;8,1>:hf
math.sqt (1|M0) r10.3<1>:f r11.2<0;1,0>:f
math.rsqt (8|M8) r10.0<1>:f r11.0<8;8,1>:f
math.sin (8|M0) r10.0<1>:f r11.0<8;8,1>:f
math.cos (8|M0) r10.0<1>:f r11.0<8;8,1>:f
math.fdiv (8|M0) r10.0<1>:f r11.0<8;8,1>:f r12.0<8;8,1>:f
math.pow (8|M0) r10.0<1>:f r11.0<8;8,1>:f r12.0<8;8,1>:f
math.idiv (8|M0) r10.0<1>:d r12.0<8;8,1>:d r14.0<8;8,1>:d
math.iqot (8|M0) r10.0<1>:ud r12.0<8;8,1>:ud r14.0<8;8,1>:ud
math.irem (8|M0) r10.0<1>:d r12.0<8;8,1>:d r14.0<8;8,1>:d
math.invm (8|M0) (eo)f0.1 r10.mme7:f r11.nomme:f r12.mme0:f
math.invm (4|M4) (eo)f1.0 r10.mme1:df r11.nomme:df r12.nomme:df
math.rsqtm (8|M0) (eo)f0.0 r10.nomme:f r11.mme5:f
mov (8|M0) r10.0<1>:f r11.0<8;8,1>:f
mov (4|M4) r10.0<1>:f r11.0<4;4,1>:f
mov (16|M0) r10.0<2>:ub r11.0<32;16,2>:b
mov (8|M0) r[a0.3,-200]<2>:w r[a0.2,-4]<1,0>:w {Atomic}
mov (8|M0) r10.0<1>:w r[a0.2,511]<4,1>:w
mov (1|M0) r10.0<1>:uq 0x1234567898765432:uq
mov (1|M0) r10.0<1>:df 1.5:df
mov (8|M0) r10.0<1>:hf 0x1234:hf
mov (8|M0) r10.0<1>:w 0x12345678:v
mov (8|M0) r10.0<1>:uw 0x12345678:uv
mov (8|M0) r10.0<1>:f 0x12345678:vf
mov (1|M0) f0.1<1>:uw sr0.2<0;1,0>:uw {NoPreempt}
mov (1|M0) r1.0<1>:ud tm0.0<0;1,0>:ud
mov (1|M0) cr0.0<1>:ud dbg0.0<0;1,0>:ud
mov (8|M0) mme3:ud r12.0<1;1,0>:ud
mov (8|M0) r12.0<1>:ud mme7:ud
movi (8|M0) r10.0<1>:ub r[a0.0,0]<8;8,1>:ub
movi (8|M0) r10.0<1>:ud r[a0.0,0]<8;8,1>:ud 0x0:uw
mul (8|M0) acc0.0<1>:d r11.0<8;8,1>:d r12.0<16;8,2>:uw
mul (8|M0) r10.0<1>:f r11.0<8;8,1>:f r12.3<0;1,0>:f
nop
nop {Breakpoint}
not (8|M0) r10.0<1>:ud r11.0<8;8,1>:ud
or (8|M0) r10.0<1>:ud r11.0<8;8,1>:ud 0x8000:ud
pln (8|M0) r10.0<1>:f r11.4<0;1,0>:f r12.0<8;8,1>:f
rndd (8|M0) r10.0<1>:f r11.0<8;8,1>:f
rnde (8|M0) r10.0<1>:f r11.0<8;8,1>:f
rndu (8|M0) r10.0<1>:f r11.0<8;8,1>:f
rndz (8|M0) r10.0<1>:f r11.0<8;8,1>:f
rol (8|M0) r10.0<1>:ud r11.0<8;8,1>:ud 3:uw
ror (8|M0) r10.0<1>:ud r11.0<8;8,1>:ud r12.0<0;1,0>:ud
sad2 (8|M0) r10.0<1>:uw r11.0<8;8,1>:ub r12.0<8;8,1>:ub
sada2 (8|M0) r10.0<1>:uw r11.0<8;8,1>:ub r12.0<8;8,1>:ub
(f0.0) sel (8|M0) r10.0<1>:f r11.0<8;8,1>:f r12.0<8;8,1>:f
sel (8|M0) (ge)f0.0 r10.0<1>:f r11.0<8;8,1>:f 1.0:f
send (8|M0) r10:f r20 0xA 0x2106E00
(f0.1) send (16|M0) null:w r20 0xC 0x20C0223
send (8|M0) r10:hf r20 0xA a0.0
send (8|M0) r[a0.2,32]:ud r[a0.3,64] 0xA 0x2000000
send (8|M0) r10:ud r20 0xFFF00004 0x2000000
(W) send (8|M0) null:ud r127 0x27 0x2000010 {EOT}
sendc (16|M16) r10:f r20 0xA 0x2106E00
sends (8|M0) r10:w r20 r30 0x4A a0.0
sends (8|M0) r10:uw r20 r30 0x7FFA03CA 0x2106E00
sends (8|M0) null:uw r20 null a0.2 0x2106E00 {NoSrcDepSet}
sends (8|M0) r[a0.2,-512]:ud r[a0.15,496] r30 0x4A 0x2000000
sends (1|M0) null:uw r112 r113 0x7 0x2106E00 {EOT}
sendsc (8|M0) r10:f r20 r30 0x8C 0x2106E00
shl (8|M0) r10.0<1>:d r11.0<8;8,1>:d 4:w
shr (8|M0) r10.0<1>:ud r11.0<8;8,1>:ud r12.0<8;8,1>:ud
smov (8|M0) r10.0<1>:ud r11.0<0;1,0>:ud 0x0:uw
subb (8|M0) r10.0<1>:ud r11.0<8;8,1>:ud r12.0<8;8,1>:ud {AccWrEn}
(W) wait (1|M0) n0.1<0;1,0>:ud
xor (8|M0) r10.0<1>:ud r11.0<8;8,1>:ud r12.0<8;8,1>:ud
(W) jmpi (1|M0) L
(W&f0.1.any8h) jmpi (1|M0) L
(W) jmpi (1|M0) r10.3<0;1,0>:d
(f0.0) if (8|M0) L L
else (8|M8) L L
endif (16|M0) L
(f0.0) while (8|M0) L
(f0.0) break (8|M0) L L
(~f0.0) cont (8|M0) L L
(f0.0) halt (8|M0) L L
(f0.0) goto (8|M0) L L
goto.b (8|M0) L L
join (8|M0) L
call (8|M0) r10.0 L
call (8|M0) r10.0 r20.2<0;1,0>:d
calla (8|M0) r10.0 0x10:d
ret (8|M0) r10.0
brd (8|M0) L
brd (8|M0) r20.2<0;1,0>:d
brc (8|M0) L L
brc (8|M0) r20.0<2;2,1>:d
