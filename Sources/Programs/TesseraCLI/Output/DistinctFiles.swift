import ArgumentParser
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

  /// What a command writes is also never what it writes for another option.
  ///
  /// - Parameters:
  ///   - outputs: the options and their paths; nil, `-`, pipes and devices are left out.
  ///   - dump: the one of these options that writes a dump.
  /// - Throws: `ValidationError` naming two options of the same file, or of which one is a file of the other's dump.
  static func validate(outputs: [(option: String, path: String?)], dump: String? = nil) throws {
    var places: [(option: String, place: Place)] = []
    for case (let option, let path?) in outputs where path != "-" && !PrivateFile.isStream(path) {
      places.append((option, Place(path)))
    }
    for (index, first) in places.enumerated() {
      for second in places.dropFirst(index + 1) where second.option != first.option {
        if first.place.isSame(as: second.place) {
          throw ValidationError("\(first.option) and \(second.option) must be different files.")
        }
        if first.option == dump, second.place.isOfDump(in: first.place) {
          throw ValidationError("\(second.option) must not be a file of the dump of \(first.option).")
        }
      }
    }
  }

  /// Where a file is, or will be.
  private struct Place {
    let path: String
    private let name: String
    private let folder: String
    private let identity: Identity?
    private let folderIdentity: Identity?

    init(_ path: String) {
      let url = URL(fileURLWithPath: path).standardizedFileURL
      self.path = url.path
      name = url.lastPathComponent
      folder = url.deletingLastPathComponent().standardizedFileURL.path
      identity = DistinctFiles.identity(url.path)
      folderIdentity = DistinctFiles.identity(folder)
    }

    /// By the name, also through another name of the folder, or of a file that exists.
    func isSame(as other: Place) -> Bool {
      path == other.path || identity.map { $0 == other.identity } ?? false
        || name == other.name && folderIdentity.map { $0 == other.folderIdentity } ?? false
    }

    func isOfDump(in dump: Place) -> Bool {
      SavedDump.isFile(named: name)
        && (folder == dump.path || folderIdentity.map { $0 == dump.identity } ?? false)
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
