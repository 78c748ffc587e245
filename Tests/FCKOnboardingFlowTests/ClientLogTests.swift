import Foundation
import Logging
import TesseraHTTPClient
import TesseraThreads
import Testing

@testable import FCKOnboardingFlow

/// What the log says, and what it does not.
@Suite struct ClientLogTests {
  @Test("the log has neither the key, nor the person, nor an answer") func noSecrets() async throws {
    let lab = try ClientLab()
    let lines = Locked<[String]>([])
    var services = lab.services
    services.logger = Logger(label: "test") { _ in LineHandler(lines: lines) }
    services.logger.logLevel = .trace
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
      await client.saveResponse(key: "name", value: String(repeating: "Ada", count: 20_000))
      await client.finishSending(atMost: .seconds(10))
      lab.pauses.end()
    }
    await client.reset()
    let text = lines.withLock { $0.joined(separator: "\n") }
    #expect(text.contains("HTTP status 400") && text.contains("“other” is not declared"))
    for secret in secrets { #expect(!text.contains(secret)) }
  }

  private struct LineHandler: LogHandler {
    let lines: Locked<[String]>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    init(lines: Locked<[String]>) { self.lines = lines }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.withLock { [text = "\(event.message)"] in $0.append(text) } }
  }
}
