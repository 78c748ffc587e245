#include "CLab.h"
