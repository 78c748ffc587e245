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
      let written = entries(path, depth: 1).filter {
        $0.path == path || SavedDump.isFile(named: String($0.path.split(separator: "/").last ?? ""))
      }
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

  /// The number of entries that are looked at, at most.
  private static let largest = 10_000

  /// The regular file or the folder at this path, and what is in the folder. Links to folders inside are not followed.
  private static func entries(_ path: String, depth: Int) -> [(path: String, identity: Identity)] {
    guard path != "-", let own = identity(path) else { return [] }
    var found = [(path: path, identity: own)]
    var folders = [(path: path, depth: depth)]
    while let folder = folders.popLast() {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
      for path in names.map({ "\(folder.path)/\($0)" }) where found.count < largest {
        guard let identity = identity(path) else { continue }
        found.append((path, identity))
        var status = stat()
        let isFolder = lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        if isFolder, folder.depth > 1 { folders.append((path, folder.depth - 1)) }
      }
    }
    return found
  }

  private static func identity(_ path: String) -> Identity? {
    var status = stat()
    guard stat(path, &status) == 0, [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else { return nil }
    return Identity(device: status.st_dev, node: status.st_ino)
  }
}
