import BridgeVectors
import TesseraBridge
import TestSupport
import Testing

@Suite("Bridge vectors of pages")
struct VectorPageTests {
  /// What the client never writes. `ParityTests` and `BridgeTests` send these texts.
  static let unsendable = [
    // No object of JSON, or one without an identifier.
    "envelope.drop.notJson", "envelope.drop.emptyString", "envelope.drop.array", "envelope.drop.string",
    "envelope.drop.missingId",
    // The client writes each member, and no other one.
    "envelope.malformed.missingDomain", "envelope.malformed.missingMethod", "envelope.malformed.missingParams",
    "envelope.malformed.missingTimestamp", "envelope.version.missing", "envelope.unknownKeysIgnored",
    "envelope.typeOmittedDefaultsToRequest",
    // It has one type and one version.
    "envelope.malformed.typeResponse", "envelope.version.unsupported",
    // A page that may not use the bridge has no transport: `BrowserTests`, `IsolationTests`.
    "envelope.drop.untrustedSource",
  ]

  @Test("a page can send every vector with the client but those of an envelope that the client does not write")
  func sendable() {
    #expect(Set(BridgeVectors.cases.filter { !VectorPage.canSend($0) }.map(\.id)) == Set(Self.unsendable))
    #expect(BridgeVectors.cases.count(where: VectorPage.canSend) == 201 - Self.unsendable.count)
  }
}

extension RealPrograms.BrowserTests {
  @Test(
    "tessera.js gets the answer of each vector from the service, by request and by function",
    .enabled(if: isEnabled, "Chromium is missing: apt-get install chromium"))
  func vectors() async throws {
    let site = try await Site()
    defer { site.stop() }
    let origin = "http://127.0.0.1:\(site.ports[0])"
    let page = VectorPage()
    // The page sends as fast as it can.
    var limits = ServiceUnderTest.limits
    limits.requestsPerSecond = 100_000
    limits.requestBurst = 100_000
    try await ServiceUnderTest.with(
      page.router, grants: ["\(origin)=\(ServiceUnderTest.everything),vectors"],
      of: BridgeDomain.published + [.vectors], limits: limits
    ) { service in
      for (name, bytes) in try VectorPage.files(client: "http://127.0.0.1:\(service.port)/tessera.js") {
        try site.write(bytes, to: name)
      }
      try await Self.show("\(origin)/index.html") {
        (try? await isTrue(within: .seconds(180), every: .milliseconds(20)) { await page.hasEnded }) ?? false
      }
    }
    let matrix = await page.matrix
    print(matrix.text)
    #expect(await page.failure == nil)
    #expect(matrix.failures == [])
    #expect(matrix.missing == [])
    #expect(matrix.counts("request").values.reduce(0, +) == 201 - VectorPageTests.unsendable.count)
    #expect(matrix.counts("function") == VectorPage.countsOfFunctions)
  }
}
