
	f();
café
