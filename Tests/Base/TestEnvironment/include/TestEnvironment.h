#ifndef TESSERA_TEST_ENVIRONMENT_H
#define TESSERA_TEST_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/// The folder of the PC/SC daemon's socket, which `PCSCLITE_CSOCK_NAME` names.
const char *tessera_test_pcsc_folder(void);

/// The folder of SoftHSM's tokens and its configuration, which `SOFTHSM2_CONF` names. It is deleted when the process
/// exits.
const char *tessera_test_softhsm_folder(void);

/// Whether `bytes` contains `part`: memmem, which Swift does not import and which is fast enough for a core dump.
bool tessera_test_contains(const void *bytes, size_t count, const void *part, size_t part_count);

/// Starts a program with three descriptors and no others, in a new process group, with no blocked signals and the default
/// action for each signal. It uses posix_spawn, whose function for closing descriptors Swift does not import.
int tessera_test_spawn(
    pid_t *child, const char *program, const int descriptors[3], char *const arguments[], char *const environment[]);

/// Opens a pseudo terminal. Returns the descriptor of the controlling side, or -1; `name` receives the device file of the
/// other side.
int tessera_test_open_terminal(char *name, size_t size);

#endif
