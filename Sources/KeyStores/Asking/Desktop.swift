public import Cryptography

/// The person at the desktop, where there is one: looked for anew at every question.
public struct Desktop: SecretAsking, ConfirmationAsking {
  public init() {}

  public func ask(_ question: SecretQuestion, hint: String?) async throws -> SecretBytes? {
    try await Pinentry()?.ask(question, hint: hint)
  }

  public func confirm(_ text: String) async throws -> Bool? { try await Pinentry()?.confirm(text) }
}
