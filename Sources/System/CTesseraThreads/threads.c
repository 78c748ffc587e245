#define _GNU_SOURCE
#include "CTesseraThreads.h"
#include <fcntl.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

int tessera_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int tessera_name_thread(const char *name) { return pthread_setname_np(pthread_self(), name); }

int tessera_close_from(posix_spawn_file_actions_t *actions, int first) {
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

int tessera_start_thread(size_t stack_size, void *(*run)(void *), void *argument) {
  pthread_attr_t attributes;
  int result = pthread_attr_init(&attributes);
  if (result != 0) return result;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (stack_size != 0) pthread_attr_setstacksize(&attributes, stack_size);
  pthread_t thread;
  result = pthread_create(&thread, &attributes, run, argument);
  pthread_attr_destroy(&attributes);
  return result;
}

int tessera_wait(sem_t *semaphore, const struct timespec *deadline) {
  return sem_clockwait(semaphore, CLOCK_MONOTONIC, deadline);
}
