#ifndef TESSERA_CPCSC_H
#define TESSERA_CPCSC_H

#include <winscard.h>
#include <reader.h>

// Macros that the importer cannot see.
static const DWORD tessera_cm_ioctl_get_feature_request = CM_IOCTL_GET_FEATURE_REQUEST;

#endif
