public import TesseraCore

/// The reason why the symbols of a picture cannot be read. A picture without a symbol is no error.
public enum BarcodeError: Error, Sendable, Equatable {
  /// This machine has no libzxing, or a version that Tessera does not use.
  case missingLibrary
  /// libzxing failed, for example without memory.
  case failed
  /// The picture shows one of several symbols that have the content together (structured append), and no other symbol.
  case partOfSeveral
}

extension BarcodeError: FailureConvertible {
  public var failure: Failure {
    switch self {
    case .missingLibrary:
      Failure(
        .serviceUnavailable,
        "The library libzxing, which reads barcodes, is missing or has a version that is not used.",
        remedy: "Install it: sudo apt install libzxing2 (Debian 12) or libzxing3 (Debian 13).")
    case .failed:
      Failure(
        .internalError, "The library libzxing could not examine the picture.",
        remedy: "Use a smaller picture, or one that shows little besides the barcode.")
    case .partOfSeveral:
      Failure(
        .usage, "The barcode is one of several that have their content together, which Tessera does not join.",
        remedy: "Read the seal from a file with its bytes.")
    }
  }
}
