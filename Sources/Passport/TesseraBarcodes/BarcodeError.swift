public import TesseraCore

/// The reason why the symbols of a picture cannot be read. A picture without a symbol is no error.
public enum BarcodeError: Error, Sendable, Equatable {
  /// This machine has no libzxing, or a version that Tessera does not use.
  case missingLibrary
  /// libzxing failed: it crashed, or took more memory than it may.
  case failed
  /// The search was given up for its time, and nothing was found until then.
  case tookTooLong
  /// The process in which libzxing runs could not be made, or its limits could not be set.
  case noProcess
  /// The picture shows one of several symbols that have the content together (structured append), and no other symbol.
  case partOfSeveral
}

extension BarcodeError: LocalizedFailure {
  /// The error in words, without any content of the barcode.
  public var failure: Failure {
    switch self {
    case .missingLibrary:
      Failure(
        .serviceUnavailable,
        "The library libzxing, which reads barcodes, is missing or has a version that is not used.",
        remedy: "Install it: sudo apt install libzxing2 (Debian 12) or libzxing3 (Debian 13).")
    case .failed:
      Failure(
        .internalError, "The library libzxing failed when it examined the picture.",
        remedy: "Cut the picture to the barcode and its white margin. If that fails, too, update libzxing.")
    case .tookTooLong:
      Failure(
        .usage,
        "The search for barcodes was given up after some seconds: the picture shows too much that looks like one.",
        remedy: "Cut the picture to the barcode and its white margin, or use a smaller one.")
    case .noProcess:
      Failure(
        .serviceUnavailable, "The process in which libzxing runs could not be started.",
        remedy:
          "Close other programs, or raise the limits of processes (ulimit -u) and of open files (ulimit -n). /proc must "
          + "be mounted.")
    case .partOfSeveral:
      Failure(
        .usage, "The barcode is one of several that have their content together, which Tessera does not join.",
        remedy: "Read the seal from a file with its bytes.")
    }
  }
}
