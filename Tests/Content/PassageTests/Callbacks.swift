import Passage
import TesseraJSON
import TestSupport
import WindowTestSupport

/// What a program was told, in order.
@MainActor
final class Callbacks {
  private(set) var all: [PassageCallback] = []

  /// Options whose callbacks come here.
  func options(_ token: String, _ style: PassagePresentation = .modal) -> PassageOpenOptions {
    PassageOpenOptions(
      intentToken: token,
      onConnectionComplete: { self.all.append(.connectionComplete($0)) },
      onConnectionError: { self.all.append(.connectionError($0)) },
      onDataComplete: { self.all.append(.dataComplete($0)) },
      onPromptComplete: { self.all.append(.promptComplete($0)) },
      onExit: { self.all.append(.exit($0)) },
      onWebviewChange: { self.all.append(.webviewChange($0)) },
      presentationStyle: style)
  }

  var exits: [PassageExitReason] { all.compactMap { if case .exit(let reason) = $0 { reason } else { nil } } }
  var errors: [PassageErrorData] {
    all.compactMap { if case .connectionError(let error) = $0 { error } else { nil } }
  }
  var successes: [PassageSuccessData] {
    all.compactMap { if case .connectionComplete(let success) = $0 { success } else { nil } }
  }
  var views: [PassageView] { all.compactMap { if case .webviewChange(let view) = $0 { view } else { nil } } }

  /// Waits until the condition is true.
  func wait(_ what: String, within seconds: Int = 90, until condition: (Callbacks) -> Bool) async throws {
    if try await isTrue(within: .seconds(seconds), { condition(self) }) { return }
    throw LabError(description: "not in time: \(what); \(all)")
  }

  func exit(within seconds: Int = 60) async throws -> PassageExitReason {
    try await wait("onExit", within: seconds) { !$0.exits.isEmpty }
    return exits.first ?? .error
  }
}
