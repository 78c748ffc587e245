import CTesseraMinizip

/// A file in a zip archive.
package struct ZipEntry: Sendable, Equatable {
  /// The path inside the archive, as stored. A part of it may be `..`, so no file may be written by this name unchecked.
  package var name: String
  package var bytes: [UInt8]

  package init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }
}

/// Zip archives in memory (PKWARE's APPNOTE.TXT), by minizip and zlib.
package enum ZipArchive {
  /// What `read` accepts.
  package struct Limits: Sendable, Equatable {
    /// Directories count too.
    package var maximumEntries: Int
    /// The size of an uncompressed file in bytes.
    package var maximumEntrySize: Int
    /// The size of all uncompressed files in bytes.
    package var maximumTotalSize: Int

    package init(maximumEntries: Int, maximumEntrySize: Int, maximumTotalSize: Int) {
      self.maximumEntries = maximumEntries
      self.maximumEntrySize = maximumEntrySize
      self.maximumTotalSize = maximumTotalSize
    }
  }

  package enum Compression: Sendable {
    /// The bytes as they are: the same archive on every machine.
    case stored
    /// The same archive with the same version of zlib.
    case deflated
  }

  /// Whether the bytes start as an archive does: with a file, or with the end of an empty archive.
  package static func isZip(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) || bytes.starts(with: [0x50, 0x4B, 0x05, 0x06])
  }
}

extension ZipArchive {
  /// Writes an archive with these files in this order. Every file has the date 1980-01-01, so the same files give the
  /// same archive.
  package static func write(
    _ entries: [ZipEntry], _ compression: Compression = .deflated
  ) throws(ArchiveError) -> [UInt8] {
    var memory = tessera_zip_memory()
    defer { tessera_zip_free(&memory) }
    // minizip keeps the address of `memory` until `zipClose`.
    try withUnsafeMutablePointer(to: &memory) { memory throws(ArchiveError) in
      try write(entries, compression, to: memory)
    }
    return Array(UnsafeBufferPointer(start: memory.bytes, count: memory.count))
  }

  private static func write(
    _ entries: [ZipEntry], _ compression: Compression, to memory: UnsafeMutablePointer<tessera_zip_memory>
  ) throws(ArchiveError) {
    guard let file = tessera_zip_writer(memory) else { throw .memoryExhausted }
    var isOpen = true
    defer { if isOpen { zipClose(file, nil) } }
    for entry in entries { try write(entry, compression, to: file) }
    isOpen = false
    guard zipClose(file, nil) == ZIP_OK else { throw .memoryExhausted }
  }

  private static func write(
    _ entry: ZipEntry, _ compression: Compression, to file: zipFile
  ) throws(ArchiveError) {
    // minizip overruns its buffer for longer names (CVE-2023-45853).
    guard 1...0xFFFF ~= entry.name.utf8.count, !entry.name.utf8.contains(0) else { throw .invalidName }
    let maximumSize = Int(UInt32.max) - 1
    guard entry.bytes.count <= maximumSize else { throw .tooLarge(.entrySize(maximumSize)) }

    var info = zip_fileinfo()
    info.dosDate = 1 << 21 | 1 << 16
    // An ordinary file, for its owner only, with the mode in the form of Unix.
    info.external_fa = 0o100600 << 16
    let madeByUnix: UInt = 3 << 8 | 20
    let namesAreUTF8: UInt = 1 << 11
    let defaultMemoryLevel: Int32 = 8
    let status = zipOpenNewFileInZip4_64(
      file, entry.name, &info, nil, 0, nil, 0, nil, compression == .stored ? 0 : Z_DEFLATED, Z_DEFAULT_COMPRESSION, 0,
      -MAX_WBITS, defaultMemoryLevel, Z_DEFAULT_STRATEGY, nil, 0, madeByUnix, namesAreUTF8, 0)
    guard status == ZIP_OK else { throw .memoryExhausted }
    let written = zipWriteInFileInZip(file, entry.bytes, UInt32(entry.bytes.count))
    guard zipCloseFileInZip(file) == ZIP_OK, written == ZIP_OK else { throw .memoryExhausted }
  }
}
