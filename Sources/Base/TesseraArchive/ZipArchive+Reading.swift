import CTesseraMinizip

extension ZipArchive {
  /// Reads all files of an archive, in the order of its directory. Entries whose name ends with `/` are directories and
  /// are skipped.
  ///
  /// A file is decompressed in pieces. Reading stops as soon as a limit is exceeded, whatever sizes the archive states.
  /// A name that is not UTF-8 gets replacement characters.
  package static func read(_ bytes: [UInt8], _ limits: Limits) throws(ArchiveError) -> [ZipEntry] {
    guard isZip(bytes) else { throw .notAnArchive }
    guard let end = endRecord(bytes) else { throw .damaged }
    // An empty archive consists of this record alone. minizip does not find it at the start.
    guard end > 0 else { return [] }
    return try Zip64Sizes.inPlace(bytes, end: end).withUnsafeBufferPointer { buffer throws(ArchiveError) in
      // minizip only reads through this pointer.
      var memory = tessera_zip_memory(
        bytes: UnsafeMutablePointer(mutating: buffer.baseAddress), count: buffer.count, capacity: 0, position: 0)
      // minizip keeps the address until `unzClose`.
      return try withUnsafeMutablePointer(to: &memory) { memory throws(ArchiveError) in
        try entries(of: memory, limits)
      }
    }
  }

  /// Finds the end of central directory record (APPNOTE.TXT, 4.3.16), as minizip does: the last one, with at most 65,535
  /// bytes of comment behind it. minizip reads the missing fields of a truncated record as zeros.
  ///
  /// - Returns: Its offset, or nil if none is complete.
  private static func endRecord(_ bytes: [UInt8]) -> Int? {
    let tail = bytes.suffix(22 + 0xFFFF)
    return tail.indices.dropLast(21).last { tail[$0...].starts(with: [0x50, 0x4B, 0x05, 0x06]) }
  }

  private static func entries(
    of memory: UnsafeMutablePointer<tessera_zip_memory>, _ limits: Limits
  ) throws(ArchiveError) -> [ZipEntry] {
    guard let file = tessera_zip_reader(memory) else { throw .damaged }
    defer { unzClose(file) }
    var info = unz_global_info64()
    guard unzGetGlobalInfo64(file, &info) == UNZ_OK else { throw .damaged }
    guard info.number_entry <= limits.maximumEntries else { throw .tooLarge(.entries(limits.maximumEntries)) }
    guard info.number_entry > 0 else { return [] }

    var reader = EntryReader(file: file, limits: limits)
    var entries: [ZipEntry] = []
    var status = unzGoToFirstFile(file)
    var count = 0
    while status == UNZ_OK {
      count += 1
      // minizip does not end by the stated number if that is 65,535.
      guard count <= limits.maximumEntries else { throw .tooLarge(.entries(limits.maximumEntries)) }
      if let entry = try reader.next() { entries.append(entry) }
      status = unzGoToNextFile(file)
    }
    guard status == UNZ_END_OF_LIST_OF_FILE else { throw .damaged }
    return entries
  }
}

/// Reads the entries at which minizip stands, one after the other.
private struct EntryReader {
  let file: unzFile
  let limits: ZipArchive.Limits
  private var totalSize = 0
  /// The compressed bytes of the entries so far, by place. Overlapping entries would repeat one large file many times.
  private var occupied: [Range<UInt64>] = []
  private var piece = [UInt8](repeating: 0, count: 1 << 16)

  init(file: unzFile, limits: ZipArchive.Limits) {
    self.file = file
    self.limits = limits
  }

  /// - Returns: nil for a directory.
  mutating func next() throws(ArchiveError) -> ZipEntry? {
    var info = unz_file_info64()
    guard unzGetCurrentFileInfo64(file, &info, nil, 0, nil, 0, nil, 0) == UNZ_OK else { throw .damaged }
    let name = try name(length: Int(clamping: info.size_filename))
    // Bits 0, 6 and 13: encryption, strong encryption, encrypted directory.
    guard info.flag & 0x2041 == 0 else { throw .encrypted }
    guard !name.hasSuffix("/") else { return nil }
    guard info.compression_method == 0 || info.compression_method == Z_DEFLATED else {
      throw .unsupportedCompression(Int(clamping: info.compression_method))
    }
    return ZipEntry(name: name, bytes: try content(info))
  }

  private func name(length: Int) throws(ArchiveError) -> String {
    guard 1...0xFFFF ~= length else { throw .invalidName }
    var name = [CChar](repeating: 0, count: length)
    guard unzGetCurrentFileInfo64(file, nil, &name, UInt(length), nil, 0, nil, 0) == UNZ_OK else { throw .damaged }
    guard !name.contains(0) else { throw .invalidName }
    return String(decoding: name.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  private mutating func content(_ info: unz_file_info64) throws(ArchiveError) -> [UInt8] {
    try check(info.uncompressed_size)
    guard unzOpenCurrentFile(file) == UNZ_OK else { throw .damaged }
    var isOpen = true
    defer { if isOpen { unzCloseCurrentFile(file) } }
    try occupy(from: unzGetCurrentFileZStreamPos64(file), count: info.compressed_size)

    var bytes: [UInt8] = []
    // Deflate compresses by 1032 to 1 at most, so a lying size reserves no more than the archive can contain.
    let (possible, overflow) = info.compressed_size.multipliedReportingOverflow(by: 1032)
    bytes.reserveCapacity(Int(clamping: overflow ? info.uncompressed_size : min(possible, info.uncompressed_size)))
    while true {
      let count = Int(unzReadCurrentFile(file, &piece, UInt32(piece.count)))
      guard count >= 0 else { throw .damaged }
      guard count > 0 else { break }
      try check(UInt64(bytes.count + count))
      bytes.append(contentsOf: piece.prefix(count))
    }
    isOpen = false
    // minizip compares the checksum only if it has read as many bytes as the directory states.
    guard unzCloseCurrentFile(file) == UNZ_OK, UInt64(bytes.count) == info.uncompressed_size else { throw .damaged }
    totalSize += bytes.count
    return bytes
  }

  private func check(_ size: UInt64) throws(ArchiveError) {
    guard size <= limits.maximumEntrySize else { throw .tooLarge(.entrySize(limits.maximumEntrySize)) }
    guard size <= limits.maximumTotalSize - totalSize else { throw .tooLarge(.totalSize(limits.maximumTotalSize)) }
  }

  private mutating func occupy(from start: UInt64, count: UInt64) throws(ArchiveError) {
    let (end, overflow) = start.addingReportingOverflow(count)
    guard !overflow else { throw .damaged }
    guard start < end else { return }
    // The last one that starts before this one's end. Most archives store the files in order: it is the last of all.
    let before = occupied.lastIndex { $0.lowerBound < end }
    if let before, occupied[before].upperBound > start { throw .damaged }
    occupied.insert(start..<end, at: before.map { $0 + 1 } ?? 0)
  }
}
