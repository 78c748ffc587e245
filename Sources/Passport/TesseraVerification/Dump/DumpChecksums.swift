import TesseraCryptography
import TesseraSmartCard

/// The file `SHA256SUMS` of a dump, in the form of the program `sha256sum`: a line for each file with 64 hexadecimal
/// digits, two spaces (or a space and an asterisk), and the name.
struct DumpChecksums {
  /// In the order of the lines.
  let names: [String]
  private let digests: [String: [UInt8]]

  /// nil if a line has another form, or a name occurs twice.
  init?(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    var names: [String] = []
    var digests: [String: [UInt8]] = [:]
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      let rest = line.dropFirst(64)
      guard let digest = [UInt8](hexadecimal: Substring(line.prefix(64))), digest.count == 32,
        rest.starts(with: "  ".utf8) || rest.starts(with: " *".utf8)
      else { return nil }
      let name = String(Substring(rest.dropFirst(2)))
      guard !name.isEmpty, digests.updateValue(digest, forKey: name) == nil else { return nil }
      names.append(name)
    }
    guard !names.isEmpty else { return nil }
    (self.names, self.digests) = (names, digests)
  }

  /// The text of the file.
  static func text(of entries: [DumpEntry]) throws -> String {
    try entries.map { entry in
      "\(try HashAlgorithm.sha256.digest(of: entry.bytes).hexadecimal.lowercased())  \(entry.name)\n"
    }.joined()
  }

  func lists(_ name: String) -> Bool { digests[name] != nil }

  /// Whether the file is listed and has the digest of its line.
  func match(_ entry: DumpEntry) -> Bool {
    match(entry.name, try? HashAlgorithm.sha256.digest(of: entry.bytes))
  }

  /// - Parameter digest: SHA-256 of the file.
  func match(_ name: String, _ digest: [UInt8]?) -> Bool { digest.map { digests[name] == $0 } ?? false }
}
