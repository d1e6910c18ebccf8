void push() {}
