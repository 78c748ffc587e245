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
