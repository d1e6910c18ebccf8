the a line
