import Foundation
import TesseraHTTPClient
import TesseraJSON
import TesseraThreads
import TestSupport
import Testing

@testable import FCKOnboardingClient

/// A server, a clock, and folders of their own. Every `client()` is the start of a process.
final class ClientLab: Sendable {
  static let key = "pk_test_4711"
  static let base = "https://onboarding.example.org"
  static let start = Date(timeIntervalSince1970: 1_893_553_445)  // 2030-01-02T03:04:05Z

  let server = ScriptedServer()
  let time = ManualTime(ClientLab.start)
  let pauses = ManualPauses()
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  var services: OnboardingServices {
    OnboardingServices(
      transport: server, environment: environment, system: SystemInfo(osVersion: "6.8", deviceModel: "x86_64"),
      now: { [time] in time.now }, pause: { [pauses] in try await pauses.wait($0) })
  }

  var environment: [String: String] {
    ["XDG_STATE_HOME": folder.file("state"), "XDG_CACHE_HOME": folder.file("cache")]
  }

  var stateFolder: String { folder.file("state") + "/desk/fckonboarding" }
  var cacheFolder: String { folder.file("cache") + "/desk/fckonboarding" }
  var outbox: Outbox { Outbox(folder: stateFolder + "/outbox-sandbox") }

  func configuration(
    _ policy: FlowCachePolicy = .networkFirst, base: String = ClientLab.base
  ) -> FCKConfiguration {
    var configuration = FCKConfiguration(
      apiKey: Self.key, baseAddress: base, environment: .sandbox, cachePolicy: policy, userId: "user-1")
    configuration.appName = "desk"
    configuration.appVersion = "1.0"
    configuration.appBuild = "7"
    configuration.userProperties = ["plan", "tags"]
    return configuration
  }

  /// - Parameter isSettled: whether what the start sends is sent, or could not be.
  func client(
    _ policy: FlowCachePolicy = .networkFirst, services: OnboardingServices? = nil, isSettled: Bool = true
  ) async throws -> OnboardingClient {
    let client = OnboardingClient(services: services ?? self.services)
    try await client.configure(configuration(policy))
    if isSettled { await client.finishSending(atMost: .seconds(600)) }
    return client
  }

  /// A response with a flow of one screen with this text.
  static func flow(_ text: String = "Hello", id: String = "flow-1") -> String {
    """
    {"flowId": "\(id)", "config": {"version": 1, "screens": [{"id": "start", "type": "informational", "root": \
    {"type": "stack", "children": [{"type": "text", "content": "\(text)"}]}}]}}
    """
  }

  /// The text of a flow of `flow(_:id:)`.
  static func text(_ flow: FlowConfig?) -> String? {
    guard case .stack(let stack)? = flow?.screens.first?.root.content,
      case .text(let text)? = stack.children.first?.content
    else { return nil }
    return text.content
  }

  static func fixture(_ name: String) -> [UInt8] { Fixtures.file("Content/FCKOnboardingFlowTests", "\(name).json") }

  /// The permissions of each file in a folder.
  static func modes(_ folder: String) throws -> [String: Int] {
    let manager = FileManager.default
    var modes: [String: Int] = [:]
    for name in manager.enumerator(atPath: folder)?.allObjects as? [String] ?? [] {
      let attributes = try manager.attributesOfItem(atPath: "\(folder)/\(name)")
      guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
      modes[name] = attributes[.posixPermissions] as? Int
    }
    return modes
  }

  /// Waits until the delivery of reports has begun to wait for this time.
  func waits(_ count: Int) async {
    await Self.until("The delivery waits in vain: \(pauses.delays)") {
      pauses.delays.count == count && pauses.waitingCount == 1
    }
  }

  /// Waits until a condition holds.
  static func until(_ what: Comment, _ condition: () async -> Bool) async {
    if (try? await isTrue { await condition() }) != true { Issue.record(what) }
  }

  /// The error of a call, which must have one.
  static func error<Value>(_ body: () async throws -> Value) async -> FCKAPIClient.APIError? {
    do {
      _ = try await body()
      Issue.record("There was no error.")
      return nil
    } catch {
      return error as? FCKAPIClient.APIError
    }
  }
}

/// A time that the test moves.
final class ManualTime: Sendable {
  private let value: Locked<Date>

  init(_ start: Date) { value = Locked(start) }

  var now: Date { value.withLock { $0 } }
  func advance(_ seconds: TimeInterval) { value.withLock { $0 += seconds } }
}

/// Waits that the test ends.
final class ManualPauses: Sendable {
  private struct State {
    var delays: [Duration] = []
    var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
    var cancelled: Set<Int> = []
  }
  private let state = Locked(State())

  /// The delays that were asked for.
  var delays: [Duration] { state.withLock { $0.delays } }
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  func wait(_ delay: Duration) async throws {
    let number = state.withLock { state in
      state.delays.append(delay)
      return state.delays.count
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let isCancelled = state.withLock { state in
          guard !state.cancelled.contains(number) else { return true }
          state.waiting[number] = continuation
          return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      let continuation = state.withLock { state in
        state.cancelled.insert(number)
        return state.waiting.removeValue(forKey: number)
      }
      continuation?.resume(throwing: CancellationError())
    }
  }

  /// Ends all waits.
  func end() {
    let waiting = state.withLock { state in
      defer { state.waiting = [:] }
      return state.waiting.values.map { $0 }
    }
    for continuation in waiting { continuation.resume() }
  }
}
