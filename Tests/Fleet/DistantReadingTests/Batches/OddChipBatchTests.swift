import ChipTestSupport
import TesseraSmartCard
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraFleet
@testable import TesseraPassport

/// Chips and readers that deviate: what was guessed about the next commands is wrong, and the result must not show it.
@Suite("Batches with a chip that does not do what was expected")
struct OddChipBatchTests {
  /// Replaces some commands or responses.
  private actor Deviating: CardChannel {
    typealias Deviation = @Sendable (_ command: [UInt8], _ answer: () async throws -> [UInt8]) async throws -> [UInt8]
    private let base: any CardChannel
    private let deviation: Deviation

    init(_ base: any CardChannel, _ deviation: @escaping Deviation) {
      self.base = base
      self.deviation = deviation
    }

    func transmit(_ command: [UInt8]) async throws -> [UInt8] {
      try await deviation(command) { try await base.transmit(command) }
    }

    func awaitReturn(within time: Duration) async throws { try await base.awaitReturn(within: time) }
  }

  /// The files of a document whose image is 3,000 bytes long: a read has the same steps as with a longer one, and fewer
  /// equal blocks.
  private static func files(_ profile: ChipProfile) throws -> ChipFiles {
    guard !Sweep.isFull else { return try SpecimenDocument(profile: profile).files }
    let face = FacialImage(data: Array(SpecimenDocument.portrait.prefix(3_000)), width: 413, height: 531)
    let zone = try MachineReadableZone(SpecimenDocument.content, format: .td3)
    return try SpecimenDocument(
      adding: [1: DataGroup1(zone: zone).encoded, 2: DataGroup2(faces: [face]).encoded], profile: profile
    ).files
  }

  // MARK: - Profiles

  @Test("give the same error or the same result with every faulty profile", arguments: ChipProfile.faulty.map(\.name))
  func faulty(_ name: String) async throws {
    var profile = try #require(ChipProfile(named: name))
    // How long an answer takes changes nothing in it.
    profile.latency = min(profile.latency, .milliseconds(1))
    let files = try SpecimenDocument(profile: profile).files
    for isShort in [true, false] {
      let (single, batched) = try await ComparedReads.expectEqual(files, profile, isShort: isShort)
      guard case .success(let dump) = batched.result else { continue }
      #expect(dump.statistics.exchanges <= (try single.result.get().statistics.exchanges) + 8)
    }
  }

  @Test("read the same with extended length", arguments: ["bac-extended", "germany-2023", "france-2017", "dh", "all"])
  func extended(_ name: String) async throws {
    let profile = try #require(ChipProfile(named: name))
    let files = try SpecimenDocument(profile: profile).files
    let (single, batched) = try await ComparedReads.expectEqual(files, profile, isShort: false)
    #expect(await batched.remote.roundTrips < (try single.result.get().statistics.exchanges))
  }

  @Test(
    "read the same if the chip has a small response buffer", arguments: [20, 40, 64, 100, 150, 200, 240, 255],
    ["bac", "canada-2023", "germany-2023"])
  func smallBuffer(_ limit: Int, _ name: String) async throws {
    var profile = try #require(ChipProfile(named: name))
    profile.responseLimit = limit
    let files = try Self.files(profile)
    try await ComparedReads.expectEqual(files, profile, change: { $0.dataGroups = [1, 2] })
  }

  @Test(
    "read the same if the chip refuses short identifiers, offsets, EF.COM or the master file",
    arguments: ["bac", "canada-2023", "germany-2023", "all"])
  func refusals(_ name: String) async throws {
    let profile = try #require(ChipProfile(named: name))
    let files = try Self.files(profile)
    let changes: [WritableKeyPath<ChipProfile, UInt16?>] = [
      \.refusals.shortFileIdentifiers, \.refusals.offsets, \.refusals.plainCommonData, \.refusals.cardAccess,
      \.refusals.masterFile, \.refusals.commandChaining,
    ]
    for (number, change) in changes.enumerated() {
      for (place, status) in ([0x6A82, 0x6A86, 0x6985, 0x6986, 0x6D00] as [UInt16]).enumerated() {
        // Two of the statuses for each refusal by the chips that take longest, others for each.
        guard Sweep.isFull || ["bac", "canada-2023"].contains(name) || (number + place) % 5 < 2 else { continue }
        var profile = profile
        profile[keyPath: change] = status
        try await ComparedReads.expectEqual(files, profile, "refusal \(number) with \(StatusWord(status))")
      }
    }
  }

  // MARK: - Losses

  @Test("resume after the card was removed at any exchange", arguments: ["bac", "germany-2023"])
  func removal(_ name: String) async throws {
    var profile = try #require(ChipProfile(named: name))
    profile.responseLimit = 256
    let files = try Self.files(profile)
    let count = try await ComparedReads.read(files, profile, batches: false).result.get().statistics.exchanges
    for index in Sweep.indices(count, first: 30, last: 6, step: 6) where index % 3 == 0 {
      profile.fault = .disappearance(exchange: index, absence: .zero)
      let (single, batched) = try await ComparedReads.expectEqual(files, profile, "\(index)")
      // Neither reads again what it has.
      let most = try single.result.get().statistics.exchanges + 8
      #expect(try batched.result.get().statistics.exchanges <= most, "\(index)")
    }
  }

