import FoundationEssentials
import Glibc
import Tessera
import TesseraDurableFiles

/// The folder of `--out`: every elementary file with its original content, for example `DG1.bin`, the evidence of the
/// chip's authenticity in `evidence.json`, and `report.json`.
struct DumpFolder {
  let path: String

  private var folder: PrivateFolder { PrivateFolder(path: URL(fileURLWithPath: path).standardizedFileURL.path) }

  /// Creates the folder.
  func prepare() throws {
    var status = stat()
    if lstat(folder.path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
      throw Failure(
        .usage, "\(path) is a link, and links are not followed.", remedy: "Specify the folder that the link points to.")
    }
    do {
      try folder.make()
    } catch {
      throw PrivateFile.unwritable(path)
    }
    guard access(path, W_OK | X_OK) == 0 else { throw PrivateFile.unwritable(path) }
  }

  /// Writes all files of a dump before it replaces those of an older dump: the folder never contains files of two
  /// documents, and an interrupted write keeps the older dump.
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

  /// The names of all files that a dump can contain.
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
