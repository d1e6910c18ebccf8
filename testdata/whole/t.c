static volatile int sink = 1;
static void leaf(int n) { for (int i = 0; i < n; i++) sink += i; }
static void middle(int n) { leaf(n); leaf(2 * n); }
static void work(void) { for (int i = 0; i < 9; i++) middle(i * 3); }
void _start(void) {
    work();
    leaf(100);
    __asm__ volatile("mov $60, %eax\n xor %edi, %edi\n syscall");
}
