first
last
