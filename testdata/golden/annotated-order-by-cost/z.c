the z line
