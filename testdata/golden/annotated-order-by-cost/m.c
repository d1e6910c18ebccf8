the m line
