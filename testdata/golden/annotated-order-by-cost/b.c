the b line
