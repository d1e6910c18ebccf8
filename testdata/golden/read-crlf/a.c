f
 g()

g
