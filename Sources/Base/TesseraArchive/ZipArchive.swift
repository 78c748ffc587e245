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
