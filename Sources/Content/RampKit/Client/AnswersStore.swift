import TesseraBridge
import TesseraCore

/// The variables of the last flow, which the secret storage keeps: they can be personal data.
struct AnswersStore: Sendable {
  static let key = "rk_onboarding_variables"

  let storage: any SecureStorageProvider
  /// The program, `FlowOwner.program`.
  let owner: Caller

  /// Replaces all answers.
  func set(_ answers: JSONObject) async throws {
    try await storage.set(Self.key, JSONValue.object(answers).text, for: owner)
  }

  /// The answers; empty if there are none.
  func answers() async throws -> JSONObject {
    guard let text = try await storage.get(Self.key, for: owner),
      case .object(let answers)? = try? JSONValue(text: text)
    else { return [:] }
    return answers
  }

  func remove() async throws { try await storage.remove(Self.key, for: owner) }
}
