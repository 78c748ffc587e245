import Foundation
import TesseraBridge
import TesseraCore
import Testing

@testable import TesseraFleet

@Suite("The status of a fleet") struct FleetStatusTests {
  private static let names = ["AAAAAAAAAAAAAAAAAAAAAA", "BBBBBBBBBBBBBBBBBBBBBB", "CCCCCCCCCCCCCCCCCCCCCC"]
  private static let now = Date(timeIntervalSince1970: 1_700_000_000)

  private static func inspector(
    _ number: Int, reads: [String: Int] = [:], desks: [DeskFigures] = [], spool: SpoolFigures = SpoolFigures(),
    trust: TrustFigures = TrustFigures(version: 44), uptime: Int = 11_520, clock: Int? = nil
  ) throws -> InspectorStatus {
    var inspector = InspectorFigures()
    inspector.reads = reads
    inspector.underWay = number
    inspector.clockDifference = clock
    inspector.desks = desks
    return InspectorStatus(
      inspector: try #require(FleetIdentifier(names[number])), uptime: .seconds(uptime), figures: inspector,
      spool: spool,
      trust: trust)
  }

  private static func status() throws -> FleetStatus {
    FleetStatus(
      inspectors: [
        try inspector(
          2, reads: ["genuine": 7], desks: [DeskFigures(desk: "north", software: "0.1.0", reads: 4, age: 30)],
          trust: TrustFigures()),
        try inspector(
          0, reads: ["genuine": 1000, "copied": 2],
          desks: [
            DeskFigures(desk: "south-2", software: "0.1.0", reads: 3, age: 7000),
            DeskFigures(desk: "north", software: "0.0.9", reads: 20, age: 300),
          ]),
        try inspector(
          1, spool: SpoolFigures(records: 3, oldest: 130), trust: TrustFigures(version: 41, problem: "olderList"),
          uptime: 59),
      ],
      unreadable: 1,
      record: .init(
        messages: 12_345, bytes: 73 << 20, first: now.addingTimeInterval(-86_400), last: now.addingTimeInterval(-3),
        replicas: 3, leader: "n1"),
      trustVersion: 44)
  }

