import ChipTestSupport
import Dispatch
import TesseraCryptography
import TesseraSmartCard
import TesseraVerification
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraPassport

@Suite("Reading the built-in document")
struct InspectionTests {
  @Test("reads every file byte for byte and passes every check that needs no trust anchor")
  func complete() async throws {
    let files = try Reads.specimen()
    let (result, channel) = try await Reads.read(files)
    let dump = try result.get()
    #expect(dump.files.count == files.all.count)
    for (file, bytes) in dump.files { #expect(files[file] == bytes, "\(file.name)") }
    #expect(dump.omissions.isEmpty)
    let report = try Report(dump)
    let passed: [Check.ID] = [
      .mrzCheckDigits, .mrzMatchesKey, .passiveHashes, .passiveSignature, .documentExpiry,
    ]
    for id in passed { #expect(report[id]?.status == .passed, "\(id)") }
    #expect(report.checks.map(\.id) == Check.ID.allCases)
    #expect(report[.passiveChain]?.status == .skipped)
    #expect(report[.passiveChain]?.detail.contains("No country certificates are known") == true)
    #expect(report.headline.contains("authenticity is not established"))
    #expect(await channel.commands.count == dump.statistics.exchanges)
    #expect(await channel.commands.reduce(0) { $0 + $1.count } == dump.statistics.bytesSent)
    #expect(await channel.responses.reduce(0) { $0 + $1.count } == dump.statistics.bytesReceived)
  }

  @Test("reports an unsupported signature algorithm in the headline, and not as an invalid signature")
  func undecided() async throws {
    var files = try Reads.specimen()
    var sod = try #require(files[.sod])
    // The signer's ecdsa-with-SHA256. The signature does not cover this identifier.
    let identifier: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]
    let last = try #require(sod.indices.last { sod[$0...].starts(with: identifier) })
    sod[last + identifier.count - 1] = 0x7F
    files[.sod] = sod
    let report = try Report(try await Reads.read(files).dump.get())
    #expect(report[.passiveSignature]?.status == .unsupported && report.isSound)
    #expect(
      report.headline
        == "NOT VERIFIED: passive.signature; authenticity is not established, since the signature of EF.SOD could "
        + "not be verified.")
  }

  @Test("needs at most two exchanges more than the minimum with BAC and short APDUs")
  func exchanges() async throws {
    let files = try Reads.specimen()
    let total = files.all.compactMap { files[$0]?.count }.reduce(0, +)
    #expect((17_000...23_000).contains(total))
    // SELECT, GET CHALLENGE, EXTERNAL AUTHENTICATE, and 231 plain bytes a block.
    let floor = 3 + files.all.compactMap { files[$0].map { ($0.count + 230) / 231 } }.reduce(0, +)
    let (result, channel) = try await Reads.read(files)
    let exchanges = try result.get().statistics.exchanges
    #expect(exchanges <= floor + 2)
    #expect(exchanges >= floor)
    #expect(await channel.commands.allSatisfy { $0.count <= 261 })
    #expect(await channel.responses.allSatisfy { $0.count <= 258 })
  }

  @Test("uses extended length if card and reader support it, and respects the maximum read length")
  func extendedLength() async throws {
    let files = try Reads.specimen()
    let (result, _) = try await Reads.read(files, profile: .bacExtended)
    let dump = try result.get()
    #expect(dump.statistics.exchanges == 9)  // two for EF.CardAccess, three for access, one a file
    #expect(dump[.dg2] == files[.dg2])
    let (capped, channel) = try await Reads.read(files, profile: .bacExtended) { $0.maximumReadLength = 100 }
    #expect(try capped.get()[.dg2] == files[.dg2])
    #expect(await channel.responses.allSatisfy { $0.count <= 130 })
  }

  @Test("reads only the requested groups")
  func groups() async throws {
    let (result, _) = try await Reads.read(try Reads.specimen()) { $0.dataGroups = [1] }
    let dump = try result.get()
    #expect(dump.dataGroups.keys.sorted() == [1])
    #expect(try Report(dump)[.passiveHashes]?.status == .passed)
  }

