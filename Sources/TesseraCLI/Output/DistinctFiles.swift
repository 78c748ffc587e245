import FoundationEssentials
import Glibc
import Tessera

/// What a command writes is never what it reads: an output of the same name would destroy the only copy of the input.
enum DistinctFiles {
  /// The folder of the keys in files.
  static var keys: String { KeyStores.defaultPath }

  /// - Parameters:
  ///   - outputs: the paths that the command writes to; nil and `-` are left out. A folder stands for the files of a dump
  ///     in it.
  ///   - inputs: the paths that it reads. A folder stands for itself and for the files in it and in the folders inside, but
  ///     for pages, which no command reads.
  /// - Throws: `Failure` of the kind `usage` naming the path. Nothing was written.
  static func check(outputs: [String?], inputs: [String?]) throws {
    let read = Set(
      inputs.compactMap { $0 }.flatMap { entries($0, depth: 8) }.filter { !$0.path.hasSuffix(".html") }.map(\.identity))
    for path in outputs.compactMap({ $0 }) {
      let written = entries(path, depth: 1).filter { $0.path == path || isOfDump($0.path) }
      guard let entry = written.first(where: { read.contains($0.identity) }) else { continue }
      throw Failure(
        .usage, "\(entry.path) is an input of this command, and would be overwritten.",
        remedy: "Write to another path.")
    }
  }

  private struct Identity: Hashable {
    let device: dev_t
    let node: ino_t
  }

  private static func isOfDump(_ path: String) -> Bool {
    let name = path.split(separator: "/").last ?? ""
    return name.hasSuffix(".bin") || ["manifest.json", "evidence.json", "report.json", "SHA256SUMS"].contains(name)
  }

  /// The regular file or the folder at this path, and what is in the folder.
  private static func entries(_ path: String, depth: Int) -> [(path: String, identity: Identity)] {
    guard path != "-", let own = identity(path) else { return [] }
    let names = depth > 0 ? (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] : []
    return [(path, own)] + names.flatMap { entries("\(path)/\($0)", depth: depth - 1) }
  }

  private static func identity(_ path: String) -> Identity? {
    var status = stat()
    guard stat(path, &status) == 0, [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else { return nil }
    return Identity(device: status.st_dev, node: status.st_ino)
  }
}
