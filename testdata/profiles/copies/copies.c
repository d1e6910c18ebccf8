volatile int sink;

/* The compiler makes copies of it within itself. */
static int tree(int n)
{
	sink += n;
	if (n <= 0)
		return 1;
	return tree(n - 1) + tree(n - 2);
}

int main(void)
{
	int sum = 0;
	for (int i = 0; i < 3; i++)
		sum += tree(6);
	return sum == 0;
}
