package import TesseraCore

/// An error between a client and the NATS servers.
package enum NATSError: Error, Sendable, Equatable {
  /// None of the servers answers.
  case unreachable
  /// The servers refuse the key or the user.
  case refused
  /// A file with a seed, credentials or certificates cannot be used.
  case credentialsUnusable
  /// TLS failed.
  case tls
  /// The address demands TLS, and the server does not offer it.
  case tlsMissing
  /// The server demands TLS, and the address does not say so.
  case tlsRequired
  /// The server's certificate is refused: the number of OpenSSL's reason, X509_V_ERR_….
  case certificateRefused(Int)
  /// The server asks for no key.
  case keyNotWanted
  /// The server ended the connection during the login.
  case loginBrokenOff
  /// No answer came in time.
  case timeout
  /// Nobody answers requests on this subject.
  case noResponders
  /// The connection to the servers is interrupted; it is being made again.
  case disconnected
  /// This connection was closed.
  case closed
  /// Too much waits to be sent, since the server does not read as fast.
  case congested
  /// The message is longer than the server accepts.
  case tooLarge(limit: Int)
  /// The server began a message, or a line of the protocol, that is longer than it announces and than this client
  /// accepts: in bytes. The connection was closed.
  case excessiveMessage(limit: Int)
  /// The server announces messages that are longer than this client accepts: in bytes. No connection was made.
  case excessiveAnnouncement(limit: Int)
  /// The server refuses a subject to this client's user; nil if the server does not name it.
  case notPermitted(subject: String?)
  /// The server has no JetStream, or not for this client's account.
  case jetStreamMissing
  /// A subject or a queue group has forbidden characters, empty tokens, or wildcards where none may be.
  case invalidSubject
  /// A header has a name or a value that cannot be sent.
  case invalidHeader
  /// The stream, or the memory or disk that the server may use, is full.
  case streamFull
  /// The stream does not exist.
  case streamMissing
  /// The key-value bucket does not exist.
  case bucketMissing
  /// Another revision is stored than the expected one.
  case conflict
  /// JetStream refused a request: its error number.
  case refusedByJetStream(Int)
  /// A server answered with something else than the protocol says.
  case malformedAnswer
  /// Any other failure of the library: its status number.
  case library(Int)
}

extension NATSError {
  /// Whether the server itself has said why it does not do what is asked, so that waiting changes nothing.
  package var isAnswerOfServer: Bool {
    switch self {
    case .notPermitted, .jetStreamMissing, .excessiveMessage, .excessiveAnnouncement: true
    default: false
    }
  }
}

