#include <PCSC/pcsclite.h>
