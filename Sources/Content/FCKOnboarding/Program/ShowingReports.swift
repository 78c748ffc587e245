import FCKOnboardingClient
import FCKOnboardingFlow
import TesseraBridge

/// Passes the events and the answers of one showing to the client, in their order. Of answers that change while a
/// write goes on, the newest are written next.
@MainActor
final class ShowingReports {
  private let client: OnboardingClient
  private let flowId: String?
  private var events: [ShowingEvent] = []
  private var answers: FlowAnswers?
  private var sending: Task<Void, Never>?

  init(_ client: OnboardingClient, flowId: String?) {
    self.client = client
    self.flowId = flowId
  }

  func add(_ event: ShowingEvent) {
    // The client reports it itself, once, when the flow is marked as completed.
    guard event.name != .flowCompleted else { return }
    events.append(event)
    send()
  }

  func keep(_ answers: FlowAnswers) {
    self.answers = answers
    send()
  }

  /// Waits until the client has everything.
  func finish() async {
    while let sending { await sending.value }
  }

  private func send() {
    guard sending == nil else { return }
    sending = Task {
      while let next = next() { await pass(next.event, next.answers) }
      sending = nil
    }
  }

  private func next() -> (event: ShowingEvent?, answers: FlowAnswers?)? {
    let event = events.isEmpty ? nil : events.removeFirst()
    defer { answers = nil }
    return event == nil && answers == nil ? nil : (event, answers)
  }

  private func pass(_ event: ShowingEvent?, _ answers: FlowAnswers?) async {
    if let answers { await client.saveResponses(answers) }
    guard let event else { return }
    let metadata: JSONObject = event.name == .screenViewed ? ["screenId": .string(event.screenId)] : [:]
    // Without a configuration there is nobody who wants it.
    try? await client.trackEvent(
      name: event.name.rawValue, flowId: flowId, screenIndex: event.screenIndex, metadata: metadata)
  }
}
