main
  r()

r
  r()
  leaf()