  @Test("reports a wrong key as accessDenied")
  func wrongKey() async throws {
    let key = try MRZInformation(documentNumber: "TS0264719", dateOfBirth: "900214", dateOfExpiry: "350630")
    let (result, channel) = try await Reads.read(try Reads.specimen()) { $0.key = .mrz(key) }
    #expect(throws: PassportError.accessDenied(.bac, StatusWord(0x6300))) { try result.get() }
    #expect(await channel.commands.filter { $0[1] == 0x82 }.count == 1)
  }

  @Test("repeats access control as often as requested")
  func attempts() async throws {
    let key = try MRZInformation(documentNumber: "TS0264719", dateOfBirth: "900214", dateOfExpiry: "350630")
    let (result, channel) = try await Reads.read(try Reads.specimen()) {
      $0.key = .mrz(key)
      $0.accessAttempts = 3
      $0.accessPause = .zero
    }
    #expect(throws: PassportError.self) { try result.get() }
    #expect(await channel.commands.filter { $0[1] == 0x82 }.count == 3)
  }

  @Test("reads a chip without access control, with and without a key")
  func open() async throws {
    for key in [nil, try Reads.specimen().mrzInformation.map(AccessKey.mrz)] {
      let files = try Reads.specimen()
      let (result, _) = try await Reads.read(files, profile: .open) { $0.key = key }
      let dump = try result.get()
      #expect(dump.accessProtocol == .none)
      #expect(dump[.dg2] == files[.dg2])
    }
    let (result, _) = try await Reads.read(try Reads.specimen()) { $0.key = nil }
    #expect(throws: PassportError.accessKeyRequired) { try result.get() }
    let (can, _) = try await Reads.read(try Reads.specimen()) { $0.key = try? AccessKey(cardAccessNumber: "123456") }
    #expect(throws: PassportError.accessKeyUnsuitable) { try can.get() }
  }

  @Test("reads offsets beyond 15 bits with the odd instruction", arguments: [30_000, 40_000, 70_000])
  func longFiles(_ size: Int) async throws {
    var files = try Reads.specimen()
    let image = FacialImage(
      data: SpecimenDocument.portrait + [UInt8](repeating: 7, count: size - 16_904), width: 1, height: 1)
    files[.dg2] = DataGroup2(faces: [image]).encoded
    let (result, channel) = try await Reads.read(files)
    #expect(try result.get()[.dg2] == files[.dg2])
    // Secure messaging does not change the instruction byte.
    let odd = await channel.commands.filter { $0[1] == 0xB1 }.count
    let beyond = (files[.dg2]?.count ?? 0) - 0x8000
    #expect(odd >= beyond / 231 && odd <= max(0, beyond / 220 + 2))
    #expect((odd > 0) == (beyond > 0))
  }

  @Test("reads a chip that answers the odd instruction without a data object")
  func bareBlocks() async throws {
    var files = try Reads.specimen()
    // Later blocks begin like a data object that fits, and like one that does not.
    let likeObjects = (0..<40_000).map { [0x53, 0x10, 0x53, 0x53, 0xFF][$0 % 5] as UInt8 }
    let image = FacialImage(
      data: SpecimenDocument.portrait + [UInt8](repeating: 7, count: 16_600) + likeObjects, width: 1, height: 1)
    files[.dg2] = DataGroup2(faces: [image]).encoded
    var profile = ChipProfile.bac
    profile.quirks.omitsBlockObject = true
    let (result, _) = try await Reads.read(files, profile: profile)
    #expect(try result.get()[.dg2] == files[.dg2])
  }

