//
//
  for (i = 0; i < n; i++)
    sum += twice(a[i]);
