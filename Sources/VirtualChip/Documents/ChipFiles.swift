import Failures
import Passport
import SmartCard

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The elementary files that a software chip serves.
public struct ChipFiles: Sendable {
  private var contents: [ElementaryFile: [UInt8]]
  /// Files of the master file; those that are missing are made by the chip where its profile has them.
  public var masterFiles: [MasterFile: [UInt8]] = [:]

  public init(_ contents: [ElementaryFile: [UInt8]]) { self.contents = contents }

  public var all: [ElementaryFile] { contents.keys.sorted { $0.identifier < $1.identifier } }

  public subscript(file: ElementaryFile) -> [UInt8]? {
    get { contents[file] }
    set { contents[file] = newValue }
  }

  /// The key that opens this document: that of the MRZ in DG1.
  public var mrzInformation: MRZInformation? {
    contents[.dg1].flatMap { try? DataGroup1($0) }.flatMap { try? MRZInformation($0.zone) }
  }

  /// Larger than any file of a chip.
  private static let largestFile = 4 << 20

  /// Takes every elementary file of a folder. A file is known by its first tag, whatever its name is; only
  /// the files of the master file, whose tags say little, need a name that contains `CardAccess`, `CardSecurity`,
  /// `EF.ATR` or `EF.DIR`. Everything else is ignored.
  ///
  /// - Throws: `ChipFilesError` where the folder cannot be read or holds none.
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
      let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
      guard attributes?[.type] as? FileAttributeType == .typeRegular,
        (attributes?[.size] as? Int ?? .max) <= Self.largestFile, let bytes = try? Data(contentsOf: url)
      else {
        continue
      }
      if let file = Self.masterFile(name: name, bytes: Array(bytes)) {
        guard masterFiles.updateValue(Array(bytes), forKey: file) == nil else {
          throw ChipFilesError.ambiguous(file.name, folder: folder.path)
        }
        continue
      }
      guard let file = Self.file(name: name, bytes: Array(bytes)) else { continue }
      guard contents.updateValue(Array(bytes), forKey: file) == nil else {
        throw ChipFilesError.ambiguous(file.name, folder: folder.path)
      }
    }
    guard !contents.isEmpty else { throw ChipFilesError.empty(folder.path) }
  }

  /// A file whose tag says little: it is known by its name.
  private static func masterFile(name: String, bytes: [UInt8]) -> MasterFile? {
    guard (try? BERTLV.header(of: bytes[...])) != nil else { return nil }
    let letters = name.lowercased().filter(\.isLetter)
    if letters.contains("cardsecurity") { return bytes.first == 0x30 ? .cardSecurity : nil }
    return letters.contains("efatr") ? .information : letters.contains("efdir") ? .directory : nil
  }

  private static func file(name: String, bytes: [UInt8]) -> ElementaryFile? {
    // The tags are ordinary letters, so a text may begin like a file; but it does not end where the file would.
    guard let header = try? BERTLV.header(of: bytes[...]), header.totalLength <= bytes.count,
      bytes[header.totalLength...].allSatisfy({ $0 == 0x00 || $0 == 0xFF })
    else { return nil }
    let letters = name.lowercased().filter(\.isLetter)
    if header.tag == ElementaryFile.cardAccess.tag { return letters.contains("cardaccess") ? .cardAccess : nil }
    return ([.com, .sod] + (1...16).compactMap(ElementaryFile.dataGroup)).first { $0.tag == header.tag }
  }
}

/// Why a folder cannot be served as a document.
public enum ChipFilesError: Error, Sendable, Equatable {
  case unreadable(String)
  case empty(String)
  case ambiguous(String, folder: String)
  /// Access control was wanted, and there is no DG1 to take the key from.
  case noKey
}

extension ChipFilesError: ExplainedError {
  public var failure: Failure {
    switch self {
    case .unreadable(let path):
      Failure(.usage, "The folder \(path) cannot be read.", remedy: "Name a folder of elementary files.")
    case .empty(let path):
      Failure(
        .usage, "The folder \(path) holds no elementary file of a travel document.",
        remedy: "Name a folder with files such as EF.COM, EF.SOD, DG1, DG2 in their raw form.")
    case .ambiguous(let file, let path):
      Failure(.usage, "The folder \(path) holds \(file) more than once.", remedy: "Keep one of them.")
    case .noKey:
      Failure(
        .usage, "There is no usable DG1, so no access key can be derived for this chip.",
        remedy: "Add DG1, or use the profile \"open\", which has no access control.")
    }
  }
}
