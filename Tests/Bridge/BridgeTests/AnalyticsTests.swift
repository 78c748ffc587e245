import BridgeVectors
import Foundation
import TesseraLinuxProviders
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraBridge

@Suite("Analytics events")
struct AnalyticsTests {
  private final class Sink: AnalyticsProvider {
    let events = Locked<[AnalyticsEvent]>([])
    func record(_ event: AnalyticsEvent) async { events.withLock { $0.append(event) } }
  }

  private static func recorded(_ method: String, _ parameters: JSONObject) async throws -> JSONValue? {
    let sink = Sink()
    let registry = SdkProviderRegistry()
    registry.register { $0.analytics = sink }
    let request = BridgeRequest(
      id: "1", domain: .analytics, method: method, parameters: BridgeParameters(parameters), caller: .local)
    #expect(try await AnalyticsBridgeHandler(registry: registry).handle(request) { _, _ in } == .null)
    return sink.events.withLock { $0.first?.json }
  }

  @Test(
    "reads the events of all client generations",
    arguments: [
      (
        "trackEvent", #"{"event":"page_view","payload":{"page":"home","count":3}}"#,
        #"{"count":3,"kind":"trackEvent","name":"page_view"}"#
      ),
      (
        "trackEvent", #"{"event":"page_view","properties":{"success":true}}"#,
        #"{"kind":"trackEvent","name":"page_view","success":true}"#
      ),
      (
        "trackNfcEvent", #"{"name":"scan_started","properties":{"device":"x","durationMs":1234.6}}"#,
        #"{"durationMs":1200,"kind":"trackNfcEvent","name":"scan_started"}"#
      ),
      (
        "trackNfcEvent", #"{"event":"scan","step":"reading_dg1","success":false,"errorCode":"AUTH_FAILED"}"#,
        #"{"errorCode":"AUTH_FAILED","kind":"trackNfcEvent","name":"scan","step":"reading_dg1","success":false}"#
      ),
      (
        "logNfcEvent",
        #"{"level":"warn","message":"begun","context":{"sessionId":"s1","attempt":2},"details":{"percent":40}}"#,
        #"{"attempt":2,"kind":"logNfcEvent","level":"warn","percent":40}"#
      ),
      ("logNfcEvent", #"{"level":"shout"}"#, #"{"kind":"logNfcEvent","level":"info"}"#),
      ("trackEvent", "{}", #"{"kind":"trackEvent"}"#),
    ])
  func forms(_ method: String, _ parameters: String, _ expected: String) async throws {
    guard case .object(let members) = try JSONValue(text: parameters) else { return #expect(Bool(false)) }
    #expect(try await Self.recorded(method, members) == JSONValue(text: expected))
  }

  /// Personal data of passports, people and devices, which no file may contain.
  private static let personal = [
    "ERIKSSON", "Eriksson", "anna_maria_eriksson", "L898902C3", "l898902c3", "P<UTOERIKSSON<<ANNA<MARIA", "690806",
    "1969-08-06", "user-1@example.org", "00112233445566778899", "page_view690806", "page_L898902C3", "scan eriksson",
    "passport_erika_mustermann", "page_smith", "page_\u{0430}nna", "scan\nname", "192.168.1.17",
  ]

  @Test("discards personal data in every field")
  func hostile() async throws {
    let fields =
      [
        "event", "name", "level", "step", "errorCode", "message", "sessionId", "userId", "durationMs", "count",
        "success",
        "documentNumber", "stateIndex",
      ] + Self.personal
    for method in AnalyticsEvent.Kind.allCases.map(\.rawValue) {
      for text in Self.personal {
        let values: [JSONValue] = [
          .string(text), Int64(text).map(JSONValue.integer) ?? .null,
          Double(text).flatMap(JSONNumber.init).map(JSONValue.number) ?? .null,
          [.string(text)], [text: .string(text)], [text: true], [text: 1],
        ]
        for value in values {
          let flat = JSONObject(Dictionary(uniqueKeysWithValues: fields.map { ($0, value) }))
          var parameters = flat
          for place in ["payload", "properties", "context", "details"] { parameters[place] = .object(flat) }
          let event = try await Self.recorded(method, parameters)?.text ?? ""
          let allowed =
            method == "logNfcEvent" ? #"{"kind":"logNfcEvent","level":"info"}"# : #"{"kind":"\#(method)"}"#
          #expect(event == allowed, "\(text)")
        }
      }
    }
  }

  @Test("omits numbers out of range and values of other types")
  func numbers() async throws {
    let values: [JSONValue] = [
      -1, 1_001, .integer(.max), .integer(.min), .number(JSONNumber(grammatical: "1e400")),
      .number(JSONNumber(grammatical: "1e300")),
      "5", true,
    ]
    for value in values { #expect(try await Self.recorded("trackEvent", ["count": value])?["count"] == nil) }
    #expect(try await Self.recorded("trackEvent", ["durationMs": 690_806])?["durationMs"] == nil)
    #expect(try await Self.recorded("trackEvent", ["durationMs": 90_214])?["durationMs"] == 90_200)
  }

  @Test("writes a file of limited size for its owner only and keeps the previous file")
  func file() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("events.jsonl")
    let sink = AnalyticsFile(path: path, maximumSize: 2_000)
    let event = AnalyticsEvent(.trackEvent, BridgeParameters(["event": "page_view", "count": 1]))
    await withTaskGroup { group in
      for _ in 0..<200 { group.addTask { await sink.record(event) } }
    }
    var lines = 0
    for name in ["events.jsonl", "events.jsonl.1"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name))
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      let content = folder.bytes(name)
      #expect(content.count <= 2_000 && content.count > 0)
      for line in String(decoding: content, as: UTF8.self).split(separator: "\n") {
        let fields = try JSONValue(text: line)
        #expect(fields["name"] == "page_view" && fields["count"] == 1 && fields["time"] != nil)
        lines += 1
      }
    }
    #expect(lines > 10)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 2)
  }

  @Test("ignores unwritable paths, symbolic links and folders")
  func noFile() async throws {
    let folder = try TemporaryFolder()
    let event = AnalyticsEvent(.trackEvent, BridgeParameters(["event": "page_view"]))
    let target = folder.file("target")
    #expect(FileManager.default.createFile(atPath: target, contents: Data("mine".utf8)))
    try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: target)
    for path in [folder.file("no/such/folder"), folder.file("link"), folder.url.path] {
      await AnalyticsFile(path: path).record(event)
    }
    #expect(folder.bytes("target") == Array("mine".utf8))
  }
}
