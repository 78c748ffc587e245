// The types of these modules are part of this module's API.
@_exported import Tessera
@_exported import TesseraGrants
@_exported import TesseraVerificationPage

#if canImport(CTesseraWebKitGTK)
  @_exported import TesseraWebContent
#endif
