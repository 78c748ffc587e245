import Glibc
import TesseraDurableFiles
import TesseraPassport

extension SavedDump {
  /// Reads a dump from a folder or from one file, or a digital travel credential from its file. Symbolic links and devices in a folder are not followed, and files
  /// that belong to no dump are ignored.
  ///
  /// - Throws: `DumpError`.
  public static func load(path: String) throws(DumpError) -> SavedDump {
    let entries = try DumpEntries.read(path)
    guard let dump = try SavedDump(entries) else { throw .notADump(path) }
    return dump
  }

  /// nil if there is no elementary file.
  init?(_ entries: DumpEntries) throws(DumpError) {
    if let credential = entries.credential {
      self.init(credential.dump, software: nil, virtualProfile: nil)
      return
    }
    let checksums = try Self.checksums(entries)
    let manifest = try Self.verified(DumpNames.manifest, entries, checksums)
    let evidence = try Self.verified(DumpNames.evidence, entries, checksums)
    // One is never saved without the other.
    guard manifest != nil || evidence == nil else { throw .modified(DumpNames.manifest) }
    let files = try entries.elementaryFiles(byName: manifest != nil, order: checksums?.names ?? [])
    guard !files.isEmpty else { return nil }

    var dump = DocumentDump(
      files: files.map { ($0.file, $0.entry.bytes) }, evidence: try evidence.map(Self.evidence) ?? ChipEvidence())
    dump.isOfOtherProgram = manifest == nil
    if let checksums { dump.modifiedFiles = Self.modifiedFiles(files, checksums, dump.digests) }
    var software: String?
    var virtualProfile: String?
    if let manifest {
      let manifest = try DumpManifest(json: manifest)
      try manifest.complete(&dump)
      software = manifest.software
      virtualProfile = manifest.virtualProfile
    }
    self.init(dump, software: software, virtualProfile: virtualProfile)
  }

  /// - Returns: nil if there is no file of checksums, which is an error if there is a manifest: one is never saved
  ///   without the other.
  private static func checksums(_ entries: DumpEntries) throws(DumpError) -> DumpChecksums? {
    guard let entry = entries[DumpNames.checksums] else {
      guard entries[DumpNames.manifest] == nil else { throw .modified(DumpNames.checksums) }
      return nil
    }
    guard let checksums = DumpChecksums(entry.bytes) else { throw .modified(DumpNames.checksums) }
    return checksums
  }

  /// A file that must not differ from its checksum.
  private static func verified(
    _ name: String, _ entries: DumpEntries, _ checksums: DumpChecksums?
  ) throws(DumpError) -> [UInt8]? {
    let entry = entries[name]
    if let checksums {
      let isUnchanged = entry.map(checksums.match) ?? !checksums.lists(name)
      guard isUnchanged else { throw .modified(name) }
    }
    return entry?.bytes
  }

  private static func evidence(_ bytes: [UInt8]) throws(DumpError) -> ChipEvidence {
    guard let evidence = try? ChipEvidence(json: String(decoding: bytes, as: UTF8.self)) else {
      throw .malformed(DumpNames.evidence)
    }
    return evidence
  }

  private static func modifiedFiles(
    _ files: [(file: ElementaryFile, entry: DumpEntry)], _ checksums: DumpChecksums,
    _ digests: [ElementaryFile: [UInt8]]
  ) -> [ElementaryFile] {
    let changed = files.filter { !checksums.match($0.entry.name, digests[$0.file]) }.map(\.file)
    let present = Set(files.map(\.entry.name))
    let removed = checksums.names.filter { !present.contains($0) }.compactMap { DumpNames.files[$0] }
    return changed + removed.filter { !changed.contains($0) }
  }
}

extension SavedDump {
  /// The dumps at a path: the path itself, or, for a folder without elementary files, its folders and its files whose
  /// names end in `.tessera`, sorted by name.
  ///
  /// A folder can be both, if somebody saved a read in a folder of dumps. Then it is the first one, and the dumps in it
  /// follow. A folder without any dump is returned itself, so that it gives one error.
  ///
  /// - Throws: `DumpError` if the path cannot be read.
  public static func paths(in path: String) throws(DumpError) -> [String] {
    var status = stat()
    guard stat(path, &status) == 0 else { throw .unreadable(path) }
    guard status.st_mode & S_IFMT == S_IFDIR else { return [path] }
    guard let names = try? PrivateFolder(path: path).names() else { throw .unreadable(path) }
    var isDump = names.contains(where: DumpNames.all.contains)
    if !isDump { isDump = try !DumpEntries.read(path).entries.isEmpty }
    let parent = path.hasSuffix("/") ? path : "\(path)/"
    let dumps = names.map { parent + $0 }.filter { child in
      var status = stat()
      guard lstat(child, &status) == 0 else { return false }
      let type = status.st_mode & S_IFMT
      return type == S_IFDIR || type == S_IFREG && child.hasSuffix(fileNameExtension)
    }
    if isDump { return [path] + dumps.filter { !$0.hasSuffix("/\(DumpNames.pending)") && hasFiles($0) } }
    // Folders of something else would give an error each.
    return dumps.contains(where: mayBeDump) ? dumps : [path]
  }

  /// Whether a path in a folder is a dump, or may be one that cannot be read.
  private static func mayBeDump(_ path: String) -> Bool {
    if hasFiles(path) { return true }
    do {
      return try !DumpEntries.read(path).entries.isEmpty
    } catch {
      return true
    }
  }

  /// Whether a path inside a dump is another dump: a file with the name of one, or a folder with a file of one.
  private static func hasFiles(_ path: String) -> Bool {
    path.hasSuffix(fileNameExtension)
      || (try? PrivateFolder(path: path).names())?.contains(where: DumpNames.all.contains) ?? false
  }
}
