//.kernel k
//.platform SKL
//.thread_config numGRF=128, numAcc=2
//.options_string "-platform SKL -binary -output "
//.full_options "-output -binary -platform SKL "
//.instCount 45
//.RA type	LOCAL_ROUND_ROBIN_BC_RA
//.git-hash 

//.declare BuiltInR0 (0)  rf=r size=32 type=ud align=16 words (r0.0) IsBuiltin
//.declare R0_Copy0 (1)  rf=r size=32 type=ud alias=BuiltInR0+0 align=16 words (r0.0) IsBuiltin
//.declare BuiltinA0 (2)  rf=a size=4 type=ud align=1 words (a0.0) IsBuiltin
//.declare BuiltinA0Dot2 (3)  rf=a size=4 type=ud align=1 words (a0.2) IsBuiltin
//.declare %null (9)  rf=r size=4 type=ud align=2 words
//.declare %local_id_x (12)  rf=r size=4 type=ud align=2 words (r6.7)
//.declare %local_id_y (13)  rf=r size=4 type=ud align=2 words (r7.0)
//.declare %local_size_x (14)  rf=r size=4 type=ud align=2 words (r6.3)
//.declare %local_size_y (15)  rf=r size=4 type=ud align=2 words (r6.4)
//.declare %group_id_x (16)  rf=r size=4 type=ud align=2 words (r0.1)
//.declare %group_id_y (17)  rf=r size=4 type=ud align=2 words (r0.6)
//.declare %group_id_z (18)  rf=r size=4 type=ud align=2 words (r0.7)
//.declare %group_count_x (19)  rf=r size=4 type=ud align=2 words (r6.5)
//.declare %group_count_y (20)  rf=r size=4 type=ud align=2 words (r6.6)
//.declare %tsc (21)  rf=r size=20 type=ud align=2 words
//.declare %arg (22)  rf=r size=0 type=ud align=16 words (r26.0)
//.declare %retval (23)  rf=r size=0 type=ud align=16 words (r26.0) Output
//.declare %sp (24)  rf=r size=8 type=uq align=4 words (r127.3)
//.declare %fp (25)  rf=r size=8 type=uq align=4 words (r127.2)
//.declare %sr0 (26)  rf=r size=16 type=ud align=2 words
//.declare %cr0 (27)  rf=r size=12 type=ud align=2 words
//.declare %ce0 (28)  rf=r size=4 type=ud align=2 words
//.declare %dbg0 (29)  rf=r size=8 type=ud align=2 words
//.declare implBufPtr (31)  rf=r size=8 type=uq align=4 words (r126.0)
//.declare localIdBufPtr (32)  rf=r size=8 type=uq align=4 words (r126.3)
//.declare %msg0 (33)  rf=r size=12 type=ud align=2 words
//.declare %null (34)  rf=r size=4 type=ud align=2 words
//.declare V0033 (40)  rf=r size=32 type=d alias=R0_Copy0+0 align=16 words (r0.0)
//.declare V0034 (41)  rf=r size=4 type=d align=2 words (r5.4)
//.declare V0036 (43)  rf=r size=32 type=d alias=R0_Copy0+0 align=16 words (r0.0)
//.declare V0037 (44)  rf=r size=32 type=d align=16 words (r4.0)
//.declare V0038 (45)  rf=r size=12 type=d align=2 words (r6.0)
//.declare V0039 (46)  rf=r size=32 type=w align=16 words (r1.0)
//.declare V0040 (47)  rf=r size=32 type=w align=16 words (r2.0)
//.declare V0041 (48)  rf=r size=32 type=w align=16 words (r3.0)
//.declare V0042 (49)  rf=r size=4 type=d align=2 words (r5.5)
//.declare V0043 (50)  rf=r size=4 type=d align=2 words (r5.6)
//.declare V0044 (51)  rf=r size=4 type=d align=2 words (r2.0)
//.declare V0045 (52)  rf=r size=64 type=d align=16 words (r125.0)
//.declare V0046 (53)  rf=r size=32 type=uw alias=V0039+0 align=16 words (r1.0)
//.declare V0047 (54)  rf=r size=64 type=d align=16 words (r7.0)
//.declare V0048 (55)  rf=r size=64 type=d align=16 words (r123.0)
//.declare V0049 (56)  rf=r size=64 type=d align=16 words (r9.0)
//.declare V0050 (57)  rf=r size=64 type=ud alias=V0049+0 align=16 words (r9.0)
//.declare V0051 (58)  rf=r size=64 type=d align=16 words (r121.0)
//.declare V0052 (59)  rf=r size=64 type=f align=16 words (r11.0)
//.declare V0053 (60)  rf=r size=64 type=d align=16 words (r119.0)
//.declare V0054 (61)  rf=r size=64 type=ud alias=V0053+0 align=16 words (r119.0)
//.declare V0055 (62)  rf=r size=64 type=f align=16 words (r117.0)
//.declare V0056 (63)  rf=r size=4 type=d align=2 words (r2.1)
//.declare V0057 (64)  rf=r size=4 type=d align=2 words (r116.0)
//.declare V0058 (65)  rf=r size=4 type=d align=16 words (r3.0)
//.declare V0059 (66)  rf=r size=4 type=ud alias=V0058+0 align=16 words (r3.0)
//.declare V0060 (67)  rf=r size=4 type=f align=16 words (r14.0)
//.declare V0061 (68)  rf=r size=4 type=ud alias=V0060+0 align=16 words (r14.0)
//.declare V0062 (69)  rf=r size=64 type=d align=16 words (r114.0)
//.declare V0063 (70)  rf=r size=64 type=d align=16 words (r15.0)
//.declare V0064 (71)  rf=r size=64 type=ud alias=V0063+0 align=16 words (r15.0)
//.declare V0065 (72)  rf=r size=64 type=d align=16 words (r112.0)
//.declare V0066 (73)  rf=r size=64 type=d align=16 words (r17.0)
//.declare V0067 (74)  rf=r size=8 type=uq align=4 words (r5.0)
//.declare V0068 (75)  rf=r size=8 type=uq align=4 words (r5.1)
//.declare P1 (76)  rf=f16  size=2 type=uw align=1 words (f1.1)
//.declare P2 (77)  rf=f16  size=2 type=uw align=1 words (f1.0)
//.declare P3 (78)  rf=f16  size=2 type=uw align=1 words (f1.0)
//.declare P4 (79)  rf=f16  size=2 type=uw align=1 words (f0.1)
//.declare P5 (80)  rf=f16  size=2 type=uw align=1 words (f0.0)
//.declare P6 (81)  rf=f16  size=2 type=uw align=1 words (f0.1)
//.declare M2 (84)  rf=r size=32 type=ud align=16 words (r127.0)
//.declare TEMP_FLAG_2 (85)  rf=f16  size=2 type=uw align=1 words (f0.0)
//.declare TV3 (86)  rf=r size=2 type=w align=1 words (r116.2)

