// C libraries that a release program loads when it first calls one of their functions, since loading all of them takes
// most of the time of `tessera --help`. Debug programs link them as usual.
#pragma once
#include <stdbool.h>

/// Whether the library can be loaded; it stays loaded. `name` is a file of libraries.h, such as "libnfc.so.6"; other
/// names are never available.
bool tessera_library_is_available(const char *_Nonnull name);

/// Starts to load all libraries and to find their functions, on a thread of its own. Later calls have no effect. Do not
/// change the environment of the process before `tessera_wait_for_libraries` returns: some libraries read it at once.
void tessera_load_libraries(void);

/// Returns when all libraries are loaded: afterwards, no call loads anything. Starts that first, if need be.
///
/// Returns the number of libraries that cannot be loaded. The first call of one of their functions ends the process.
int tessera_wait_for_libraries(void);
