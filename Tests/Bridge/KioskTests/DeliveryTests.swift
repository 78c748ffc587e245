import Foundation
import TesseraHTTPClient
import TesseraKiosk
import TesseraThreads
import TestSupport
import Testing

@testable import KioskGuests

@Suite("The delivery of a kiosk's results")
struct DeliveryTests {
  let place: TemporaryFolder

  init() throws { place = try TemporaryFolder() }

  var folder: ResultFolder { ResultFolder(path: place.file("outbox")) }
  var log: String { place.file("server.log") }

  private func keep(_ count: Int) async throws -> Set<String> {
    let keeper = ResultKeeper(folder: folder, signer: try ResultSigner.test(keys: place.file("keys"))) { _ in }
    _ = try await ResultSigner.test(keys: place.file("keys")).prepare()
    var identifiers: Set<String> = []
    for number in 0..<count {
      let result = GuestResult.test(number)
      #expect(await keeper.keep(result))
      identifiers.insert(result.identifier)
    }
    return identifiers
  }

  private func delivery(
    _ server: RecordingServer, clock: ManualClock = ManualClock(), _ events: Events<ResultDelivery.Event> = Events()
  ) throws -> ResultDelivery {
    ResultDelivery(
      folder: folder, address: try HTTPSAddress("https://desk.example/results"), transport: server, clock: clock
    ) { events.add($0) }
  }

  @Test("sends each of fifty results until the server has it, once by its key, through every kind of failure")
  func fifty() async throws {
    let identifiers = try await keep(50)
    let server = RecordingServer(log: log) { number in
      switch number {
      case ...20: .isAway
      case 21...40: .answers([500, 503, 429, 401][number % 4])
      // The server has it, and this side does not know.
      case let number where number % 7 == 0: .isCutOff
      default: .answers(number % 2 == 0 ? 200 : 201)
      }
    }
    let clock = ManualClock(passes: true)
    let delivery = try delivery(server, clock: clock)
    let running = Task { await delivery.run() }
    try await eventually { try folder.names().isEmpty }
    running.cancel()
    await running.value
    let keys = RecordingServer.keys(log)
    #expect(Set(keys) == identifiers)
    // Only what was cut off came twice.
    #expect(keys.count > 50)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    // The waits grow, and stop growing.
    #expect(clock.waits.contains(.seconds(2)) && clock.waits.contains(.seconds(256)))
    #expect(clock.waits.filter { $0 < .seconds(3_600) }.allSatisfy { $0 <= .seconds(300) })
  }

  @Test("passes over a result that the server refuses, and keeps it")
  func refused() async throws {
    _ = try await keep(3)
    let events = Events<ResultDelivery.Event>()
    let delivery = try delivery(RecordingServer(log: log) { $0 == 2 ? .answers(422) : .answers(200) }, events)
    #expect(await !delivery.deliverAll())
    #expect(try folder.names().count == 1)
    #expect(RecordingServer.keys(log).count == 2)
    #expect(events.all.count { if case .refused(_, 422) = $0 { true } else { false } } == 1)
    #expect(await delivery.deliverAll())
    #expect(try folder.names().isEmpty)
  }

  @Test(
    "goes on with the others, if the server or the folder has one that fails again and again", arguments: [422, 500])
  func stubborn(_ status: Int) async throws {
    let stubborn = try #require(try await keep(1).first)
    _ = try await keep(20)
    let clock = ManualClock()
    let server = PickyServer { $0.contains(stubborn) ? status : 200 }
    let delivery = ResultDelivery(
      folder: folder, address: try HTTPSAddress("https://desk.example/results"), transport: server, clock: clock
    ) { _ in }
    let running = Task { await delivery.run() }
    try await eventually { try folder.names().map { String($0.suffix(36)) } == [stubborn] }
    try await clock.waits(1)
    // A new one does not wait, and does not bring the old one back before its time.
    _ = try await keep(1)
    await delivery.wake()
    try await eventually { try folder.names().count == 1 }
    #expect(server.keys.count { $0.contains(stubborn) } == 1)
    running.cancel()
    await running.value
  }

