import Glibc
import Logging
import NIOHTTP1
import TesseraBridge
import TesseraCore

/// Log entries about refusals: the caller, what it requested, and the line in the grants file that would allow it.
extension ServiceCore {
  /// Logs a refused HTTP request.
  ///
  /// - Parameters:
  ///   - origin: nil if the reason is not the origin, or the page has no origin that can be granted.
  ///   - head: the request.
  func logRefusal(of origin: WebOrigin?, _ status: HTTPResponseStatus, _ reason: String, _ head: HTTPRequestHead) {
    var metadata: Logger.Metadata = ["reason": "\(reason)", "status": "\(status.code)"]
    if reason == "OPENER", let origin, let grant = try? Grant("\(origin.canonical) = nfc.scan") {
      metadata["origin"] = "\(origin.canonical)"
      logger.log(
        level: logThrottle.level("OPENER \(origin.canonical)", .notice),
        "A page that wants the result of the service's page was refused. This line in the grants file allows it: \(grant)",
        metadata: metadata)
      return
    }
    if reason == "OPENER", origin == nil {
      logger.log(
        level: logThrottle.level(reason, .notice),
        """
        A page that wants the result of the service's page was refused: targetOrigin must be an origin, without a slash at \
        the end.
        """, metadata: metadata)
      return
    }
    guard reason == "ORIGIN" else {
      let message: Logger.Message =
        reason == "HOST"
        ? """
        An HTTP request was refused: it names another host or port than those of the service. Use the service's own address, \
        not that of a proxy or of a forwarded port.
        """ : "An HTTP request was refused."
      logger.log(level: logThrottle.level(reason, .notice), message, metadata: metadata)
      return
    }
    let message: Logger.Message
    var kind = ""
    if let origin {
      kind = origin.canonical
      metadata["origin"] = "\(origin.canonical)"
      // What the page wants to do is not known.
      let grant = try? Grant("\(origin.canonical) = nfc.scan")
      message =
        grant.map {
          "A page of an origin without a grant was refused. It needs a line in the grants file, for example: \($0)"
        }
        ?? "A page that was loaded over http from another machine was refused. Serve it over https, and grant that."
    } else if let scheme = Self.otherScheme(head) {
      kind = "\(scheme):"
      message = """
        A page was refused whose origin begins with \(scheme):. Only origins of http and https can have a grant: let the \
        program load its page from http://localhost or over https, or use the socket of the service.
        """
    } else if head.uri == "/bridge", head.headers["Origin"].isEmpty {
      kind = "-"
      message = """
        A program was refused that sends no Origin. Programs use the Unix socket of the service, or tessera call. One that \
        stands for a page sends the page's origin.
        """
    } else {
      message = """
        A page without an origin was refused. Files and sandboxed frames have no origin. A page whose policy sends no \
        referrer must load the script with the attribute crossorigin.
        """
    }
    logger.log(
      level: logThrottle.level("ORIGIN \(kind)", .notice), message, metadata: metadata)
  }

  /// The scheme of an origin that cannot have a grant, such as those of programs with web views: `tauri`, `capacitor`,
  /// `app`, `file`, `chrome-extension`.
  private static func otherScheme(_ head: HTTPRequestHead) -> String? {
    guard head.headers["Origin"].count == 1, let origin = head.headers["Origin"].first,
      let end = origin.firstRange(of: "://")?.lowerBound
    else { return nil }
    let scheme = origin[..<end]
    guard 1...32 ~= scheme.utf8.count, scheme.utf8.allSatisfy({ isSchemeByte($0) }),
      WebOrigin.Scheme(rawValue: String(scheme)) == nil
    else { return nil }
    return String(scheme)
  }

