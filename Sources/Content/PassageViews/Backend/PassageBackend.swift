package import PassageProtocol
package import TesseraHTTPClient

/// Carries out the requests of a session. It repeats nothing by itself: the session says what is sent again.
package struct PassageBackend: Sendable {
  private let transport: any HTTPTransport

  package init(_ transport: any HTTPTransport) { self.transport = transport }

  /// - Returns: what the server answered, with any status; or why there is no answer, without anything of the request.
  package func outcome(of request: PassageRequest) async -> RequestOutcome {
    if let origin = WebAddress(request.address)?.origin, origin.scheme == .http, origin.isLoopback {
      return await LoopbackRequest(request).outcome()
    }
    do {
      let response = try await transport.response(to: request.httpRequest())
      return .received(status: response.status, body: response.body)
    } catch let error as HTTPError { return .failed(reason: error.failure.cause) } catch {
      return .failed(reason: "The request was cancelled.")
    }
  }
}
