not for an absolute name
