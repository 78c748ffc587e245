#ifndef TESSERA_CPCSC_H
#define TESSERA_CPCSC_H

// pkg-config's flags for libpcsclite contain -pthread, about which SwiftPM warns at every build. So this is a C target with
// the folder's name in the include paths; pcsclite.h and wintypes.h beside this file forward the includes of winscard.h.
#include <PCSC/winscard.h>
#include <PCSC/reader.h>

// Macros that Swift cannot import.
static const DWORD tessera_cm_ioctl_get_feature_request = CM_IOCTL_GET_FEATURE_REQUEST;

#endif
