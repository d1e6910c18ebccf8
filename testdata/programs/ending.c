/* Works, and then ends as its argument says: for the tests of `cgannotate record`. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int work(int count)
{
    volatile int sum = 0;
    for (int i = 0; i < count; i++)
        sum += i * i;
    return sum;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    work(10000);
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "kill") == 0) {
        /* By another process: valgrind sees a signal that a process sends to itself. */
        if (fork() == 0) {
            kill(getppid(), SIGKILL);
            _exit(0);
        }
        wait(NULL);
        pause();
    }
    if (strcmp(how, "interrupt") == 0)
        kill(0, SIGINT);
    if (strcmp(how, "terminate") == 0) {
        /* The process that started it, alone. */
        kill(getppid(), SIGTERM);
        for (;;)
            pause();
    }
    if (strcmp(how, "fork") == 0) {
        if (fork() == 0)
            _exit(work(5) == 0);
        wait(NULL);
    }
    if (strcmp(how, "exec") == 0)
        execl("/bin/true", "true", (char *)0);
    if (strcmp(how, "read") == 0) {
        char line[80];
        printf("read %s", fgets(line, sizeof line, stdin));
    }
    puts("done");
    return strcmp(how, "seven") == 0 ? 7 : 0;
}
