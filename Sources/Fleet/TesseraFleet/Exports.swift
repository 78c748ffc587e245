// The types of these modules are part of this module's API.
@_exported public import TesseraReaders
@_exported public import TesseraVerification
