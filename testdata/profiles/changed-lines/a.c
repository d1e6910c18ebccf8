int moved() {
  four();
}
int f() {
  one();
  zero();
  three();
}
