import ChipTestSupport
import TesseraCryptography
import TesseraSmartCard
import TestSupport
import Testing

@testable import TesseraPassport

@Suite("PACE over a channel, with the commands of the worked examples")
struct PACEDriverTests {
  static let recorded = PACEVectors.worked.filter { $0["apdus"].isPresent }

  static func choice(_ vector: Vector, isAmbiguous: Bool = false) throws -> PACEChoice {
    let core = try PACEVectors.core(vector)
    return PACEChoice(
      pace: core.pace, parameterIdentifier: vector["parameter_id"].number, group: core.group,
      isAmbiguous: isAmbiguous, reason: "")
  }

  static func randomValues(_ vector: Vector) -> PACEDriver.ReaderRandomValues {
    .init(
      mappingKey: vector["SK_map_IFD"].isPresent ? SecretBytes(vector["SK_map_IFD"].bytes) : nil,
      readerNonce: vector["t"].isPresent ? SecretBytes(vector["t"].bytes) : nil,
      agreementKey: SecretBytes(vector["SK_IFD"].bytes))
  }

  /// The exchanges of an example, with the parts that it omits.
  static func exchanges(_ vector: Vector, isAmbiguous: Bool = false) -> [RecordedChannel.Exchange] {
    var apdus = vector["apdus"].list
    let selections = apdus.filter { $0["name"].text.hasPrefix("MSE") }
    apdus.removeAll { $0["name"].text.hasPrefix("MSE") }
    var list: [RecordedChannel.Exchange] = []
    let selection = isAmbiguous ? selections.last : selections.first
    // Appendix H does not print MSE:Set AT; its password is the CAN.
    let byCAN = [0x00, 0x22, 0xC1, 0xA4, 0x0F, 0x80, 0x0A] + vector["oid_value"].bytes + [0x83, 1, 2]
    let command = selection?["command"].bytes ?? byCAN
    list.append(.init(command: command, response: [0x90, 0x00]))
    for apdu in apdus {
      // In the second step of the integrated mapping the chip sends no data.
      let response = apdu["response"].isPresent ? apdu["response"].bytes : [0x7C, 0x02, 0x82, 0x00, 0x90, 0x00]
      list.append(.init(command: apdu["command"].bytes, response: response))
    }
    return list
  }

  static func run(
    _ vector: Vector, _ exchanges: [RecordedChannel.Exchange], isAmbiguous: Bool = false
  ) async throws -> (PACEDriver.Outcome, Bool) {
    let channel = RecordedChannel(exchanges)
    let session = ChipSession(channel: channel)
    let driver = PACEDriver(
      session: session, choice: try choice(vector, isAmbiguous: isAmbiguous), randomValues: randomValues(vector))
    return (try await driver.run(PACEVectors.key(vector)), await channel.isDone)
  }

  @Test("five exchanges, each as printed", arguments: recorded)
  func conversation(_ vector: Vector) async throws {
    let (outcome, isDone) = try await Self.run(vector, Self.exchanges(vector))
    #expect(isDone)
    #expect(outcome.keys.encryption.hexadecimal == vector["KS_enc"].text)
    #expect(outcome.keys.authentication.hexadecimal == vector["KS_mac"].text)
    #expect(outcome.chipKey.hexadecimal == vector["PK_IC"].text)
    #expect(outcome.authorities == (vector.id == "pace-gm-dh-icao-g2" ? ["DETESTCVCA00003"] : []))
    #expect((outcome.chipAuthentication != nil) == (vector["A_IC"].isPresent))
    #expect(outcome.chipAuthentication?.chipAuthenticationData?.hexadecimal ?? "" == vector["CA_IC"].text)
  }

