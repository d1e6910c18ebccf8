the f line
