import TesseraCore

/// The reason why a request has no response.
public enum HTTPError: Error, Sendable, Equatable {
  /// The text is no address, contains other characters than visible ones of ASCII, or contains a user's name.
  case invalidAddress
  /// The address does not start with `https://`.
  case notHTTPS
  /// The file that `SSL_CERT_FILE` names cannot be read, or has no certificates in PEM.
  case certificateFile(String)
  /// This machine has no libcurl, or one that does not use OpenSSL.
  case missingLibrary
  /// This machine's libcurl has this version, which is older than 7.85.
  case outdatedLibrary(version: String)
  /// No connection is made, since the environment variable `TESSERA_OFFLINE` is set.
  case offline
  /// A variable of the environment names something else than a proxy for HTTP.
  case invalidProxy
  /// The proxy cannot be reached, or it refused the connection to the server.
  case proxyRefused(host: String)
  /// The host's name is unknown, or it does not answer.
  case unreachable(host: String)
  /// The server's certificate is not valid for the host, or none of the roots issued it.
  case certificateRefused(host: String, CertificateProblem = .unknown)
  /// TLS failed for another reason, which another attempt would not change.
  case notSecure(host: String, TLSProblem)
  /// The server answered with this HTTP status, which is not the expected one.
  case status(Int)
  /// The server answered with a redirect that is not followed.
  case redirect(RedirectProblem)
  /// The body has more than this number of bytes.
  case tooLarge(limit: Int)
  case timeLimit(Duration)
  /// The connection ended before the response was complete.
  case interrupted(host: String)
  /// The response violates HTTP, or is compressed although this was not requested.
  case invalidResponse

  /// Why the certificate of a server is refused.
  public enum CertificateProblem: Sendable, Equatable {
    case expired
    case notYetValid
    /// It is for another host.
    case otherName
    /// None of the roots issued it, as far as the certificates show that the server sends.
    case unknownIssuer
    /// Its key is too short, or its signature uses an old hash function.
    case weak
    case unknown
  }

  /// Why there is no connection with TLS.
  public enum TLSProblem: Sendable, Equatable {
    /// Something else than TLS is spoken at the port, such as http.
    case missing
    /// The server has no version above 1.1, none of the ciphers, or says no more than that.
    case nothingInCommon
    /// The server has no certificate for the host's name.
    case unknownName
    /// The server demands a certificate.
    case clientCertificate
    /// The server speaks no HTTP/1.1.
    case otherProtocol
    /// Another reason, by its number in OpenSSL.
    case other(Int)
  }

  /// Why a redirect is not followed.
  public enum RedirectProblem: Sendable, Equatable {
    /// The request follows no redirect. It leads to this address, of which the query is left out; nil if it has none.
    case refused(to: String?)
    /// It leads to an address without https.
    case notHTTPS
    /// It leads to this host, or to another port, and the request follows redirects on its own host only.
    case otherHost(String)
    /// It is the sixth one.
    case tooMany
    /// It has no address, or an invalid one.
    case invalid
  }
}

