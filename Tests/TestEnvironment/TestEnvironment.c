#include "TestEnvironment.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[64];

/// libpcsclite reads the variable once per process, and changing the environment while other threads read it is a
/// race; so it is set when the test bundle is loaded.
__attribute__((constructor)) static void set_environment(void) {
  char socket[96];
  snprintf(folder, sizeof folder, "/tmp/tessera-test-pcsc-%ld", (long)getpid());
  snprintf(socket, sizeof socket, "%s/pcscd.comm", folder);
  setenv("PCSCLITE_CSOCK_NAME", socket, 1);
}

const char *tessera_test_pcsc_folder(void) { return folder; }
