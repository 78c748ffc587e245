/// Asks a person a question that is answered by yes or no.
public protocol ConfirmationAsking: Sendable {
  /// - Returns: nil where nobody can be asked.
  /// - Throws: `CancellationError`.
  func confirm(_ text: String) async throws -> Bool?
}

/// Decides by a key's policy whether a person must agree to a signature, and remembers who did.
public actor ConfirmationDesk {
  private let asking: any ConfirmationAsking
  private var agreed: Set<Agreement> = []

  /// The key as it was then: one that replaces it is another one.
  private struct Agreement: Hashable {
    let name: KeyName
    let point: [UInt8]
  }

  public init(asking: any ConfirmationAsking) { self.asking = asking }

  /// - Parameter key: belongs to the web origin that wants the signature. Keys of local programs need no agreement.
  /// - Throws: `KeyStoreError.confirmationRefused` where the person says no or cannot be asked.
  public func agree(to key: StoredKey) async throws {
    guard case .web(let origin) = key.name.owner, key.confirmation != .never else { return }
    let agreement = Agreement(name: key.name, point: key.publicKey.point)
    if key.confirmation == .session, agreed.contains(agreement) { return }
    switch try await asking.confirm("\(origin) wants to sign with its key \"\(key.name.name)\". Allow it?") {
    case true?: if key.confirmation == .session { agreed.insert(agreement) }
    case false?: throw KeyStoreError.confirmationRefused("The signature was not confirmed.")
    case nil:
      throw KeyStoreError.confirmationRefused("This key signs only when a person confirms, and there is nobody to ask.")
    }
  }
}