extension HTTPError: FailureConvertible {
  public var failure: Failure {
    switch self {
    case .invalidAddress:
      Failure(
        .usage, "The address is invalid.", remedy: "Use an address such as https://example.org/list.ml.")
    case .notHTTPS:
      Failure(
        .usage, "The address does not start with https://.",
        remedy: "Use an https address, or download the file with another program and use the file.")
    case .certificateFile(let path):
      Failure(
        .usage, "The file “\(PrintableText.of(path))”, which SSL_CERT_FILE names, has no readable certificates.",
        remedy: "Name a file with certificates in PEM, or unset SSL_CERT_FILE.")
    case .missingLibrary:
      Failure(
        .serviceUnavailable, "The library libcurl.so.4, which makes connections to servers, cannot be used.",
        remedy: "Install it: sudo apt install libcurl4.")
    case .outdatedLibrary(let version):
      Failure(
        .serviceUnavailable, "The library libcurl.so.4 has version \(version), and 7.85 or later is needed.",
        remedy: "Install a newer one: sudo apt install libcurl4.", details: ["version": version])
    case .offline:
      Failure(
        .serviceUnavailable, "TESSERA_OFFLINE is set, so no connection is made.",
        remedy: "Unset it, or use what is already on this machine.")
    case .invalidProxy:
      Failure(
        .usage, "The proxy that the environment names is invalid.",
        remedy: "Set https_proxy to an address such as http://proxy.example.org:3128, or unset it.")
    case .proxyRefused(let host):
      Failure(
        .serviceUnavailable, "The proxy “\(PrintableText.of(host))” cannot be reached, or it refused the connection.",
        remedy: "Check https_proxy, its user and its password. no_proxy names hosts that are reached without it.")
    case .unreachable(let host):
      Failure(
        .serviceUnavailable, "The server “\(host)” cannot be reached.",
        remedy: "Check the address and the connection to the network. A proxy is named by https_proxy.")
    case .certificateRefused(let host, let problem): Self.failure(problem, host)
    case .notSecure(let host, let problem): Self.failure(problem, host)
    case .status(let status):
      Failure(
        .serviceUnavailable, "The server answered with the HTTP status \(status).",
        remedy: "Check the address in a browser.", details: ["status": "\(status)"])
    case .redirect(let problem): Self.failure(problem)
    case .tooLarge(let limit):
      Failure(
        .usage, "The response has more than \(limit) bytes.",
        remedy: "Check the address: nothing that is read from there is as large.")
    case .timeLimit(let limit):
      Failure(
        .serviceUnavailable, "The server's response did not end within \(limit.components.seconds) seconds.",
        remedy: "Try again later, or download the file with another program and use the file.")
    case .interrupted(let host):
      Failure(.serviceUnavailable, "The connection to the server “\(host)” was interrupted.", remedy: "Try again.")
    case .invalidResponse:
      Failure(
        .serviceUnavailable, "The server's response is invalid.",
        remedy: "Download the file with another program and use the file.")
    }
  }

  private static func failure(_ problem: CertificateProblem, _ host: String) -> Failure {
    let certificate = "The certificate of the server “\(host)”"
    let root = "If the network has a root of its own, name its file in SSL_CERT_FILE."
    let (cause, remedy) =
      switch problem {
      case .expired:
        ("\(certificate) has expired.", "Check the system's clock. If it is right, the server needs a new certificate.")
      case .notYetValid:
        ("\(certificate) is not valid yet.", "Check the system's clock, which may be behind.")
      case .otherName:
        (
          "\(certificate) is for another name.",
          "Use a name that the certificate has, or give the server a certificate for this one."
        )
      case .unknownIssuer:
        (
          "\(certificate) is not trusted: no root of this system issued it.",
          "Check the address, and that the server sends its intermediate certificates. \(root)"
        )
      case .weak:
        (
          "\(certificate) is not trusted: its key is too short, or its signature too old.",
          "The server needs a certificate with a key of at least 2048 bits (RSA) and SHA-256."
        )
      case .unknown: ("\(certificate) is not trusted.", "Check the address and the system's clock. \(root)")
      }
    return Failure(.serviceUnavailable, cause, remedy: remedy)
  }

  private static func failure(_ problem: TLSProblem, _ host: String) -> Failure {
    let server = "The server “\(host)”"
    let (cause, remedy) =
      switch problem {
      case .missing:
        ("\(server) does not use TLS at this port.", "Check the port in the address: it may be that of http.")
      case .nothingInCommon:
        (
          "\(server) and this system have no version or cipher of TLS in common, or it demands a certificate.",
          "The server needs TLS 1.2 or later, and must demand no certificate of its clients."
        )
      case .unknownName:
        (
          "\(server) has no certificate for this name.",
          "Check the name in the address, and the server's configuration."
        )
      case .clientCertificate:
        ("\(server) demands a certificate, and this program has none.", "Use an address of the server that needs none.")
      case .otherProtocol:
        ("\(server) does not speak HTTP/1.1.", "Check the port in the address, or permit HTTP/1.1 on the server.")
      case .other(let number):
        (
          "The encrypted connection to the server “\(host)” cannot be made (reason \(number) of OpenSSL).",
          "Check the address, and the server's configuration of TLS."
        )
      }
    return Failure(.serviceUnavailable, cause, remedy: remedy)
  }

  private static func failure(_ problem: RedirectProblem) -> Failure {
    let cause =
      switch problem {
      case .refused(let address):
        "The server refers to another address\(address.map { ", \(PrintableText.of($0))" } ?? "")."
      case .notHTTPS: "The server refers to an address without https."
      case .otherHost(let host): "The server refers to another one, “\(PrintableText.of(host))”."
      case .tooMany: "The server refers to other addresses more than five times."
      case .invalid: "The server refers to an invalid address."
      }
    return Failure(
      .serviceUnavailable, cause,
      remedy: "Open the address in a browser, and use the address of the file itself if you trust its server.")
  }
}
