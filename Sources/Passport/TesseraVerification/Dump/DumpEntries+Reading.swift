import Glibc
import TesseraArchive
import TesseraDurableFiles
import TesseraPassport

extension DumpEntries {
  /// Reads the files of a dump from a folder or an archive.
  static func read(_ path: String) throws(DumpError) -> DumpEntries {
    // The path is the caller's, so that a link to a dump is followed.
    var status = stat()
    guard stat(path, &status) == 0 else { throw .unreadable(path) }
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFDIR || kind == S_IFREG else { throw .notADump(path) }
    // Whoever can change it can exchange one document for another.
    guard !Ownership(of: path).isOpenToOthers else { throw .openToOthers(path) }
    guard kind == S_IFDIR else { return try readArchive(path) }
    // Whoever can read a folder can lock it, so a reader does not wait long.
    return try FolderLock(folder: path, timeout: .seconds(5)).withSharedLock { () throws(DumpError) in
      try readFolder(path)
    }
  }

  /// A folder of another program may contain anything.
  private static let maximumForeignFiles = 1_000

  private static func readFolder(_ path: String) throws(DumpError) -> DumpEntries {
    guard let names = try? PrivateFolder(path: path).names() else { throw .unreadable(path) }
    var entries = DumpEntries()
    // A writer was killed: the new dump is whole.
    if let moving = DumpReplacement(folder: path).files() {
      for (name, file) in moving where name != DumpNames.report {
        // One that is not there has a checksum, and counts as removed.
        guard let bytes = try? DurableFile(path: file).bytes(upTo: SavedDump.maximumFileSize) else { continue }
        try entries.add(DumpEntry(name: name, bytes: bytes))
      }
      return entries
    }
    let isSaved = names.contains(DumpNames.manifest)
    var foreignFiles = 0
    for name in names {
      let file = DurableFile(path: "\(path)/\(name)")
      if DumpNames.all.contains(name) {
        guard name != DumpNames.report, let size = try? file.regularSize() else { continue }
        guard size <= SavedDump.maximumFileSize else { throw .tooLarge(name) }
        guard let bytes = try? file.bytes(upTo: SavedDump.maximumFileSize) else { throw .unreadable(file.path) }
        guard !Ownership(of: file.path).isOpenToOthers else { throw .openToOthers(file.path) }
        try entries.add(DumpEntry(name: name, bytes: bytes))
      } else if !isSaved, foreignFiles < maximumForeignFiles, !name.hasSuffix(SavedDump.fileNameExtension) {
        guard let bytes = try? file.bytes(upTo: SavedDump.maximumFileSize) else { continue }
        foreignFiles += 1
        guard ElementaryFile(recognizing: bytes, name: name) != nil else { continue }
        guard !Ownership(of: file.path).isOpenToOthers else { throw .openToOthers(file.path) }
        try entries.add(DumpEntry(name: name, bytes: bytes))
      }
    }
    return entries
  }

  private static func readCredential(_ bytes: [UInt8]) throws(DumpError) -> DumpEntries {
    var entries = DumpEntries()
    do {
      entries.credential = try TravelCredential(bytes)
    } catch {
      throw .credential(error)
    }
    return entries
  }

  private static let archiveLimits = ZipArchive.Limits(
    maximumEntries: maximumForeignFiles, maximumEntrySize: SavedDump.maximumFileSize,
    maximumTotalSize: SavedDump.maximumSize)

  private static func readArchive(_ path: String) throws(DumpError) -> DumpEntries {
    guard let file = DurableFile(following: path) else { throw .unreadable(path) }
    guard let size = try? file.regularSize() else { throw .unreadable(path) }
    guard size <= SavedDump.maximumSize else { throw .tooLarge(path) }
    guard let bytes = try? file.bytes(upTo: SavedDump.maximumSize) else { throw .unreadable(path) }
    if TravelCredential.isCredential(bytes) { return try readCredential(bytes) }
    guard ZipArchive.isZip(bytes) else { throw .notADump(path) }
    let files: [ZipEntry]
    do {
      files = try ZipArchive.read(bytes, archiveLimits)
    } catch {
      throw .archive(error)
    }
    var entries = DumpEntries()
    for file in files where file.name != DumpNames.report {
      try entries.add(DumpEntry(name: file.name, bytes: file.bytes))
    }
    return entries
  }
}

extension DurableFile {
  /// The size of a regular file in bytes; nil for a link, a folder or a device, and without a file.
  fileprivate func regularSize() throws -> Int? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }
}
