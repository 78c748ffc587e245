// The types of these modules are part of this module's API.
@_exported import TesseraPassport
