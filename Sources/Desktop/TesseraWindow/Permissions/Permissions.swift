import CTesseraWebKitGTK
import FoundationEssentials
import TesseraBridge
import TesseraCore
import TesseraGrants
import TesseraThreads
import TesseraWebContent

/// Decides what a page may do: by the grants of the program, by the grants file, and otherwise by asking the user
/// once for each device.
@MainActor
package final class Permissions {
  /// Asks the user; nil if nobody can be asked.
  package typealias Ask = @MainActor (PermissionQuestion) async -> PermissionAnswer

  /// Whether also a domain without a wish (`BridgeDomain.wish`) needs a grant.
  private let isClosed: Bool
  /// The message of a refusal.
  let refusal: String
  private let grants: Locked<Grants>
  /// nil if nothing is kept.
  private let file: String?
  /// nil if nobody can be asked.
  private let questions: PermissionQuestions?

  /// - Parameters:
  ///   - granted: what the program grants.
  ///   - file: the grants file, which also receives the answers "always" and "never".
  package init(granted: [Grant], file: String, ask: Ask?) throws(Failure) {
    isClosed = false
    refusal = "The user did not allow this page to do that."
    grants = Locked(Grants(granted + (try GrantsFile.read(file))))
    self.file = file
    questions = ask.map { ask in PermissionQuestions(pause: .question) { await ask($0) } }
  }

  /// Only what the program grants; every other domain is refused.
  package init(granted: [Grant]) {
    isClosed = true
    refusal = "The program did not grant this to the page."
    grants = Locked(Grants(granted))
    file = nil
    questions = nil
  }

  package func allows(_ request: BridgeRequest) async -> Bool {
    if !isClosed, request.domain.wish == nil { return true }
    switch grants.withLock({ $0.decision(request.caller, request.domain, request.method) }) {
    case .granted: return true
    case .denied: return false
    case .undecided: return await answer(request).isYes
    }
  }

  /// The question is withdrawn if the task is cancelled: the page is gone.
  private func answer(_ request: BridgeRequest) async -> PermissionAnswer {
    let (caller, domain) = (request.caller, request.domain)
    // Nobody is asked about what does not exist.
    guard let questions, request.mayHaveMethod, case .web(let origin) = caller else { return .notNow }
    let question = PermissionQuestion(origin: origin, domain: domain)
    let (grants, file) = (grants, file)
    return await questions.answer(to: question, for: request.connection) {
      grants.withLock { $0.answer(to: question) }
    } keep: { answer in
      if answer == .once { grants.withLock { $0.insert(Grant(caller, [Grant.Permission(domain)])) } }
      guard let grant = question.grant(answer) else { return }
      grants.withLock { $0.insert(grant) }
      // Without the line, the user is asked again next time. That is no reason to refuse what they allowed.
      if let file, domain.isPublished { try? GrantsFile.add(grant, to: file) }
    }
  }

  static var standardFile: String { GrantsFile.standardPath(ProcessInfo.processInfo.environment) }
}

extension MediaRequest {
  /// Asks for the camera or the microphone. The answer holds until the page is left: another page asks again.
  func ask(from address: String, over window: ContentWindow) async {
    let origin = WebOrigin(url: address)?.canonical ?? address
    let devices = wantsCamera ? wantsMicrophone ? "the camera and the microphone" : "the camera" : "the microphone"
    let choice = await ChoiceDialog.ask(
      title: "Allow this?", message: "\(origin) wants to use \(devices).", choices: ["Refuse", "Allow"], over: window)
    answer(isAllowed: choice == 1)
  }
}

extension PermissionQuestion {
  /// Asks in a dialog of the desktop, outside the page's reach.
  ///
  /// - Parameter window: the window below the dialog; nil for a page in another program.
  @MainActor
  package func ask(over window: ContentWindow?) async -> PermissionAnswer {
    // No other program knows a domain of this one, so that the grants file cannot keep an answer about it.
    let choices = domain.isPublished ? ["Never", "Once", "Always"] : ["Refuse", "Allow"]
    let choice = await ChoiceDialog.ask(
      title: "Allow this?", message: "\(origin) \(domain.wish ?? "wants to use this window.")", choices: choices,
      over: window)
    return switch choice {
    case 0: .never
    case 1: .once
    case 2: .always
    default: .notNow
    }
  }
}