  /// svix/svix-webhooks #2200; RFC 9110, 10.2.3.
  @Test("asks a server nothing that wants no request for a while, not even with a new result", arguments: [429, 503])
  func silence(_ status: Int) async throws {
    _ = try await keep(2)
    let clock = ManualClock()
    let server = RecordingServer(log: log) { $0 == 1 ? .wantsSilence(status, .seconds(120)) : .answers(200) }
    let events = Events<ResultDelivery.Event>()
    let delivery = try delivery(server, clock: clock, events)
    let running = Task { await delivery.run() }
    try await clock.waits(1)
    let waits = events.all.compactMap { if case .away(_, _, let next) = $0 { next } else { nil } }
    #expect(waits == [.seconds(120)])
    _ = try await keep(1)
    await delivery.wake()
    clock.advance(by: .seconds(119))
    #expect(RecordingServer.keys(log).isEmpty)
    clock.pass()
    try await eventually { try folder.names().isEmpty }
    running.cancel()
    await running.value
  }

  /// standard-webhooks/standard-webhooks (410); RFC 9110, 15.5.
  @Test(
    "takes what is wrong with the address or the server for no fault of one result", arguments: [405, 410, 415, 451])
  func wrongAddress(_ status: Int) async throws {
    _ = try await keep(5)
    let events = Events<ResultDelivery.Event>()
    let delivery = try delivery(RecordingServer(log: log) { _ in .answers(status) }, events)
    #expect(await !delivery.deliverAll())
    // The second one shows that it is not the result.
    #expect(events.all.count { if case .refused = $0 { true } else { false } } == 2)
    #expect(events.all.contains { if case .away = $0 { true } else { false } })
  }

  @Test("signs a result anew that has lost its signature, and passes over one that cannot be read")
  func damaged() async throws {
    _ = try await keep(3)
    let names = try folder.names()
    let unsigned = names[0]
    let unreadable = names[1]
    unlink(place.file("outbox/\(unsigned).json.sig"))
    unlink(place.file("outbox/\(unreadable).json"))
    try FileManager.default.createDirectory(
      atPath: place.file("outbox/\(unreadable).json"), withIntermediateDirectories: false)
    let events = Events<ResultDelivery.Event>()
    let delivery = ResultDelivery(
      folder: folder, signer: try ResultSigner.test(keys: place.file("keys")),
      address: try HTTPSAddress("https://desk.example/results"),
      transport: RecordingServer(log: log) { _ in .answers(200) }
    ) { events.add($0) }
    #expect(await !delivery.deliverAll())
    #expect(try folder.names() == [unreadable])
    #expect(RecordingServer.keys(log).count == 2)
    #expect(events.all.count { if case .unreadable = $0 { true } else { false } } == 1)
  }

  @Test("delivers a new result at once, also while it waits")
  func wake() async throws {
    let clock = ManualClock()
    let delivery = try delivery(RecordingServer(log: log) { $0 == 1 ? .isAway : .answers(200) }, clock: clock)
    _ = try await keep(1)
    let running = Task { await delivery.run() }
    try await clock.waits(1)
    #expect(clock.waits == [.seconds(2)])
    _ = try await keep(1)
    await delivery.wake()
    try await eventually { try folder.names().isEmpty }
    running.cancel()
    await running.value
    #expect(RecordingServer.keys(log).count == 2)
  }
}

/// What was reported, in its order.
final class Events<Event: Sendable>: Sendable {
  private let events = Locked<[Event]>([])
  var all: [Event] { events.withLock { $0 } }
  func add(_ event: Event) { events.withLock { $0.append(event) } }
}

/// Answers by the `Idempotency-Key` of a request.
private struct PickyServer: HTTPTransport {
  let status: @Sendable (String) -> Int
  private let seen = Locked<[String]>([])

  init(status: @escaping @Sendable (String) -> Int) { self.status = status }

  var keys: [String] { seen.withLock { $0 } }

  func response(to request: HTTPRequest) async throws -> HTTPResponse {
    let key = request.headers.first { $0.name == "Idempotency-Key" }?.value ?? "-"
    seen.withLock { $0.append(key) }
    return HTTPResponse(status: status(key))
  }
}
