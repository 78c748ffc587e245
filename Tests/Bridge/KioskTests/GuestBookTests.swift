import Foundation
import TesseraCore
import TesseraHTTPClient
import TesseraKiosk
import TestSupport
import Testing

@testable import KioskGuests

@Suite("The guest book of a kiosk")
struct GuestBookTests {
  let place: TemporaryFolder

  init() throws { place = try TemporaryFolder() }

  private func settings(_ destination: GuestBook.Destination) throws -> GuestBook.Settings {
    var settings = GuestBook.Settings(kiosk: "kiosk 1")
    settings.destination = (destination, try ResultSigner.test(keys: place.file("keys")))
    return settings
  }

  @Test("records a read before the page has it, also if the page is gone meanwhile")
  func recording() async throws {
    let folder = ResultFolder(path: place.file("results"))
    let book = try GuestBook(try settings(.folder(folder.path)), log: { _ in })
    await book.record(.guest(1))
    #expect(try folder.names().count == 1)
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await book.record(.guest(2))
    }
    await cancelled.value
    try await eventually { try folder.names().count == 2 }
    #expect(book.status.waiting == 0)
  }

  @Test("delivers to a server, and says what it could not keep without a word of a document")
  func delivering() async throws {
    let lines = Events<String>()
    let outbox = place.file("outbox")
    let log = place.file("server.log")
    let book = try GuestBook(
      try settings(.server(try HTTPSAddress("https://desk.example/results"), outbox: outbox)),
      transport: RecordingServer(log: log) { _ in .answers(201) }, log: { lines.add($0) })
    let running = Task { await book.run() }
    await book.record(.guest(1))
    await book.record(.guest(2))
    try await eventually { RecordingServer.keys(log).count == 2 }
    try await eventually { try ResultFolder(path: outbox).names().isEmpty }
    running.cancel()
    await running.value
    #expect(FileManager.default.createFile(atPath: place.file("full"), contents: nil))
    let other = try GuestBook(try settings(.folder(place.file("full/results"))), log: { lines.add($0) })
    await other.record(.guest(3))
    #expect(other.status.waiting == 1)
    #expect(lines.all.contains { $0.hasPrefix("A result is not stored") })
    unlink(place.file("full"))
    try await eventually { other.status.waiting == 0 }
    #expect(!lines.all.contains { $0.contains("GUEST") || $0.contains("L898902C3") })
  }

  @Test("writes and delivers at once, and nobody else uses its folder meanwhile")
  func alone() async throws {
    let outbox = place.file("outbox")
    let log = place.file("server.log")
    let settings = try settings(.server(try HTTPSAddress("https://desk.example/results"), outbox: outbox))
    _ = try await settings.destination?.1.prepare()
    let book = try GuestBook(
      settings, transport: RecordingServer(log: log) { $0 == 5 ? .isCutOff : .answers(200) }, log: { _ in })
    let refusal = #expect(throws: Failure.self) { try GuestBook(settings, log: { _ in }) }
    #expect(refusal?.kind == .serviceUnavailable && refusal?.cause.contains(outbox) == true)
    let running = Task { await book.run() }
    await withTaskGroup { group in
      for number in 0..<50 { group.addTask { await book.record(.guest(number)) } }
    }
    try await eventually { Set(RecordingServer.keys(log)).count == 50 }
    try await eventually { try FileManager.default.contentsOfDirectory(atPath: outbox).isEmpty }
    running.cancel()
    await running.value
  }

  @Test("removes what a killed process left, before it writes")
  func leftovers() async throws {
    let folder = ResultFolder(path: place.file("results"))
    let lost = GuestResult.test(1)
    try folder.write(lost, signature: [1])
    unlink(place.file("results/\(lost.name).json"))
    let book = try GuestBook(try settings(.folder(folder.path)), log: { _ in })
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    await book.record(.guest(2))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
  }

  @Test("writes what is in memory before the end")
  func finish() async throws {
    let lines = Events<String>()
    #expect(FileManager.default.createFile(atPath: place.file("full"), contents: nil))
    let book = try GuestBook(try settings(.folder(place.file("full/results"))), log: { lines.add($0) })
    #expect(lines.all.contains { $0.hasPrefix("Results cannot be stored now") })
    await book.record(.guest(1))
    unlink(place.file("full"))
    await book.finish()
    #expect(try ResultFolder(path: place.file("full/results")).names().count == 1)
    #expect(!lines.all.contains { $0.contains("lost") })
  }

  @Test("says that a document was virtual")
  func virtual() throws {
    let result = GuestResult(.guest(1), kiosk: "kiosk 1", isVirtual: true)
    #expect(String(decoding: result.json, as: UTF8.self).contains(#""virtual":true"#))
    #expect(!String(decoding: GuestResult.test(1).json, as: UTF8.self).contains("virtual"))
  }
}