// .inputs
// +----------+----------+--------+----------+------------------+
// | id       | type     |  bytes | at       | from             |
// +----------+----------+--------+----------+------------------+
// | V0039    | :w x 16  |   0x20 | r1       | cti+0x0          |
// | V0040    | :w x 16  |   0x20 | r2       | cti+0x20         |
// | V0041    | :w x 16  |   0x20 | r3       | cti+0x40         |
// | V0037    | :d x 8   |   0x20 | r4       | cti+0x60         |
// | V0067    | :uq      |    0x8 | r5       | cti+0x80         |
// | V0068    | :uq      |    0x8 | r5+0x8   | cti+0x88         |
// | V0034    | :d       |    0x4 | r5+0x10  | cti+0x90         |
// | V0042    | :d       |    0x4 | r5+0x14  | cti+0x94         |
// | V0043    | :d       |    0x4 | r5+0x18  | cti+0x98         |
// | V0038    | :d x 3   |    0xC | r6       | cti+0xA0         |
// +----------+----------+--------+----------+------------------+


// B000: Preds:{},  Succs:{B001, B006}
_main_0:
(W)     or (1|M0)                cr0.0<1>:ud   cr0.0<0;1,0>:ud   0x4C0:uw              {Switch}      // $1
(W)     mul (1|M0)               r2.0<1>:d     r6.0<0;1,0>:d     r0.1<0;1,0>:d    {Compacted}        // $2
        add (16|M0)              r125.0<1>:d   r2.0<0;1,0>:d     r1.0<16;16,1>:uw                    // $4
        add (16|M0)              r7.0<1>:d     r125.0<8;8,1>:d   r4.0<0;1,0>:d    {Compacted}        // $5
        cmp (16|M0)   (lt)f1.1   null<1>:d     r7.0<8;8,1>:d     r5.4<0;1,0>:d                       // $6
(f1.1)  goto (16|M0)                         _0_013            _0_013                                // $7
// B001: [inDivergent],  Preds:{B000},  Succs:{B002, B003}
_0_014:
        shl (16|M0)              r123.0<1>:d   r7.0<8;8,1>:d     2:w                                 // $9
        add (16|M0)              r9.0<1>:d     r123.0<8;8,1>:d   r5.6<0;1,0>:d    {Compacted}        // $10
        send (16|M0)             r121:w   r9      0xC            0x04205E01           // wr:2+0, rd:2; hdc.dc1; untyped surface read with x // $12
        cmp (16|M0)   (gt)f1.0   null<1>:d     r121.0<8;8,1>:d   0:w                                 // $13
(~f1.0) goto (16|M0)                         _0_015            _0_015                                // $14
// B002: [inDivergent],  Preds:{B001},  Succs:{B005}
_0_016:
(W)     mov (1|M0)               f0.0<1>:uw    0x0:uw                                                // $17
        mov (16|M0)              r11.0<1>:f    0.0:f                                                 // $16
