// The types of these modules are part of this module's API, and of the providers that a program gives to a launch.
@_exported import TesseraBridge
@_exported import TesseraEncryptedStorage
@_exported import TesseraGrants
@_exported import TesseraInspection
@_exported import TesseraKeys
@_exported import TesseraLinuxProviders
@_exported import TesseraReaders
@_exported import TesseraVerification
@_exported import TesseraVerificationPage
@_exported import TesseraWebClient
@_exported import TesseraWebContent
