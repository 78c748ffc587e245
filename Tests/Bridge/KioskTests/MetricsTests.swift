import Foundation
import TesseraBridge
import TesseraHTTPClient
import TesseraKiosk
import TesseraLinuxProviders
import TesseraMetrics
import TesseraThreads
import TesseraVerification
import TesseraVirtualChip
import TestSupport
import Testing

@testable import KioskGuests

@Suite("The metrics of a kiosk")
struct MetricsTests {
  let place: TemporaryFolder

  init() throws { place = try TemporaryFolder() }

  private var path: String { place.file("kiosk.prom") }
  private var text: String { get throws { try String(contentsOfFile: path, encoding: .utf8) } }

  private func settings(_ destination: GuestBook.Destination, _ metrics: KioskMetrics) throws -> GuestBook.Settings {
    var settings = GuestBook.Settings(kiosk: "kiosk 1")
    settings.destination = (destination, try ResultSigner.test(keys: place.file("keys")))
    settings.metrics = metrics
    return settings
  }

  @Test("count the verdict of a read, in a file that everybody may read, and contain nothing of the document")
  func read() async throws {
    let document = try SpecimenDocument()
    let trust = TrustMaterial(
      name: "test", countrySigners: document.country.countrySigners, documentSigners: document.country.documentSigners,
      revocationLists: document.country.revocationLists)
    let registry = SdkProviderRegistry()
    let metrics = KioskMetrics(path: path, registry: registry) { Issue.record("\($0)") }
    let book = try GuestBook(try settings(.folder(place.file("results")), metrics), log: { _ in })
    metrics.collect { [weak book] in await book?.gauges() ?? [] }
    let chip = PassportNfcProvider(source: .virtual(.bac, document.files), trust: TrustMaterialSource { trust })
    registry.register { $0.nfc = RecordingNfcProvider(chip) { await book.record($0) } }
    await metrics.write()
    let passport = #"tessera_verdicts_total{document="passport",outcome="#
    #expect(try text.contains(passport + "\"genuine\"} 0\n") && text.contains("tessera_results_stored_total 0\n"))

    let key = NfcScanRequest(passportNumber: "TS0264718", dateOfBirth: "900214", dateOfExpiry: "350630")
    let scan = try await registry.providers.nfc?.scanPassport(key, onProgress: { _ in })
    #expect(scan?.verification?.outcome == "genuine")
    metrics.restartedPage("WEB_PROCESS_TERMINATED")
    await metrics.write()
    let text = try text
    for line in [
      "# TYPE tessera_verdicts_total counter", passport + #""genuine"} 1"#, passport + #""notGenuine"} 0"#,
      passport + #""notEstablished"} 0"#, "tessera_results_stored_total 1", "tessera_results_lost_total 0",
      "# TYPE tessera_results_not_stored gauge", "tessera_results_not_stored 0.0", "tessera_reader_connected 1.0",
      "tessera_camera_present 0.0", #"tessera_page_restarts_total{code="WEB_PROCESS_TERMINATED"} 1"#,
    ] { #expect(text.contains(line + "\n"), "\(line)") }
    for secret in ["SPECIMEN", "TS0264718", "UTO", "900214", "kiosk 1"] { #expect(!text.contains(secret)) }
    // A folder keeps its results, for whoever takes them.
    #expect(!text.contains("tessera_results_waiting"))
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o644)
    #expect(
      try Set(FileManager.default.contentsOfDirectory(atPath: place.url.path)) == ["keys", "kiosk.prom", "results"])
  }

