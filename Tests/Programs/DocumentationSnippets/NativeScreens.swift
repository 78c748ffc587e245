import FCKOnboarding

/// Shows the flow of the server to a user who has one to see, and returns their answers.
@MainActor
func answers() async throws -> [String: String] {
  let onboarding = FCKOnboarding.shared
  var configuration = FCKConfiguration(apiKey: "key-of-the-desk", baseAddress: "https://onboarding.example.org")
  configuration.appName = "desk"
  try await onboarding.configure(configuration)
  await onboarding.presentIfNeeded(for: "main")
  return await onboarding.getUserResponses()
}
