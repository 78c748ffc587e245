import Glibc
import TesseraCore
public import TesseraPassport

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The result of one read as it is stored: a folder, or one file whose name ends in `.tessera`, a zip archive of the
/// same files.
///
/// The files are:
/// - `EF.COM.bin`, `EF.SOD.bin`, `DG1.bin`, …: the elementary files with their original content.
/// - `manifest.json`: the version of this format (1), the software, the time, the reader, access control, the files
///   that were not read, the statistics.
/// - `evidence.json`, if there is evidence of the chip's authenticity: `ChipEvidence.json()`.
/// - `report.json`: the report at the time of the read. Verification does not use it.
/// - `SHA256SUMS`: the SHA-256 digests of all others, in the form of the program `sha256sum`. They show accidental
///   damage; whoever changes a dump on purpose can change them too, but not the signatures inside the files.
///
/// A folder of elementary files of another program has none of the last four.
public struct SavedDump: Sendable {
  /// The size of the largest file that is read, in bytes.
  public static let maximumFileSize = ElementaryFile.maximumSize
  /// The size of all files together, in bytes.
  public static let maximumSize = 64 << 20
  /// The end of the name of a dump in one file.
  public static let fileNameExtension = ".tessera"

  public let dump: DocumentDump
  /// The software that read the document: `tessera X.Y.Z`; nil if the dump does not state it.
  public let software: String?
  /// The JSON text of the report at the time of the read, which is stored beside the files; nil after `load(path:)`.
  public let reportOfRead: String?

  /// The name of the profile of the virtual chip that was read; nil for a document.
  public let virtualProfile: String?

  /// The elementary files that are missing or differ from `SHA256SUMS`, or that it does not list.
  public var modifiedFiles: [ElementaryFile] { dump.modifiedFiles }

  /// A dump to be saved.
  ///
  /// - Parameters:
  ///   - dump: what was read.
  ///   - report: nil if there is none, for example because DG1 is malformed.
  ///   - virtualProfile: the profile of the virtual chip whose specimen was read; nil for the one that the dump names,
  ///     which a read in this process and a saved dump do.
  public init(_ dump: DocumentDump, report: Report?, virtualProfile: String? = nil) throws {
    self.init(
      dump, software: "tessera \(TesseraVersion.current)", virtualProfile: virtualProfile ?? dump.virtualProfile,
      reportOfRead: try report?.json())
  }

  init(_ dump: DocumentDump, software: String?, virtualProfile: String?, reportOfRead: String? = nil) {
    self.dump = dump
    self.virtualProfile = virtualProfile
    self.software = software
    self.reportOfRead = reportOfRead
  }

  /// Whether a file of this name in the folder of a dump is the dump's.
  package static func isFile(named name: String) -> Bool { DumpNames.all.contains(name) }

  /// Whether this is no folder, and its name is that of a file in one.
  static func isOneFile(_ path: String) -> Bool {
    var status = stat()
    return isFile(named: String(path.split(separator: "/").last ?? "")) && stat(path, &status) == 0
      && status.st_mode & S_IFMT != S_IFDIR
  }

  /// Verifies the dump.
  ///
  /// - Parameters:
  ///   - trust: what is known of countries.
  ///   - date: for which validity is checked; nil for the time of the read, or now if the dump does not state it.
  ///   - challenge: the challenge that Active Authentication must have answered, 8 bytes; nil for any.
  /// - Throws: `DumpError.modified` if a file without which there is no report was changed, `.incomplete` without DG1,
  ///   `.malformed` if DG1 is no data group.
  public func report(
    trust: TrustMaterial = TrustMaterial(), at date: Date? = nil, challenge: [UInt8]? = nil
  ) throws -> Report {
    do {
      return try Report(dump, trust: trust, at: date, challenge: challenge)
    } catch is PassportError {
      if let file = modifiedFiles.first { throw DumpError.modified(file.name) }
      // The chip of a document that was just read may be asked again; a dump may not.
      throw dump[.dg1] == nil ? DumpError.incomplete(.dg1) : DumpError.malformed(ElementaryFile.dg1.name)
    }
  }
}
