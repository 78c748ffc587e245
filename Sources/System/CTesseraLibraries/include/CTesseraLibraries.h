// C libraries that the release program `tessera` loads when it first calls one of their functions, since loading all of them
// takes most of the time of `tessera --help`. Debug programs, and the other programs, link them as usual. Nothing is called by
// name here: libraries.c has the symbols of the libraries.
#pragma once
