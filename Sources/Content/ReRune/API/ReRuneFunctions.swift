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

/// A language that there are texts of.
public struct ReRuneLocale: Sendable, Hashable {
  /// The tag, for example `de-AT`.
  public let identifier: String
  /// The name of the language for the user, if the server has one.
  public let name: String?

  public init(identifier: String, name: String? = nil) {
    self.identifier = identifier
    self.name = name
  }
}

/// When a program asks the server for new texts.
public struct ReRuneUpdatePolicy: Sendable, Equatable {
  /// Whether `setup` starts a check.
  public var checkOnStart: Bool
  /// The time between two checks while the program runs, at least one minute: a shorter one counts as a minute. Nil, zero
  /// and negative durations mean none. After a suspension of the machine one check follows, not several.
  public var periodicInterval: Duration?

  public init(checkOnStart: Bool = true, periodicInterval: Duration? = nil) {
    self.checkOnStart = checkOnStart
    self.periodicInterval = periodicInterval
  }

  private static let minimumInterval = Duration.seconds(60)

  /// The time from the end of a check to the next one; nil for no further check.
  var waitBetweenChecks: Duration? {
    periodicInterval.flatMap { $0 > .zero ? max($0, Self.minimumInterval) : nil }
  }

  /// The interval is the sum of the hours and the days.
  public init(checkOnStart: Bool = true, periodicIntervalInHours hours: Int, periodicIntervalInDays days: Int = 0) {
    // A duration has no room for the largest integers. Thirty years are no interval of a process either.
    let seconds = min(Double(hours) * 3_600 + Double(days) * 86_400, 1e9)
    self.init(checkOnStart: checkOnStart, periodicInterval: .seconds(max(0, seconds)))
  }
}

/// The result of a check for new texts.
public struct ReRuneUpdateResult: Sendable, Equatable {
  public var status: ReRuneUpdateStatus
  /// The tags whose texts changed, for example `de-AT`; those whose texts the server no longer has are included.
  public var updatedLocales: Set<String>
  /// The reason of a failed check, and what to do about it; or the reason why texts that are in use now could not be stored
  /// in the cache, so that the next process has to receive them again; or why those of another locale are not used.
  public var errorMessage: String?

  public init(status: ReRuneUpdateStatus, updatedLocales: Set<String> = [], errorMessage: String? = nil) {
    self.status = status
    self.updatedLocales = updatedLocales
    self.errorMessage = errorMessage
  }
}

public enum ReRuneUpdateStatus: String, Sendable {
  /// Texts changed. Lookups find the new ones.
  case updated
  /// The texts are current. This is also the status if the server did not answer for a locale: lookups find its previous
  /// ones, and the log says why.
  case noChange
  /// The server's list could not be read, or it sent texts that are not understood. Lookups find the same texts as before.
  case failed
}