  @Test("the fixtures have all five worked examples with commands")
  func counts() { #expect(Self.recorded.count == 5) }

  @Test("names the domain parameters if the chip has several sets")
  func ambiguous() async throws {
    let vector = PACEVectors.vector("pace-gm-ecdh-icao-g1")
    #expect(try await Self.run(vector, Self.exchanges(vector, isAmbiguous: true), isAmbiguous: true).1)
  }

  /// Passports of Ukraine until July 2022 answer 6A87 (github.com/gmrtd/gmrtd, issue 108).
  @Test(
    "names the domain parameters if the chip requires them",
    arguments: [[0x6A, 0x80], [0x6A, 0x86], [0x6A, 0x87], [0x6A, 0x88], [0x67, 0x00]] as [[UInt8]])
  func parametersOnRefusal(_ status: [UInt8]) async throws {
    let vector = PACEVectors.vector("pace-gm-ecdh-icao-g1")
    var list = Self.exchanges(vector, isAmbiguous: true)
    list.insert(.init(command: Self.exchanges(vector)[0].command, response: status), at: 0)
    #expect(try await Self.run(vector, list).1)
  }

  /// Replaces the response of one step; no command may follow it.
  static func failure(_ step: Int, _ response: [UInt8]) async throws -> PACEError? {
    let vector = PACEVectors.vector("pace-gm-ecdh-icao-g1")
    var list = Array(exchanges(vector).prefix(step + 1))
    list[step] = .init(command: list[step].command, response: response)
    do {
      _ = try await run(vector, list)
      return nil
    } catch let error as PACEError {
      return error
    }
  }

  static let negative = PACEVectors.vector("pace-gm-ecdh-negative")["cases"].list

  @Test("the published negative cases, each with its own error")
  func rejected() async throws {
    func answer(_ tag: UInt32, _ value: [UInt8]) -> [UInt8] {
      BERTLV.encode(0x7C, BERTLV.encode(tag, value)) + [0x90, 0x00]
    }
    let cases = Self.negative
    #expect(
      try await Self.failure(2, answer(0x82, cases[0]["PK_map_IC"].bytes)) == .invalidElement(.mapping, .notInGroup))
    #expect(try await Self.failure(2, answer(0x82, cases[1]["PK_map_IC"].bytes)) == .reflectedKey(.mapping))
    #expect(try await Self.failure(3, answer(0x84, cases[2]["PK_IC"].bytes)) == .reflectedKey(.agreement))
    #expect(try await Self.failure(4, answer(0x86, cases[3]["T_IC"].bytes)) == .wrongToken)
    for index in 4...6 {
      #expect(try await Self.failure(1, cases[index]["response"].bytes) == .malformedResponse(.nonce))
    }
    #expect(try await Self.failure(2, answer(0x82, [0])) == .invalidElement(.mapping, .identity))
    #expect(try await Self.failure(3, answer(0x84, [4, 0, 0])) == .invalidElement(.agreement, .malformed))
    #expect(try await Self.failure(1, answer(0x80, [1, 2, 3])) == .malformedResponse(.nonce))
    #expect(try await Self.failure(4, [0x90, 0x00]) == .malformedResponse(.authentication))
    #expect(try await Self.failure(3, [0x7C, 0x00, 0x90, 0x00]) == .malformedResponse(.agreement))
  }

  @Test("distinguishes a wrong, a suspended and a blocked password from a protocol error")
  func statusWords() async throws {
    #expect(try await Self.failure(4, [0x63, 0x00]) == .wrongPassword(triesLeft: nil, StatusWord(0x6300)))
    #expect(try await Self.failure(4, [0x63, 0xC2]) == .wrongPassword(triesLeft: 2, StatusWord(0x63C2)))
    #expect(try await Self.failure(4, [0x63, 0xC1]) == .passwordSuspended(StatusWord(0x63C1)))
    #expect(try await Self.failure(4, [0x63, 0xC0]) == .passwordBlocked(StatusWord(0x63C0)))
    #expect(try await Self.failure(4, [0x69, 0x83]) == .passwordBlocked(StatusWord(0x6983)))
    #expect(try await Self.failure(0, [0x69, 0x83]) == .passwordBlocked(StatusWord(0x6983)))
    #expect(try await Self.failure(0, [0x63, 0xC1]) == .passwordSuspended(StatusWord(0x63C1)))
    #expect(try await Self.failure(2, [0x63, 0x00]) == .refused(.mapping, StatusWord(0x6300)))
    #expect(try await Self.failure(3, [0x6A, 0x80]) == .refused(.agreement, StatusWord(0x6A80)))
    #expect(try await Self.failure(4, [0x6F, 0x00]) == .wrongPassword(triesLeft: nil, StatusWord(0x6F00)))
    #expect(try await Self.failure(4, [0x6D, 0x00]) == .refused(.authentication, StatusWord(0x6D00)))
    #expect(PACEError.wrongPassword(triesLeft: nil, StatusWord(0x6300)).failure.kind == .accessDenied)
    #expect(PACEError.refused(.mapping, StatusWord(0x6300)).failure.kind == .protocolViolation)
  }
}
