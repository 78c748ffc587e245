internal import TesseraDBus
import TesseraThreads

/// One operation of the fingerprint service, on a thread of its own: find, claim, verify. `FingerprintReader.session`
/// makes it and ends it.
package actor FingerprintSession {
  private let bus: BusConnection.Address
  private let limits: FingerprintReader.Limits
  private let deadline: ContinuousClock.Instant
  private let clock: any MonotonicClock
  private let interruption: BusInterruption
  private var client: FprintdClient?
  private nonisolated let executor = ThreadExecutor(name: "fingerprint")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(
    _ bus: BusConnection.Address, _ limits: FingerprintReader.Limits, _ deadline: ContinuousClock.Instant,
    _ clock: any MonotonicClock, _ interruption: BusInterruption
  ) {
    self.bus = bus
    self.limits = limits
    self.deadline = deadline
    self.clock = clock
    self.interruption = interruption
  }

  deinit { executor.stop() }

  /// Chooses the reader with the most enrolled fingers of this user.
  ///
  /// - Returns: Their names.
  package func find() throws(FingerprintError) -> [String] { try open().find() }

  /// Reserves the reader that `find` chose: from now on no other program hears its fingers.
  package func claim() throws(FingerprintError) { try open().claim() }

  /// Returns when the user has shown an enrolled finger at the claimed reader.
  package func verify(_ onEvent: @Sendable (FingerprintEvent) -> Void) throws(FingerprintError) {
    try open().verify(onEvent)
  }

  /// Releases the reader and closes the connection.
  func end() {
    client?.end()
    client = nil
  }

  private func open() throws(FingerprintError) -> FprintdClient {
    if let client { return client }
    let opened = try FprintdClient(bus, limits, deadline, clock, interruption)
    client = opened
    return opened
  }
}

/// A finger of the user, with its name in fprintd.
///
/// Source: fprintd 1.94, net.reactivated.Fprint.Device.xml, "Fingerprint names".
public enum Finger: String, Sendable, CaseIterable {
  case leftThumb = "left-thumb"
  case leftIndex = "left-index-finger"
  case leftMiddle = "left-middle-finger"
  case leftRing = "left-ring-finger"
  case leftLittle = "left-little-finger"
  case rightThumb = "right-thumb"
  case rightIndex = "right-index-finger"
  case rightMiddle = "right-middle-finger"
  case rightRing = "right-ring-finger"
  case rightLittle = "right-little-finger"

  /// The name for the user, as in "with your right index finger".
  public var words: String { rawValue.replacing("-", with: " ") }
}

/// The finger that each try of a verification compares with.
///
/// A reader that can identify compares with all enrolled fingers at once. Any other compares with one: fprintd selects the
/// first one for "any" and says so. Each next try is then for the next finger, so that every enrolled one can answer.
struct FingerTurns: Equatable {
  /// One for each try; nil for all enrolled fingers.
  let tries: [Finger?]

  /// - Parameters:
  ///   - enrolled: The names of the enrolled fingers, in the order of the service.
  ///   - selected: The name that the service selected for "any", which is "any" if the reader can identify; nil if it
  ///     selected none.
  ///   - count: The number of tries. There are more if there are more fingers.
  init(enrolled: [String], selected: String?, count: Int) {
    guard let first = selected.flatMap(Finger.init) else {
      tries = Array(repeating: nil, count: count)
      return
    }
    var fingers = [first]
    let known = enrolled.compactMap(Finger.init)
    let start = known.firstIndex(of: first) ?? 0
    for finger in known[start...] + known[..<start] where !fingers.contains(finger) { fingers.append(finger) }
    tries = (0..<max(count, fingers.count)).map { fingers[$0 % fingers.count] }
  }
}

/// What happens while the service waits for a finger.
///
/// An event names a finger if the reader compares with that one only, because it cannot identify.
public enum FingerprintEvent: Sendable, Equatable {
  /// The reader waits for a finger. Reported before each try.
  case waiting(Finger?)
  /// The reader saw a finger and needs it again. This is not a try.
  case retry(Retry, Finger?)
  /// The finger is not the expected one, and there are more tries. The next one is for the finger `next`.
  case noMatch(remainingTries: Int, next: Finger?)

  /// Why the reader needs the finger again (fprintd, "Verify Statuses").
  public enum Retry: String, Sendable, CaseIterable {
    case scan = "verify-retry-scan"
    case swipeTooShort = "verify-swipe-too-short"
    case notCentered = "verify-finger-not-centered"
    case removeAndRetry = "verify-remove-and-retry"
  }
}
