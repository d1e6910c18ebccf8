the first of inc