(f0.0)  goto (16|M0)                         _0_015            _0_017                                // $17
// B003: [inDivergent],  Preds:{B001},  Succs:{B004}
_0_015:
        join (16|M0)                         _0_017                                                  // 
L216:
        add (16|M0)              r119.0<1>:d   r123.0<8;8,1>:d   r5.5<0;1,0>:d    {Compacted}        // $19
        send (16|M0)             r117:w   r119    0xC            0x04205E00           // wr:2+0, rd:2; hdc.dc1; untyped surface read with x // $21
        mov (16|M0)              r11.0<1>:f    0.0:f                                                 // $23
(W)     mov (1|M0)               r2.1<1>:d     0:w                                                   // $22
// B004: [inDivergent],  Preds:{B004, B003},  Succs:{B005, B004}
_0_018:
(W)     shl (1|M0)               r116.0<1>:d   r2.1<0;1,0>:d     2:w                                 // $25
(W)     add (1|M0)               r2.1<1>:d     r2.1<0;1,0>:d     1:w                                 // $30
(W)     add (1|M0)               r3.0<1>:d     r116.0<0;1,0>:d   r5.5<0;1,0>:d    {Compacted}        // $26
(W)     mov (1|M0)               r116.2<1>:w   1:w                                                   // $32
(W)     send (1|M0)              r14      r3      0xA            0x02110800           // wr:1+0, rd:1; hdc.dc0; byte gathering read 32b // $28
        cmp (16|M0)   (lt)f1.0   null<1>:d     r2.1<0;1,0>:d     r121.0<8;8,1>:d                     // $31
(f1.0)  sel (16|M0)              r114.0<1>:d   r116.2<0;1,0>:w   0:w                                 // $32
        mad (16|M0)              r11.0<1>:f    r11.0<2;1>:f      r14.0<0;0>:f      r117.0<1>:f      {Compacted} // $29 {0=OL, 1=EL, 2=OH, BC=GOOD}
        cmp (16|M0)   (gt)f0.1   null<1>:f     r11.0<8;8,1>:f    100.0:f                             // $33
(f0.1)  mov (16|M0)              r114.0<1>:d   0:w                                                   // $34
        cmp (16|M0)   (ne)f0.0   null<1>:d     r114.0<8;8,1>:d   0:w                                 // $35
(f0.0)  goto.b (16|M0)                       _0_017            _0_018                                // $36
// B005: [inDivergent],  Preds:{B004, B002},  Succs:{B006}
_0_017:
        join (16|M0)                         _0_013                                                  // 
L464:
        send (16|M0)             r112:w   r9      0xC            0x04205E01           // wr:2+0, rd:2; hdc.dc1; untyped surface read with x // $42
        add (16|M0)              r15.0<1>:d    r123.0<8;8,1>:d   r5.5<0;1,0>:d    {Compacted}        // $38
        sends (16|M0)            null:w   r15     r11     0x8C            0x04025E00           // wr:2+2, rd:0; hdc.dc1; untyped surface write with x // $40
(W)     mul (8|M0)               acc0.0<1>:d   r112.0<8;8,1>:d   0x5556:uw                           // $43
        mach (8|M0)              r17.0<1>:d    r112.0<8;8,1>:d   1431655766:d               {AccWrEn} // 
(W)     mul (8|M0)               acc0.0<1>:d   r113.0<8;8,1>:d   0x5556:uw                           // $43
        mach (8|M8)              r18.0<1>:d    r113.0<8;8,1>:d   1431655766:d               {AccWrEn} // $44
        cmp (16|M0)   (lt)f0.1   null<1>:d     r17.0<8;8,1>:d    0:w                                 // $44
(f0.1)  add (16|M0)              r17.0<1>:d    r17.0<8;8,1>:d    1:w                                 // $47
        sends (16|M0)            null:w   r9      r17     0x8C            0x04025E01           // wr:2+2, rd:0; hdc.dc1; untyped surface write with x // $50
// B006: Preds:{B005, B000},  Succs:{}
_0_013:
        join (16|M0)                         _0_013                                                  // 
L632:
(W)     mov (8|M0)               r127.0<1>:ud  r0.0<8;8,1>:ud                   {Compacted}          // $52
(W)     send (1|M0)              null     r127    0x27            0x02000010           {EOT} // wr:1+0, rd:0; spawner; end of thread // $52
// Bank Conflict Statistics: 
// -- GOOD: 1
// --  BAD: 0
// --   OK: 0


//.numALUInst: 31
//.accSubDef: 0
//.accSubUse: 0
//.accSubCandidateDef: 0
//.accSubCandidateUse: 0
//
//
//.singlePipeAtOneDistNum: 0
//.allAtOneDistNum: 0
//.syncInstCount: 0
//.tokenReuseCount: 0
//.AfterWriteTokenDepCount: 0
//.AfterReadTokenDepCount: 0
