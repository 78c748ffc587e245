import Foundation
import Tessera

/// The folder of `--out`: every file as the chip holds it, named like `DG1.bin`, and `report.json`.
struct DumpFolder {
  let path: String

  func write(_ dump: DocumentDump, _ report: Report) throws {
    let folder = URL(fileURLWithPath: path, isDirectory: true)
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw PrivateFile.unwritable(path)
    }
    for (file, bytes) in dump.files {
      try PrivateFile.write(bytes, to: folder.appendingPathComponent("\(file.name).bin"))
    }
    try PrivateFile.write(Array((try report.json() + "\n").utf8), to: folder.appendingPathComponent("report.json"))
  }
}
