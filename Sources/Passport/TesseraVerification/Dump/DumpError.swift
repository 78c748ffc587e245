import Glibc
public import TesseraArchive
public import TesseraCore
import TesseraDurableFiles
public import TesseraPassport

/// The reason why a saved dump cannot be read or written.
public enum DumpError: Error, Sendable, Equatable {
  /// The file or folder does not exist, or may not be read.
  case unreadable(String)
  /// The file or folder contains no elementary file.
  case notADump(String)
  /// The dump contains an elementary file twice, under different names.
  case ambiguous(ElementaryFile)
  /// A file of the dump exceeds `SavedDump.maximumFileSize`, or all of them `SavedDump.maximumSize`.
  case tooLarge(String)
  /// This file of the dump is missing, or differs from what was saved, so that nothing that it states can be used.
  case modified(String)
  /// This file of the dump does not have the form that its name implies.
  case malformed(String)
  /// The dump lacks this file, without which there is no report.
  case incomplete(ElementaryFile)
  /// A newer version of the software wrote the dump; the number is its version of the format.
  case unsupportedVersion(Int)
  case archive(ArchiveError)
  /// The file is a digital travel credential that cannot be judged.
  case credential(TravelCredentialError)
  /// The folder to write to is a symbolic link.
  case link(String)
  case unwritable(String)
  /// The same, with `errno` of the call that failed.
  case notWritten(String, code: Int32)
  /// Another user owns the file or folder, or can write to it.
  case openToOthers(String)
}

extension DumpError: LocalizedFailure {
  public var failure: Failure {
    switch self {
    case .unreadable(let path): .unreadable(path)
    case .notADump(let path) where SavedDump.isOneFile(path):
      Failure(
        .usage, "\(path) is one file of a dump.",
        remedy: path.contains("/") ? "Specify its folder, \(PrivateFolder(ofFile: path).path)." : "Specify its folder.")
    case .notADump(let path):
      Failure(
        .usage, "\(path) contains no elementary file of a travel document.",
        remedy: "Specify a dump of a read, or a folder with files such as EF.SOD and DG1 in their raw form.")
    case .ambiguous(let file):
      Failure(
        .usage, "The dump contains \(file.name) more than once.", remedy: "Keep one of them.",
        details: ["file": file.name])
    case .tooLarge(let name):
      Failure(
        .usage, "\(name) is larger than any dump of a travel document.", remedy: "Check that it is the right file.")
    case .modified(let name):
      Failure(
        .checkFailed, "\(name) was changed or removed after the dump was saved.",
        remedy: "Use an unchanged copy of the dump.", details: ["file": name])
    case .malformed(let name):
      Failure(
        .usage, "\(name) does not have the form of a file of a dump.", remedy: "Use an unchanged copy of the dump.",
        details: ["file": name])
    case .incomplete(let file):
      Failure(
        .usage, "The dump does not contain \(file.name), so there is nothing to report.",
        remedy: "Add the file to the dump.", details: ["file": file.name])
    case .unsupportedVersion(let version):
      Failure(
        .usage, "The dump has version \(version) of the format, which is not supported.",
        remedy: "Install the newest version of Tessera.", details: ["formatVersion": "\(version)"])
    case .archive(.damaged):
      Failure(
        .checkFailed, "The file of the dump was changed or truncated after it was saved.",
        remedy: "Use an unchanged copy of the dump.")
    case .archive(let error): error.failure
    case .credential(let error): error.failure
    case .link(let path):
      Failure(
        .usage, "\(path) is a link, and links are not followed.", remedy: "Specify the folder that the link points to.")
    case .openToOthers(let path):
      Failure(
        .usage, "\(path) belongs to another user, or other users can write to it.",
        remedy: "Copy it, or change its owner to yourself and its mode to 700 for a folder, 600 for a file.")
    case .unwritable(let path): .unwritable(path, isFolder: !SavedDump.isArchive(path: path))
    case .notWritten(let path, ENOTDIR) where access(path, F_OK) == 0:
      Failure(
        .usage, "\(path) cannot be written: it is a file.",
        remedy: "Specify a folder, or a file whose name ends in \(SavedDump.fileNameExtension).")
    case .notWritten(let path, let code): .unwritable(path, code, isFolder: !SavedDump.isArchive(path: path))
    }
  }
}
