not this one
