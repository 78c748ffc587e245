import Foundation
import TesseraBridge
import TesseraHTTPClient
import TesseraKeys
import TesseraKiosk
import TesseraThreads

extension NfcScanResult {
  /// The read of an invented document; the number is a part of the name.
  static func guest(_ number: Int) -> NfcScanResult {
    NfcScanResult(
      zone: MachineReadableZone(
        text: "P<UTO", documentType: "P", issuingState: "UTO", surname: "GUEST\(number)", givenNames: "ANNA MARIA",
        documentNumber: "L898902C3", nationality: "UTO", personalNumber: "", dateOfBirth: "740812",
        dateOfExpiry: "120415", sex: .female),
      securityObject: SecurityObject(
        certificate: SignerCertificate(pem: "", signatureAlgorithm: "SHA256withECDSA", publicKey: .other),
        digestAlgorithm: "SHA-256", signerDigestAlgorithm: "SHA-256", signatureAlgorithm: "SHA256withECDSA",
        signedAttributes: [], signature: [], content: [], dataGroupHashes: [:]),
      paceSucceeded: true, chipAuthenticationSucceeded: true,
      verification: Verification(
        checks: ["passive.hashes": "passed"], findings: [Verification.Finding(id: "zone.filler", detail: "Detail.")],
        accessProtocol: "PACE", outcome: "genuine", headline: "Genuine."))
  }
}

extension GuestResult {
  static func test(_ number: Int) -> GuestResult { GuestResult(.guest(number), kiosk: "kiosk 1") }
}

extension ResultSigner {
  /// - Parameter keys: the folder of the keys, which are not encrypted.
  static func test(keys: String) throws -> ResultSigner {
    ResultSigner(
      store: FileKeyStore(path: keys, newKeys: .unprotected, secrets: NonInteractive()), name: try KeyName("kiosk"))
  }
}

/// A server that keeps the `Idempotency-Key` of each request that reaches it, one on a line of a file.
struct RecordingServer: HTTPTransport {
  enum Behavior {
    case answers(Int)
    /// It wants no request for this time.
    case wantsSilence(Int, Duration)
    /// The request does not reach it.
    case isAway
    /// It has the request, and its answer is lost.
    case isCutOff
    /// It has the request, and this process is killed before the answer.
    case dies
  }

  let log: String
  private let count = Locked(0)
  private let behavior: @Sendable (Int) -> Behavior

  /// - Parameter behavior: what happens to a request, by its number from 1.
  init(log: String, behavior: @escaping @Sendable (Int) -> Behavior) {
    self.log = log
    self.behavior = behavior
  }

  func response(to request: HTTPRequest) async throws -> HTTPResponse {
    let number = count.withLock { count in
      count += 1
      return count
    }
    let behavior = behavior(number)
    if case .isAway = behavior { throw HTTPError.unreachable(host: request.address.host) }
    if case .answers(let status) = behavior, !(200...299 ~= status) { return HTTPResponse(status: status) }
    if case .wantsSilence(let status, let duration) = behavior {
      var response = HTTPResponse(status: status)
      response.retryAfter = duration
      return response
    }
    let key = request.headers.first { $0.name == "Idempotency-Key" }?.value ?? "-"
    let line = Array((key.filter { $0 != "\"" } + "\n").utf8)
    let file = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0, write(file, line, line.count) == line.count else { throw HTTPError.invalidResponse }
    close(file)
    switch behavior {
    case .dies:
      kill(getpid(), SIGKILL)
      throw HTTPError.invalidResponse
    case .isCutOff: throw HTTPError.interrupted(host: request.address.host)
    case .answers(let status): return HTTPResponse(status: status)
    case .isAway, .wantsSilence: throw HTTPError.unreachable(host: request.address.host)
    }
  }

  /// The keys of all requests that reached it, in their order.
  static func keys(_ log: String) -> [String] {
    let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }
}
