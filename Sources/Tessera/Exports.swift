// Re-exports the other library products except TesseraService, so that a program needs only `import Tessera`.
@_exported import TesseraBarcodes
@_exported import TesseraBridge
@_exported import TesseraCamera
@_exported import TesseraDoctor
@_exported import TesseraEncryptedStorage
@_exported import TesseraFingerprint
@_exported import TesseraHaptics
@_exported import TesseraInspection
@_exported import TesseraKeys
@_exported import TesseraLinuxProviders
@_exported import TesseraMRZRecognition
@_exported import TesseraPassport
@_exported import TesseraPictures
@_exported import TesseraReaders
@_exported import TesseraSeals
@_exported import TesseraVerification
@_exported import TesseraVirtualChip
