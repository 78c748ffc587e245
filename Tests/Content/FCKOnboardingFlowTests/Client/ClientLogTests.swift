import Foundation
import TesseraHTTPClient
import TestSupport
import Testing

@testable import FCKOnboardingClient

/// What the log says, and what it does not.
@Suite struct ClientLogTests {
  @Test("the log has neither the key, nor the user, nor an answer") func noSecrets() async throws {
    let lab = try ClientLab()
    let lines = LogLines()
    let services = Self.services(lab, lines)
    let secrets = [ClientLab.key, "user-1", "Ada", "gold-plan", "hidden"]
    let echo = "\(ClientLab.key) user-1 Ada gold-plan"
    let client = try await lab.client(services: services)
    for status in [200, 400, 401, 404, 429, 500] {
      lab.server.onPlacement { _ in HTTPResponse(status: status, body: Array(echo.utf8)) }
      lab.server.onCompletion { _ in HTTPResponse(status: status, body: Array(echo.utf8)) }
      lab.server.onEvents { _ in HTTPResponse(status: status, body: Array(echo.utf8)) }
      await client.saveResponse(key: "name", value: "Ada")
      _ = try? await client.fetchFlow(userProperties: ["plan": "gold-plan", "other": "hidden"])
      await client.markCompleted(placement: "p\(status)")
      await client.saveResponse(key: "name", value: String(repeating: "Ada", count: 100_000))
      await client.finishSending(atMost: .seconds(600))
      lab.pauses.end()
    }
    await client.reset()
    let text = lines.all.joined(separator: "\n")
    #expect(text.contains("HTTP status 400") && text.contains("“other” is not declared"))
    #expect(text.contains("1 answers are too long or too many"))
    for secret in secrets { #expect(!text.contains(secret)) }
  }

  @Test("the log says how many reports of completions made room for new ones") func droppedReports() throws {
    let lab = try ClientLab()
    let lines = LogLines()
    let session = try ClientSession(lab.configuration(), services: Self.services(lab, lines))
    session.record.update { _ = $0.setResponse("Ada", for: "name") }
    func note(_ placements: [String]) {
      for placement in placements {
        session.noteCompletion(of: placement, userId: "user-1", flowId: nil, screenIndex: nil)
      }
    }
    note(["p1", "p2", "p3", "p4"])
    #expect(lines.all == [])
    note(["p5", "p5"])
    #expect(lines.all == ["warning: 2 old reports of completions made room for new ones."])
  }

  private static func services(_ lab: ClientLab, _ lines: LogLines) -> OnboardingServices {
    var services = lab.services
    services.logger = lines.logger
    return services
  }
}
