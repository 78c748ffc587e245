import TesseraBridge
import Testing
import WindowTestSupport

extension RealPrograms {
  @Suite("The end of a launch")
  struct EndingTests {
    /// What the host is told, once, by each way in which a launch can end.
    static let endings: [(name: String, outcome: String)] = [
      ("result", "succeeded u"), ("result twice", "succeeded u"), ("result, then another", "succeeded u"),
      ("result and close at once", "succeeded u"), ("failure", "failed E"), ("dismissal", "cancelled"),
      ("dismissal, then result", "cancelled"), ("no answer, closed", "cancelled"), ("closed twice", "cancelled"),
      ("closed during a scan", "cancelled"), ("closes itself", "cancelled"), ("navigates away", "cancelled"),
      ("crashes, given up", "failed WEB_PROCESS_TERMINATED"), ("crashes, tried again", "succeeded u"),
      ("no server", "failed LOAD_FAILED"), ("refused port", "failed LOAD_FAILED"),
      ("server error", "failed SERVER_ERROR"), ("redirected elsewhere", "failed LOAD_FAILED"),
      ("cancelled by the program", "cancelled"),
    ]

    @Test("every way of ending gives one outcome, and no scan is left")
    func table() async throws {
      let site = try await PageSite()
      let seen = try await WindowLab().run(["endings", site.ports[0]], seconds: 1200)
      let results = Dictionary(seen.values("ending").map { ($0["case"]?.stringValue ?? "", $0) }) { $1 }
      for (name, outcome) in Self.endings {
        let result = try #require(results[name], "\(name)")
        #expect(result["outcome"]?.stringValue == outcome, "\(name)")
        Self.checkCalls(name, result)
        print("ending: \(name): \(outcome)")
      }
      // Whichever comes first counts.
      let race = try #require(results["result while closing"])
      #expect(["succeeded u", "cancelled"].contains(race["outcome"]?.stringValue))
      Self.checkCalls("result while closing", race)
      #expect(results.count == Self.endings.count + 1)
      #expect(results["closed during a scan"]?["begun"] == 1, "the scan had begun")
      #expect(seen.values("crashed") == [true, true])
      #expect(seen["shown"]["address"] == "tessera-content://ending/index.html", "the page stayed where it was")
    }

    private static func checkCalls(_ name: String, _ result: JSONValue) {
      let first =
        switch result["outcome"]?.stringValue?.split(separator: " ").first {
        case "succeeded": "success"
        case "failed": "failure"
        default: "cancelled"
        }
      #expect(result["calls"]?.texts == [first, "dismiss"], "\(name)")
      #expect(result["scans"] == 0, "\(name)")
    }
  }
}
