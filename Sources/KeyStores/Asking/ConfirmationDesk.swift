import Failures
import Threads

/// Asks a person a question that is answered by yes or no.
public protocol ConfirmationAsking: Sendable {
  /// - Returns: nil where nobody can be asked.
  /// - Throws: `CancellationError`.
  func confirm(_ text: String) async throws -> Bool?
}

/// Decides by a key's policy whether a person must agree to a signature, and remembers who did.
public final class ConfirmationDesk: Sendable {
  private let asking: any ConfirmationAsking
  private let agreed = Locked<Set<Agreement>>([])
  /// The origins that a person is being asked about.
  private let busy = Locked<Set<String>>([])
  private let sessions = SharedWork<Agreement, Void>()

  /// The key as it was then: one that replaces it is another one.
  private struct Agreement: Hashable {
    let name: KeyName
    let point: [UInt8]
  }

  public init(asking: any ConfirmationAsking) { self.asking = asking }

  /// - Parameter key: belongs to the web origin that wants the signature. Keys of local programs need no agreement.
  /// - Throws: `KeyStoreError.confirmationRefused` where the person says no, cannot be asked, or is being asked about
  ///   another signature of the same origin.
  public func agree(to key: StoredKey) async throws {
    guard case .web(let origin) = key.name.owner else { return }
    switch key.confirmation {
    case .never: return
    case .always: try await ask(origin, key.name)
    case .session:
      let agreement = Agreement(name: key.name, point: key.publicKey.point)
      if agreed.withLock({ $0.contains(agreement) }) { return }
      try await sessions.value(agreement) {
        try await self.ask(origin, key.name)
        _ = self.agreed.withLock { $0.insert(agreement) }
      }
    }
  }

  private func ask(_ origin: String, _ name: KeyName) async throws {
    // A page cannot bury a person under questions.
    guard busy.withLock({ $0.insert(origin).inserted }) else {
      throw KeyStoreError.confirmationRefused("Another signature of this origin waits for its confirmation.")
    }
    defer { busy.withLock { _ = $0.remove(origin) } }
    // The origin comes first, on a line of its own: the name is the page's choice of words.
    let text = """
      \(PrintableText.of(origin)) wants to sign.
      Its name for the key: \(PrintableText.of(String(name.name.prefix(60))))
      Allow this signature?
      """
    switch try await asking.confirm(text) {
    case true?: return
    case false?: throw KeyStoreError.confirmationRefused("The signature was not confirmed.")
    case nil:
      throw KeyStoreError.confirmationRefused("This key signs only when a person confirms, and there is nobody to ask.")
    }
  }
}
