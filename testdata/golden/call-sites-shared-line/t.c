template
  use(x)

  solo()
end
