// The modules of this product, so that a program needs only `import TesseraInspection`.
@_exported public import TesseraArchive
@_exported public import TesseraPassport
@_exported public import TesseraReaders
@_exported public import TesseraVerification
@_exported public import TesseraVirtualChip
