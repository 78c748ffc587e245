internal import TesseraCore
internal import TesseraHTTPClient

/// The request for the manifest, in the contract that the server knows.
struct ManifestRequest: Sendable {
  let check: UpdateCheck

  /// - Parameters:
  ///   - cached: the last manifest. Its entity tag is sent with the request that it is the answer of.
  ///   - isValidated: false for a request that gets a whole answer.
  /// - Returns: the manifest, and whether it is another one than the cached one.
  /// - Throws: `Failure` if there is no valid manifest; `CancellationError`.
  func answer(
    _ cached: ManifestRecord?, isValidated: Bool = true
  ) async throws -> (ManifestRecord, isNew: Bool) {
    do {
      var unknown = HTTPError.status(404)
      for contract in ServerContract.order(cached?.contract) {
        let address = try check.addresses.manifest(contract)
        let known = isValidated && cached?.contract == contract ? cached : nil
        var response = try await response(address, entityTag: known?.etag)
        if response.isNotModified {
          if let known { return (known, false) }
          // The server takes part in a validation that nobody asked for.
          response = try await self.response(address, entityTag: nil)
        }
        if ServerContract.unknownStatuses.contains(response.status) {
          unknown = .status(response.status)
          continue
        }
        guard response.status == 200 else { throw HTTPError.status(response.status) }
        guard
          let record = ManifestRecord(
            body: response.body, etag: response.entityTag, previousRevision: cached?.revision, contract: contract)
        else {
          throw response.isWebPage
            ? UpdateFailure.webPage
            : Failure(.serviceUnavailable, "The server's list of texts is invalid.", remedy: "Try again later.")
        }
        return (record, true)
      }
      throw unknown
    } catch let error as HTTPError {
      throw UpdateFailure.of(error)
    }
  }

  private func response(_ address: HTTPSAddress, entityTag: String?) async throws -> HTTPResponse {
    try await check.response(address, entityTag: entityTag, limit: TranslationManifest.maximumSize)
  }
}

/// What a failed request means to a user who waits for texts. The remedies of `HTTPError` are for a user who wants a
/// file.
enum UpdateFailure {
  private static let signIn =
    "Open https://rerune.io in a browser: some networks lead every address to a page for signing in."

  /// A network that reads https has answered in the place of the server.
  static var webPage: Failure { failure("The server answered with a web page.", signIn) }

  /// The failure of a check whose request for the manifest failed.
  static func of(_ error: HTTPError) -> Failure {
    guard case .status(let status) = error, [401, 403, 404].contains(status) else { return ofTexts(error) }
    let cause = status == 404 ? "The server knows no texts for the publish id" : "The server refused the publish id"
    return failure(
      "\(cause) (HTTP status \(status)).", "Compare it with the one in the settings of your project at rerune.io.",
      details: ["status": "\(status)"])
  }

  /// The failure of a request for the texts of a locale.
  static func ofTexts(_ error: HTTPError) -> Failure {
    switch error {
    // Network Authentication Required (RFC 6585, 6).
    case .status(511): failure("The network wants somebody to sign in (HTTP status 511).", signIn)
    case .status(let status):
      failure("The server answered with the HTTP status \(status).", details: ["status": "\(status)"])
    case .timeLimit(let limit): failure("The server's answer did not end within \(text(limit)).")
    case .tooLarge(let limit): failure("The server's answer has more than \(limit) bytes.")
    case .redirect:
      failure(
        error.failure.cause,
        Self.signIn)
    case .interrupted, .invalidResponse: failure(error.failure.cause)
    default: error.failure
    }
  }

  private static func failure(
    _ cause: String, _ remedy: String = "Try again later.", details: [String: String] = [:]
  ) -> Failure {
    Failure(.serviceUnavailable, cause, remedy: remedy, details: details)
  }

  private static func text(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    if seconds == 0 { return "\(attoseconds / 1_000_000_000_000_000) milliseconds" }
    return seconds == 1 ? "1 second" : "\(seconds) seconds"
  }
}

extension HTTPResponse {
  fileprivate var isWebPage: Bool {
    body.drop { $0 <= 0x20 }.starts(with: "<".utf8) && mediaType?.lowercased().hasPrefix("text/html") == true
  }
}
