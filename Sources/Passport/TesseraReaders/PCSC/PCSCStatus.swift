internal import CTesseraPCSC
import FoundationEssentials
import Glibc
import TesseraSmartCard

/// A return value of a PC/SC function, which is a signed number of the platform's width.
struct PCSCStatus: Equatable {
  let code: UInt32

  init(_ value: LONG) { code = UInt32(truncatingIfNeeded: value) }
  private init(code: UInt32) { self.code = code }

  static let success = PCSCStatus(code: 0)
  static let cancelled = PCSCStatus(code: 0x8010_0002)
  static let insufficientBuffer = PCSCStatus(code: 0x8010_0008)
  static let unknownReader = PCSCStatus(code: 0x8010_0009)
  static let timeout = PCSCStatus(code: 0x8010_000A)
  static let sharingViolation = PCSCStatus(code: 0x8010_000B)
  static let noSmartCard = PCSCStatus(code: 0x8010_000C)
  static let readerUnavailable = PCSCStatus(code: 0x8010_0017)
  /// The connection to the service was lost: a call in progress returns this when the service ends (winscard_msg.c).
  static let communicationError = PCSCStatus(code: 0x8010_0013)
  static let noService = PCSCStatus(code: 0x8010_001D)
  static let serviceStopped = PCSCStatus(code: 0x8010_001E)
  static let noReadersAvailable = PCSCStatus(code: 0x8010_002E)
  static let resetCard = PCSCStatus(code: 0x8010_0068)
  static let removedCard = PCSCStatus(code: 0x8010_0069)
  static let unresponsiveCard = PCSCStatus(code: 0x8010_0066)
  static let unpoweredCard = PCSCStatus(code: 0x8010_0067)
  /// The service refuses the user when it opens a session or, since pcsc-lite 2.0.1, connects to a card. Every call may
  /// also return this, instead of `communicationError`, if the service closed the session because it ended.
  static let securityViolation = PCSCStatus(code: 0x8010_006A)

  /// The error of an operation on the service or a reader, in an open session.
  func error(_ operation: String) -> CardError {
    switch self {
    case .noService, .serviceStopped, .communicationError, .securityViolation: .serviceUnavailable
    case .noReadersAvailable: .noReader
    default: .service(operation: operation, code: code)
    }
  }

  /// The error of `SCardEstablishContext`.
  ///
  /// - Parameters:
  ///   - isListening: whether the service accepts connections.
  ///   - service: what is known of it.
  func sessionError(isListening: @autoclosure () -> Bool, _ service: @autoclosure () -> PCSCService) -> CardError {
    switch self {
    // The library compares the versions, without a repetition.
    case .serviceStopped where isListening(): .sessionRefused(.otherVersion)
    case .securityViolation where isListening():
      switch service() {
      case .asksPolkit: .accessDenied
      case .lacksPolkit: .sessionRefused(.noPolkit)
      case .asksNobody: .sessionRefused(.tooManySessions)
      }
    // The service runs: with polkit it refuses a user in this way.
    case .communicationError: .service(operation: "SCardEstablishContext", code: code)
    case .noService where isListening(): .sessionRefused(.unknown)
    default: error("SCardEstablishContext")
    }
  }

  /// The error of `SCardConnect`.
  ///
  /// - Parameter isSessionOpen: whether the service still answers: after it ended, there is nobody who refuses.
  func connectionError(reader: String, isSessionOpen: @autoclosure () -> Bool) -> CardError {
    switch self {
    case .sharingViolation: .readerInUse(reader: reader)
    case .unresponsiveCard: .notSmartCard
    case .unpoweredCard: .cardUnpowered(reader: reader)
    case .securityViolation where isSessionOpen(): .accessDenied
    default: cardError
    }
  }

  /// The error of an operation on a connected card.
  var cardError: CardError {
    switch self {
    case .removedCard, .noSmartCard, .readerUnavailable, .unpoweredCard, .unresponsiveCard, .unknownReader:
      .cardRemoved
    case .resetCard: .cardReset
    case .noService, .serviceStopped, .communicationError, .securityViolation: .serviceUnavailable
    default: .transmission(code: code)
    }
  }
}

/// Whom the PC/SC daemon of this system asks about a user.
package enum PCSCService {
  case asksPolkit
  /// It asks polkit, which cannot be reached without a system bus.
  case lacksPolkit
  /// It was built without polkit, as Debian 12's.
  case asksNobody

  static var current: PCSCService {
    guard hasPolkit else { return .asksNobody }
    return LocalSocket.connect(bus) == .connected ? .asksPolkit : .lacksPolkit
  }

  /// Whether the policy file of a pcscd with polkit support is installed (pcsc-lite's README.polkit).
  package static var hasPolkit: Bool {
    FileManager.default.fileExists(atPath: "/usr/share/polkit-1/actions/org.debian.pcsc-lite.policy")
  }

  /// The socket path that libpcsclite uses.
  package static let socket = ProcessInfo.processInfo.environment["PCSCLITE_CSOCK_NAME"] ?? "/run/pcscd/pcscd.comm"

  private static let bus = "/run/dbus/system_bus_socket"
}
