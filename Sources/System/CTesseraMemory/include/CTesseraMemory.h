// Secrets that are no longer needed.
#pragma once
#include <stddef.h>

/// Overwrites the bytes, which no compiler removes, and the vector registers of this thread, as the function below does.
void tessera_forget(void *_Nonnull bytes, size_t count);

/// Overwrites the vector registers of this thread. What was copied last is in them: the C library copies through them, and
/// with AVX-512 through registers that hardly anything else uses. Core dumps have the registers of every thread.
void tessera_forget_registers(void);
