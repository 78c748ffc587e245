import TesseraCore

/// An error in reading or writing a zip archive.
public enum ArchiveError: Error, Sendable, Equatable {
  /// The bytes do not start as a zip archive does.
  case notAnArchive
  /// The archive is incomplete, or contradicts itself: no directory at its end, a wrong checksum or size, two files in
  /// one place.
  case damaged
  /// The archive exceeds a limit.
  case tooLarge(ArchiveLimit)
  case encrypted
  /// An entry is compressed by another method than deflate; the number is that of the zip specification, 4.4.5.
  case unsupportedCompression(Int)
  /// The name of an entry is empty, longer than 65,535 bytes, or contains a NUL.
  case invalidName
  /// Memory is exhausted.
  case memoryExhausted
}

/// A limit of an archive, in bytes or entries.
public enum ArchiveLimit: Sendable, Equatable {
  case entries(Int)
  case entrySize(Int)
  case totalSize(Int)
}

extension ArchiveLimit: CustomStringConvertible {
  public var description: String {
    switch self {
    case .entries(let count): "more than \(count) files"
    case .entrySize(let size): "a file of more than \(size) bytes"
    case .totalSize(let size): "files of more than \(size) bytes together"
    }
  }
}

extension ArchiveError: FailureConvertible {
  public var failure: Failure {
    switch self {
    case .notAnArchive:
      Failure(.usage, "The file is not a zip archive.", remedy: "Check the file, or obtain it again.")
    case .damaged:
      Failure(.usage, "The zip archive is damaged.", remedy: "Obtain the archive again from its source.")
    case .tooLarge(let limit):
      Failure(
        .usage, "The zip archive contains \(limit).",
        remedy: "Extract the archive with another program, and use its files one by one.")
    case .encrypted:
      Failure(
        .usage, "The zip archive is encrypted.",
        remedy: "Extract the archive with the program that encrypted it, and use its files.")
    case .unsupportedCompression(let method):
      Failure(
        .usage, "The zip archive uses the compression method \(method), which is not supported.",
        remedy: "Extract the archive with another program, or create it again with the method deflate.")
    case .invalidName:
      Failure(
        .usage, "A file in the zip archive has an invalid name.",
        remedy: "Obtain the archive again from its source, or create it again with other names.")
    case .memoryExhausted:
      Failure(
        .internalError, "The memory does not suffice for the zip archive.",
        remedy: "Close other programs, and try again.")
    }
  }
}
