#ifndef TESSERA_CSYSTEMD_H
#define TESSERA_CSYSTEMD_H

// Not in the module of the C library.
#include <malloc.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-login.h>

// Enumerators of anonymous enumerations, which Swift would import with the wrong type.
static const int tessera_eventfd_flags = EFD_CLOEXEC | EFD_NONBLOCK;

#endif
