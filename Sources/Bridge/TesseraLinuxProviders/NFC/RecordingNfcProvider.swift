package import TesseraBridge

/// Another provider, each of whose results is recorded before the page receives it. So the page cannot lose one. It cannot
/// make one up either, as far as it cannot sign with the key of results of a kiosk.
package struct RecordingNfcProvider: NfcProvider {
  private let inner: any NfcProvider
  private let record: @Sendable (NfcScanResult) async -> Void

  /// - Parameter record: returns soon, whatever becomes of the record: the page waits for it.
  package init(_ inner: any NfcProvider, record: @escaping @Sendable (NfcScanResult) async -> Void) {
    self.inner = inner
    self.record = record
  }

  package func isAvailable() async -> Bool { await inner.isAvailable() }
  package func readerStates() -> AsyncStream<NfcReaderState>? { inner.readerStates() }
  package func cancelScan() async { await inner.cancelScan() }

  package func scanPassport(
    _ request: NfcScanRequest, onProgress: @escaping @Sendable (NfcScanStep) -> Void
  ) async throws -> NfcScanResult {
    try await scanPassport(request, onProgress: onProgress, onFile: { _ in })
  }

  package func scanPassport(
    _ request: NfcScanRequest, onProgress: @escaping @Sendable (NfcScanStep) -> Void,
    onFile: @escaping @Sendable (NfcFileProgress) -> Void
  ) async throws -> NfcScanResult {
    let result = try await inner.scanPassport(request, onProgress: onProgress, onFile: onFile)
    await record(result)
    return result
  }
}