  @Test("sends nothing after a read was cancelled")
  func cancellationInTheMiddle() async throws {
    let files = try Reads.specimen()
    let card = VirtualCard.card(try Chip(profile: .bac, files: files))
    let channel = FaultyChannel(card.channel)
    let request = InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz))
    let (started, continuation) = AsyncStream.makeStream(of: Void.self)
    let gate = DispatchSemaphore(value: 0)
    let task = Task {
      try await Inspection.read(card.replacing(channel: channel), request) { progress in
        guard case .reading(.dg2, let bytes, _) = progress, bytes > 2000 else { return }
        continuation.finish()
        gate.wait()
        gate.signal()
      }
    }
    for await _ in started {}
    task.cancel()
    let sent = await channel.commands.count
    gate.signal()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await channel.commands.count == sent)
  }

  @Test("sends nothing when the task was cancelled before the read")
  func cancellation() async throws {
    let files = try Reads.specimen()
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await Reads.read(files).dump.get()
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("reports progress in order, up to finished")
  func progress() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: InspectionProgress.self)
    let files = try Reads.specimen()
    let card = VirtualCard.card(try Chip(profile: .bac, files: files))
    _ = try await Inspection.read(card, InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz))) {
      continuation.yield($0)
    }
    continuation.finish()
    var events: [InspectionProgress] = []
    for await event in stream { events.append(event) }
    #expect(events.prefix(3) == [.connected, .accessing(.bac), .accessGranted(.bac)])
    #expect(events.last == .finished)
    // Within each file the byte count only increases, up to its length.
    var bytes: [ElementaryFile: Int] = [:]
    for case .reading(let file, let count, let total) in events {
      #expect(count > bytes[file, default: 0] && count <= total)
      bytes[file] = count
    }
    #expect(bytes.keys.count == files.all.count)
    for file in files.all { #expect(bytes[file] == files[file]?.count) }
    #expect(events.contains(.reading(.dg2, bytes: files[.dg2]?.count ?? 0, of: files[.dg2]?.count ?? 0)))
  }
}

@Suite("The BSI reference document of 2008")
struct BSIReferenceTests {
  @Test("matches the published expectations")
  func expectations() async throws {
    let files = try Reads.bsi2008()
    let dump = try await Reads.read(files).dump.get()
    let report = try Report(dump)
    #expect(
      report.document.mrz
        == "P<D<<MUSTERMANN<<ERIKA<<<<<<<<<<<<<<<<<<<<<<\nC11T002JM4D<<9608122F1310317<<<<<<<<<<<<<<<6")
    #expect(report.document.primaryIdentifier == "MUSTERMANN" && report.document.secondaryIdentifier == "ERIKA")

    let group = try #require(dump[.dg2])
    let portrait = try #require(try DataGroup2(group).portrait)
    #expect(portrait.format == .jpeg2000)
    // The image begins with the JPEG 2000 signature box and ends with the file.
    #expect(Fixtures.specimen("bsi2008", file: "Datagroup2.bin").suffix(portrait.data.count) == portrait.data[...])
    #expect(portrait.data.count == 14_999)

    let sodBytes = try #require(dump[.sod])
    let sod = try EFSOD(sodBytes)
    #expect(sod.securityObject.hashAlgorithm == .sha1)
    #expect(sod.securityObject.digests.keys.sorted() == [1, 2, 3, 14])
    let passive = PassiveAuthentication(sod, dataGroups: dump.dataGroups)
    #expect(passive.coverage == [1: .matches, 2: .matches, 14: .matches, 15: .notCovered])
    #expect(passive.signatureProblem == nil)
    #expect(passive.documentSigner?.issuer.contains("CSCA BDR TEST 19.09.07") == true)

