import TesseraWindow

/// Shows the verification page, and returns the name of the holder.
@MainActor
func surname() async throws -> String? {
  let sdk = SelfSdk.configure()
  let result = try await sdk.launch(VerificationRequest(disclosures: ["surname"]))
  return result.claims?["surname"]?.stringValue
}

/// Verifies one document in a window, and returns the exit status.
@MainActor
func verify() async -> Int32 {
  SelfSdk.configure()
  do {
    let result = try await SelfSdk.launch(VerificationRequest(scope: "hotel", disclosures: ["surname"]))
    print(result.json.text)
    return 0
  } catch {
    guard case .failed(let problem) = error else { return 8 }
    print("\(problem.message) (\(problem.code))")
    return 5
  }
}
