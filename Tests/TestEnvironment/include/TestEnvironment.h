#ifndef TESSERA_TEST_ENVIRONMENT_H
#define TESSERA_TEST_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/// The folder in which the tests of this process keep a PC/SC daemon's socket, as the environment variable of
/// libpcsclite tells since before any thread was there to read the environment.
const char *tessera_test_pcsc_folder(void);

/// The folder of SoftHSM's tokens and its configuration, which `SOFTHSM2_CONF` names. It is deleted when the process
/// exits.
const char *tessera_test_softhsm_folder(void);

/// Whether `part` is anywhere in `bytes`: memmem, which Swift does not see, and which is fast enough for a core dump.
bool tessera_test_contains(const void *bytes, size_t count, const void *part, size_t part_count);

/// Starts a program in a process group of its own, which has three descriptors and no others, no blocked signals, and the
/// standard action for each: posix_spawn, of which Swift does not see the part that closes descriptors.
int tessera_test_spawn(
    pid_t *child, const char *program, const int descriptors[3], char *const arguments[], char *const environment[]);

/// A new terminal: the descriptor of the side that a person has, or -1; `name` gets the device file of the other.
int tessera_test_open_terminal(char *name, size_t size);

#endif
