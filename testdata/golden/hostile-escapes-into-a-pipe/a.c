	one[2J line
