import Foundation
import Tessera

/// The folder of `--out`: every file as the chip holds it, named like `DG1.bin`, what the chip did to prove that it is
/// the original in `evidence.json`, and `report.json`.
struct DumpFolder {
  let path: String

  private var folder: URL { URL(fileURLWithPath: path, isDirectory: true) }

  /// Makes the folder.
  func prepare() throws {
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw PrivateFile.unwritable(path)
    }
    guard access(path, W_OK | X_OK) == 0 else { throw PrivateFile.unwritable(path) }
  }

  /// Takes away the files of an older dump, then writes: a folder never holds parts of two documents, not even where
  /// writing ends half-way.
  func write(_ dump: DocumentDump) throws {
    let known =
      [.com, .sod, .cardAccess, .cardSecurity, .cardInformation, .directory]
      + (1...16).compactMap(ElementaryFile.dataGroup)
    for file in known {
      try? FileManager.default.removeItem(at: folder.appendingPathComponent(Self.name(of: file)))
    }
    for name in ["report.json", Self.evidenceName] {
      try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
    }
    for (file, bytes) in dump.files {
      try PrivateFile.write(bytes, to: folder.appendingPathComponent(Self.name(of: file)))
    }
    if let evidence = try dump.evidence.json() {
      try PrivateFile.write(Array((evidence + "\n").utf8), to: folder.appendingPathComponent(Self.evidenceName))
    }
  }

  /// `DG1.bin`, `EF.ATR-INFO.bin`.
  private static func name(of file: ElementaryFile) -> String {
    file.name.replacing("/", with: "-") + ".bin"
  }

  private static let evidenceName = "evidence.json"

  func write(_ report: Report) throws {
    try PrivateFile.write(Array((try report.json() + "\n").utf8), to: folder.appendingPathComponent("report.json"))
  }
}
