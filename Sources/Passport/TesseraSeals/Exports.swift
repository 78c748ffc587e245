// The types of these modules are part of this module's API.
@_exported public import TesseraJSON
@_exported public import TesseraVerification
