one();
new();
two();
three();