    #expect(report[.passiveSignature]?.status == .passed)
    #expect(report[.passiveHashes]?.status == .failed)
    #expect(report[.passiveHashes]?.detail.contains("DG15: not covered by EF.SOD") == true)
    #expect(report.files.first { $0.name == "DG15" }?.digest == "notCovered")
    #expect(report[.documentExpiry]?.status == .failed)
    // Like a copy, the virtual chip has the files but not the private keys.
    #expect(report[.chipAuthentication]?.status == .failed)
    #expect(report[.activeAuthentication]?.status == .failed)
    #expect(dump.omissions.map(\.file.name) == ["DG3"])
  }

  @Test("reports a group that EF.SOD covers and the chip does not deliver")
  func withheld() async throws {
    var files = try Reads.bsi2008()
    files[.dg2] = nil
    let report = try Report(try await Reads.read(files).dump.get())
    #expect(report[.passiveHashes]?.status == .failed)
    #expect(report[.passiveHashes]?.detail.contains("DG2: covered by EF.SOD, but not delivered") == true)
    // A chip may protect only DG3 and DG4.
    let kept = FaultyReads.Refusing(group: 2, status: 0x6982)
    let refused = try Report(try await kept.read(try Reads.bsi2008()))
    #expect(refused[.passiveHashes]?.status == .failed)
    // A group that was not requested does not fail the check.
    let some = try Report(try await Reads.read(files, { $0.dataGroups = [1] }).dump.get())
    #expect(some[.passiveHashes]?.status == .passed)
  }

  @Test("detects one changed byte in a group or in the signature of EF.SOD")
  func tampering() async throws {
    var files = try Reads.bsi2008()
    files[.dg2]?[9000] ^= 1
    let report = try Report(try await Reads.read(files).dump.get())
    #expect(report[.passiveHashes]?.detail.contains("DG2: the digest differs from EF.SOD") == true)

    var forged = try Reads.bsi2008()
    let last = (forged[.sod]?.count ?? 0) - 1
    forged[.sod]?[last] ^= 1
    let judged = try Report(try await Reads.read(forged).dump.get())
    #expect(judged[.passiveSignature]?.status == .failed)
    #expect(judged[.passiveSignature]?.detail == "The signature of EF.SOD is invalid.")
  }
}

enum FaultyReads {
  /// An open chip that refuses one data group.
  struct Refusing: Sendable {
    let group: UInt8
    let status: UInt16

    struct Channel: CardChannel {
      let base: any CardChannel
      let refusing: Refusing
      func transmit(_ command: [UInt8]) async throws -> [UInt8] {
        let isShort = command[1] == 0xB0 && command[2] == 0x80 | refusing.group
        let isSelect = command[1] == 0xA4 && command.suffix(2) == [0x01, refusing.group]
        guard isShort || isSelect else { return try await base.transmit(command) }
        return [UInt8(refusing.status >> 8), UInt8(refusing.status & 0xFF)]
      }
    }

    func read(_ files: ChipFiles) async throws -> DocumentDump {
      let card = VirtualCard.card(try Chip(profile: .open, files: files))
      return try await Inspection.read(
        card.replacing(channel: Channel(base: card.channel, refusing: self)), InspectionRequest(key: nil))
    }
  }
}

@Suite("Chips that deviate from the specification")
struct DeviationTests {
  static func profile(_ change: (inout ChipProfile.Refusals) -> Void) -> ChipProfile {
    var profile = ChipProfile.bac
    change(&profile.refusals)
    return profile
  }

  @Test(
    "reads a chip without a master file, whatever the status for EF.CardAccess",
    arguments: [0x6A82, 0x6986, 0x6A86, 0x6985, 0x6D00, 0x6982] as [UInt16])
  func optionalRefusals(_ status: UInt16) async throws {
    let files = try Reads.specimen()
    let profile = Self.profile {
      $0.masterFile = status
      $0.cardAccess = status
    }
    let dump = try await Reads.read(files, profile: profile).dump.get()
    #expect(dump[.dg2] == files[.dg2])
  }

