import FleetLab
import TesseraPassport
import TesseraSmartCard
import TesseraThreads
import TesseraVerification
import TesseraVirtualChip
import Testing

@testable import TesseraFleet

extension RealPrograms {
  /// Desks that lie while an inspector reads through them: about the reader, the chip and its responses.
  @Suite("Desks that lie in a remote read", .enabled(if: LoadServers.isEnabled))
  struct RemoteLyingDeskTests {
    /// A document, its copy, and an inspector that knows its country.
    private struct Scene {
      let base: LyingDeskScene
      let desk: FleetDesk

      init(_ change: (inout ChipProfile) -> Void = { _ in }) async throws {
        base = try await LyingDeskScene(change)
        desk = try await base.lab.desk("desk-2")
      }

      var files: ChipFiles { base.document.document.files }
      var original: LyingSource { LyingSource(base.document.profile, files) }
      var copy: LyingSource { LyingSource(base.copy, files) }

      func read(
        _ source: LyingSource, _ change: (inout InspectionRequest) -> Void = { _ in }
      ) async throws -> FleetReading {
        var request = try LabDocument.request()
        change(&request)
        return try await desk.read(source.source, request, mode: .remote)
      }

      /// The outcome; nil if the read ended with an error of the document, which is no verdict.
      func outcome(_ source: LyingSource) async throws -> Outcome? {
        do {
          return try await read(source).outcome
        } catch let error as FleetError where error.code == .readFailed {
          return nil
        }
      }

      /// The outcome of a read at a machine that believes its reader and its request.
      func believingOutcome(_ source: LyingSource, _ request: InspectionRequest) async throws -> Outcome {
        let dump = try await source.source.withCard { try await Inspection.read($0, request) }
        return try Report(dump, trust: base.document.trust).outcome
      }

      /// Whether EF.SOD and the data groups of the last read are those of one document.
      func hasRead(_ files: ChipFiles) -> Bool {
        let read = (base.recorder.reads.last?.dump.files ?? []).filter { $0.file == .sod || $0.file.dataGroup != nil }
        return read.count > 2 && read.allSatisfy { files[$0.file] == $0.bytes }
      }

      /// Reads without a lie.
      func honestExchanges(_ source: LyingSource, _ expected: Outcome) async throws -> [RecordedExchange] {
        let reading = try await read(source)
        #expect(reading.outcome == expected, "\(reading.headline)")
        return source.exchanges.withLock { $0 }
      }

      func end() async { await base.end() }
    }

    // MARK: - The reader and the request

    /// A chip with one proof, which a reader with these limits cannot carry.
    struct ShortReader: Sendable, CustomTestStringConvertible {
      let testDescription: String
      let limits: ClaimedLimits
      let change: @Sendable (inout ChipProfile) -> Void
    }

    static let shortReaders = [
      ShortReader(testDescription: "Chip Authentication", limits: ClaimedLimits(extended: 4096, command: 100)) {
        $0.activeAuthentication = nil
      },
      ShortReader(testDescription: "Active Authentication by RSA", limits: ClaimedLimits()) {
        $0.chipAuthentication = []
        $0.activeAuthentication = .rsa(bits: 2048, .sha256)
      },
    ]

    @Test(
      "a reader that cannot carry the chip's proof gives no verdict, of a copy or of the original",
      arguments: shortReaders)
    func shortLimits(_ reader: ShortReader) async throws {
      let scene = try await Scene(reader.change)
      #expect(try await scene.outcome(scene.original) == .genuine)
      #expect(try await scene.outcome(scene.copy) == .notGenuine)
      for var source in [scene.original, scene.copy] {
        source.limits = reader.limits
        // What such limits conceal where they are believed.
        #expect(try await scene.believingOutcome(source, try LabDocument.request()) == .notEstablished)
        await #expect(throws: FleetError(ChipWitnessError.readerUnsuitable)) { try await scene.read(source) }
      }
      // The two verdicts are the only ones on record.
      #expect(scene.base.recorder.reads.count == 2)
      await scene.end()
    }

    @Test("a reader with short commands that carry the proofs has the verdicts of another reader")
    func sufficientLimits() async throws {
      let scene = try await Scene()
      for (var source, outcome) in [(scene.original, Outcome.genuine), (scene.copy, .notGenuine)] {
        source.limits = ClaimedLimits(extended: nil, command: 261)
        #expect(try await scene.outcome(source) == outcome)
      }
      await scene.end()
    }

    @Test("a desk cannot have PACE skipped, whose mapping proves the chip")
    func skippedPACE() async throws {
      let scene = try await Scene { $0 = ChipProfile(named: "fault-clone-cam") ?? $0 }
      var request = try LabDocument.request()
      request.skipsPACE = true
      // What such a request conceals where it is heeded.
      #expect(try await scene.believingOutcome(scene.copy, request) == .notEstablished)
      for (source, outcome) in [(scene.original, Outcome.genuine), (scene.copy, .notGenuine)] {
        let reading = try await scene.read(source) { $0.skipsPACE = true }
        #expect(reading.outcome == outcome, "\(reading.headline)")
      }
      await scene.end()
    }

    // MARK: - The chip

    /// The number of the last command that is of Chip Authentication, or of Active Authentication.
    private func last(_ proof: (RecordedExchange) -> Bool, in exchanges: [RecordedExchange]) throws -> Int {
      let number = exchanges.lastIndex(where: proof)
      return try #require(number)
    }

