#define _GNU_SOURCE
#include "TestEnvironment.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char pcsc_folder[64];
static char softhsm_folder[64];

/// Defined in libcrypto, in the processes that link it: weak, so that tests without OpenSSL need neither its headers nor
/// its library. `no_atexit` is `OPENSSL_INIT_NO_ATEXIT` of <openssl/crypto.h>.
extern int OPENSSL_init_crypto(uint64_t options, const void *settings) __attribute__((weak));
static const uint64_t no_atexit = 0x00080000;

/// Defined in TestSupport, in the processes that link it.
extern void tessera_test_install_threads(void) __attribute__((weak));

/// The lane of tests that start no program: the kernel refuses to start one, so that a test in the wrong lane fails.
__attribute__((constructor)) static void forbid_programs(void) {
  if (!getenv("TESSERA_NO_PROGRAMS")) return;
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execve, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execveat, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {.len = sizeof filter / sizeof filter[0], .filter = filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program)) {
    perror("TESSERA_NO_PROGRAMS");
    _exit(1);
  }
}

/// The libraries read these variables at their first use. A change of the environment while other threads read it is a
/// race, so the variables are set when the test bundle is loaded.
__attribute__((constructor)) static void set_environment(void) {
  char path[96];
  snprintf(pcsc_folder, sizeof pcsc_folder, "/tmp/tessera-test-pcsc-%ld", (long)getpid());
  snprintf(path, sizeof path, "%s/pcscd.comm", pcsc_folder);
  setenv("PCSCLITE_CSOCK_NAME", path, 1);

  snprintf(softhsm_folder, sizeof softhsm_folder, "/tmp/tessera-test-softhsm-%ld", (long)getpid());
  snprintf(path, sizeof path, "%s/softhsm2.conf", softhsm_folder);
  setenv("SOFTHSM2_CONF", path, 1);
  setenv("TSS2_LOG", "all+NONE", 0);

  // Swift Testing starts all tests at once. On two cores, a test that waits for an answer would compete with a thousand
  // others. Half of the tests wait for something, so four per core keep the cores busy.
  char width[16];
  snprintf(width, sizeof width, "%ld", 4 * sysconf(_SC_NPROCESSORS_ONLN));
  setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", width, 0);

  // OpenSSL must stay initialised for threads that end during exit(); see OpenSSLCleanup in Sources/Base/TesseraCryptography.
  if (OPENSSL_init_crypto) OPENSSL_init_crypto(no_atexit, NULL);

  if (tessera_test_install_threads) tessera_test_install_threads();
}

static int delete_entry(const char *path, const struct stat *status, int type, struct FTW *place) {
  (void)status, (void)type, (void)place;
  return remove(path);
}

__attribute__((destructor)) static void delete_folder(void) {
  nftw(softhsm_folder, delete_entry, 8, FTW_DEPTH | FTW_PHYS);
}

const char *tessera_test_pcsc_folder(void) { return pcsc_folder; }

const char *tessera_test_softhsm_folder(void) { return softhsm_folder; }

bool tessera_test_contains(const void *bytes, size_t count, const void *part, size_t part_count) {
  return memmem(bytes, count, part, part_count) != NULL;
}

int tessera_test_spawn(
    pid_t *child, const char *program, const int descriptors[3], char *const arguments[], char *const environment[]) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  for (int number = 0; number < 3; number++) {
    posix_spawn_file_actions_adddup2(&actions, descriptors[number], number);
  }
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);

  // The calling thread may block signals, and this process ignores some.
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);

  int error = posix_spawn(child, program, &actions, &attributes, arguments, environment);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error;
}

int tessera_test_open_terminal(char *name, size_t size) {
  int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal >= 0 && (grantpt(terminal) || unlockpt(terminal) || ptsname_r(terminal, name, size))) {
    close(terminal);
    return -1;
  }
  return terminal;
}
