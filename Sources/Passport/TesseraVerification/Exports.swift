// The types of these modules are part of this module's API.
@_exported public import TesseraArchive
@_exported public import TesseraPassport
