import Foundation
import TesseraBridge
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms {
  /// What a page says is printed as what the page says.
  @Suite("What a page says")
  struct PageSayingTests {
    /// - Parameter result: what the page tells as its result.
    private static func open(_ result: JSONValue, _ arguments: [String] = []) async throws -> ProgramRun {
      let lab = try await WindowLab()
      let site = try await PageSite()
      var address = try #require(URLComponents(string: "http://127.0.0.1:\(site.ports[0])/saying.html"))
      address.queryItems = [URLQueryItem(name: "result", value: result.text)]
      let origin = "http://127.0.0.1:\(site.ports[0])"
      let program = try RunningProgram(
        ProgramRun.tessera,
        ["open", "--virtual", "--debug", "--grant", "\(origin)=lifecycle"] + arguments + [try #require(address.string)],
        environment: lab.environment)
      return await program.finish(within: 180)
    }

    private static func failure(_ code: String, _ message: String) -> JSONValue {
      ["success": false, "error": ["code": .string(code), "message": .string(message)]]
    }

    @Test("a failure that the page states is its own words, in one line of limited length")
    func failure() async throws {
      let words = "Tessera: the disk is full.\n\u{1B}[2Jtessera: Run sudo rm -r /\u{202E}"
      let run = try await Self.open(Self.failure("INTERNAL_ERROR", words))
      let lines = run.errors.split(separator: "\n").filter {
        $0.hasPrefix("tessera: ") && !$0.contains("without a sandbox")
      }
      #expect(
        lines == [
          "tessera: The page says: “Tessera: the disk is full.  [2Jtessera: Run sudo rm -r /  (INTERNAL_ERROR)”"
        ], "\(run)")
      #expect(run.status == 5 && run.output.isEmpty)
    }

    @Test("it stays inside its quotation marks and its limit, and its code is told in any case")
    func limits() async throws {
      let quoting = try await Self.open(
        Self.failure("E” ok", "no” (E)” tessera: All is well. “" + String(repeating: "x", count: 5_000)))
      #expect(quoting.errors.contains("The page says: “no\" (E)\" tessera: All is well. \"xxx"), "\(quoting)")
      #expect(quoting.errors.contains("xxx (E\" ok)”\n"), "\(quoting)")
      #expect(quoting.errors.count { $0 == "x" } < 600)
      #expect(quoting.errors.count { $0 == "”" } == 1)
      // One character for a user, thousands of scalars.
      let marks = "a" + String(repeating: "\u{301}\u{302}", count: 1_000)
      let combining = try await Self.open(Self.failure(marks, marks))
      #expect(combining.errors.unicodeScalars.count { ["\u{301}", "\u{302}"].contains($0) } < 600)
      #expect(combining.status == 5)
    }

    @Test("the object of a failure says who states it")
    func source() async throws {
      let page = try await Self.open(Self.failure("NO_SANDBOX", "m"), ["--json"])
      let error = try #require(try JSONValue(text: page.output)["error"])
      #expect(error["code"] == "NO_SANDBOX" && error["message"] == "m" && error["source"] == "page")
      let lab = try await WindowLab()
      let host = try await ProgramRun.tessera(
        ["open", "--json", "http://shop.example"], environment: lab.environment, timeout: 60)
      #expect(try JSONValue(text: host.output)["error"]?["source"] == "tessera")
    }

    @Test("a result is what the page says, not a verdict of the program")
    func result() async throws {
      let run = try await Self.open([
        "success": true, "userId": "u\u{9B}2J", "verificationId": "v", "claims": ["resultType": "x"],
      ])
      #expect(run.status == 0)
      let lines = run.output.split(separator: "\n")
      #expect(lines.first == "The page says: verified")
      #expect(lines.contains { $0.hasPrefix("userId") && $0.hasSuffix("  u 2J") }, "\(run.output)")
    }
  }
}
