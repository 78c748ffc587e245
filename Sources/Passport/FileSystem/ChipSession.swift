import Cryptography
import SmartCard

/// The conversation with one chip: counts what is sent, and once secure messaging has begun sends nothing unprotected any
/// more. The one exception is GET RESPONSE, which fetches the rest of an answer that is protected as a whole.
///
/// Not `Sendable`: one task drives one conversation.
final class ChipSession {
  private let channel: any CardChannel
  private(set) var statistics = TransportStatistics()
  private var secureMessaging: SecureMessaging?
  /// Whether commands that a short APDU cannot hold are sent as a chain of short ones (ISO/IEC 7816-4, 5.3.3) instead of
  /// with extended length fields.
  var chainsLongCommands = false
  /// The longest data that the reader can carry in one command; nil for one that carries short commands only.
  var extendedLengthLimit: Int?
  /// Whether the conversation ended over a long command, and the next one goes in the other form.
  private(set) var hasChangedForm = false
  /// The first answer under the present keys, as it came; nil before it has come.
  private(set) var firstAnswer: [UInt8]?
  /// Why nothing may be sent any more.
  private var ended: (any Error)?

  init(channel: any CardChannel) { self.channel = channel }

  /// Whether commands can still be sent.
  var isOpen: Bool { ended == nil }

  /// From here on every command is protected.
  func begin(_ secureMessaging: SecureMessaging) {
    self.secureMessaging = secureMessaging
    firstAnswer = nil
  }

  /// Nothing may be sent any more.
  func end(_ reason: any Error) { ended = ended ?? reason }

  /// Forgets the keys and what ended the session: access control is done again, on the same card.
  func restart() {
    secureMessaging = nil
    firstAnswer = nil
    ended = nil
    hasChangedForm = false
  }

  /// The largest plaintext that the chip can put into `limit` bytes of response.
  func largestPlaintext(inResponseOf limit: Int) -> Int {
    secureMessaging?.largestPlaintext(inResponseOf: limit) ?? limit
  }

  /// Sends one command, protected once secure messaging has begun. After the first violation of secure messaging
  /// and after the loss of the card, the session stays closed.
  ///
  /// A long command goes in the other form where the chip says that it does not know the first one.
  func send(_ command: CommandAPDU) async throws -> ResponseAPDU {
    guard command.data.count > longestShort(command) else { return try await sendWhole(command) }
    do {
      let answer = try await sendLong(command)
      guard changesForm(after: answer.status, command) else { return answer }
    } catch PassportError.secureMessaging(.plainAnswer(let status)) {
      hasChangedForm = changesForm(after: status, command)
      throw PassportError.secureMessaging(.plainAnswer(status))
    } catch let loss as CardError where !chainsLongCommands {
      switch loss {
      case .cardRemoved, .readerRemoved, .serviceUnavailable: throw loss
      default: break
      }
      // Readers that cannot carry extended length say so in many ways.
      chainsLongCommands = true
      throw CardError.transmission(code: 0)
    }
    return try await sendLong(command)
  }

  /// Whether the chip does not know the form of a long command and there is another one, which is taken from now on.
  private func changesForm(after status: StatusWord, _ command: CommandAPDU) -> Bool {
    let isUnknown: Bool
    if chainsLongCommands {
      // Secure messaging adds a few data objects.
      let isPossible = extendedLengthLimit.map { command.data.count + 64 <= $0 } ?? false
      isUnknown = isPossible && (status == .commandChainingNotSupported || status == .classNotSupported)
    } else {
      isUnknown = status == .wrongLength
    }
    if isUnknown { chainsLongCommands.toggle() }
    return isUnknown
  }

  private func sendLong(_ command: CommandAPDU) async throws -> ResponseAPDU {
    chainsLongCommands ? try await sendChain(command) : try await sendWhole(command)
  }

