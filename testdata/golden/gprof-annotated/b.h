// b.h
