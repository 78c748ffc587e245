#define _GNU_SOURCE
#include "child.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// The only descriptor of the child: its end of the pair of sockets.
enum { SOCKET = 3 };

// The child's exit status if it has not begun: a limit or a descriptor was refused.
enum { NOT_BEGUN = 71 };

// What is read after the deadline at most. The buffer of a pair of sockets is smaller.
enum { MOST_LATE_BYTES = 1 << 20 };

// MARK: - Between the processes

void tessera_barcode_send(const void *bytes, size_t count) {
  const char *next = bytes;
  while (count > 0) {
    ssize_t written = write(SOCKET, next, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(EXIT_FAILURE);
    next += written;
    count -= (size_t)written;
  }
}

static int64_t milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

tessera_barcode_result tessera_barcode_receive_bytes(tessera_barcode_socket *socket, void *bytes, size_t count) {
  char *next = bytes;
  while (count > 0) {
    int64_t rest = socket->deadline - milliseconds();
    bool is_late = rest <= 0;
    if (is_late) rest = 0;
    struct pollfd wait = {.fd = socket->descriptor, .events = POLLIN};
    // What is there is read, however late it is: this process may have been stopped meanwhile.
    int ready = poll(&wait, 1, rest > INT_MAX ? INT_MAX : (int)rest);
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return TESSERA_BARCODE_FAILED;
    // A child that goes on sending would make this process read for ever.
    if (ready == 0 || (is_late && socket->late_bytes >= MOST_LATE_BYTES)) return TESSERA_BARCODE_TOOK_TOO_LONG;
    ssize_t received = read(socket->descriptor, next, count);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return TESSERA_BARCODE_FAILED;
    if (is_late) socket->late_bytes += (size_t)received;
    next += received;
    count -= (size_t)received;
  }
  return TESSERA_BARCODE_COMPLETE;
}

// MARK: - The child process

// Without raising what this process was given: only a privileged one may.
static bool lower_limit(int resource, rlim_t soft, rlim_t hard) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0) return false;
  if (limit.rlim_max > hard) limit.rlim_max = hard;
  if (limit.rlim_cur > soft) limit.rlim_cur = soft;
  return setrlimit(resource, &limit) == 0;
}

// Returns the bytes of the address space, 0 if they are not known.
static uint64_t address_space(void) {
  int descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return 0;
  // The first number is that of the pages.
  char text[128] = {0};
  ssize_t count = read(descriptor, text, sizeof text - 1);
  close(descriptor);
  long page = sysconf(_SC_PAGESIZE);
  return count > 0 && page > 0 ? strtoull(text, NULL, 10) * (uint64_t)page : 0;
}

static bool limit_resources(const tessera_barcode_limits *limits) {
  // The address space, and not the data only (RLIMIT_DATA), which leaves out shared memory. It has what the parent has,
  // which can be terabytes that nobody uses, so the limit is above that.
  uint64_t space = address_space();
  if (space == 0 || !lower_limit(RLIMIT_AS, space + limits->memory_bytes, RLIM_INFINITY)) return false;
  // The first limit ends the process by a signal of its own, so that the cause is known.
  if (!lower_limit(RLIMIT_CPU, limits->processor_seconds, (rlim_t)limits->processor_seconds + 1)) return false;
  return lower_limit(RLIMIT_CORE, 0, 0);
}

// All signals that can be blocked are.
_Noreturn static void run_child(
  const tessera_barcode_work *work, const tessera_barcode_limits *limits, int descriptor
) {
  // A handler of this program, such as that of Swift, would start another program to describe the crash, which would
  // show the content and keep the socket open.
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The memory has personal data and keys. Without this, a program that takes core dumps would get them in spite of
  // RLIMIT_CORE.
  prctl(PR_SET_DUMPABLE, 0);
  // Nothing but the socket stays open: a library in distress may write the content to standard error.
  if (descriptor != SOCKET && dup2(descriptor, SOCKET) < 0) _exit(NOT_BEGUN);
  for (int other = 0; other < SOCKET; other++) close(other);
  closefrom(SOCKET + 1);
  if (!limit_resources(limits)) _exit(NOT_BEGUN);
  // The parent has a descriptor of this process now. If it ended before the first call of prctl, nothing comes.
  char start;
  ssize_t received = read(SOCKET, &start, sizeof start);
  if (received != sizeof start) _exit(EXIT_FAILURE);
  // Signals of the terminal stay blocked: the parent decides what they mean.
  sigset_t limit;
  sigemptyset(&limit);
  sigaddset(&limit, SIGXCPU);
  sigprocmask(SIG_UNBLOCK, &limit, NULL);
  _exit(work->run(work->context) ? EXIT_SUCCESS : EXIT_FAILURE);
}

