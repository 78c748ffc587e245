package import TesseraCore
internal import TesseraCryptography
import TesseraDurableFiles
internal import TesseraLocales

/// The last good texts of one publish id, in files of mode 0600. Each write is atomic and durable. A file that cannot be
/// read, or is of another format, counts as absent.
struct StringsCache: Sendable {
  /// The version of the files.
  static let format = 1
  /// Each byte of a payload can be a control character, which takes six in JSON.
  private static let maximumSize = 6 * TranslationPayload.maximumSize + (64 << 10)

  let folder: String

  /// - Parameter folder: the one of all publish ids.
  init(folder: String, id: PublishId) { self.folder = "\(folder)/\(id.folderName)" }

  func manifest() -> ManifestRecord? { bytes(manifestFile).flatMap(ManifestRecord.init(file:)) }

  func texts(_ tag: LocaleTag) -> LocaleRecord? { bytes(file(tag)).flatMap { LocaleRecord(file: $0, tag: tag) } }

  /// The locales that it has texts of, without those with unusual characters.
  func tags() -> [LocaleTag] {
    let names = (try? PrivateFolder(path: folder).names()) ?? []
    return names.compactMap { name in
      guard name.hasPrefix("locale-"), name.hasSuffix(".json") else { return nil }
      return LocaleTag(name.dropFirst("locale-".count).dropLast(".json".count))
    }
  }

  /// - Throws: `FolderError`
  func store(_ record: ManifestRecord) throws { _ = try manifestFile.write(record.file, replacing: true) }

  /// - Throws: `FolderError`
  func store(_ record: LocaleRecord) throws { _ = try file(record.tag).write(record.file, replacing: true) }

  /// Removes the temporary files of killed processes.
  func removeLeftovers() { PrivateFolder(path: folder).removeLeftovers() }

  private var manifestFile: DurableFile { DurableFile(path: "\(folder)/manifest.json") }

  private func file(_ tag: LocaleTag) -> DurableFile {
    let isName = tag.text.utf8.allSatisfy { byte in
      byte == UInt8(ascii: "-") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
        || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    }
    return DurableFile(path: "\(folder)/locale-\(isName ? tag.text : PublishId.hash(tag.text)).json")
  }

  private func bytes(_ file: DurableFile) -> [UInt8]? {
    // In a folder where another user can create files, the texts could be that user's.
    guard (try? PrivateFolder(path: folder).isOwn()) == true else { return nil }
    return (try? file.bytes(upTo: Self.maximumSize)) ?? nil
  }
}

/// The identifier of a program's texts at the server. It is no secret, but it has no place in a log.
package struct PublishId: Sendable, Equatable {
  let text: String

  /// The text that `setup` ends the process with.
  static let blankText =
    "ReRune.setup needs the publish id of your texts: it is blank. Copy it from the settings of your project at rerune.io."

  /// - Throws: `Failure` if nothing remains without the spaces at the ends.
  package init(_ text: String) throws(Failure) {
    let text = text.trimmed
    guard !text.isEmpty else { throw Failure(.usage, Self.blankText) }
    self.text = text
  }

  /// The first four characters, for logs.
  var redacted: String { PrintableText.of(String(text.prefix(4))) + "…" }

  /// Whether it can be the value of a header (RFC 9110, 5.5).
  var isHeaderValue: Bool { text.utf8.allSatisfy { 0x21...0x7E ~= $0 } }

  /// The name of its folder in the cache.
  var folderName: String { Self.hash(text) }

  /// 128 bits of SHA-256, in hexadecimal.
  static func hash(_ text: String) -> String {
    // SHA-256 fails only if OpenSSL has no memory left.
    let digest = (try? HashAlgorithm.sha256.digest(of: text.utf8)) ?? []
    return digest.prefix(16).hexadecimal.lowercased()
  }
}

extension PublishId: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { redacted }
  package var debugDescription: String { redacted }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
