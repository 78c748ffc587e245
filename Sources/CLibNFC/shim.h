#ifndef TESSERA_CLIBNFC_H
#define TESSERA_CLIBNFC_H

#include <nfc/nfc.h>

#endif