// MARK: - The parent process

// How the child ended.
typedef enum { ANY_END, END_BY_LIMIT, END_BEFORE_BEGIN } child_end;

// Waits for the child, whose identifier is its own until then: after that it may be that of another process.
//
// `used` receives the microseconds of the processor, and is left alone if they are not known: another part of the
// program has waited for the child.
static child_end wait_for_child(pid_t child, int descriptor, uint64_t *used) {
  siginfo_t end = {0};
  struct rusage usage;
  bool has_descriptor = descriptor >= 0;
  // The function of the C library has no `usage`.
  while (syscall(
           SYS_waitid, has_descriptor ? P_PIDFD : P_PID, has_descriptor ? (id_t)descriptor : (id_t)child, &end, WEXITED,
           &usage)
    < 0) {
    // Linux 5.3 has the descriptors, and does not wait for them.
    if (errno == EINVAL && has_descriptor) has_descriptor = false;
    else if (errno != EINTR) return ANY_END;
  }
  *used = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000
    + (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  if (end.si_code == CLD_EXITED) return end.si_status == NOT_BEGUN ? END_BEFORE_BEGIN : ANY_END;
  return end.si_status == SIGXCPU ? END_BY_LIMIT : ANY_END;
}

static pid_t start_child(
  const tessera_barcode_work *work, const tessera_barcode_limits *limits, int descriptor
) {
  // The handlers of this process must not run in the child.
  sigset_t all, previous;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &previous);
  pid_t child = fork();
  if (child == 0) run_child(work, limits, descriptor);
  pthread_sigmask(SIG_SETMASK, &previous, NULL);
  return child;
}

tessera_barcode_result tessera_barcode_run_child(
  const tessera_barcode_work *work, const tessera_barcode_limits *limits, uint64_t *used
) {
  *used = 0;
  int64_t start = milliseconds();
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return TESSERA_BARCODE_NO_PROCESS;
  pid_t child = start_child(work, limits, ends[1]);
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return TESSERA_BARCODE_NO_PROCESS;
  }
  // The child waits for the byte that follows, so the descriptor is that of this child, and stays so if another part of
  // the program waits for all children. Before Linux 5.3 there is none.
  int descriptor = pidfd_open(child, 0);
  // A child that did not begin may have ended, and another part of the program may have waited for it. Then the
  // identifier can be another process's, which must be neither ended nor waited for.
  bool is_gone = descriptor < 0 && errno == ESRCH;
  tessera_barcode_result result = TESSERA_BARCODE_FAILED;
  if (send(ends[0], "", 1, MSG_NOSIGNAL) == 1) {
    tessera_barcode_socket socket = {.descriptor = ends[0], .deadline = start + limits->clock_milliseconds};
    result = work->receive(&socket, work->context);
  }
  if (descriptor >= 0) pidfd_send_signal(descriptor, SIGKILL, NULL, 0);
  else if (!is_gone) kill(child, SIGKILL);
  close(ends[0]);
  *used = (uint64_t)(milliseconds() - start) * 1000;
  child_end end = is_gone ? END_BEFORE_BEGIN : wait_for_child(child, descriptor, used);
  if (descriptor >= 0) close(descriptor);
  if (result != TESSERA_BARCODE_FAILED || end == ANY_END) return result;
  return end == END_BY_LIMIT ? TESSERA_BARCODE_TOOK_TOO_LONG : TESSERA_BARCODE_NO_PROCESS;
}