    @Test("an original that is exchanged for its copy before it has given both proofs is not genuine")
    func exchangedForCopy() async throws {
      let scene = try await Scene()
      let exchanges = try await scene.honestExchanges(scene.original, .genuine)
      let agreement = try last(\.isChipAuthentication, in: exchanges)
      let signature = try last(\.isActiveAuthentication, in: exchanges)
      #expect(agreement + 2 < signature)
      for number in [1, agreement - 1, agreement, agreement + 1, agreement + 2, signature] {
        let copy = try LyingSource.channel(scene.base.copy, scene.files)
        var source = scene.original
        source.lie = { chip, command, index in try await (index < number ? chip : copy).transmit(command) }
        let outcome = try await scene.outcome(source)
        #expect(outcome != .genuine, "exchanged before command \(number)")
      }
      await scene.end()
    }

    @Test("a copy that has failed is not genuine, whatever chip answers later")
    func exchangedForOriginal() async throws {
      let scene = try await Scene()
      let exchanges = try await scene.honestExchanges(scene.copy, .notGenuine)
      // A first run may fail over the form of its commands, which says nothing about the key.
      let agreement = try last(\.isChipAuthentication, in: exchanges)
      let signature = try last(\.isActiveAuthentication, in: exchanges)
      // Before its signature the copy has refused nothing that counts: a session may end once, and what the chip proves in
      // the next one is asked for anew. The original on the reader is then genuine.
      for number in Set([agreement + 2, agreement + 3, signature + 1]).sorted() {
        let original = try LyingSource.channel(scene.base.document.profile, scene.files)
        var source = scene.copy
        source.lie = { chip, command, index in try await (index < number ? chip : original).transmit(command) }
        let outcome = try await scene.outcome(source)
        #expect(outcome != .genuine, "exchanged before command \(number)")
      }
      await scene.end()
    }

    @Test("a read whose document is exchanged is never genuine with files of both")
    func exchangedForOther() async throws {
      let scene = try await Scene()
      var profile = scene.base.document.profile
      profile.isCard.toggle()
      let other = try LabDocument(profile)
      let signature = try last(
        \.isActiveAuthentication, in: try await scene.honestExchanges(scene.original, .genuine))
      for number in [signature / 4, signature / 2, signature - 1, signature] {
        let chip = try LyingSource.channel(profile, other.document.files)
        var source = scene.original
        source.lie = { first, command, index in try await (index < number ? first : chip).transmit(command) }
        // Specimens share all files but DG1 and EF.SOD, and their keys, so that the other chip may complete the first
        // document.
        let outcome = try await scene.outcome(source)
        let isOne = scene.hasRead(scene.files) || scene.hasRead(other.document.files)
        #expect(outcome != .genuine || isOne, "exchanged before command \(number)")
        #expect(outcome != .genuine || number < signature - 1, "exchanged before command \(number)")
      }
      await scene.end()
    }

    // MARK: - The responses

    @Test("the responses of an earlier read are no read")
    func replayed() async throws {
      let scene = try await Scene()
      let earlier = try await scene.honestExchanges(scene.original, .genuine)
      var source = scene.copy
      source.lie = { _, _, index in
        guard earlier.indices.contains(index) else { throw CardError.cardRemoved }
        return earlier[index].response
      }
      #expect(try await scene.outcome(source) == nil)
      // The copy opens the session, and the earlier responses follow.
      for number in [earlier.count / 2, try last(\.isActiveAuthentication, in: earlier)] {
        source = scene.copy
        source.lie = { chip, command, index in
          index == number ? earlier[index].response : try await chip.transmit(command)
        }
        let outcome = try await scene.outcome(source)
        #expect(outcome != .genuine, "replayed at command \(number)")
      }
      await scene.end()
    }

    @Test("the earlier signature of a chip without access control proves nothing")
    func replayedSignature() async throws {
      let scene = try await Scene { profile in
        profile.requiresBasicAccessControl = false
        profile.pace = []
        profile.chipAuthentication = []
      }
      let earlier = try await scene.honestExchanges(scene.original, .genuine)
      _ = try last(\.isActiveAuthentication, in: earlier)
      var source = scene.copy
      source.lie = { _, command, _ in
        let known = earlier.first { $0.command == command } ?? earlier.last { $0.command[1] == command[1] }
        guard let known else { throw CardError.cardRemoved }
        return known.response
      }
      let reading = try await scene.read(source)
      #expect(reading.outcome == .notGenuine, "\(reading.headline)")
      #expect(reading.reason == .chip)
      // The same responses with the copy's own signature.
      source.lie = { chip, command, _ in
        if command[1] == 0x88 { return try await chip.transmit(command) }
        return earlier.first { $0.command == command }?.response ?? [0x6A, 0x82]
      }
      #expect(try await scene.read(source).outcome != .genuine)
      await scene.end()
    }

    @Test("changed responses never make a copy better, and are never part of a genuine document")
    func flippedBits() async throws {
      let scene = try await Scene()
      let count = try await scene.honestExchanges(scene.original, .genuine).count
      for isCopy in [false, true] {
        for number in Set(stride(from: 0, to: count, by: max(1, count / 6))).union([count - 1]).sorted() {
          var source = isCopy ? scene.copy : scene.original
          source.lie = { chip, command, index in
            var response = try await chip.transmit(command)
            if index == number { response[(response.count - 1) / 2] ^= 0x20 }
            return response
          }
          let outcome = try await scene.outcome(source)
          if isCopy {
            #expect(outcome != .genuine, "changed response \(number) of \(count)")
          } else {
            // A response that is not the chip's is asked for again or ends the read.
            #expect(outcome != .genuine || scene.hasRead(scene.files), "changed response \(number) of \(count)")
          }
        }
      }
      await scene.end()
    }
  }
}
