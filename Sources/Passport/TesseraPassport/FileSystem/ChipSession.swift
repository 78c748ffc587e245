import TesseraCryptography
import TesseraSmartCard

/// The command stream to one chip. Once secure messaging has started, every command is protected. The one exception is
/// GET RESPONSE, which fetches the rest of a response that is protected as a whole.
///
/// Not `Sendable`: one task drives one session.
package final class ChipSession {
  private let channel: any CardChannel
  package var statistics = TransportStatistics()
  package private(set) var secureMessaging: SecureMessaging?
  var longCommands = LongCommands()
  /// Whether the session ended over a long command, which will be sent in the other form next time.
  package private(set) var hasChangedForm = false
  /// Whether the session was lost over a probe of this reader: a command that it did not know the chip to support, and
  /// that it will not send again.
  package private(set) var hasFailedProbe = false
  /// Whether a response of more than 256 bytes has arrived, so that the reader carries extended length.
  private(set) var carriesExtendedLength = false
  /// The first response under the current keys, still protected; nil before there is one.
  private(set) var firstAnswer: [UInt8]?
  /// The reason why no more commands may be sent.
  package private(set) var ended: (any Error)?
  /// The file to which offsets refer; nil if the chip may have another one or none.
  package var currentFile: ElementaryFile?
  /// nil if card and proof are here.
  var distance: (any DistantReading)?

  init(channel: any CardChannel) { self.channel = channel }

  /// Whether commands can still be sent.
  package var isOpen: Bool { ended == nil }

  /// Protects every command from here on.
  func begin(_ secureMessaging: SecureMessaging) {
    self.secureMessaging = secureMessaging
    firstAnswer = nil
    distance?.sessionChanged()
  }

  /// Closes the session: every later command throws the first `reason` given.
  package func end(_ reason: any Error) {
    ended = ended ?? reason
    distance?.sessionChanged()
  }

  package func recordFailedProbe() { hasFailedProbe = true }

  /// Discards the keys and the reason why the session ended, so that access control can be performed again.
  func restart() {
    secureMessaging = nil
    firstAnswer = nil
    ended = nil
    distance?.sessionChanged()
    hasChangedForm = false
    hasFailedProbe = false
  }

  /// The largest plaintext that the chip can put into `limit` bytes of response.
  func largestPlaintext(inResponseOf limit: Int) -> Int {
    secureMessaging?.largestPlaintext(inResponseOf: limit) ?? limit
  }

  // MARK: - SELECT

  /// Sends SELECT, in another form if the chip refuses this one. Doc 9303-10 prescribes SELECT without response data. Some
  /// chips require Le, some return the file control information or parameters only, and some select a file of the current
  /// application by P1 00.
  ///
  /// - Returns: the status of the last form that was sent. That of P1 00 counts only if the chip accepts it: another one may
  ///   be about a file elsewhere.
  func select(_ command: CommandAPDU) async throws -> StatusWord {
    var status = try await transceive(command).status
    for form in command.otherForms where status.refusesForm {
      let other = try await transceive(form).status
      if other.deliversData || form.p1 == command.p1 { status = other }
    }
    return status
  }

  // MARK: - Commands of any length

  /// Sends one command of any length, protected once secure messaging has started. After the first violation of secure
  /// messaging and after the loss of the card, the session stays closed.
  ///
  /// A long command is sent in the other form if the chip answers that it does not support the first one.
  ///
  /// - Throws: `PassportError.secureMessaging`, `.malformedResponse`; `CardError`, of which `.powerCycleNeeded` if
  ///   the reader failed to carry extended length; `CancellationError`.
  package func transceive(_ command: CommandAPDU) async throws -> ResponseAPDU {
    guard command.data.count > longestShortData(command) else { return try await exchange(command) }
    do {
      let answer = try await transceiveLong(command)
      guard longCommands.changeForm(after: answer.status, dataLength: command.data.count) else { return answer }
    } catch PassportError.secureMessaging(.plainAnswer(let status)) {
      hasChangedForm = longCommands.changeForm(after: status, dataLength: command.data.count)
      throw PassportError.secureMessaging(.plainAnswer(status))
    } catch let error as CardError where longCommands.form == .extendedLength {
      switch error {
      case .cardRemoved, .readerRemoved, .serviceUnavailable: throw error
      default: break
      }
      // Readers report in many ways that they cannot carry extended length.
      longCommands.recordExtendedLengthRefused()
      throw CardError.powerCycleNeeded
    }
    return try await transceiveLong(command)
  }

  private func transceiveLong(_ command: CommandAPDU) async throws -> ResponseAPDU {
    switch longCommands.form {
    case .extendedLength: try await exchange(command)
    case .chained: try await transceiveChain(command)
    }
  }

  private func transceiveChain(_ command: CommandAPDU) async throws -> ResponseAPDU {
    let parts = chain(of: command)
    distance?.expect(.commands(parts))
    for part in parts.dropLast() {
      let answer = try await exchange(part)
      // If the chip refuses a part, that is the response to the whole command.
      guard answer.status == .success else { return answer }
    }
    return try await exchange(parts.last ?? command)
  }

  private func chain(of command: CommandAPDU) -> [CommandAPDU] {
    var parts: [CommandAPDU] = []
    var rest = command.data[...]
    while rest.count > longestPart {
      var part = command
      part.cla |= 0x10
      part.data = Array(rest.prefix(longestPart))
      part.expectedLength = nil
      rest = rest.dropFirst(longestPart)
      parts.append(part)
    }
    var last = command
    last.data = Array(rest)
    last.expectedLength = command.expectedLength.map { min($0, 256) }
    return parts + [last]
  }

  /// The most data of a short command. A reader without extended length may not even carry that much, so that a chain
  /// is used from the length of its parts on.
  package func longestShortData(_ command: CommandAPDU) -> Int {
    guard longCommands.readerLimit != nil, let secureMessaging else { return longestPart }
    return secureMessaging.largestCommandData(expectsAnswer: command.expectedLength != nil)
  }

  /// Under secure messaging each command of a chain is protected separately (BSI TR-03110-3, E.2), which leaves room
  /// for less data.
  private var longestPart: Int { secureMessaging == nil ? 255 : 223 }

  // MARK: - One command

  /// Sends one APDU under secure messaging, or in plain before secure messaging has started.
  ///
  /// - Parameter wasSent: whether the command was sent ahead in vain, so that its response is only verified.
  package func exchange(_ command: CommandAPDU, wasSent: Bool = false) async throws -> ResponseAPDU {
    if let ended { throw ended }
    if !wasSent { try await distance?.willSend(command) }
    do {
      var session = secureMessaging
      let sent = try session?.protect(command) ?? command
      let waiting = try distance?.takeResponse().map { try ResponseAPDU($0) }
      let first = if let waiting { waiting } else { try await transmit(sent.encoded()) }
      let response = try await completed(first, requested: min(sent.expectedLength ?? 256, 256))
      if session != nil, firstAnswer == nil { firstAnswer = response.encoded }
      let plain = try session?.unprotect(response) ?? response
      secureMessaging = session
      if response.data.count > 256 { carriesExtendedLength = true }
      return plain
    } catch {
      throw failed(error)
    }
  }

  /// The error of an exchange that failed with `error`. It ends the session, unless a plain response has no status word.
  package func failed(_ error: any Error) -> any Error {
    if case CardError.truncatedResponse = error, secureMessaging == nil {
      return PassportError.malformedResponse(operation: "a command")
    }
    let error = Self.passportError(error)
    end(error)
    return error
  }

  private static func passportError(_ error: any Error) -> any Error {
    switch error {
    case let violation as SecureMessagingError: PassportError.secureMessaging(violation)
    case CardError.truncatedResponse: PassportError.secureMessaging(.malformedResponse("no status word"))
    default: error
    }
  }

  /// Collects the whole response with GET RESPONSE (ISO/IEC 7816-4, 5.3.4 and 11.7.1).
  ///
  /// 61xx counts as "more data available" only if the chip has delivered all that was requested, or nothing. Any
  /// other response with 61xx is returned unchanged.
  ///
  /// - Parameter requested: the bytes of `first` that were requested.
  package func completed(_ first: ResponseAPDU, requested: Int) async throws -> ResponseAPDU {
    var response = first
    var data = response.data
    var parts = 1
    var requested = requested
    while response.status.sw1 == 0x61, response.data.isEmpty || response.data.count >= requested {
      guard parts < Self.maximumParts else { throw PassportError.malformedResponse(operation: "GET RESPONSE") }
      parts += 1
      requested = response.status.sw2 == 0 ? 256 : Int(response.status.sw2)
      response = try await transmit(CommandAPDU(ins: 0xC0, p1: 0, p2: 0, expectedLength: requested).encoded())
      data += response.data
      // A chip may deliver more than was requested.
      guard data.count <= Self.longestAnswer else { throw PassportError.malformedResponse(operation: "GET RESPONSE") }
    }
    return ResponseAPDU(data: data, status: response.status)
  }

  /// The longest response in parts of 256 bytes each, and one part more.
  private static let maximumParts = 257

  /// Data of the longest response APDU, in bytes.
  private static let longestAnswer = 65_536

  /// One exchange on the channel.
  package func transmit(_ bytes: [UInt8]) async throws -> ResponseAPDU {
    try Task.checkCancellation()
    statistics.exchanges += 1
    statistics.bytesSent += bytes.count
    let response = try await channel.transmit(bytes)
    statistics.bytesReceived += response.count
    return try ResponseAPDU(response)
  }
}

extension CommandAPDU {
  /// Other forms of a SELECT without response data.
  fileprivate var otherForms: [CommandAPDU] {
    var forms = ([0x00, 0x0C, 0x04] as [UInt8]).map { parameter in
      var form = self
      form.p2 = parameter
      form.expectedLength = 256
      return form
    }
    if p1 == 0x02 {
      var form = self
      form.p1 = 0x00
      forms.append(form)
    }
    return forms
  }
}

extension StatusWord {
  /// Whether this status of SELECT is about parameters or lengths, and not about what was to be selected.
  fileprivate var refusesForm: Bool {
    [.incorrectParameters, .wrongLength, .inconsistentLength, .offsetBeyondFile, .functionNotSupported].contains(self)
      || proposedLength != nil
  }
}

/// The number and size of the APDUs that one read exchanged with the chip.
public struct TransportStatistics: Sendable, Equatable {
  /// Command APDUs sent to the chip.
  public var exchanges = 0
  public var bytesSent = 0
  public var bytesReceived = 0

  public init() {}
}
