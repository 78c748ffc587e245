import Foundation
import TesseraBridge
import TesseraHTTPClient
import TestSupport
import Testing

@testable import RampKit

/// Which program's store receives the answers of a flow.
@Suite("Answers belong to the program that showed the flow") @MainActor
struct AnswersOwnerTests {
  @Test("a configuration for another program does not move the answers of a flow that is shown")
  func configuredMeanwhile() async throws {
    let home = try TemporaryFolder()
    let storage = MemoryStorage()
    let core = RampKitCore(
      services: RampKitServices(
        transport: NoTransport(), storage: storage, haptics: NoHaptics(), links: NoLinks(),
        notifications: NoNotifications(), environment: ["XDG_STATE_HOME": home.url.path], now: { Date() }))
    let one = AnswersStore(storage: storage, owner: FlowOwner.program("one"))
    let two = AnswersStore(storage: storage, owner: FlowOwner.program("two"))
    await core.configure(config: Self.config("one"))
    let first = core.hooks(SampleFlow.flow)
    await core.configure(config: Self.config("two"))
    let second = core.hooks(SampleFlow.flow)
    // The newest answers of each program are written, in the order of the programs.
    first.keepAnswers(["name": "Grace"])
    first.keepAnswers(["name": "Ada"])
    second.keepAnswers(["name": "Lin"])
    try await eventually { try await !two.answers().isEmpty }
    #expect(try await two.answers() == ["name": "Lin"])
    #expect(try await one.answers() == ["name": "Ada"])
  }

  private static func config(_ name: String) -> RampKitConfig {
    var config = RampKitConfig()
    config.appName = name
    return config
  }

  private struct NoTransport: HTTPTransport {
    func response(to request: HTTPRequest) async throws -> HTTPResponse {
      throw HTTPError.unreachable(host: request.address.host)
    }
  }
}