  @Test("The table") func table() throws {
    let text = try Self.status().text(width: 100, now: Self.now)
    #expect(
      text == """
        Inspectors 3   Desks in 24 h 2   Reads 1009   Under way 3
        1 answers cannot be decoded: another version of Tessera?
        Record        12345 messages, 73 MiB, newest 3 s ago, on 3 servers, leader n1
        Certificates  version 44
        Outcomes      genuine 1007, copied 2

        INSPECTOR               VERSION   UP            READS    NOW  SPOOL        CERTIFICATES
        AAAAAAAAAAAAAAAAAAAAAA  0.1.0     3 h            1002      0  0            44
        BBBBBBBBBBBBBBBBBBBBBB  0.1.0     59 s              0      1  3, 2 min     41, olderList
        CCCCCCCCCCCCCCCCCCCCCC  0.1.0     3 h               7      2  0            own

        DESK                              VERSION       READS  LAST READ
        north                             0.1.0            24  30 s ago
        south-2                           0.1.0             3  116 min ago

        """)
  }

  @Test("A table never exceeds its width, and an empty fleet has one, too", arguments: [80, 100, 200, 10])
  func width(width: Int) throws {
    var status = try Self.status()
    status.inspectors[0].software = String(repeating: "9", count: 64)
    status.inspectors[1].trustProblem = String(repeating: "x", count: 64)
    status.record?.leader = String(repeating: "l", count: 300)
    for status in [status, FleetStatus(inspectors: [])] {
      let lines = status.text(width: width, now: Self.now).split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.allSatisfy { $0.count <= max(80, width) && !$0.hasSuffix(" ") })
      #expect(lines.count > 6)
    }
    #expect(FleetStatus(inspectors: []).text().contains("Record        does not answer\nCertificates  none\n"))
  }

  @Test("Desks that are not shown are counted") func furtherDesks() throws {
    var status = try Self.status()
    status.inspectors[0].furtherDesks = 5
    #expect(status.text(deskCount: 1, now: Self.now).hasSuffix("30 s ago\nand 6 more\n"))
  }

  @Test("An inspector lags with another version or a problem, and not with certificates of its own") func lag() throws {
    var status = try Self.status()
    #expect(status.inspectors.map(status.lags) == [false, true, false])
    status.inspectors[1].trustProblem = nil
    #expect(status.inspectors.map(status.lags) == [false, true, false])
    #expect(status.text(now: Self.now).contains("41 (old)"))
    status.trustVersion = nil
    #expect(status.inspectors.map(status.lags) == [false, false, false])
  }

  @Test("The JSON has the same figures") func json() throws {
    let json = try Self.status().json
    guard case .object(let object) = json, case .array(let inspectors)? = object["inspectors"],
      case .object(let second) = inspectors[1], case .array(let desks)? = object["desks"]
    else {
      Issue.record("\(json)")
      return
    }
    #expect(
      object["trustVersion"] == 44 && object["unreadable"] == 1 && object["reads"] == ["copied": 2, "genuine": 1007])
    #expect(
      object["record"] == [
        "messages": 12_345, "bytes": .integer(73 << 20), "replicas": 3, "lagging": 0, "leader": "n1",
        "first": "2023-11-13T22:13:20Z", "last": "2023-11-14T22:13:17Z",
      ])
    #expect(
      second["lags"] == true && second["trustVersion"] == 41 && second["spooled"] == 3
        && second["oldestSpooledSeconds"] == 130 && second["uptimeSeconds"] == 59)
    #expect(desks[0] == ["desk": "north", "software": "0.1.0", "reads": 24, "lastReadSecondsAgo": 30])
    #expect(
      FleetStatus(inspectors: []).json == [
        "version": 1, "inspectors": [], "unreadable": 0, "desks": [], "reads": [:], "record": nil, "trustVersion": nil,
      ])
  }

  @Test("What is wrong with an inspector is below its line, and in the JSON")
  func problems() throws {
    var status = try Self.status()
    status.inspectors[0].clockDifference = -31_536_000
    status.inspectors[0].dropped = 476
    status.inspectors[2].clockDifference = 301
    status.inspectors[2].notPermitted = 3
    // No more than is tolerated.
    status.inspectors[1].clockDifference = -300
    #expect(status.inspectors.map(\.hasWrongClock) == [true, false, true])
    let lines = status.text(now: Self.now).split(separator: "\n", omittingEmptySubsequences: false)
    let first = try #require(lines.firstIndex { $0.hasPrefix("AAAAAAAA") })
    #expect(
      lines[(first + 1)...(first + 3)].map { String($0.prefix(72)) } == [
        "  its clock is 365 d behind its server's: it judges nothing",
        "  it dropped 476 messages, which came too fast",
        "BBBBBBBBBBBBBBBBBBBBBB  0.1.0     59 s              0      1  3, 2 min  ",
      ])
    let third = try #require(lines.firstIndex { $0.hasPrefix("CCCCCCCC") })
    #expect(
      lines[(third + 1)...(third + 3)] == [
        "  its clock is 5 min ahead of its server's: it judges nothing",
        "  its server refused 3 publications or subscriptions", "",
      ])
    guard case .array(let inspectors)? = status.json["inspectors"] else {
      Issue.record("no inspectors")
      return
    }
    #expect(inspectors.map { $0["clockAheadSeconds"] } == [-31_536_000, -300, 301])
    #expect(inspectors.map { $0["droppedMessages"] } == [476, 0, 0])
    #expect(inspectors.map { $0["notPermitted"] } == [0, 0, 3])
    let unknown = try Self.status().json["inspectors"]
    #expect(unknown?.items.map { $0["clockAheadSeconds"] } == [.null, .null, .null])
  }

  // MARK: - Hostile answers

  private static func changed(_ old: String, _ new: String) throws -> [UInt8] {
    let text = String(
      decoding: try FleetCoding.encode(
        try inspector(
          1, reads: ["genuine": 5],
          desks: [
            DeskFigures(desk: "north", software: "0.1.0", reads: 5, age: 30)
          ], clock: -5)), as: UTF8.self)
    #expect(text.contains(old), "\(text)")
    return Array(text.replacing(old, with: new).utf8)
  }

  @Test(
    "An answer with impossible content is not shown",
    arguments: [
      ("\"uptime\":11520", "\"uptime\":-1"), ("\"underWay\":1", "\"underWay\":9223372036854775807"),
      ("\"genuine\":5", "\"genuine\":-5"), ("\"reads\":5", "\"reads\":9223372036854775807"),
      ("\"age\":30", "\"age\":-30"), ("\"north\"", "\"no.rth\""), ("\"north\"", "\"\\u001b[2J\""),
      ("\"BBBBBBBBBBBBBBBBBBBBBB\"", "\"host.example\""), ("\"desks\":[", "\"desks\":[[["),
      ("\"uptime\":", "\"uptim\":"), ("\"dropped\":0", "\"dropped\":-1"),
      ("\"notPermitted\":0", "\"notPermitted\":9223372036854775807"),
      ("\"clockDifference\":-5", "\"clockDifference\":-9223372036854775808"),
    ])
  func impossible(old: String, new: String) throws {
    #expect(throws: FleetError.self) { try InspectorStatus(Self.changed(old, new)) }
    #expect(try InspectorStatus(Self.changed(old, old)).readCount == 5)
  }

  @Test("An answer of another version, and one over the limit, are told apart") func otherVersion() throws {
    let version = #expect(throws: FleetError.self) {
      try InspectorStatus(Self.changed("\"version\":1", "\"version\":2"))
    }
    #expect(version?.code == .unknownVersion)
    let large = #expect(throws: FleetError.self) {
      try InspectorStatus([UInt8](repeating: 0x20, count: InspectorStatus.maximumSize) + Self.changed("1", "1"))
    }
    #expect(large?.code == .tooLarge)
  }

  @Test("Control characters and long texts of an answer do not reach the terminal") func printable() throws {
    let status = try InspectorStatus(Self.changed("\"genuine\":5", "\"\\u001b[31mred\\n\":5"))
    #expect(status.reads == [" [31mred ": 5])
    let long = try InspectorStatus(
      Self.changed("\"\(TesseraVersion.current)\"", "\"\(String(repeating: "v\\u0007", count: 5000))\""))
    let software = String(repeating: "v ", count: 32)
    #expect(long.software == software && long.desks.map(\.software) == [software])
  }
}
