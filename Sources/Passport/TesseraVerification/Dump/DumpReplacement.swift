import Glibc
import TesseraDurableFiles

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Puts a new dump into the place of an older one in a folder, whose lock the caller has.
///
/// The new dump is written whole into a folder of its own inside. Renaming that folder to `DumpNames.pending` is the moment
/// at which the new dump counts. From there its files move to their places, the checksums last. A reader that finds the folder
/// takes the files from there, and the next writer moves them.
struct DumpReplacement {
  private let folder: PrivateFolder

  init(folder path: String) { folder = PrivateFolder(path: path) }

  private var pending: PrivateFolder { PrivateFolder(path: "\(folder.path)/\(DumpNames.pending)") }

  /// Writes the new dump whole.
  ///
  /// - Throws: `FolderError`; the older dump is then unchanged.
  func write(_ entries: [DumpEntry]) throws {
    let temporary = PrivateFolder(path: "\(folder.path)/\(PrivateFolder.temporaryName())")
    do {
      for entry in entries {
        _ = try DurableFile(path: "\(temporary.path)/\(entry.name)").write(entry.bytes, replacing: true)
      }
      guard rename(temporary.path, pending.path) == 0 else {
        throw FolderError.system(folder: folder.path, code: errno)
      }
      try folder.synchronise()
    } catch {
      Self.remove(temporary)
      throw error
    }
  }

  /// Moves the files of a dump that was written whole to their places.
  ///
  /// - Throws: `FolderError`; the dump is still whole.
  func finish() throws {
    guard let names = Self.names(pending) else {
      // What is left of one that was moved, or what somebody else put there.
      Self.remove(pending)
      unlink(pending.path)
      return
    }
    for name in DumpNames.all.subtracting(names) { unlink("\(folder.path)/\(name)") }
    for name in names where access("\(pending.path)/\(name)", F_OK) == 0 {
      guard rename("\(pending.path)/\(name)", "\(folder.path)/\(name)") == 0 else {
        throw FolderError.system(folder: folder.path, code: errno)
      }
    }
    rmdir(pending.path)
    try folder.synchronise()
  }

  /// The paths of the files of a dump that is on its way to this folder, by their names; nil if none is.
  func files() -> [String: String]? {
    Self.names(pending).map { names in
      Dictionary(
        uniqueKeysWithValues: names.map { name in
          let moving = "\(pending.path)/\(name)"
          return (name, access(moving, F_OK) == 0 ? moving : "\(folder.path)/\(name)")
        })
    }
  }

  /// Whether the folder of a dump on its way is what is left of one that was moved: nothing.
  var isLeftover: Bool { (try? pending.names())?.isEmpty ?? false }

  /// The names of a dump that is on its way, the checksums last.
  private static func names(_ pending: PrivateFolder) -> [String]? {
    var status = stat()
    guard lstat(pending.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
    let file = DurableFile(path: "\(pending.path)/\(DumpNames.checksums)")
    guard let bytes = try? file.bytes(upTo: SavedDump.maximumFileSize), let checksums = DumpChecksums(bytes) else {
      return nil
    }
    return checksums.names.filter { DumpNames.all.contains($0) && $0 != DumpNames.checksums } + [DumpNames.checksums]
  }

  /// Removes what killed writers left.
  func removeLeftovers() {
    folder.removeLeftovers()
    for name in (try? folder.names()) ?? [] where PrivateFolder.isLeftover(name) {
      Self.remove(PrivateFolder(path: "\(folder.path)/\(name)"))
    }
  }

  /// Removes a folder with the files of a dump. What a link leads to is somebody else's.
  private static func remove(_ temporary: PrivateFolder) {
    var status = stat()
    guard lstat(temporary.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return }
    temporary.removeLeftovers()
    for name in DumpNames.all { unlink("\(temporary.path)/\(name)") }
    rmdir(temporary.path)
  }
}