  @Test(
    "reads a chip that does not support short file identifiers",
    arguments: [0x6A86, 0x6B00, 0x6981, 0x6A82] as [UInt16])
  func noShortIdentifiers(_ status: UInt16) async throws {
    let files = try Reads.specimen()
    let dump = try await Reads.read(files, profile: Self.profile { $0.shortFileIdentifiers = status }).dump.get()
    for file in files.all { #expect(dump[file] == files[file], "\(file.name)") }
  }

  @Test("keeps the files read before an unprotected 6A82 for EF.COM ended the session")
  func plainCommonData() async throws {
    let files = try Reads.specimen()
    let (result, channel) = try await Reads.read(files, profile: Self.profile { $0.plainCommonData = 0x6A82 })
    let dump = try result.get()
    #expect(dump[.dg1] == files[.dg1] && dump[.sod] == files[.sod] && dump[.dg2] == files[.dg2])
    #expect(dump.omissions.map(\.file) == [.com])
    #expect(dump.omissions.first?.reason.contains("unprotected response with status 6A82") == true)
    #expect(await Reads.plainCommandsAfterAccess(channel).isEmpty)
  }

  @Test("reports a challenge of another length than eight bytes as a malformed response", arguments: [0, 7, 9, 200])
  func challengeLength(_ length: Int) async throws {
    struct Challenger: CardChannel {
      let base: any CardChannel
      let length: Int
      func transmit(_ command: [UInt8]) async throws -> [UInt8] {
        command[1] == 0x84
          ? [UInt8](repeating: 1, count: length) + [0x90, 0x00] : try await base.transmit(command)
      }
    }
    let files = try Reads.specimen()
    let card = VirtualCard.card(try Chip(profile: .bac, files: files))
    let channel = Challenger(base: card.channel, length: length)
    await #expect(throws: PassportError.malformedResponse(operation: "GET CHALLENGE")) {
      try await Inspection.read(
        card.replacing(channel: channel), InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz)))
    }
  }

  /// Changes the responses of a chip without access control.
  struct Wishes: CardChannel {
    let base: any CardChannel
    let wish: Wish

    func transmit(_ command: [UInt8]) async throws -> [UInt8] {
      let response = try await base.transmit(command)
      guard command[1] == 0xB0, command.count == 5 else { return response }
      return wish.answer(command[4] == 0 ? 256 : Int(command[4]), response) ?? response
    }
  }

  /// The way in which a chip limits the length of a response.
  enum Wish: CaseIterable {
    case proposes100, refusesAbove50, emptyAbove120, answersShort, warnsAlways, proposesForEver, refusesBeyondEnd

    func answer(_ length: Int, _ response: [UInt8]) -> [UInt8]? {
      switch self {
      case .proposes100: length > 100 ? [0x6C, 100] : nil
      case .refusesAbove50: length > 50 ? [0x67, 0x00] : nil
      case .emptyAbove120: length > 120 ? [0x90, 0x00] : nil
      case .answersShort: response.count > 82 ? response.prefix(80) + [0x90, 0x00] : nil
      case .warnsAlways: response.dropLast(2) + [0x62, 0x82]
      case .proposesForEver: length > 16 ? [0x6C, UInt8(truncatingIfNeeded: length / 2)] : nil
      case .refusesBeyondEnd: response.count - 2 < length ? [0x67, 0x00] : nil
      }
    }

    /// The block size that the reader must find.
    var size: Int {
      switch self {
      case .proposes100: 100
      case .refusesAbove50: 28
      case .emptyAbove120: 64
      case .answersShort: 80
      case .warnsAlways, .refusesBeyondEnd: 256
      case .proposesForEver: 16
      }
    }
  }

  @Test("adapts to the lengths that the chip accepts", arguments: Wish.allCases)
  func lengths(_ wish: Wish) async throws {
    let files = try Reads.specimen()
    let card = VirtualCard.card(try Chip(profile: .open, files: files))
    let channel = Wishes(base: card.channel, wish: wish)
    let dump = try await Inspection.read(card.replacing(channel: channel), InspectionRequest(key: nil))
    #expect(dump[.dg1] == files[.dg1])
    #expect(dump[.dg2] == files[.dg2])
    // The reader keeps the length for all files: the search costs a few exchanges only.
    #expect(dump.statistics.exchanges < 40 + 18_100 / wish.size)
  }

  @Test("discards bytes beyond those requested, with the odd instruction too", arguments: [16_904, 50_000])
  func generous(_ size: Int) async throws {
    struct Generous: CardChannel {
      let base: any CardChannel
      func transmit(_ command: [UInt8]) async throws -> [UInt8] {
        let answer = try await base.transmit(command)
        guard answer.count > 2, answer.suffix(2) == [0x90, 0x00] else { return answer }
        let junk = [UInt8](repeating: 0xEE, count: 40)
        if command[1] == 0xB0 { return answer.dropLast(2) + junk + [0x90, 0x00] }
        guard command[1] == 0xB1, let content = try? BERTLV.value(of: 0x53, in: answer[...]) else { return answer }
        return BERTLV.encode(0x53, content + junk) + [0x90, 0x00]
      }
    }
    var files = try Reads.specimen()
    let image = SpecimenDocument.portrait + [UInt8](repeating: 7, count: size - 16_904)
    files[.dg2] = DataGroup2(faces: [FacialImage(data: image, width: 1, height: 1)]).encoded
    let card = VirtualCard.card(try Chip(profile: .open, files: files))
    for cap in [nil, 100] {
      var request = InspectionRequest(key: nil)
      request.maximumReadLength = cap
      let dump = try await Inspection.read(card.replacing(channel: Generous(base: card.channel)), request)
      for file in files.all { #expect(dump[file] == files[file], "\(file.name)") }
    }
  }

  @Test(
    "accepts very short lengths that the chip proposes for the odd instruction", arguments: [1, 2, 3, 4, 5] as [UInt8])
  func absurdProposals(_ length: UInt8) async throws {
    struct Proposer: CardChannel {
      let base: any CardChannel
      let length: UInt8
      func transmit(_ command: [UInt8]) async throws -> [UInt8] {
        guard command[1] == 0xB1, command.last != length else { return try await base.transmit(command) }
        return [0x6C, length]
      }
    }
    var files = try Reads.specimen()
    let image = SpecimenDocument.portrait + [UInt8](repeating: 7, count: 16_000)
    files[.dg2] = DataGroup2(faces: [FacialImage(data: image, width: 1, height: 1)]).encoded
    let card = VirtualCard.card(try Chip(profile: .open, files: files))
    for cap in [nil, 3] {
      var request = InspectionRequest(key: nil)
      request.maximumReadLength = cap
      let channel = Proposer(base: card.channel, length: length)
      let dump = try await Inspection.read(card.replacing(channel: channel), request)
      if let bytes = dump[.dg2] { #expect(bytes == files[.dg2]) }
    }
  }

  @Test("keeps the block size after a file that ends before its length with empty responses")
  func emptyEnd() async throws {
    struct Empty: CardChannel {
      let base: any CardChannel
      func transmit(_ command: [UInt8]) async throws -> [UInt8] {
        let answer = try await base.transmit(command)
        return answer == [0x6B, 0x00] ? [0x90, 0x00] : answer
      }
    }
    var files = try Reads.specimen()
    // EF.SOD claims 2000 bytes more than it has.
    let content = try BERTLV.value(of: 0x77, in: (files[.sod] ?? [])[...])
    let length = content.count + 2000
    files[.sod] = [0x77, 0x82, UInt8(length >> 8), UInt8(length & 0xFF)] + content
    let card = VirtualCard.card(try Chip(profile: .open, files: files))
    let dump = try await Inspection.read(
      card.replacing(channel: Empty(base: card.channel)), InspectionRequest(key: nil, dataGroups: [1, 2]))
    #expect(dump[.dg2] == files[.dg2])
    #expect(dump.omissions.first?.file == .sod)
    #expect(dump.statistics.exchanges < 110)
  }

  /// The bytes after the tag.
  static let lies: [[UInt8]] = [
    [0x84, 0xFF, 0xFF, 0xFF, 0xFF, 0x00], [0x82, 0x10, 0x00, 0x01], [0x00], [], [0x80, 0x00], [0x02, 0x13, 0x37],
  ]

  @Test("omits only the file with a wrong length or content", arguments: lies)
  func liars(_ bytes: [UInt8]) async throws {
    for file in [ElementaryFile.com, .sod, .dg2] {
      var files = try Reads.specimen()
      files[file] = [UInt8(file.tag)] + bytes
      let dump = try await Reads.read(files).dump.get()
      #expect(dump[.dg1] == files[.dg1])
      // Without a usable EF.SOD the check does not pass.
      if file == .sod { #expect(try Report(dump)[.passiveHashes]?.status != .passed) }
      _ = try Report(dump).json()
    }
    var files = try Reads.specimen()
    let key = files.mrzInformation.map(AccessKey.mrz)
    files[.dg1] = [0x61] + bytes
    let (result, _) = try await Reads.read(files, profile: .open) { $0.key = key }
    #expect(throws: (any Error).self) { try Report(try result.get()) }
  }
}

@Suite("Faults at every exchange")
struct FaultTests {
  @Test(
    "either throws a typed error or completes, and sends nothing in plain after access control",
    arguments: Fault.allCases)
  func everyExchange(_ fault: Fault) async throws {
    let files = try Reads.specimen()
    let count = try await Reads.read(files).dump.get().statistics.exchanges
    #expect(count > 50)
    var completed = 0
    for index in Sweep.indices(count, first: 20, last: 6, step: 12) {
      let (result, channel) = try await Reads.read(files, fault: fault, at: index)
      switch result {
      case .success(let dump):
        completed += 1
        // Every file that was read is byte for byte that of the chip.
        for (file, bytes) in dump.files { #expect(files[file] == bytes, "\(fault) at \(index): \(file.name)") }
        #expect(fault != .disappearance, "\(index)")
      case .failure(let error):
        #expect(error is PassportError || error is CardError, "\(fault) at \(index): \(error)")
      }
      #expect(await Reads.plainCommandsAfterAccess(channel).isEmpty, "\(fault) at \(index)")
    }
    // A read can complete despite any fault except the loss of the card: in EF.CardAccess, or after DG1.
    #expect((completed > 0) == (fault != .disappearance))
  }
}

@Suite("Malformed files")
struct HostileFileTests {
  @Test("never trap a parser, with changed, truncated or random bytes")
  func fuzz() throws {
    let files = try Reads.specimen()
    let small = DataGroup2(faces: [FacialImage(data: [0xFF, 0xD8, 0xFF, 0xE0], width: 2, height: 3)]).encoded
    let sources =
      [ElementaryFile.com, .sod, .dg1].compactMap { files[$0] } + [small] + [
        Fixtures.specimen("bsi2008", file: "EF_SOD.bin")
      ]
    func parse(_ bytes: [UInt8]) {
      _ = try? EFCOM(bytes)
      _ = try? DataGroup1(bytes)
      _ = try? DataGroup2(bytes)
      _ = try? SecurityInfos(bytes)
      if let sod = try? EFSOD(bytes) { _ = PassiveAuthentication(sod, dataGroups: [1: bytes]) }
    }
    var generator = SystemRandomNumberGenerator()
    for source in sources {
      #expect(!source.isEmpty)
      for _ in 0..<150 {
        var bytes = source
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
          bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        }
        if Bool.random() { bytes.removeLast(Int.random(in: 0...bytes.count, using: &generator)) }
        parse(bytes)
      }
    }
  }

  @Test("are refused if the lengths of a facial record do not add up")
  func facialRecords() throws {
    let good = DataGroup2(faces: [FacialImage(data: [0xFF, 0xD8, 0xFF, 1], width: 2, height: 3)]).encoded
    let face = try #require(try DataGroup2(good).portrait)
    #expect(face.format == .jpeg && face.width == 2 && face.height == 3 && face.data == [0xFF, 0xD8, 0xFF, 1])
    for index in good.indices {
      for value: UInt8 in [0x00, 0x7F, 0xFF] {
        var changed = good
        changed[index] = value
        _ = try? DataGroup2(changed)
      }
    }
  }
}
