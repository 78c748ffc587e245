import CTesseraWebKitGTK
import FoundationEssentials
import TesseraBridge
import TesseraCore
import TesseraGrants
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
  private var grants: Grants
  /// nil if nothing is kept.
  private let file: String?
  private let ask: Ask?
  private struct Subject: Hashable {
    let caller: Caller
    let domain: BridgeDomain
  }
  /// The question that is open, if there is one: further requests for the same wait for the same answer, and others for
  /// their turn. A page cannot cover the screen with dialogs.
  private var open: (subject: Subject, answer: Task<PermissionAnswer, Never>)?
  /// What was refused without a decision, and until when nobody is asked about it again.
  private var pauses: [Subject: ContinuousClock.Instant] = [:]
  private static let pause = Duration.seconds(10)

  /// - Parameters:
  ///   - granted: what the program grants.
  ///   - file: the grants file, which also receives the answers "always" and "never".
  package init(granted: [Grant], file: String, ask: Ask?) throws(Failure) {
    isClosed = false
    refusal = "The user did not allow this page to do that."
    grants = Grants(granted + (try GrantsFile.read(file)))
    self.file = file
    self.ask = ask
  }

  /// Only what the program grants; every other domain is refused.
  package init(granted: [Grant]) {
    isClosed = true
    refusal = "The program did not grant this to the page."
    grants = Grants(granted)
    file = nil
    ask = nil
  }

  package func allows(_ request: BridgeRequest) async -> Bool {
    if !isClosed, request.domain.wish == nil { return true }
    switch grants.decision(request.caller, request.domain, request.method) {
    case .granted: return true
    case .denied: return false
    case .undecided: return await answer(request.caller, request.domain).isYes
    }
  }

  private func answer(_ caller: Caller, _ domain: BridgeDomain) async -> PermissionAnswer {
    guard let ask, case .web(let origin) = caller else { return .notNow }
    let subject = Subject(caller: caller, domain: domain)
    while let open {
      let answer = await open.answer.value
      if open.subject == subject { return answer }
    }
    // The page may be gone by now.
    guard !Task.isCancelled else { return .notNow }
    if let pause = pauses[subject], ContinuousClock.now < pause { return .notNow }
    // The answer to a question that was open meanwhile may decide this one, too.
    switch grants.decision(caller, domain, "") {
    case .granted: return .once
    case .denied: return .never
    case .undecided: break
    }
    let question = Task { @MainActor in
      let answer = await ask(PermissionQuestion(origin: origin, domain: domain))
      // Before anyone who waits for the answer goes on.
      open = nil
      keep(answer, caller, domain)
      return answer
    }
    open = (subject, question)
    return await question.value
  }

  /// Closes the open dialog: the page that asked is gone.
  package func cancelQuestion(of caller: Caller) {
    if let open, open.subject.caller == caller { open.answer.cancel() }
  }

  private func keep(_ answer: PermissionAnswer, _ caller: Caller, _ domain: BridgeDomain) {
    let permission = Grant.Permission(domain)
    switch answer {
    case .notNow: pauses[Subject(caller: caller, domain: domain)] = .now + Self.pause
    case .once: grants.insert(Grant(caller, [permission]))
    case .always, .never:
      let grant = answer == .always ? Grant(caller, [permission]) : Grant(caller, [], denying: [permission])
      grants.insert(grant)
      // Without the line, the user is asked again next time. That is no reason to refuse what they allowed.
      if let file, domain.isPublished { try? GrantsFile.add(grant, to: file) }
    }
  }

  static var standardFile: String { GrantsFile.standardPath(ProcessInfo.processInfo.environment) }
}

/// What a page asks for.
package struct PermissionQuestion: Sendable {
  package let origin: String
  package let domain: BridgeDomain
}

package enum PermissionAnswer: Sendable {
  case always, never
  /// Until the window is closed.
  case once
  /// The dialog was closed: no, and the page may ask again.
  case notNow

  var isYes: Bool { self == .always || self == .once }
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
  @MainActor
  func ask(over window: ContentWindow) async -> PermissionAnswer {
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
