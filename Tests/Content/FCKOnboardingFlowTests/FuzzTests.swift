import TesseraJSON
import TestSupport
import Testing

@testable import FCKOnboardingFlow

/// Documents of a hostile server: a typed outcome each, and no trap.
@Suite("Fuzzing of flows") struct FuzzTests {
  @Test("1,000 mutated flows are read, checked, drawn and written")
  func flows() async throws {
    let samples = try DocumentSamples.names.map { try DocumentSamples.bytes($0) }
    // Small ones too: what is wrong in them is not far from the start.
    let small = try samples.map { Array(try FlowConfig.json($0).text.utf8) }
    var read = 0
    let turns = await Fuzzing.manyTimes(1_000, of: "flows") { random in
      let sample = (samples + small).randomElement(using: &random) ?? []
      if Self.outcome(of: Fuzzing.mutated(sample, &random)) { read += 1 }
    }
    // Many mutations leave JSON, others do not.
    #expect(read > turns / 20 && read < turns * 19 / 20)
  }

  /// The grammar stays right, so that the values are what is wrong.
  @Test("500 flows with changed values")
  func values() async throws {
    let samples = try ["all-elements", "nested-config", "tolerance"].map {
      try FlowConfig.json(try DocumentSamples.bytes($0))
    }
    var read = 0
    let turns = await Fuzzing.manyTimes(500, of: "flows with changed values") { random in
      var sample = samples.randomElement(using: &random) ?? .null
      for _ in 0..<Int.random(in: 1...4, using: &random) { sample = Self.changed(sample, &random) }
      if Self.outcome(of: Array(sample.text.utf8)) { read += 1 }
    }
    #expect(read > turns / 2)
  }

  /// Whether the document was read as a flow.
  private static func outcome(of document: [UInt8]) -> Bool {
    let check = FCKFlowCheck(document)
    #expect(check.findings.count <= FlowProblem.maximumCount)
    var problems: [FlowProblem] = []
    do {
      let flow = try FlowConfig(document, problems: &problems)
      #expect(check.flow == flow)
      var again: [FlowProblem] = []
      #expect(try FlowConfig(flow.json, problems: &again) == flow, "not read as written: \(document)")
      #expect(!again.contains { $0.severity == .error }, "an error in what was written: \(document)")
      for screen in flow.screens {
        #expect(RenderTree.screen(screen).id == screen.root.id)
      }
      #expect(Set(flow.screens.map { UTF8Text($0.id) }).count == flow.screens.count)
      for screen in flow.screens {
        let ids = screen.root.all.map { UTF8Text($0.id) }
        #expect(Set(ids).count == ids.count)
      }
      return true
    } catch {
      #expect(check.flow == nil && check.hasErrors)
      return false
    }
  }

  // MARK: - Values

  private static let extremes: [JSONValue] = [
    .null, true, "", "auto", "fill", "-1", "1e999", "#ggg", "\u{0}", "\u{202E}x", [], [:], -1, .integer(.max),
    .integer(.min), ["value": .integer(.max), "unit": "rem"], [[[]]], ["type": "stack"], ["type": "text"],
  ]

  private static func extreme(_ random: inout SeededGenerator) -> JSONValue {
    let numbers = [-Double.greatestFiniteMagnitude, .greatestFiniteMagnitude, .leastNonzeroMagnitude, -0.0, 1e15, 0.5]
    if Bool.random(using: &random) {
      return JSONNumber(numbers.randomElement(using: &random) ?? 0).map(JSONValue.number) ?? .null
    }
    return extremes.randomElement(using: &random) ?? .null
  }

  /// One value, somewhere, is replaced, removed, repeated, or gets the name of another one.
  private static func changed(_ value: JSONValue, _ random: inout SeededGenerator) -> JSONValue {
    if Int.random(in: 0..<12, using: &random) == 0 { return extreme(&random) }
    switch value {
    case .array(var elements):
      guard let index = elements.indices.randomElement(using: &random) else { return extreme(&random) }
      switch Int.random(in: 0..<8, using: &random) {
      case 0: elements.remove(at: index)
      case 1: elements.insert(elements[index], at: elements.indices.randomElement(using: &random) ?? 0)
      default: elements[index] = changed(elements[index], &random)
      }
      return .array(elements)
    case .object(var members):
      guard let name = members.names.randomElement(using: &random), let member = members[name] else {
        return extreme(&random)
      }
      switch Int.random(in: 0..<12, using: &random) {
      case 0: members[name] = nil
      case 1: members[members.names.randomElement(using: &random) ?? name] = member
      default: members[name] = changed(member, &random)
      }
      return .object(members)
    case .null, .bool, .integer, .number, .string: return extreme(&random)
    }
  }
}