  private static func isSchemeByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
      UInt8(ascii: "+"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  /// Logs a request of another version of the protocol.
  func logRefusal(of caller: Caller, _ mismatch: VersionMismatch) {
    var metadata = caller.metadata
    metadata["code"] = "\(VersionMismatch.code)"
    metadata["received"] = "\(mismatch.received ?? "none")"
    metadata["expected"] = "\(mismatch.expected)"
    logger.log(
      level: logThrottle.level(VersionMismatch.code, .notice),
      "A request was refused: it is of another version of the protocol.", metadata: metadata)
  }

  /// Logs a request that has a member too few, or one of another type.
  func logRefusal(of caller: Caller, _ malformed: MalformedRequest) {
    var metadata = caller.metadata
    metadata["code"] = "\(MalformedRequest.code)"
    metadata["member"] = "\(malformed.member)"
    logger.log(
      level: logThrottle.level("\(MalformedRequest.code) \(malformed.member)", .notice),
      "A request was refused: its member \"\(malformed.member)\" is missing, or not as the protocol demands.",
      metadata: metadata)
  }

  /// Logs a message that gets no response.
  func logDrop(of message: DroppedMessage, from caller: Caller) {
    logger.log(
      level: logThrottle.level("DROPPED \(message.rawValue)", .notice),
      "A message gets no response: \(message.reason).", metadata: caller.metadata)
  }

  /// Logs a refused connection to the loopback port.
  func logRefusal(ofCaller error: any Error) {
    let (reason, message): (String, Logger.Message)
    switch error as? LoopbackCallers.Refusal {
    case .otherUser: (reason, message) = ("USER", "A connection of another user to the loopback port was refused.")
    case .sandbox:
      (reason, message) = (
        "SANDBOX",
        """
        A connection to the loopback port was refused: its program is in a sandbox or a container. For a browser there, \
        start the service with --allow-sandboxed-browsers.
        """
      )
    case .hidden:
      (reason, message) = (
        "HIDDEN",
        """
        A connection to the loopback port was refused: a program in a sandbox, in the same control group, hides what it has \
        open, or has too much open to look at. Try again when that program has ended.
        """
      )
    case .unknownProcess: (reason, message) = ("PROCESS", Self.unseen(isRenewable: Self.isOldUnit))
    case .privileged:
      (reason, message) = (
        "CAPABILITY",
        """
        A connection to the loopback port was refused: the service cannot see its program, which may have a capability \
        that the service lacks, such as CAP_WAKE_ALARM from pam_systemd. Start the browser without it: setpriv \
        --inh-caps=-all --ambient-caps=-all BROWSER.
        """
      )
    case .busy:
      (reason, message) = (
        "BUSY", "A connection to the loopback port was refused: looking for its program took too long. Try again."
      )
    case .flood: (reason, message) = ("CALLERS", "A connection to the loopback port was refused: too many at once.")
    case .closed, nil: return
    }
    measures.refusedConnection(reason)
    logger.log(level: logThrottle.level(reason, .warning), message, metadata: ["reason": "\(reason)"])
  }

  /// Whether systemd started this service in a user namespace, as units of an earlier version request. The option
  /// --allow-sandboxed-browsers would then admit more than is needed.
  private static var isOldUnit: Bool { getenv("INVOCATION_ID") != nil && !ProcessFolder.hasAllUsers("self") }

  static func unseen(isRenewable: Bool) -> Logger.Message {
    let start = "A connection to the loopback port was refused: the service cannot see its program"
    return isRenewable
      ? """
      \(start), since the service is in a user namespace. If its unit has PrivateUsers=, run `tessera service install` \
      again, with the same options.
      """
      : """
      \(start), which may be outside of the service's sandbox or container. In that case, start the service with \
      --allow-sandboxed-browsers.
      """
  }

  /// Logs a refused request.
  ///
  /// - Parameters:
  ///   - code: the error code of the response.
  ///   - method: the method whose grant is missing, if that is the reason.
  func logRefusal(of caller: Caller, _ domain: BridgeDomain, _ code: String, wanting method: String?) {
    var metadata = caller.metadata
    metadata["code"] = "\(code)"
    // An unknown method name is text under the page's control, so it is not logged.
    guard let method, domain.methods.contains(method) else {
      metadata["domain"] = "\(domain.rawValue)"
      logger.log(level: logThrottle.level(code, .notice), "A request was refused.", metadata: metadata)
      return
    }
    let grant = Grant.lacking(caller, domain, method)
    metadata["method"] = "\(domain.rawValue).\(method)"
    logger.log(
      level: logThrottle.level("\(code) \(grant)", .notice),
      "A request was refused. This line in the grants file allows it: \(grant)", metadata: metadata)
  }

  /// Logs a request of a page whose method does not exist. Its name is text under the page's control, so the log has the
  /// name that it resembles instead.
  func logUnknownMethod(of request: BridgeRequest) {
    guard request.caller != .local else { return }
    let near = NearNames.of(request.method, in: request.domain.methods)
      .map { "\(request.domain.rawValue).\($0)" }.joined(separator: ", ")
    var metadata = request.caller.metadata
    metadata["code"] = "\(BridgeError.methodNotFoundCode)"
    metadata["domain"] = "\(request.domain.rawValue)"
    if !near.isEmpty { metadata["resembles"] = "\(near)" }
    logger.log(
      level: logThrottle.level("\(BridgeError.methodNotFoundCode) \(request.domain.rawValue) \(near)", .notice),
      "A request names a method that does not exist.", metadata: metadata)
  }

  /// Logs a failure of this machine: the response to a page does not contain it.
  func logFailure(of request: BridgeRequest, _ error: BridgeError) {
    guard request.caller != .local, let failure = error.failure, failure.kind.isHostFault else { return }
    var metadata = request.caller.metadata
    metadata["code"] = "\(error.code)"
    metadata["method"] = "\(request.domain.rawValue).\(request.method)"
    logger.log(
      level: logThrottle.level("\(failure.kind.rawValue) \(failure.cause)", .warning), "\(failure.description)",
      metadata: metadata)
  }
}
