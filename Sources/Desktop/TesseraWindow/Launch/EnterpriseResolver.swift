import TesseraBridge
import TesseraCore
import TesseraHTTPClient

/// Reads the enterprise session of a request from its server, over https.
package struct EnterpriseResolver: Sendable {
  private let transport: any HTTPTransport

  package init(transport: any HTTPTransport = HTTPSClient()) { self.transport = transport }

  /// Why a session gives no request.
  package struct Problem: Error {
    let code: EnterpriseSessionError
    /// What is wrong with the connection, if it is that. It contains nothing of the session.
    var cause: String?

    /// The error of the launch.
    var error: VerificationError {
      VerificationError(
        code: code.rawValue, message: [code.message, cause].compactMap { $0 }.joined(separator: " "), source: .host)
    }
  }

  /// - Returns: the request with the members that its session decides; itself if it has no session.
  /// - Throws: `Problem`, or `CancellationError`.
  package func request(_ request: VerificationRequest) async throws -> VerificationRequest {
    guard let session = request.enterpriseSession else { return request }
    do {
      let address = try session.address()
      let response = try await transport.response(
        to: HTTPRequest(
          try HTTPSAddress(address), sizeLimit: EnterpriseSession.maximumAnswer, timeLimit: .seconds(30)))
      return try request.resolved(status: response.status, body: response.body)
    } catch let error as EnterpriseSessionError {
      throw Problem(code: error)
    } catch let error as HTTPError {
      throw Problem(code: .notResolved, cause: Self.cause(of: error))
    }
  }

  /// nil for a redirect: a server that knows the reference chooses where it leads.
  private static func cause(of error: HTTPError) -> String? {
    switch error {
    case .redirect: nil
    case .invalidAddress, .notHTTPS: "The address of its server is not an https address."
    default: error.failure.cause
    }
  }
}