  @Test("resume after many losses, and read every byte", arguments: [13, 17, 29])
  func removals(_ interval: Int) async throws {
    var profile = ChipProfile.bac
    profile.fault = .disappearances(every: interval, absence: .zero)
    let files = try SpecimenDocument(profile: .bac).files
    try await ComparedReads.expectEqual(files, profile)
  }

  // MARK: - Faults at every exchange

  @Test("lead to the same error or the same files with a fault at any exchange", arguments: Fault.allCases)
  func everyExchange(_ fault: Fault) async throws {
    let files = try SpecimenDocument(profile: .bac).files
    let count = try await ComparedReads.read(files, .bac, batches: false).result.get().statistics.exchanges
    #expect(count > 50)
    for index in Sweep.indices(count, first: 20, last: 6, step: 12) {
      let (_, batched) = try await ComparedReads.expectEqual(files, .bac, fault: fault, at: index, "at \(index)")
      #expect(await Reads.plainCommandsAfterAccess(batched.channel).isEmpty, "\(fault) at \(index)")
    }
  }

  /// DG14 is listed and not expected after BAC, so that a command is sent ahead in vain.
  @Test(
    "never read a wrong byte if commands were sent in vain, with a fault at any exchange", arguments: Fault.allCases)
  func inVain(_ fault: Fault) async throws {
    let profile = try #require(ChipProfile(named: "malaysia-2023"))
    let files = try SpecimenDocument(profile: profile).files
    let usual = try await ComparedReads.read(files, profile, batches: true)
    let count = await usual.channel.commands.count
    // The read without batches sends fewer commands: that was in vain.
    #expect(count > (try await ComparedReads.read(files, profile, batches: false).result.get().statistics.exchanges))
    for index in Sweep.indices(count, first: 20, last: 6, step: 6) {
      let batched = try await ComparedReads.read(files, profile, batches: true, fault: fault, at: index)
      switch batched.result {
      case .success(let dump):
        for (file, bytes) in dump.files { #expect(bytes == files[file], "\(fault) at \(index): \(file.name)") }
        #expect(dump.accessProtocol == .bac)
      case .failure(let error):
        #expect(error is PassportError || error is CardError, "\(fault) at \(index): \(error)")
      }
      // Access control may be performed again, as without batches.
      #expect(await Self.plainReadsAfterAccess(batched.channel) == 0, "\(fault) at \(index)")
    }
  }

  private static func plainReadsAfterAccess(_ channel: FaultyChannel) async -> Int {
    await Reads.plainCommandsAfterAccess(channel).filter { [0xB0, 0xB1].contains($0[1]) }.count
  }

  // MARK: - Responses

  @Test("read the same if the chip proposes another length, or ends each response with a warning")
  func statuses() async throws {
    let files = try SpecimenDocument(profile: .open).files
    let deviations: [Deviating.Deviation] = [
      { command, answer in
        // 6Cxx, then the data.
        guard command[1] == 0xB0, command.last != 0x30 else { return try await answer() }
        return [0x6C, 0x30]
      },
      { command, answer in
        let response = try await answer()
        guard command[1] == 0xB0, response.suffix(2) == [0x90, 0x00] else { return response }
        return response.dropLast(2) + [0x62, 0x82]
      },
      { command, answer in
        let response = try await answer()
        guard command[1] == 0xB0, response.count > 100 else { return response }
        return Array(response.prefix(90)) + [0x90, 0x00]
      },
      { command, answer in
        // One byte less than requested, after which the next offset is another one.
        let response = try await answer()
        guard command[1] == 0xB0, response.count > 100 else { return response }
        return response.dropLast(3) + [0x90, 0x00]
      },
      { command, answer in
        guard command[1] == 0xB0, (command.last ?? 0) == 0 || (command.last ?? 0) > 0x40 else {
          return try await answer()
        }
        return [0x67, 0x00]
      },
    ]
    for (number, deviation) in deviations.enumerated() {
      let (_, batched) = try await ComparedReads.expectEqual(
        files, .open, wrap: { Deviating($0, deviation) }, change: { $0.key = nil }, "deviation \(number)")
      for file in files.all { #expect(try batched.result.get()[file] == files[file], "\(number): \(file.name)") }
    }
  }

  @Test("perform access control again if the chip ends its session over a command that nobody has asked for")
  func endedInVain() async throws {
    let profile = try #require(ChipProfile(named: "malaysia-2023"))
    let files = try SpecimenDocument(profile: profile).files
    // Before Chip Authentication the chip does not deliver DG2 by its short identifier.
    let reading = try await ComparedReads.read(
      files, profile, batches: true,
      wrap: {
        let seen = SelectedKeys()
        return Deviating($0) { command, answer in
          if command[1] == 0x22 { await seen.note() }
          let isEarly = await !seen.isNoted
          return command[1] == 0xB0 && command[2] == 0x82 && isEarly ? [0x69, 0x85] : try await answer()
        }
      })
    let dump = try reading.result.get()
    for file in files.all { #expect(dump[file] == files[file], "\(file.name)") }
    #expect(dump.omissions.isEmpty && dump.evidence.chipAuthentication?.refusal == nil)
    #expect(await Self.plainReadsAfterAccess(reading.channel) == 0)
    // Access control was performed twice, and nothing was guessed from then on.
    #expect(await reading.channel.commands.filter { $0[1] == 0x82 }.count == 2)
    #expect(await reading.remote.batches.last?.batch.entries.last?.command[2] == 0x82)
  }

  private actor SelectedKeys {
    private(set) var isNoted = false
    func note() { isNoted = true }
  }

  // MARK: - The other side of the network

  /// Changes the responses to batches as a hostile or faulty machine may.
  private struct Dishonest: BatchChannel {
    let base: any CardChannel
    let change: @Sendable (BatchResponses) throws -> BatchResponses

    func transmit(_ command: [UInt8]) async throws -> [UInt8] { try await base.transmit(command) }
    func transmit(_ batch: CommandBatch) async throws -> BatchResponses {
      try change(await base.transmitOneByOne(batch))
    }
  }

  private static func read(_ change: @escaping @Sendable (BatchResponses) throws -> BatchResponses) async throws
    -> Result<DocumentDump, any Error>
  {
    let files = try SpecimenDocument(profile: .bac).files
    let card = VirtualCard.card(try Chip(profile: .bac, files: files))
    var request = InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz))
    do {
      let channel = Dishonest(base: card.channel, change: change)
      request.foresee(on: channel)
      let dump = try await Inspection.read(card.replacing(channel: channel), request)
      for (file, bytes) in dump.files { #expect(bytes == files[file], "\(file.name)") }
      return .success(dump)
    } catch {
      return .failure(error)
    }
  }

  @Test("ignore responses beyond the end of the batch, and responses after the one that stops it")
  func tooManyResponses() async throws {
    let more = try await Self.read {
      BatchResponses($0.responses + [[0x90, 0x00], [1, 2, 0x90, 0x00]], error: $0.error)
    }
    #expect(try more.get().omissions.isEmpty)
  }

  @Test("end with a typed error if a response is missing, doubled or exchanged, or all are")
  func wrongResponses() async throws {
    let none = try await Self.read { _ in BatchResponses([]) }
    #expect(throws: CardError.emptyResponse) { try none.get() }
    let refused = try await Self.read { _ in BatchResponses([], error: CardError.transmission(code: 7)) }
    #expect(throws: CardError.transmission(code: 7)) { try refused.get() }
    let doubled = try await Self.read { result in
      BatchResponses(result.responses.prefix(1) + result.responses, error: result.error)
    }
    #expect(throws: (any Error).self) { try doubled.get() }
    let exchanged = try await Self.read { BatchResponses($0.responses.reversed(), error: $0.error) }
    #expect(throws: (any Error).self) { try exchanged.get() }
    for result in [doubled, exchanged] {
      guard case .failure(let error) = result else { continue }
      #expect(error is PassportError, "\(error)")
    }
  }

  @Test("send a command again that has no response, and end the session if the chip has executed it before")
  func fewerResponses() async throws {
    // The response of the last command in each batch is lost. The counters differ from EF.SOD on.
    let lost = try await Self.read { BatchResponses(Array($0.responses.prefix(max(1, $0.responses.count - 1)))) }
    let dump = try lost.get()
    #expect(dump[.dg1] != nil && dump.accessProtocol == .bac)
    // The session ends again and again, so that not every file is reached.
    #expect(dump.omissions.allSatisfy { [.undelivered, .notReached].contains($0.cause) })
    // Commands that the other side has not executed are sent again, and nothing is lost.
    let files = try SpecimenDocument(profile: .bac).files
    let card = VirtualCard.card(try Chip(profile: .bac, files: files))
    var request = InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz))
    let channel = FirstOnly(base: card.channel)
    request.foresee(on: channel)
    let complete = try await Inspection.read(card.replacing(channel: channel), request)
    for file in files.all { #expect(complete[file] == files[file], "\(file.name)") }
  }

  /// Executes the first command of each batch only.
  private struct FirstOnly: BatchChannel {
    let base: any CardChannel

    func transmit(_ command: [UInt8]) async throws -> [UInt8] { try await base.transmit(command) }
    func transmit(_ batch: CommandBatch) async throws -> BatchResponses {
      try await base.transmitOneByOne(CommandBatch(Array(batch.entries.prefix(1))))
    }
  }
}
