// Secret bytes and failures are part of this module's API.
@_exported import TesseraCore
