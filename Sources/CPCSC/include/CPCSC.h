#ifndef TESSERA_CPCSC_H
#define TESSERA_CPCSC_H

// pkg-config's flags for libpcsclite hold -pthread, which SwiftPM warns of at every build. So this is a target of C with
// the folder's name in the paths; pcsclite.h and wintypes.h beside this file stand for what winscard.h asks for without it.
#include <PCSC/winscard.h>
#include <PCSC/reader.h>

// Macros that the importer cannot see.
static const DWORD tessera_cm_ioctl_get_feature_request = CM_IOCTL_GET_FEATURE_REQUEST;

#endif
