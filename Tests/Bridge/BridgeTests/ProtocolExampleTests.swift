import BridgeVectors
import Foundation
import TesseraLinuxProviders
import TesseraThreads
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraBridge

/// The table “One example of each method” of the article about the protocol.
@Suite("Examples of the protocol's page")
struct ProtocolExampleTests {
  struct Row {
    let domain: BridgeDomain
    let method: String
    let otherGrants: [String]
    let parameters: JSONObject
    let data: JSONValue
    let errors: [String]
  }

  static func article() throws -> [Substring] {
    let path = Fixtures.tests.deletingLastPathComponent()
      .appendingPathComponent("Sources/Tessera/Tessera.docc/BridgeProtocol.md")
    return try String(contentsOf: path, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
  }

  private static func codes(in cell: Substring) -> [String] {
    cell.split(separator: "`").map(String.init).filter {
      $0.contains { $0.isLetter } && $0 != "the same" && $0 != " the same "
    }
  }

  static func rows() throws -> [Row] {
    let section = try article().drop { $0 != "## One example of each method" }.dropFirst()
      .prefix { !$0.hasPrefix("## ") }
    return try section.filter { $0.hasPrefix("| `") }.map { line in
      let cells = line.dropFirst(2).dropLast(2).split(separator: " | ", omittingEmptySubsequences: false)
      try #require(cells.count == 5, "\(line)")
      let name = cells[0].filter { $0 != "`" }.split(separator: ".")
      func json(_ cell: Substring) throws -> JSONValue { try JSONValue(text: cell.filter { $0 != "`" }) }
      guard case .object(let parameters) = try json(cells[2]) else { throw CancellationError() }
      return Row(
        domain: try #require(BridgeDomain(rawValue: String(name[0]))), method: String(name[1]),
        otherGrants: codes(in: cells[1]), parameters: parameters, data: try json(cells[3]), errors: codes(in: cells[4]))
    }
  }

  private static func matches(_ expected: JSONValue, _ seen: JSONValue) -> Bool {
    if expected == "…" { return true }
    guard case .object(let wanted) = expected, case .object(let found) = seen else { return expected == seen }
    return wanted.members.allSatisfy { member in
      member.name == "…" || found[member.name].map { matches(member.value, $0) } == true
    } && (wanted["…"] != nil || found.members.count == wanted.members.count)
  }

  @Test("each method has an example, and it is answered as the page says")
  func examples() async throws {
    let given: [String: Any] = [
      "biometric": ["available": true, "type": "touchId", "authenticate": "succeed"], "haptic": ["available": true],
      "camera": [
        "available": true,
        "frames": ["P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL898902C36UTO6908061F0608156<<<<<<<<<<<<<<04"],
      ],
      "navigation": ["goBack": true, "goTo": true],
    ]
    let environment = try VectorEnvironment(given: Vector(given))
    let seal = ScriptedCameraSealProvider(end: .report(["kind": "vds", "outcome": "genuine", "issuer": "UTO"]))
    let passports = PassportNfcProvider(source: .virtual(.bac, try SpecimenDocument().files))
    environment.registry.register { providers in
      providers.nfc = passports
      providers.cameraSeal = seal
    }
    let rows = try Self.rows()
    let known = Set(
      BridgeDomain.published.filter { $0 != .custody }.flatMap { domain in domain.methods.map { "\(domain).\($0)" } })
    #expect(Set(rows.map { "\($0.domain).\($0.method)" }) == known && rows.count == known.count)
    let (answers, watch) = (Locked<[JSONValue]>([]), Locked<Task<Void, Never>?>(nil))
    for row in rows {
      let request = BridgeRequest(
        id: row.method, domain: row.domain, method: row.method, parameters: BridgeParameters(row.parameters))
      let route: @Sendable () async -> Void = {
        await environment.router.route(request) { message in
          if message.json["type"] == "response" { answers.withLock { $0.append(message.json) } }
        }
      }
      if row.method == "watchReader" {
        // It is answered when it ends.
        watch.withLock { $0 = Task.immediate { await route() } }
        continue
      }
      await route()
      if row.method == "stopWatching" { await watch.withLock(\.self)?.value }
    }
    let byMethod = Dictionary(grouping: answers.withLock(\.self)) { $0["requestId"]?.stringValue ?? "" }
    for row in rows {
      let name = "\(row.domain).\(row.method)"
      let answer = try #require(
        byMethod[row.method]?.first { $0["domain"]?.stringValue == row.domain.rawValue }, "\(name)")
      #expect(answer["success"] == true, "\(name): \(answer["error"]?.text ?? "")")
      #expect(Self.matches(row.data, answer["data"] ?? .null), "\(name): \(answer["data"]?.text.prefix(300) ?? "")")
    }
  }

  @Test("the grants and the codes of the examples exist")
  func names() throws {
    let page = try Self.article()
    let codes = Set(page.filter { $0.hasPrefix("| `") }.flatMap { Self.codes(in: $0.split(separator: "|")[0]) })
    for row in try Self.rows() {
      let name = "\(row.domain).\(row.method)"
      for grant in row.otherGrants {
        let method = String(grant.split(separator: ".").last ?? "")
        #expect(row.domain.methods(grantedWith: method).contains(row.method), "\(grant) permits \(name)")
      }
      let granting = row.domain.methods.filter {
        $0 != row.method && row.domain.methods(grantedWith: $0).contains(row.method)
      }
      #expect(!granting.isEmpty == !row.otherGrants.isEmpty, "\(name): \(granting)")
      for code in row.errors { #expect(codes.contains(code), "\(code) of \(name)") }
    }
  }
}
