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
          throw Failure(.serviceUnavailable, "The server's list of texts is invalid.", remedy: "Try again later.")
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
