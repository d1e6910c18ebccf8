first of a
second of a
