import DurableFiles
import Foundation
import Tessera

/// The folder of `--out`: every file as the chip holds it, named like `DG1.bin`, what the chip did to prove that it is
/// the original in `evidence.json`, and `report.json`.
struct DumpFolder {
  let path: String

  private var folder: PrivateFolder { PrivateFolder(path: URL(fileURLWithPath: path).standardizedFileURL.path) }

  /// Makes the folder.
  func prepare() throws {
    var status = stat()
    if lstat(folder.path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
      throw Failure(
        .usage, "\(path) is a link, and links are not followed here.", remedy: "Give the folder that it leads to.")
    }
    do {
      try folder.make()
    } catch {
      throw PrivateFile.unwritable(path)
    }
    guard access(path, W_OK | X_OK) == 0 else { throw PrivateFile.unwritable(path) }
  }

  /// Writes all of a dump, and only then takes away the files of an older one: a folder never holds parts of two
  /// documents, and the older one stays where writing ends half-way.
  func write(_ dump: DocumentDump) throws {
    var contents = dump.files.map { (name: Self.name(of: $0), bytes: $1) }
    if let evidence = try dump.evidence.json() { contents.append((Self.evidenceName, Array((evidence + "\n").utf8))) }
    do {
      folder.removeLeftovers()
      let staged = try contents.map { try DurableFile(path: "\(folder.path)/\($0.name)").staged($0.bytes) }
      for name in Self.names { unlink("\(folder.path)/\(name)") }
      for file in staged { try file.replace() }
      try folder.synchronise()
    } catch is FolderError {
      throw PrivateFile.unwritable(path)
    }
  }

  /// All that a dump can hold.
  private static var names: [String] {
    let files =
      [.com, .sod, .cardAccess, .cardSecurity, .cardInformation, .directory]
      + (1...16).compactMap(ElementaryFile.dataGroup)
    return files.map(name) + [reportName, evidenceName]
  }

  /// `DG1.bin`, `EF.ATR-INFO.bin`.
  private static func name(of file: ElementaryFile) -> String {
    file.name.replacing("/", with: "-") + ".bin"
  }

  private static let evidenceName = "evidence.json"
  private static let reportName = "report.json"

  func write(_ report: Report) throws {
    try PrivateFile.write(
      Array((try report.json() + "\n").utf8), to: URL(fileURLWithPath: "\(folder.path)/\(Self.reportName)"))
  }
}
