import Foundation
import TesseraBridge
import TesseraWebClient
import TestSupport
import Testing

/// The types of the client for web pages (`tessera.d.ts`).
@Suite("Types of tessera.js")
struct ClientTypesTests {
  private static let declarations = String(decoding: WebClient.types, as: UTF8.self)

  /// The lines between one that begins with this text and the next one that begins with `}`.
  private static func block(_ beginning: String) -> [Substring] {
    declarations.split(separator: "\n").drop { !$0.hasPrefix(beginning) }.dropFirst().prefix { !$0.hasPrefix("}") }
  }

  /// The quoted names of an interface, such as `"nfc.scan": …`.
  private static func names(_ interface: String) -> Set<String> {
    Set(
      block("export interface \(interface) {").filter { $0.hasPrefix("  \"") }.map {
        String($0.dropFirst(3).prefix { $0 != "\"" })
      })
  }

  @Test("each method of the handlers has a type, and no other method")
  func methods() {
    let published = BridgeDomain.published.filter { $0 != .custody }
    #expect(Self.names("Methods") == Set(published.flatMap { domain in domain.methods.map { "\(domain).\($0)" } }))
    #expect(Self.names("Methods").count == 47)
  }

  @Test("each event of the protocol's page has a type, but the one of Unix sockets")
  func events() throws {
    let page = try ProtocolExampleTests.article().drop { $0 != "## Events" }.dropFirst().prefix { !$0.hasPrefix("## ") }
    let events = page.filter { $0.hasPrefix("| `") }.map { line in
      line.split(separator: "|").prefix(2).map { $0.filter { !" `".contains($0) } }.joined(separator: ".")
    }
    #expect(Set(events) == Self.names("Events").union(["lifecycle.closing"]))
    #expect(events.count == 8)
    // The client warns of any other event of these domains.
    let client = String(decoding: WebClient.module, as: UTF8.self)
    let map =
      client.components(separatedBy: "const events = new Map([").last?.components(separatedBy: "]);").first ?? ""
    let known = map.matches(of: /\["(\w+)", \[([^\]]*)\]\]/).flatMap { match in
      match.2.split(separator: ",").map { "\(match.1).\($0.filter(\.isLetter))" }
    }
    #expect(Set(known) == Self.names("Events"))
  }

  @Test("the file that the compiler checks uses each function of the client")
  func uses() throws {
    let uses = String(decoding: Fixtures.file("Bridge/BridgeTests", "uses.ts"), as: UTF8.self)
    let lines = Self.declarations.split(separator: "\n")
    var count = 0
    for function in ["isPresent", "connect", "request", "listen"] {
      #expect(lines.contains { $0.hasPrefix("export function \(function)") } && uses.contains("\(function)("))
    }
    for line in lines where line.hasPrefix("export const ") {
      let object = line.dropFirst(13).prefix { $0 != ":" }
      // Its functions begin in the second column.
      for line in Self.block("export const \(object):")
      where line.hasPrefix("  ") && line.dropFirst(2).first?.isLetter == true {
        let name = line.dropFirst(2).prefix { $0.isLetter }
        #expect(uses.contains("\(object).\(name)("), "\(object).\(name)")
        count += 1
      }
    }
    #expect(count == 27)
  }
}

extension RealPrograms {
  @Suite("The TypeScript compiler")
  struct TypeScriptTests {
    private static let compiler = URL(fileURLWithPath: "/usr/bin/tsc")
    static let isEnabled =
      FileManager.default.isExecutableFile(atPath: compiler.path) || ProcessInfo.processInfo.environment["CI"] == "true"

    @Test(
      "accepts a page that uses everything, the client as what its types say, and the examples of the protocol's page",
      .enabled(if: isEnabled, "tsc is missing: apt-get install node-typescript"))
    func types() async throws {
      let folder = try TemporaryFolder()
      try FileManager.default.createDirectory(atPath: folder.file("client"), withIntermediateDirectories: false)
      let sources = ["uses.ts", "agreement.ts"]
      var files = ["tessera.d.ts": WebClient.types, "client/tessera.js": WebClient.module]
      for name in sources { files[name] = Fixtures.file("Bridge/BridgeTests", name) }
      files["examples.ts"] = Array(try Self.examples().utf8)
      for (name, bytes) in files { try Data(bytes).write(to: URL(fileURLWithPath: folder.file(name))) }
      let run = try await RunningProgram(
        Self.compiler,
        [
          "--noEmit", "--allowJs", "--checkJs", "--strict", "--target", "es2022", "--module", "es2022", "--lib",
          "es2022,dom,dom.iterable",
        ] + (sources + ["examples.ts"]).map(folder.file)
      ).finish()
      #expect(run.status == 0, "\(run.output) \(run.errors)")
    }

    /// The parameters of each example as constants of their types, and the data where the page gives all of them.
    private static func examples() throws -> String {
      var lines = [#"import type {Methods} from "./tessera.js";"#]
      for (number, row) in try ProtocolExampleTests.rows().enumerated() {
        let type = "Methods[\"\(row.domain).\(row.method)\"]"
        lines.append("export const params\(number): \(type)[\"params\"] = \(JSONValue.object(row.parameters).text);")
        if !row.data.text.contains("…") {
          lines.append("export const data\(number): \(type)[\"data\"] = \(row.data.text);")
        }
      }
      #expect(lines.count == 86)
      return lines.joined(separator: "\n")
    }
  }
}
