// The window provides the bridge itself. `tessera serve --page` answers with its own script instead of this file.
