import Tessera

/// Answers one message that a page has posted.
func answer(_ message: String, evaluate: @escaping @Sendable (String) -> Void) async {
  let router = MessageRouter.withSystemProviders()
  await router.route(message) { answer in evaluate(answer.script) }
}
