import TesseraWindow

/// Shows the verification page, and returns the name of the holder.
@MainActor
func surname() async throws -> String? {
  let sdk = SelfSdk.configure()
  let result = try await sdk.launch(VerificationRequest(disclosures: ["surname"]))
  return result.claims?["surname"]?.stringValue
}
