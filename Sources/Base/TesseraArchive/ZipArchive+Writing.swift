import CTesseraMinizip

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
