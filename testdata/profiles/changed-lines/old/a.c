int f() {
  one();
  two();
  three();
}
int moved() {
  four();
}
