/// The text for a key: for each tag of the user's language, then of the main one, that of the last update, else the bundled
/// one; else `value`, else the key. An empty text of the server is a text. Takes no lock, and reads no file for the standard table; call it from any thread.
///
/// A text of the server with other placeholders than the bundled one is not used, or, if none is bundled, than `value` or
/// the key. Keys that start with `tessera.` never have a text of the server.
///
/// - Parameters:
///   - key: compared by its UTF-8.
///   - tableName: a table other than `Localizable` has bundled texts only, which the first lookup reads.
///   - bundle: the bundled texts of another part of the program are used alone, too.
///   - value: the text if there is no other.
///   - comment: for translators.
public func reRuneString(
  _ key: String, tableName: String? = nil, bundle: ReRuneBundle = .main, value: String? = nil, comment: String = ""
) -> String {
  if case .main = bundle, tableName == nil || tableName == BundledStrings.standardTable {
    return ReRune.shared.text(key, value: value).text
  }
  return ReRune.shared.bundledText(
    key, table: tableName ?? BundledStrings.standardTable, folder: bundle.folder, value: value
  ).text
}

/// The form of a text for a number: `one` for "1 file", `other` for "5 files". The language of the text decides which form a
/// number has (Unicode CLDR 42), not that of the environment.
///
/// The form is a format string whose arguments are those of the text. It may read fewer: "one file" beside "%lld files". A
/// text without forms, a bundled one too, is returned as `reRuneString` returns it.
public func reRuneString(_ key: String, count: Int, value: String? = nil, comment: String = "") -> String {
  ReRune.shared.text(key, count: count, value: value).text
}

/// Where the bundled texts of a part of a program are.
public enum ReRuneBundle: Sendable, Equatable {
  /// The folder of `ReRune.setup`.
  case main
  /// A folder of `lproj` folders.
  case folder(String)

  var folder: String? {
    guard case .folder(let path) = self else { return nil }
    return path
  }
}

/// `ReRune.setup`, for a program that does not name the type.
public func reRuneSetup(otaPublishId: String, updatePolicy: ReRuneUpdatePolicy = ReRuneUpdatePolicy()) {
  ReRune.setup(otaPublishId: otaPublishId, updatePolicy: updatePolicy)
}

/// `ReRune.checkForUpdates`.
@discardableResult
public func reRuneCheckForUpdates() async -> ReRuneUpdateResult { await ReRune.checkForUpdates() }

/// `ReRune.revision`.
public var reRuneRevision: Int { ReRune.revision }

/// `ReRune.revisions`.
public var reRuneRevisions: AsyncStream<Int> { ReRune.revisions }

/// The tags of `ReRune.availableLocales`.
public var reRuneAvailableLocales: [String] { ReRune.availableLocales.map(\.identifier) }

/// `ReRune.availableLocales`.
public var reRuneAvailableLocaleDetails: [ReRuneLocale] { ReRune.availableLocales }

/// `ReRune.selectedLocale`.
public var reRuneSelectedLocale: String? { ReRune.selectedLocale }

/// `ReRune.setLocale`.
public func reRuneSetLocale(_ locale: String?) { ReRune.setLocale(locale) }
