import TesseraArchive
import TesseraCore

/// The reason why a file cannot be used as a source of trust material.
public struct TrustSourceError: Error, Sendable, Equatable {
  public enum Problem: Error, Sendable, Equatable {
    case empty
    /// The file is larger than this number of bytes.
    case tooLarge(limit: Int)
    /// The file holds more certificates and lists than this number.
    case tooManyObjects(limit: Int)
    /// HTML or XML, as a server sends in place of a file that has moved.
    case webPage
    /// No known format.
    case unrecognised
    /// CMS SignedData with another content, such as EF.SOD.
    case otherSignedData
    /// A known format, but cut off or changed. The line of a text, from 1.
    case damaged(line: Int?)
    /// An LDIF value that lies in another file.
    case fileReference(line: Int)
    /// A zip archive in a zip archive.
    case nestedArchive
    case archive(ArchiveError)
  }

  /// The file's name; for a file in a zip archive, both names. Contains no control characters.
  public let name: String
  public let problem: Problem

  init(_ name: String, _ problem: Problem) {
    self.name = PrintableText.of(name)
    self.problem = problem
  }
}

extension TrustSourceError: LocalizedFailure {
  public var failure: Failure {
    switch problem {
    case .empty: Failure(.usage, "“\(name)” is empty.", remedy: Self.again)
    case .tooLarge(let limit):
      Failure(
        .usage, "“\(name)” has more than \(limit >> 20) MB.",
        remedy: "Check the file; collections of all countries have less than 100 MB.")
    case .tooManyObjects(let limit):
      Failure(
        .usage, "“\(name)” holds more than \(limit) certificates and lists.", remedy: "Divide the file into several.")
    case .webPage:
      Failure(
        .usage, "“\(name)” is a web page, not a list or a certificate.",
        remedy: "Open the address in a browser, and save the file to which the page links.")
    case .unrecognised:
      Failure(.usage, "“\(name)” is not a master list, a certificate or a CRL in a known format.", remedy: Self.formats)
    case .otherSignedData:
      Failure(
        .usage, "“\(name)” is signed data, but neither a master list nor a collection of certificates.",
        remedy: Self.formats)
    case .damaged(let line):
      Failure(
        .checkFailed, "“\(name)” is damaged\(line.map { " at line \($0)" } ?? "").", remedy: Self.again)
    case .fileReference(let line):
      Failure(
        .usage, "“\(name)” refers to another file at line \(line), which Tessera does not open.",
        remedy: "Export the LDIF file with its values, not with references.")
    case .nestedArchive:
      Failure(
        .usage, "“\(name)” is a zip archive in a zip archive.", remedy: "Extract the inner archive, and use that one.")
    case .archive(let error): Self.failure(name, error.failure)
    }
  }

  private static let again = "Obtain the file again from its source."
  private static let formats =
    "Use a master list (.ml), certificates or CRLs in PEM or DER, a PKD file (LDIF), or a zip archive with them."

  private static func failure(_ name: String, _ failure: Failure) -> Failure {
    Failure(failure.kind, "“\(name)” cannot be used. \(failure.cause)", remedy: failure.remedy)
  }
}
