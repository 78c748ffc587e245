public import Bridge
import Failures
import Foundation
public import TestSupport

/// An NFC provider that behaves as a vector's `given` says; the provider that reads chips has tests of its own. This one
/// falls back from PACE to Basic Access Control, as the Android SDK does; that one does not.
public struct ScriptedNfcProvider: NfcProvider {
  let given: Vector
  /// Is open when a scan waits for a document that never comes.
  public let isWaiting = Gate()

  public init(given: Vector) { self.given = given }

  public func isAvailable() async -> Bool { given["available"].flag }
  public func cancelScan() async {}

  public func scanPassport(
    _ request: NfcScanRequest, onProgress: @escaping @Sendable (NfcScanStep) -> Void
  ) async throws -> String {
    onProgress(.waitingForTag)
    switch given["hardware"].text {
    case "none": throw Failure(.noReader, "No reader.")
    case "off": throw Failure(.serviceUnavailable, "No service.")
    default: break
    }
    if given["providerError"].isPresent { throw Failure(.cardLost, given["providerError"].text) }
    if given["rawResult"].isPresent { return given["rawResult"].text }
    if given["scanInProgress"].flag || given["chip"].text == "never" {
      await isWaiting.open()
      try await Task.sleep(for: .seconds(60))
    }
    if given["chip"].text == "mifareClassic" { throw Failure(.notSmartCard, "A storage card.") }
    onProgress(.connecting)
    let pace = given["pace"].text
    if !request.skipPACE, given["chip"].text == "synthetic" {
      onProgress(.pace)
      if pace == "ok" || pace == "okWithCan" && request.canNumber != nil { onProgress(.paceSucceeded) }
    }
    let isPACE = !request.skipPACE && (pace == "ok" || pace == "okWithCan" && request.canNumber != nil)
    if !isPACE {
      onProgress(.bac)
      if given["bac"].text == "fail" { throw Failure(.accessDenied, "The chip refused the key.") }
      onProgress(given["chip"].text == "openNoBac" ? .bacNotRequired : .bacSucceeded)
    }
    onProgress(.readingDG1)
    onProgress(.readingSOD)
    if !request.skipChipAuthentication { onProgress(.chipAuthentication) }
    onProgress(.buildingResult)
    var flat = BridgeVectors.fixture["nfcShapes"]["flatAndroid"].raw as? [String: Any] ?? [:]
    flat["paceSucceeded"] = isPACE
    onProgress(.complete)
    return String(decoding: try JSONSerialization.data(withJSONObject: flat), as: UTF8.self)
  }
}

/// Lets tasks wait until another has come to a place.
public actor Gate {
  private var isOpen = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  public init() {}

  public func open() {
    isOpen = true
    for continuation in waiting { continuation.resume() }
    waiting = []
  }

  public func wait() async {
    if isOpen { return }
    await withCheckedContinuation { waiting.append($0) }
  }
}