extension NATSError: FailureConvertible {
  package var failure: Failure {
    func unavailable(_ cause: String, _ remedy: String) -> Failure {
      Failure(.serviceUnavailable, cause, remedy: remedy)
    }
    return switch self {
    case .unreachable:
      unavailable("No NATS server answers.", "Check the addresses, and that the servers run.")
    case .refused:
      unavailable("The NATS server refuses this key.", "Check that the server's configuration lists the public key.")
    case .credentialsUnusable:
      Failure(
        .usage, "A file with a key or certificates for the NATS servers cannot be used.",
        remedy: "Check that the file exists, that you can read it, and that it is the right one.")
    case .tls:
      unavailable(
        "The encrypted connection to the NATS server failed.",
        "Check the file of certificate authorities, the name in the address, and the clocks of both machines.")
    case .tlsMissing:
      unavailable(
        "The NATS server has no TLS, and its address begins with tls://.",
        "Configure a certificate (tessera fleet configure --tls-certificate), or use nats:// on the machine of the server."
      )
    case .tlsRequired:
      unavailable(
        "The NATS server requires TLS, and its address begins with nats://.",
        "Use tls:// in the address, and name the certificate authorities with --fleet-ca.")
    case .certificateRefused(let number): Self.refusal(ofCertificate: number)
    case .keyNotWanted:
      unavailable(
        "The NATS server asks for no key, so it does not run with the configuration of a fleet.",
        "Check the address, and start the server with the file that tessera fleet configure wrote: nats-server -c FILE."
      )
    case .loginBrokenOff:
      unavailable(
        "The NATS server ended the connection during the login.",
        "Look at its log: it has too many connections (max_connections), or demands a certificate of its clients (verify)."
      )
    case .timeout:
      unavailable("No answer came over NATS in time.", "Try again, and check that the other side runs.")
    case .noResponders:
      unavailable("Nobody answers such requests over NATS.", "Check that the other side runs.")
    case .disconnected:
      unavailable("The connection to the NATS servers is interrupted.", "Try again; it is being made again.")
    case .closed: unavailable("The connection to the NATS servers was closed.", "Start the program again.")
    case .congested:
      unavailable(
        "The NATS server takes messages more slowly than they are sent.",
        "Check the network and the server's load, then try again.")
    case .tooLarge(let limit):
      Failure(
        .usage, "A message is longer than the \(limit) bytes that the NATS server accepts.",
        remedy: "Raise max_payload in the server's configuration.")
    case .excessiveMessage(let limit):
      Failure(
        .protocolViolation,
        "The NATS server sent more than the \(limit) bytes that a message may have, so the connection was closed.",
        remedy: "Check that the address leads to a NATS server of yours, and its max_payload.")
    case .excessiveAnnouncement(let limit):
      Failure(
        .protocolViolation,
        "The NATS server announces more than the \(limit) bytes that a message may have, so no connection was made.",
        remedy: "Set max_payload in its configuration to \(limit) at most.")
    case .notPermitted(let subject):
      unavailable(
        "The NATS server refuses this key the subject \(subject.map { PrintableText.of($0) } ?? "of a request").",
        "Use a key that may do this, with its own name: for fleet status, prepare and trust import the administrator's. Or "
          + "change the permissions in the server's configuration.")
    case .jetStreamMissing:
      unavailable(
        "The NATS server has no JetStream for this key (503 no responders).",
        "Switch it on in the server's configuration, for the account of this key, as tessera fleet configure does. Then "
          + "start the server again.")
    case .invalidSubject:
      Failure(
        .usage, "A subject of NATS is invalid.", remedy: "Use names of letters, digits and -, with full stops between.")
    case .invalidHeader:
      Failure(
        .usage, "A header of a NATS message is invalid.", remedy: "Use visible characters, without line ends.")
    case .streamFull:
      Failure(
        .storageFull, "The stream in JetStream is full, or the disk space that the server may use.",
        remedy: "Raise its limits, or let it delete older messages.")
    case .streamMissing:
      unavailable("The stream does not exist in JetStream.", "Start an inspector, which makes it.")
    case .bucketMissing:
      unavailable("The key-value bucket does not exist in JetStream.", "Publish something into it first.")
    case .conflict:
      Failure(.usage, "Somebody else changed the entry in the meantime.", remedy: "Try again.")
    case .refusedByJetStream(let number) where JetStream.ErrorNumber.withoutLeader.contains(number):
      unavailable(
        "The NATS servers have no leader for JetStream (error \(number)).",
        "Start the other servers of the cluster: more than half of them must run, and reach each other.")
    case .refusedByJetStream(let number):
      Failure(
        .serviceUnavailable, "JetStream refused a request (error \(number)).",
        remedy: "Check the server's log, and that this key may use JetStream.")
    case .malformedAnswer:
      Failure(
        .protocolViolation, "A NATS server sent an answer that cannot be read.",
        remedy: "Check that its address and port are those of a NATS server, and its version.")
    case .library(let status):
      Failure(.serviceUnavailable, "The NATS client library failed (status \(status)).", remedy: "Try again.")
    }
  }

  /// - Parameter number: X509_V_ERR_… of OpenSSL.
  private static func refusal(ofCertificate number: Int) -> Failure {
    let (cause, remedy) =
      switch number {
      case 9: ("is not valid yet", "Check this machine's clock, which may be behind.")
      case 10: ("has expired", "Check this machine's clock. If it is right, the server needs a new certificate.")
      case 62, 64: ("is for another name", "Use a name or an address that stands in the certificate.")
      case 2, 18...21:
        (
          "was issued by none of the certificate authorities",
          "Name the file with the authority that issued it by --fleet-ca, and check that the server sends its intermediate "
            + "certificates."
        )
      default:
        ("is not valid (reason \(number) of OpenSSL)", "Check the certificate, and the clocks of both machines.")
      }
    return Failure(.serviceUnavailable, "The certificate of the NATS server \(cause).", remedy: remedy)
  }
}