  @Test("count what waits and what was delivered, and follow the readers")
  func delivery() async throws {
    let registry = SdkProviderRegistry()
    let metrics = KioskMetrics(path: path, registry: registry) { Issue.record("\($0)") }
    let server = RecordingServer(log: place.file("server.log")) { _ in .answers(201) }
    let destination = GuestBook.Destination.server(
      try HTTPSAddress("https://desk.example/results"), outbox: place.file("outbox"))
    let book = try GuestBook(try settings(destination, metrics), transport: server, log: { _ in })
    metrics.collect { [weak book] in await book?.gauges() ?? [] }
    for number in 1...2 { await book.record(.guest(number)) }
    metrics.hasReaders(1)
    await metrics.write()
    for line in ["results_waiting 2.0", "results_delivered_total 0", "reader_connected 1.0"] {
      #expect(try text.contains("tessera_\(line)\n"), "\(line)")
    }
    let delivering = Task { await book.run() }
    let writing = Task { await metrics.run() }
    // By itself after the deliveries.
    try await eventually {
      try text.contains("tessera_results_waiting 0.0\n") && text.contains("tessera_results_delivered_total 2\n")
    }
    metrics.hasReaders(0)
    try await eventually { try text.contains("tessera_reader_connected 0.0\n") }
    for task in [delivering, writing] {
      task.cancel()
      await task.value
    }
  }

  @Test("are written at the start, after changes once a second at most, and once a minute")
  func times() async throws {
    let clock = ManualClock()
    let metrics = PrometheusMetrics()
    let pages = Locked(0.0)
    metrics.collect {
      let count = pages.withLock { pages in
        pages += 1
        return pages
      }
      return [("tessera_test_pages", count)]
    }
    let file = MetricsFile(path: path, metrics: metrics, clock: clock) { Issue.record("\($0)") }
    let running = Task { await file.run() }
    try await clock.waits(1)
    #expect(try text == "# TYPE tessera_test_pages gauge\ntessera_test_pages 1.0\n")
    for _ in 0..<10 { file.changed() }
    try await clock.advance(whenAwaited: .seconds(1))
    try await clock.waits(3)
    #expect(try text.contains("tessera_test_pages 2.0\n"))
    try await clock.advance(whenAwaited: .seconds(60))
    try await clock.waits(4)
    #expect(try text.contains("tessera_test_pages 3.0\n"))
    #expect(clock.waits == [.seconds(60), .seconds(1), .seconds(60), .seconds(60)])
    running.cancel()
    await running.value
  }

  @Test("are whole whenever somebody reads them")
  func atomicity() async throws {
    let metrics = PrometheusMetrics()
    let count = Locked(0.0)
    metrics.collect {
      let count = count.withLock { count in
        count += 1
        return count
      }
      return [("tessera_test_first", count), ("tessera_test_last", count)]
    }
    let file = MetricsFile(path: path, metrics: metrics) { Issue.record("\($0)") }
    await file.write()
    let writing = Task { for _ in 0..<200 { await file.write() } }
    var last: Substring = ""
    while last != "201.0" {
      let values = try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0.split(separator: " ") }
      try #require(values.map(\.first) == ["tessera_test_first", "tessera_test_last"])
      try #require(values[0].last == values[1].last)
      last = values[1].last ?? ""
      await Task.yield()
    }
    await writing.value
  }

  @Test("that cannot be written disturb nobody, and are in the log once")
  func unwritable() async throws {
    let lines = Events<String>()
    let folder = place.file("metrics")
    let metrics = KioskMetrics(path: folder + "/kiosk.prom", registry: SdkProviderRegistry()) { lines.add($0) }
    let results = ResultFolder(path: place.file("results"))
    let book = try GuestBook(try settings(.folder(results.path), metrics), log: { _ in })
    for number in 1...2 {
      await book.record(.guest(number))
      await metrics.write()
    }
    #expect(try results.names().count == 2)
    #expect(lines.all.count == 1)
    #expect(lines.all.first?.contains("\(folder)/kiosk.prom cannot be written: its folder does not exist.") == true)
    // Nobody else could read a folder that the kiosk makes.
    #expect(!FileManager.default.fileExists(atPath: folder))
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    await metrics.write()
    let text = try String(contentsOfFile: folder + "/kiosk.prom", encoding: .utf8)
    #expect(text.contains("tessera_results_stored_total 2\n"))
    #expect(lines.all.count == 1)
  }
}
