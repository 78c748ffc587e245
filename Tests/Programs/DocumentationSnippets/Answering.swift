import Tessera

/// Answers one message that a page has posted.
///
/// - Parameter address: the address of the page at that moment.
func answer(
  _ message: String, of address: String, with router: MessageRouter, evaluate: @escaping @Sendable (String) -> Void
) async {
  guard let origin = WebOrigin(url: address) else { return }
  await router.route(message, from: .web(origin: origin.canonical)) { answer in evaluate(answer.script) }
}

/// Answers a message of this program, which acts for the user.
func answerOwnMessage(_ message: String, with router: MessageRouter) async {
  await router.route(message, from: .local) { answer in print(answer.text) }
}

/// Reads the specimen of the virtual chip through the bridge.
///
/// - Parameter receive: gets the JSON of each event, then that of the answer.
func scanSpecimen(_ receive: @escaping @Sendable (String) -> Void) async throws {
  let specimen = try SpecimenDocument()
  let router = MessageRouter.withSystemProviders(cards: .virtual(.bac, specimen.files), trust: .fixed(specimen.trust))
  let message = """
    {"type": "request", "version": 1, "id": "1", "timestamp": 0, "domain": "nfc", "method": "scan",
     "params": {"passportNumber": "TS0264718", "dateOfBirth": "900214", "dateOfExpiry": "350630"}}
    """
  await router.route(message, from: .web(origin: "https://desk.example")) { answer in receive(answer.text) }
}
