internal import TesseraCryptography
internal import TesseraDurableFiles

/// A file with the text of a seed, of mode 0600. `nsc` and the other tools of NATS read and write the same form.
package struct NKeyFile: Sendable {
  package let path: String

  package init(path: String) { self.path = path }

  /// A seed and a line end; comments of other tools do not fit.
  private static let maximumSize = 256

  /// - Returns: nil if the file does not exist.
  /// - Throws: `FleetAuthorityError.notASeed`, `.openToOthers`, `FolderError`.
  package func read() throws -> NKey? {
    // Whoever can read it can log in as this user.
    guard !Ownership(of: path).exposesSecrets else { throw FleetAuthorityError.openToOthers(path) }
    guard let content = try DurableFile(path: path).read(upTo: Self.maximumSize)?.content else { return nil }
    let seed = content.withUnsafeBytes { bytes in
      // Some editors begin a file with a byte order mark.
      let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
      let end = bytes.count - bytes.reversed().prefix { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.count
      return SecretBytes(UnsafeRawBufferPointer(rebasing: bytes[start..<max(start, end)]))
    }
    return try NKey(seedText: seed)
  }

  /// Writes the seed of a new key. An existing file is not replaced: nobody could log in with the old key any more.
  ///
  /// - Returns: false if the file exists.
  /// - Throws: `FolderError`.
  package func create(_ key: NKey) throws -> Bool {
    try DurableFile(path: path).write(key.seedText.joined(after: [], before: [UInt8(ascii: "\n")]), replacing: false)
  }
}
