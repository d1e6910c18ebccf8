int f() {
	return g() | 1;
}
