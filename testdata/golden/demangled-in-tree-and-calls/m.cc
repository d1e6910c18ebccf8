main
  bar()
