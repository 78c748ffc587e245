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
