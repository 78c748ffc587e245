import BridgeVectors
import Foundation
import TesseraBridge
import TesseraLinuxProviders
import TesseraMetrics
import TesseraService
import TesseraThreads
import TesseraVerification
import TesseraVirtualChip
import TestSupport
import Testing

@Suite("The service's metrics")
struct MetricsTests {
  private static let key: JSONObject = [
    "passportNumber": "TS0264718", "dateOfBirth": "900214", "dateOfExpiry": "350630",
  ]

  /// The verdicts in the text of the metrics: by document and outcome.
  private static func verdicts(_ text: String) -> [String: String] {
    let lines = text.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("tessera_verdicts_total{") }
    return Dictionary(
      lines.compactMap { line in
        let parts = line.split(separator: " ")
        return parts.count == 2 ? (String(parts[0].dropFirst("tessera_verdicts_total".count)), String(parts[1])) : nil
      }, uniquingKeysWith: { first, _ in first })
  }

  @Test("count the verdicts of chips and seals by outcome, and contain nothing of a document")
  func verdicts() async throws {
    let document = try SpecimenDocument()
    let known = Locked(TrustMaterial())
    let registry = SdkProviderRegistry()
    let router = MessageRouter.withSystemProviders(
      registry: registry, cards: .virtual(.bac, document.files), trust: TrustMaterialSource { known.withLock { $0 } })
    try await ServiceUnderTest.with(router, hasMetrics: true) { service in
      let program = try service.unix()
      #expect(try await program.ask("nfc.scan", Self.key)["data"]?["outcome"] == "notEstablished")
      known.withLock {
        $0 = TrustMaterial(
          name: "test", countrySigners: document.country.countrySigners,
          documentSigners: document.country.documentSigners, revocationLists: document.country.revocationLists)
      }
      for method in ["nfc.scan", "nfc.scanReport"] {
        #expect(try await program.ask(method, Self.key)["data"]?["outcome"] == "genuine", "\(method)")
      }
      // A read that fails has no verdict.
      var wrong = Self.key
      wrong["dateOfBirth"] = "900215"
      #expect(try await program.ask("nfc.scan", wrong).errorCode == "AUTH_FAILED")
      // Nor has another method, or an outcome that Tessera does not know: its text is not made a label.
      registry.register { $0.cameraSeal = ScriptedCameraSealProvider(end: .report(["outcome": "perfect"])) }
      try await program.ask("camera.scanSeal")
      registry.register { $0.cameraSeal = ScriptedCameraSealProvider(end: .report(["outcome": "notGenuine"])) }
      try await program.ask("camera.scanSeal")

      let text = try #require(try await service.metrics())
      #expect(
        Self.verdicts(text) == [
          #"{document="passport",outcome="notEstablished"}"#: "1", #"{document="passport",outcome="genuine"}"#: "2",
          #"{document="seal",outcome="notGenuine"}"#: "1",
        ])
      for secret in ["SPECIMEN", "TS0264718", "UTO", "perfect"] { #expect(!text.contains(secret)) }
    }
  }

  @Test("have the gauges that are found out when they are fetched; what nobody knows is not a number")
  func gauges() async throws {
    let metrics = PrometheusMetrics()
    let age = Locked(1.0)
    metrics.collect {
      [("tessera_test_age_seconds", age.withLock { $0 }), ("tessera_test_unknown", .nan)]
    }
    metrics.collect { [("tessera_test_present", 1)] }
    let service = try await ServiceUnderTest(.echo, metrics: metrics)
    for (value, line) in [(1.0, "1.0"), (2, "2.0"), (.nan, "NaN")] {
      age.withLock { $0 = value }
      let text = try await service.metrics()
      #expect(text?.contains("# TYPE tessera_test_age_seconds gauge\ntessera_test_age_seconds \(line)\n") == true)
      #expect(
        text?.contains("tessera_test_unknown NaN\n") == true && text?.contains("tessera_test_present 1.0\n") == true)
    }
    await service.stop()
  }
}

extension RealPrograms {
  @Suite("What a service says of its machine")
  struct MachineTests {
    @Test("the metrics have its devices and certificates; a clock before the newest document is in the log once")
    func machine() async throws {
      let home = try TemporaryFolder()
      try FileManager.default.createDirectory(
        atPath: home.file("state/tessera"), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      try Data("2199-01-01T00:00:00Z".utf8).write(to: URL(fileURLWithPath: home.file("state/tessera/kiosk-clock")))
      let service = try await ServingProgram(["--metrics"], home: home)
      _ = await service.program.wait { $0.errors.contains("The clock of this machine is wrong") || !$0.isRunning }
      for _ in 1...2 {
        let reader = try RawConnection.unix(home.file("run/tessera/metrics.sock"))
        reader.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let text = try #require(await reader.textUntilClosed())
        for line in [
          "tessera_clock_right 0.0", "tessera_country_certificates 0.0", "tessera_country_certificates_age_seconds NaN",
          "tessera_revocation_lists 0.0", "tessera_revocation_lists_overdue 0.0",
          "tessera_revocation_lists_age_seconds NaN", "# TYPE tessera_reader_connected gauge",
          "# TYPE tessera_camera_present gauge",
        ] { #expect(text.contains(line + "\n"), "\(line)") }
      }
      let run = await service.stop()
      let told = run.errors.split(separator: "\n").filter { $0.contains("The clock of this machine is wrong") }
      #expect(told.count == 1)
      #expect(told.first?.contains("Set the clock, or remove \(home.file("state/tessera/kiosk-clock")) if") == true)
    }

    @Test("a service with the virtual chip judges no clock and no certificates")
    func virtual() async throws {
      let service = try await ServingProgram(["--virtual", "--metrics"])
      let reader = try RawConnection.unix(service.home.file("run/tessera/metrics.sock"))
      reader.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
      let text = try #require(await reader.textUntilClosed())
      #expect(text.contains("tessera_reader_connected 1.0\n"))
      #expect(!text.contains("tessera_clock_right") && !text.contains("tessera_country_certificates"))
      _ = await service.stop()
    }
  }
}
