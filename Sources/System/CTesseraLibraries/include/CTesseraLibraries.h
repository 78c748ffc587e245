// C libraries that a release program loads when it first calls one of their functions, since loading all of them takes
// most of the time of `tessera --help`. Debug programs link them as usual.
#pragma once

/// Starts to load all libraries and to find their functions, on a thread of its own. Later calls have no effect. Do not
/// change the environment of the process before `tessera_wait_for_libraries` returns: some libraries read it at once.
void tessera_load_libraries(void);

/// Returns when all libraries are loaded: afterwards, no call loads anything. Starts that first, if need be.
///
/// Returns the file of a library that cannot be loaded, and the names of its package; NULL if there is none. The first
/// call of one of its functions ends the process.
const char *_Nullable tessera_wait_for_libraries(const char *_Nullable *_Nonnull packages);
