public import TesseraCryptography

/// Prompts on the desktop through pinentry. Each prompt checks again whether there is a desktop.
public struct Desktop: SecretPrompting, ConfirmationPrompting {
  public init() {}

  public func ask(_ prompt: SecretPrompt, hint: String?) async throws -> SecretBytes? {
    try await Pinentry()?.ask(prompt, hint: hint)
  }

  public func confirm(_ text: String) async throws -> Bool? { try await Pinentry()?.confirm(text) }
}
