import Glibc
import TesseraCore
import TesseraPassport

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The elementary files of a software chip.
public struct ChipFiles: Sendable {
  private var contents: [ElementaryFile: [UInt8]]
  /// The files of the master file. The chip generates those that are missing here and required by its profile.
  public var masterFiles: [MasterFile: [UInt8]] = [:]
  /// The profile for which the test country issued these files; nil for files of another origin.
  package var issuingProfile: String?

  /// Files by their identity, in their raw form.
  public init(_ contents: [ElementaryFile: [UInt8]]) { self.contents = contents }

  /// The files of the application and EF.CardAccess, by ascending identifier.
  public var all: [ElementaryFile] { contents.keys.sorted { $0.identifier < $1.identifier } }

  /// The raw bytes of a file; nil if the document does not have it.
  public subscript(file: ElementaryFile) -> [UInt8]? {
    get { contents[file] }
    set { contents[file] = newValue }
  }

  /// The access key of this document, from the MRZ in DG1.
  public var mrzInformation: MRZInformation? {
    contents[.dg1].flatMap { try? DataGroup1($0).zone.get() }.flatMap { try? MRZInformation($0) }
  }

  /// Loads every elementary file of a folder. The first tag identifies a file, whatever its name is. Only the files of
  /// the master file have ambiguous tags: their names must contain `CardAccess`, `CardSecurity`, `EF.ATR` or `EF.DIR`.
  /// All other files are ignored.
  ///
  /// - Throws: `ChipFilesError` if the folder cannot be read, contains no elementary file or contains one twice.
  public init(folder: URL) throws {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    } catch {
      throw ChipFilesError.unreadable(folder.path)
    }
    contents = [:]
    for name in names.sorted() {
      let url = folder.appendingPathComponent(name)
      var status = stat()
      guard lstat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
        status.st_size <= ElementaryFile.maximumSize,
        let bytes = try? Data(contentsOf: url)
      else {
        continue
      }
      guard let file = ElementaryFile(recognizing: Array(bytes), name: name) else { continue }
      guard add(file, Array(bytes)) else { throw ChipFilesError.ambiguous(file.name, folder: folder.path) }
    }
    guard !contents.isEmpty else { throw ChipFilesError.empty(folder.path) }
  }

  /// - Returns: false if there is such a file already.
  private mutating func add(_ file: ElementaryFile, _ bytes: [UInt8]) -> Bool {
    guard let masterFile = MasterFile(file) else { return contents.updateValue(bytes, forKey: file) == nil }
    return masterFiles.updateValue(bytes, forKey: masterFile) == nil
  }
}

/// The reason why a folder cannot be used as a document.
public enum ChipFilesError: Error, Sendable, Equatable {
  case unreadable(String)
  case empty(String)
  case ambiguous(String, folder: String)
  /// The profile requires access control, and there is no DG1 to derive the key from.
  case noKey
}

extension ChipFilesError: LocalizedFailure {
  public var failure: Failure {
    switch self {
    case .unreadable(let path):
      Failure(.usage, "The folder \(path) cannot be read.", remedy: "Specify a folder of elementary files.")
    case .empty(let path):
      Failure(
        .usage, "The folder \(path) contains no elementary file of a travel document.",
        remedy: "Specify a folder with files such as EF.COM, EF.SOD, DG1, DG2 in their raw form.")
    case .ambiguous(let file, let path):
      Failure(.usage, "The folder \(path) contains \(file) more than once.", remedy: "Keep one of them.")
    case .noKey:
      Failure(
        .usage, "DG1 is missing or malformed, so no access key can be derived for this chip.",
        remedy: "Add DG1, or use the profile \"open\", which has no access control.")
    }
  }
}

/// A file of the master file, outside the application (Doc 9303-10, 3.11). EF.CardAccess is an `ElementaryFile`.
public enum MasterFile: UInt16, Sendable, CaseIterable {
  /// EF.DIR: the applications.
  case directory = 0x2F00
  /// EF.ATR/INFO: the APDU lengths that the chip supports.
  case information = 0x2F01
  /// EF.CardSecurity: the keys for Chip Authentication Mapping, signed.
  case cardSecurity = 0x011D

  /// nil for a file of the application, and for EF.CardAccess.
  init?(_ file: ElementaryFile) {
    switch file {
    case .directory: self = .directory
    case .cardInformation: self = .information
    case .cardSecurity: self = .cardSecurity
    default: return nil
    }
  }

  var shortIdentifier: UInt8 {
    switch self {
    case .directory: 0x1E
    case .information: 0x01
    case .cardSecurity: 0x1D
    }
  }

  public var name: String {
    switch self {
    case .directory: "EF.DIR"
    case .information: "EF.ATR/INFO"
    case .cardSecurity: "EF.CardSecurity"
    }
  }
}
