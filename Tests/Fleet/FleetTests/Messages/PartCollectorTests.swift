import TesseraPassport
import Testing

@testable import TesseraFleet

@Suite("Files in parts")
struct PartCollectorTests {
  private static let limits: FleetLimits = {
    var limits = FleetLimits()
    limits.partSize = 10
    limits.readSize = 25
    return limits
  }()

  private func statement(
    _ files: [(String, Int)], parts: Int, data: [UInt8]
  ) throws -> FilesStatement {
    var statement = try FilesStatement(DocumentDump(), reader: "", parts: parts, data: data, Self.limits)
    statement.files = files.map { FilesStatement.File(name: $0.0, length: $0.1) }
    return statement
  }

  private func collect(_ parts: [(Int, [UInt8])]) -> PartCollector {
    var collector = PartCollector()
    for (number, data) in parts { collector.add(FilePart(number: number, data: Base64Bytes(data)), Self.limits) }
    return collector
  }

  @Test("files are divided at their lengths, wherever the parts end")
  func files() throws {
    let collector = collect([(0, Array(1...10)), (1, Array(11...20))])
    let files = try collector.files(
      try statement([("EF.SOD", 3), ("DG1", 14), ("DG2", 0), ("EF.COM", 5)], parts: 2, data: [21, 22]), Self.limits)
    #expect(files.map(\.file) == [.sod, .dg1, .dg2, .com])
    #expect(files.map(\.bytes) == [Array(1...3), Array(4...17), [], Array(18...22)])
  }

  @Test("a part that is missing, twice, or out of order makes the read incomplete")
  func order() throws {
    let one = [UInt8](repeating: 1, count: 1)
    for numbers in [[1], [0, 2], [0, 0], [1, 0], [-1], [Int.max]] {
      let collector = collect(numbers.map { ($0, one) })
      let statement = try statement([("DG1", numbers.count)], parts: numbers.count, data: [])
      #expect(throws: FleetError(.incomplete), "\(numbers)") { try collector.files(statement, Self.limits) }
    }
    let collector = collect([(0, one)])
    for parts in [0, 2, -1, Int.max] {
      let statement = try statement([("DG1", 1)], parts: parts, data: [])
      #expect(throws: FleetError(.incomplete), "\(parts)") { try collector.files(statement, Self.limits) }
    }
  }

  @Test("too many bytes are refused, in one part and in all")
  func size() throws {
    let long = collect([(0, [UInt8](repeating: 1, count: 11))])
    #expect(long.size == 0)
    let ten = [UInt8](repeating: 1, count: 10)
    let many = collect([(0, ten), (1, ten), (2, ten)])
    #expect(many.size == 0)
    for collector in [long, many] {
      #expect(throws: FleetError(.tooLarge)) {
        try collector.files(try statement([], parts: 3, data: []), Self.limits)
      }
    }
    let nearly = collect([(0, ten), (1, ten)])
    #expect(throws: FleetError(.tooLarge)) {
      try nearly.files(try statement([("DG1", 26)], parts: 2, data: Array(ten.prefix(6))), Self.limits)
    }
    #expect(throws: Never.self) {
      try nearly.files(try statement([("DG1", 25)], parts: 2, data: Array(ten.prefix(5))), Self.limits)
    }
  }

  @Test("files whose lengths differ from the bytes, unknown files and files that come twice are malformed")
  func malformed() throws {
    let lists: [[(String, Int)]] = [
      [("DG1", 4)], [("DG1", 6)], [("DG1", -1), ("DG2", 6)], [("DG1", Int.max)], [("DG17", 5)], [("dg1", 5)],
      [("DG1", 2), ("DG1", 3)], [],
    ]
    for list in lists {
      #expect(throws: FleetError(.malformed), "\(list)") {
        try PartCollector().files(try statement(list, parts: 0, data: [1, 2, 3, 4, 5]), Self.limits)
      }
    }
    let many = [(String, Int)](repeating: ("DG1", 0), count: 23)
    #expect(throws: FleetError(.tooLarge)) {
      try PartCollector().files(try statement(many, parts: 0, data: []), Self.limits)
    }
  }
}
