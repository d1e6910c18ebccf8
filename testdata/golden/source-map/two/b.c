first of b
