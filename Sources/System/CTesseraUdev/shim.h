#ifndef TESSERA_CUDEV_H
#define TESSERA_CUDEV_H

#include <libudev.h>

#endif