  private func sendChain(_ command: CommandAPDU) async throws -> ResponseAPDU {
    var rest = command.data[...]
    while rest.count > longestPart {
      var part = command
      part.cla |= 0x10
      part.data = Array(rest.prefix(longestPart))
      part.expectedLength = nil
      rest = rest.dropFirst(longestPart)
      let answer = try await sendWhole(part)
      // A chain that is refused in the middle has its answer.
      guard answer.status == .success else { return answer }
    }
    var last = command
    last.data = Array(rest)
    last.expectedLength = command.expectedLength.map { min($0, 256) }
    return try await sendWhole(last)
  }

  /// Data of the longest short command. A reader that carries no other may not even carry that: there the chain begins
  /// where its parts end.
  private func longestShort(_ command: CommandAPDU) -> Int {
    guard extendedLengthLimit != nil, let secureMessaging else { return longestPart }
    return secureMessaging.largestCommandData(expectsAnswer: command.expectedLength != nil)
  }

  /// Under secure messaging each command of a chain is protected by itself (BSI TR-03110-3, E.2), so that less fits in.
  private var longestPart: Int { secureMessaging == nil ? 255 : 223 }

  private func sendWhole(_ command: CommandAPDU) async throws -> ResponseAPDU {
    if let ended { throw ended }
    do {
      guard var session = secureMessaging else { return try await exchange(command) }
      let response = try await exchange(session.protect(command))
      if firstAnswer == nil { firstAnswer = response.encoded }
      let plain = try session.unprotect(response)
      secureMessaging = session
      return plain
    } catch CardError.truncatedResponse where secureMessaging == nil {
      throw PassportError.malformedResponse(operation: "a command")
    } catch {
      let error = Self.inProtocolTerms(error)
      ended = error
      throw error
    }
  }

  private static func inProtocolTerms(_ error: any Error) -> any Error {
    switch error {
    case let violation as SecureMessagingError: PassportError.secureMessaging(violation)
    case CardError.truncatedResponse: PassportError.secureMessaging(.malformedResponse("no status word"))
    default: error
    }
  }

  /// The whole answer: what did not fit the length that was asked for is fetched piece by piece (ISO/IEC 7816-4, 5.3.4
  /// and 11.7.1), below secure messaging, which protects the whole. A chip that says there is more has first given what
  /// was asked for, or nothing; other answers are what they are.
  private func exchange(_ command: CommandAPDU) async throws -> ResponseAPDU {
    var response = try await transmit(command)
    var data = response.data
    var pieces = 1
    var asked = min(command.expectedLength ?? 256, 256)
    while response.status.sw1 == 0x61, response.data.isEmpty || response.data.count >= asked {
      guard pieces < Self.mostPieces else { throw PassportError.malformedResponse(operation: "GET RESPONSE") }
      pieces += 1
      asked = response.status.sw2 == 0 ? 256 : Int(response.status.sw2)
      response = try await transmit(CommandAPDU(ins: 0xC0, p1: 0, p2: 0, expectedLength: asked))
      data += response.data
      // A piece may be longer than what was asked for.
      guard data.count <= Self.longestAnswer else { throw PassportError.malformedResponse(operation: "GET RESPONSE") }
    }
    return ResponseAPDU(data: data, status: response.status)
  }

  /// As many as the longest response has, of 256 bytes each.
  private static let mostPieces = 257

  /// Data of the longest response APDU, in bytes.
  private static let longestAnswer = 65_536

  private func transmit(_ command: CommandAPDU) async throws -> ResponseAPDU {
    try Task.checkCancellation()
    let bytes = try command.encoded()
    statistics.exchanges += 1
    statistics.bytesSent += bytes.count
    let response = try await channel.transmit(bytes)
    statistics.bytesReceived += response.count
    return try ResponseAPDU(response)
  }
}

/// What went over the air.
public struct TransportStatistics: Sendable, Equatable {
  /// Command APDUs sent to the chip.
  public var exchanges = 0
  public var bytesSent = 0
  public var bytesReceived = 0

  public init() {}
}
