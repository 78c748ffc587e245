// Functions of the C library that its Swift module lacks, since it is compiled without _GNU_SOURCE.
#pragma once
#include <semaphore.h>
#include <spawn.h>
#include <stddef.h>

/// pipe2(2) with O_CLOEXEC.
int tessera_pipe(int *_Nonnull ends);

/// pthread_setname_np(3) for the calling thread.
int tessera_name_thread(const char *_Nonnull name);

/// posix_spawn_file_actions_addclosefrom_np(3).
int tessera_close_from(posix_spawn_file_actions_t *_Nonnull actions, int first);

/// Starts a detached thread (pthread_create(3)). A stack size of 0 is the system's default.
int tessera_start_thread(size_t stack_size, void *_Nullable (*_Nonnull run)(void *_Nullable), void *_Nullable argument);

/// sem_clockwait(3) with CLOCK_MONOTONIC.
int tessera_wait(sem_t *_Nonnull semaphore, const struct timespec *_Nonnull deadline);
