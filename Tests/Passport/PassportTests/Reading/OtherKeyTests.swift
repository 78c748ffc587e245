import Synchronization
import TesseraSmartCard
import TestSupport
import Testing

@testable import TesseraPassport
@testable import TesseraVirtualChip

/// A chip whose key is not known for sure.
@Suite("Other keys after a refusal")
struct OtherKeyTests {
  private static let right = ["TS0264718", "900214", "350630"]
  private static func information(_ number: String) throws -> MRZInformation {
    try MRZInformation(documentNumber: number, dateOfBirth: right[1], dateOfExpiry: right[2])
  }

  /// The keys of a list, and the refusals.
  private final class Keys: Sendable {
    private let state: Mutex<(rest: [MRZInformation], refusals: [KeyRefusal])>
    var refusals: [KeyRefusal] { state.withLock { $0.refusals } }

    init(_ numbers: [String]) throws {
      let keys = try numbers.map(OtherKeyTests.information)
      state = Mutex((keys, []))
    }

    func next(_ refusal: KeyRefusal) -> MRZInformation? {
      state.withLock { state in
        state.refusals.append(refusal)
        return state.rest.isEmpty ? nil : state.rest.removeFirst()
      }
    }
  }

  private static func read(
    _ card: Card, _ keys: Keys, first: String = "TS0264719"
  ) async throws -> DocumentDump {
    var request = InspectionRequest(key: .mrz(try information(first)), dataGroups: [1])
    request.keyAfterRefusal = { keys.next($0) }
    return try await Inspection.read(card, request)
  }

  private static func card(_ name: String) throws -> (card: Card, files: ChipFiles) {
    let profile = try #require(ChipProfile(named: name))
    let files = try SpecimenDocument(profile: profile).files
    return (VirtualCard.card(try Chip(profile: profile, files: files)), files)
  }

  @Test(
    "the second and the third key open the chip, by either protocol",
    arguments: [("bac", AccessProtocol.bac), ("austria-2023", .pace), ("france-2017", .pace)])
  func opens(_ name: String, _ access: AccessProtocol) async throws {
    for wrong in [[], ["TS0264710"]] {
      let (card, files) = try Self.card(name)
      let keys = try Keys(wrong + ["TS0264718", "TS0264711"])
      let dump = try await Self.read(card, keys)
      #expect(dump[.dg1] == files[.dg1] && dump.accessProtocol == access)
      #expect(dump.givenKey == (try Self.information("TS0264718")))
      let refusal = KeyRefusal(access: access, triesLeft: nil)
      #expect(keys.refusals == Array(repeating: refusal, count: wrong.count + 1))
    }
  }

  @Test("no other key is asked for if the first one opens the chip, or the chip needs none")
  func notAsked() async throws {
    for (name, first) in [("bac", "TS0264718"), ("austria-2023", "TS0264718"), ("open", "TS0264719")] {
      let (card, files) = try Self.card(name)
      let keys = try Keys(["TS0264711"])
      let dump = try await Self.read(card, keys, first: first)
      #expect(dump[.dg1] == files[.dg1] && keys.refusals.isEmpty, "\(name)")
    }
  }

  @Test("without another key the read ends with the last refusal")
  func refused() async throws {
    for (name, error) in [
      ("bac", PassportError.accessDenied(.bac, StatusWord(0x6300))),
      ("austria-2023", .pace(.wrongPassword(triesLeft: nil, StatusWord(0x6300)))),
    ] {
      let keys = try Keys(["TS0264710", "TS0264711"])
      let (card, _) = try Self.card(name)
      await #expect(throws: error) { try await Self.read(card, keys) }
      #expect(keys.refusals.count == 3)
    }
  }

  @Test("the refusal has the tries that a chip leaves; a chip that has blocked its password gets no other key")
  func counted() async throws {
    let (counting, _) = try Self.card("fault-wrong-password-63c2")
    let keys = try Keys([])
    await #expect(throws: PassportError.pace(.wrongPassword(triesLeft: 2, StatusWord(0x63C2)))) {
      try await Self.read(counting, keys)
    }
    #expect(keys.refusals == [KeyRefusal(access: .pace, triesLeft: 2)])
    let (blocked, _) = try Self.card("fault-blocked")
    let none = try Keys(["TS0264718"])
    await #expect(throws: PassportError.pace(.passwordBlocked(StatusWord(0x63C0)))) {
      try await Self.read(blocked, none)
    }
    #expect(none.refusals.isEmpty)
  }

  // MARK: - Chips after a wrong key

  /// Refuses every command, or is away, from some point until it is powered again.
  private actor Sensitive: CardChannel {
    private let base: any CardChannel
    private let isRemoved: Bool
    private var isOff = false
    private(set) var powerCycles = 0

    init(_ base: any CardChannel, isRemoved: Bool) {
      self.base = base
      self.isRemoved = isRemoved
    }

    func turnOff() { isOff = true }

    func transmit(_ command: [UInt8]) async throws -> [UInt8] {
      guard isOff else { return try await base.transmit(command) }
      if isRemoved { throw CardError.cardRemoved }
      return [0x69, 0x85]
    }

    func awaitReturn(within time: Duration) async throws {
      powerCycles += 1
      isOff = false
      try await base.awaitReturn(within: time)
    }
  }

  @Test(
    "a chip that accepts nothing after a wrong key is powered again, and one that is taken off to compare it is awaited",
    arguments: ["bac", "austria-2023"], [false, true])
  func sensitive(_ name: String, _ isRemoved: Bool) async throws {
    let (card, files) = try Self.card(name)
    let channel = Sensitive(card.channel, isRemoved: isRemoved)
    let keys = try Keys(["TS0264718"])
    var request = InspectionRequest(key: .mrz(try Self.information("TS0264719")), dataGroups: [1])
    request.keyAfterRefusal = {
      await channel.turnOff()
      return keys.next($0)
    }
    let dump = try await Inspection.read(card.replacing(channel: channel), request)
    #expect(dump[.dg1] == files[.dg1] && dump.accessProtocol == (name == "bac" ? .bac : .pace))
    #expect(keys.refusals.count == 1)
    #expect(await channel.powerCycles == 1)
  }

  @Test("a document that was opened and comes back is opened by its own key alone")
  func resumed() async throws {
    let (card, files) = try Self.card("fault-lost")
    let keys = try Keys(["TS0264718", "TS0264711"])
    let dump = try await Self.read(card, keys)
    #expect(dump[.dg1] == files[.dg1] && keys.refusals.count == 1)
  }
}
