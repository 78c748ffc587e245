import Glibc
import TesseraArchive
import TesseraCore
import TesseraDurableFiles
import TesseraPassport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension SavedDump {
  /// Creates the folder that a dump is written to, so that an unusable path is reported before the document is read.
  ///
  /// - Parameter path: of a folder, or of a file whose name ends in `.tessera`.
  /// - Returns: whether the folder of a dump did not exist.
  /// - Throws: `DumpError.link`, `.openToOthers`, `.notWritten`.
  @discardableResult
  public static func prepare(path: String) throws(DumpError) -> Bool {
    let destination = Destination(path)
    let isNew = !destination.isFile && access(destination.path, F_OK) != 0
    try destination.prepare()
    return isNew
  }

  /// Whether a dump in this folder would stand among the files of something else, or replace some: the folder has files,
  /// and they are not those of a dump.
  ///
  /// One name makes no dump: other programs also write files such as `SHA256SUMS` and `report.json`.
  package static func isFolderOfOthers(path: String) -> Bool {
    let destination = Destination(path)
    var status = stat()
    guard !destination.isFile, lstat(destination.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
      let names = try? PrivateFolder(path: destination.path).names()
    else { return false }
    let replacement = DumpReplacement(folder: destination.path)
    // A writer was killed while it moved the files of a whole dump here.
    if replacement.files() != nil { return false }
    // What a killed writer left is of a dump.
    let others = names.filter { !PrivateFolder.isLeftover($0) && !($0 == DumpNames.pending && replacement.isLeftover) }
    return !others.isEmpty && !isDump(destination.path, others)
  }

  /// Whether a folder has a manifest, and checksums that list each file with the name of a dump's, the only ones that a
  /// new dump replaces.
  private static func isDump(_ path: String, _ names: [String]) -> Bool {
    func bytes(_ name: String) -> [UInt8]? { try? DurableFile(path: "\(path)/\(name)").bytes(upTo: maximumFileSize) }
    guard let manifest = bytes(DumpNames.manifest), (try? DumpManifest(json: manifest)) != nil,
      let checksums = bytes(DumpNames.checksums).flatMap(DumpChecksums.init)
    else { return false }
    return names.filter { DumpNames.all.contains($0) && $0 != DumpNames.checksums }.allSatisfy(checksums.lists)
  }

  /// Writes the dump to a folder, or to one file if the name ends in `.tessera`. Only the owner can read the files.
  ///
  /// An older dump at this path is replaced: a folder never contains files of two documents, also if several processes
  /// write to it, and a write that fails or is killed leaves the older dump or the new one. Links are replaced, not followed. Other files in the folder remain.
  ///
  /// - Throws: `DumpError.link`, `.openToOthers`, `.notWritten`, `.unwritable`, `.archive`.
  public func write(to path: String) throws {
    let destination = Destination(path)
    try destination.prepare()
    try destination.write(try entries())
  }

  /// Whether a dump at this path is one file.
  static func isArchive(path: String) -> Bool { Destination(path).isFile }

  /// The dump as one file, as `write(to:)` stores it.
  package func archive() throws -> [UInt8] { try Self.archive(of: entries()) }

  fileprivate static func archive(of entries: [DumpEntry]) throws -> [UInt8] {
    // Portraits are compressed already.
    try ZipArchive.write(entries.map { ZipEntry(name: $0.name, bytes: $0.bytes) }, .stored)
  }

  /// The files of the dump. The elementary files come first, in the order of reading; the checksums of all are last.
  func entries() throws -> [DumpEntry] {
    var entries = dump.files.map { DumpEntry(name: DumpNames.name(of: $0.file), bytes: $0.bytes) }
    let manifest = DumpManifest(dump, software: software ?? "", virtualProfile: virtualProfile)
    entries.append(DumpEntry(name: DumpNames.manifest, bytes: try manifest.json()))
    for (name, text) in [(DumpNames.evidence, try dump.evidence.json()), (DumpNames.report, reportOfRead)] {
      if let text { entries.append(DumpEntry(name: name, bytes: Array("\(text)\n".utf8))) }
    }
    let checksums = try DumpChecksums.text(of: entries)
    return entries + [DumpEntry(name: DumpNames.checksums, bytes: Array(checksums.utf8))]
  }
}

/// The folder or file that a dump is written to.
private struct Destination {
  /// As given by the caller, for errors.
  let name: String
  let path: String
  let isFile: Bool

  init(_ name: String) {
    self.name = name
    path = URL(fileURLWithPath: name).standardizedFileURL.path
    isFile = path.hasSuffix(SavedDump.fileNameExtension)
  }

  private var folder: PrivateFolder { isFile ? PrivateFolder(ofFile: path) : PrivateFolder(path: path) }

  func prepare() throws(DumpError) {
    var status = stat()
    let type = lstat(path, &status) == 0 ? status.st_mode & S_IFMT : 0
    if isFile, type == S_IFDIR { throw .notWritten(name, code: EISDIR) }
    if !isFile, type == S_IFLNK { throw .link(name) }
    if !isFile, type != 0, type != S_IFDIR { throw .notWritten(name, code: ENOTDIR) }
    // What nobody would be allowed to read afterwards.
    if !isFile, type != 0, Ownership(of: path).isOpenToOthers { throw .openToOthers(name) }
    do {
      try folder.make()
    } catch {
      throw unwritable(error)
    }
    let obstacle = Failure.obstacle(folder.path, isFolder: true)
    guard obstacle == 0 else { throw .notWritten(name, code: obstacle) }
  }

  func write(_ entries: [DumpEntry]) throws {
    do {
      if isFile { try writeArchive(entries) } else { try writeFolder(entries) }
    } catch let error as ArchiveError {
      throw DumpError.archive(error)
    } catch let error as FolderError {
      throw unwritable(error)
    }
  }

  private func unwritable(_ error: any Error) -> DumpError {
    guard case FolderError.system(_, let code) = error else { return .unwritable(name) }
    return .notWritten(name, code: code)
  }

  private func writeArchive(_ entries: [DumpEntry]) throws {
    _ = try DurableFile(path: path).write(SavedDump.archive(of: entries), replacing: true)
  }

  private func writeFolder(_ entries: [DumpEntry]) throws {
    try FolderLock(folder: path, timeout: .seconds(30)).withLock {
      let replacement = DumpReplacement(folder: path)
      try replacement.finish()
      replacement.removeLeftovers()
      try replacement.write(entries)
      try replacement.finish()
    }
  }
}
