import Glibc
internal import TesseraCore
import TesseraDurableFiles
internal import TesseraLocales
import TesseraThreads

/// The texts that come with the program: `<folder>/<tag>.lproj/<table>.strings`.
///
/// Foundation's `Bundle` chooses the language without the environment on Linux, so the folders are read here.
struct BundledStrings: Sendable {
  let folder: String

  /// The table whose texts the server can change.
  static let standardTable = "Localizable"

  /// The folders that a table has texts in: those of the languages by their tags, and `Base`.
  struct Languages {
    var base: String?
    /// By the text of the tag: `de_AT.lproj` is the one of `de-AT`.
    var named: [LocaleTag: String] = [:]
  }

  /// The payloads of a table for the chain, the one that takes precedence last: English, `Base`, then the chain from the
  /// general tag to the specific one. Files that cannot be read are left out.
  func payloads(_ chain: LocaleChain, table: String = standardTable) -> [TranslationPayload] {
    let languages = languages
    let tags = chain.matches(in: languages.named.keys)
    return (general(languages, without: tags) + tags.reversed().compactMap { languages.named[$0] })
      .compactMap { payload($0, table: table) }
  }

  /// The folders of texts for all languages: English, then `Base`.
  func general(_ languages: Languages, without tags: [LocaleTag]) -> [String] {
    let english = languages.named.first { $0.key.text == Self.english && !tags.contains($0.key) }?.value
    return [english, languages.base].compactMap(\.self)
  }

  /// - Parameter name: the name of a folder.
  /// - Returns: nil if there is no such file, or it cannot be read.
  func payload(_ name: String, table: String = standardTable) -> TranslationPayload? {
    guard !table.isEmpty, !table.contains("/") else { return nil }
    return Self.bytes("\(folder)/\(name)/\(table).strings").flatMap { try? TranslationPayload($0) }
  }

  private static let english = "en"

  var languages: Languages {
    var folders = Languages()
    for name in (try? PrivateFolder(path: folder).names()) ?? [] where name.hasSuffix(".lproj") {
      let stem = name.dropLast(".lproj".count)
      if stem.lowercased() == "base" {
        folders.base = name
      } else if let tag = LocaleTag(stem) {
        folders.named[tag] = name
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

/// The bundled tables that the server does not change, each read when it is first needed.
final class BundledTables: Sendable {
  private struct Name: Hashable {
    let folder: String
    let table: String
    let tags: [LocaleTag]
  }
  /// A program has fewer. One that makes up names reads its tables again.
  static let maximumCount = 64
  private let tables = Locked<[Name: StringTable]>([:])

  var count: Int { tables.withLock { $0.count } }

  /// The files are read without the lock, so that nobody waits for the files of another table. Two threads may read the same
  /// ones.
  func table(_ table: String, in folder: String, _ chain: LocaleChain) -> StringTable {
    let name = Name(folder: folder, table: table, tags: chain.tags)
    if let known = tables.withLock({ $0[name] }) { return known }
    let payloads = BundledStrings(folder: folder).payloads(chain, table: table)
    var builder = StringTableBuilder(capacity: payloads.reduce(0) { $0 + $1.capacity })
    // A file that is invalid is left out.
    for payload in payloads { try? builder.add(payload, source: .bundled) }
    let made = builder.table()
    tables.withLock { tables in
      if tables.count >= Self.maximumCount { tables = [:] }
      tables[name] = made
    }
    return made
  }
}
