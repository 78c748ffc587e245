#ifndef TESSERA_CV4L2_H
#define TESSERA_CV4L2_H

#include <linux/videodev2.h>
#include <sys/ioctl.h>

#endif
