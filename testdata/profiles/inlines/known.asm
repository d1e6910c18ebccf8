
known:     file format elf64-x86-64


Disassembly of section .text:

0000000000401070 <_ZN5cache3putEv>:
  401070:	sub    $0x8,%rsp
  401074:	nop
  401075:	nop
  401076:	nop
  401077:	nop
  401078:	nop
  401079:	nop
  40107a:	nop
  40107b:	nop
  40107c:	nop
  40107d:	nop
  40107e:	nop
  40107f:	nop
  401080:	nop
  401081:	nop
  401082:	nop
  401083:	nop
  401084:	nop
  401085:	nop
  401086:	nop
  401087:	nop
  401088:	nop
  401089:	nop
  40108a:	nop
  40108b:	nop
  40108c:	nop
  40108d:	nop
  40108e:	nop
  40108f:	nop
  401090:	nop
  401091:	nop
  401092:	nop
  401093:	nop
  401094:	nop
  401095:	nop
  401096:	nop
  401097:	nop
  401098:	nop
  401099:	nop
  40109a:	nop
  40109b:	nop
  40109c:	nop
  40109d:	nop
  40109e:	nop
  40109f:	nop
  4010a0:	nop
  4010a1:	call   401000 <_ZN5cache4growEv>
  4010a6:	nop
  4010a7:	add    $0x8,%rsp
  4010ab:	ret
  4010ac:	nopl   0x0(%rax)

00000000004010b0 <_Z4workv>:
  4010b0:	sub    $0x8,%rsp
  4010b4:	nop
  4010b5:	nop
  4010b6:	nop
  4010b7:	nop
  4010b8:	nop
  4010b9:	nop
  4010ba:	nop
  4010bb:	nop
  4010bc:	nop
  4010bd:	nop
  4010be:	nop
  4010bf:	nop
  4010c0:	nop
  4010c1:	nop
  4010c2:	nop
  4010c3:	nop
  4010c4:	nop
  4010c5:	nop
  4010c6:	nop
  4010c7:	nop
  4010c8:	nop
  4010c9:	nop
  4010ca:	nop
  4010cb:	nop
  4010cc:	nop
  4010cd:	nop
  4010ce:	nop
  4010cf:	nop
  4010d0:	nop
  4010d1:	nop
  4010d2:	nop
  4010d3:	nop
  4010d4:	nop
  4010d5:	nop
  4010d6:	nop
  4010d7:	nop
  4010d8:	nop
  4010d9:	nop
  4010da:	nop
  4010db:	nop
  4010dc:	nop
  4010dd:	nop
  4010de:	nop
  4010df:	nop
  4010e0:	nop
  4010e1:	call   401070 <_ZN5cache3putEv>
  4010e6:	nop
  4010e7:	nop
  4010e8:	nop
  4010e9:	nop
  4010ea:	nop
  4010eb:	nop
  4010ec:	nop
  4010ed:	nop
  4010ee:	nop
  4010ef:	nop
  4010f0:	nop
  4010f1:	nop
  4010f2:	nop
  4010f3:	nop
  4010f4:	nop
  4010f5:	nop
  4010f6:	nop
  4010f7:	nop
  4010f8:	nop
  4010f9:	nop
  4010fa:	nop
  4010fb:	nop
  4010fc:	nop
  4010fd:	nop
  4010fe:	nop
  4010ff:	nop
  401100:	nop
  401101:	nop
  401102:	nop
  401103:	nop
  401104:	nop
  401105:	nop
  401106:	nop
  401107:	nop
  401108:	nop
  401109:	nop
  40110a:	nop
  40110b:	nop
  40110c:	nop
  40110d:	nop
  40110e:	nop
  40110f:	nop
  401110:	nop
  401111:	nop
  401112:	nop
  401113:	nop
  401114:	nop
  401115:	add    $0x8,%rsp
  401119:	ret
  40111a:	nopw   0x0(%rax,%rax,1)

0000000000401120 <_start>:
  401120:	sub    $0x8,%rsp
  401124:	call   4010b0 <_Z4workv>
  401129:	mov    $0x3c,%eax
  40112e:	xor    %edi,%edi
  401130:	syscall
  401132:	add    $0x8,%rsp
  401136:	ret
