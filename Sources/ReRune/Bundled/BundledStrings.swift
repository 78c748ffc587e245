import Glibc
internal import TesseraCore
import TesseraDurableFiles

/// The texts that come with the program: `<folder>/<tag>.lproj/<table>.strings`.
///
/// Foundation's `Bundle` chooses the language without the environment on Linux, so the folders are read here.
struct BundledStrings: Sendable {
  let folder: String

  /// The table whose texts the server can change.
  static let standardTable = "Localizable"

  /// The payloads of a table for the chain, the one that takes precedence last: English, `Base`, then the chain from the
  /// general tag to the specific one. Files that cannot be read are left out.
  func payloads(_ chain: LocaleChain, table: String = standardTable) -> [TranslationPayload] {
    guard !table.isEmpty, !table.contains("/") else { return [] }
    let folders = languageFolders
    // English is read once, also if it is the person's language.
    let english = chain.tags.contains { $0.text == Self.english } ? nil : folders.named[Self.english]
    let names = [english, folders.base] + chain.tags.reversed().map { folders.named[$0.text] }
    return names.compactMap { $0 }.compactMap { name in
      guard let bytes = Self.bytes("\(folder)/\(name)/\(table).strings") else { return nil }
      return try? TranslationPayload(bytes)
    }
  }

  private static let english = "en"

  private struct LanguageFolders {
    var base: String?
    /// By the text of the tag: `de_AT.lproj` is the one of `de-AT`.
    var named: [String: String] = [:]
  }

  private var languageFolders: LanguageFolders {
    var folders = LanguageFolders()
    for name in (try? PrivateFolder(path: folder).names()) ?? [] where name.hasSuffix(".lproj") {
      let stem = name.dropLast(".lproj".count)
      if stem.lowercased() == "base" {
        folders.base = name
      } else if let tag = LocaleTag(stem) {
        folders.named[tag.text] = name
      }
    }
    return folders
  }

  /// The content of a regular file. Symbolic links are followed: packages have them.
  private static func bytes(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      0...TranslationPayload.maximumSize ~= Int(status.st_size)
    else { return nil }
    return [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
      while count < buffer.count {
        let read = Glibc.read(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
        if read < 0, errno == EINTR { continue }
        guard read > 0 else { return }
        count += read
      }
    }
  }
}
