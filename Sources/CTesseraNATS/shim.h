#ifndef TESSERA_CNATS_H
#define TESSERA_CNATS_H

#include <nats/nats.h>

#endif
